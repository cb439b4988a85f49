"""Progress of loading data: a status line in a terminal, and warnings everywhere."""

from __future__ import annotations

import logging
import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pubench.cli.streams import show

if TYPE_CHECKING:
    from rich.status import Status

__all__ = ["Loading"]

_LOG = logging.getLogger("pubench.data")


class Loading(logging.Handler):
    """Shows log messages while data are loaded.

    On a terminal (or according to ``shown``) one line on standard error shows the current step until it ends. Warnings
    are always printed.
    """

    def __init__(self, *, shown: bool | None = None) -> None:
        super().__init__(logging.INFO)
        self._shown = (sys.stderr is not None and sys.stderr.isatty()) if shown is None else shown
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
        """Start to show messages."""
        self._level = _LOG.level
        _LOG.addHandler(self)
        _LOG.setLevel(logging.INFO)

    def close(self) -> None:
        """Stop showing messages and clear the line; closing twice is allowed."""
        if self in _LOG.handlers:
            _LOG.removeHandler(self)
            _LOG.setLevel(self._level)
        self._clear()
        super().close()

    def emit(self, record: logging.LogRecord) -> None:
        """Show a warning, or the current step."""
        if record.levelno >= logging.WARNING:
            self._clear()
            show(f"pubench: {record.getMessage()}")
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
