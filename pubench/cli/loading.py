"""How loading data goes, for people at a terminal; elsewhere only what they should know is said."""

from __future__ import annotations

import logging
import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click

if TYPE_CHECKING:
    from rich.status import Status

__all__ = ["Loading"]

_LOG = logging.getLogger("pubench.data")


class Loading(logging.Handler):
    """Listens to what is logged while data are loaded.

    On a terminal (or, with ``shown``, as that says) one line of standard error tells what goes on, and goes when it has
    ended. Warnings are printed everywhere.
    """

    def __init__(self, *, shown: bool | None = None) -> None:
        super().__init__(logging.INFO)
        self._shown = sys.stderr.isatty() if shown is None else shown
        self._status: Status | None = None
        self._level = logging.NOTSET

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def open(self) -> None:
        """Begin to listen."""
        self._level = _LOG.level
        _LOG.addHandler(self)
        _LOG.setLevel(logging.INFO)

    def close(self) -> None:
        """Listen no more, and clear the line; a second time does nothing."""
        if self in _LOG.handlers:
            _LOG.removeHandler(self)
            _LOG.setLevel(self._level)
        self._clear()
        super().close()

    def emit(self, record: logging.LogRecord) -> None:
        """Show a warning, or what is going on now."""
        if record.levelno >= logging.WARNING:
            self._clear()
            click.echo(f"pubench: {record.getMessage()}", err=True)
        elif getattr(record, "ended", False):
            self._clear()
        elif self._shown:
            self._show(record.getMessage())

    def _show(self, text: str) -> None:
        from rich.console import Console
        from rich.markup import escape
        from rich.status import Status

        if self._status is None:
            self._status = Status(escape(text), console=Console(stderr=True))
            self._status.start()
        else:
            self._status.update(escape(text))

    def _clear(self) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None
