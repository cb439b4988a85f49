"""Signals that end a command: it cleans up, says one sentence, and ends with the code that shells expect."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from types import FrameType, TracebackType
from typing import Self

import click

__all__ = ["Interrupted", "Signals", "current_signals"]

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PATIENCE = 3
"""How many signals end a command at once, even if it still cleans up."""


class Interrupted(KeyboardInterrupt):
    """A signal asks the command to end.

    A class of its own: Python ends the process by SIGINT after a KeyboardInterrupt in code that ``exec`` runs, even if
    it was handled, and whatever the signal was.
    """


class Signals:
    """Turns the first signal that asks a command to end into an `Interrupted`.

    The second is ignored: a terminal and a parent process often send one each, and it must not break what cleans up
    after the first. The third ends the process at once. Signals that are ignored when the command starts, as by
    ``nohup`` or in the background of a script, stay ignored.

    Attributes
    ----------
    received : signal.Signals or None
        The first signal.
    """

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        self._count = 0
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> Self:
        # Python lets only the main thread handle signals.
        if threading.current_thread() is threading.main_thread():
            for number in _ENDING:
                if signal.getsignal(number) != signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            if isinstance(handler, signal.Handlers) or callable(handler):
                signal.signal(number, handler)

    def ignore_from_now_on(self) -> None:
        """Leave signals ignored afterwards: a late one must not change how the process ends."""
        self._before = dict.fromkeys(self._before, signal.SIG_IGN)

    @property
    def code(self) -> int:
        """The exit code of a command that was interrupted: 128 and the number of the signal, as in shells."""
        return 128 + (self.received or signal.SIGINT)

    @property
    def name(self) -> str:
        """What interrupted the command."""
        return (self.received or signal.SIGINT).name

    def check(self) -> None:
        """Raise `Interrupted` if a signal came and the exception for it was lost, as in ``__del__``."""
        if self.received is not None:
            raise Interrupted

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._count += 1
        if self._count >= _PATIENCE:
            os._exit(128 + number)
        if self.received is not None:
            return
        self.received = signal.Signals(number)
        # Messages of libraries about the interruption do not help the user. Their threads may fail on
        # tasks that are gone before this thread runs again, so silence them here, not where the interrupt is caught.
        sys.unraisablehook = lambda _: None
        threading.excepthook = lambda _: None
        warnings.simplefilter("ignore")
        raise Interrupted


def current_signals() -> Signals:
    """Return the signals of the command that runs now."""
    return click.get_current_context().ensure_object(Signals)
