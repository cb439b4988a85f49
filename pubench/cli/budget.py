"""Time budgets of commands, and a line that shows how far they are."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from pubench.cli.streams import show

if TYPE_CHECKING:
    from pubench.advise.comparing import Progress

__all__ = ["BUDGET", "comparison_progress", "duration", "rows_progress"]

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
_EVERY = 10.0
"""Seconds between two lines where there is no terminal."""


class BudgetType(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """Seconds, or a number with a unit: 60, 90s, 5m, 1.5h."""

    name = "time"

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the budget in seconds."""
        if isinstance(value, int | float):
            return float(value)
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", value.strip().lower())
        if match is None or float(match[1]) == 0:
            self.fail(f"{value!r} is not a time; write seconds such as 60, or 90s, 5m, 1h", param, ctx)
        return float(match[1]) * _UNITS[match[2]]


BUDGET = BudgetType()


@contextmanager
def comparison_progress(*, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Show how far a comparison is: in one line of a terminal, in a line now and then elsewhere."""
    if quiet:
        yield lambda progress: None
    elif sys.stderr is not None and sys.stderr.isatty():
        from rich.console import Console
        from rich.status import Status

        with Status("reading", console=Console(stderr=True)) as status:
            yield lambda progress: status.update(_text(progress))
    else:
        lines = _Lines(-_EVERY)
        yield lambda progress: lines.show(_text(progress))


def rows_progress() -> Callable[[int], None]:
    """Show every ten seconds how many rows of a file have been predicted."""
    lines = _Lines(time.monotonic())
    return lambda done: lines.show(f"{done:,} rows predicted so far")


class _Lines:
    """Prints at most one line every ten seconds after the time when it printed last."""

    def __init__(self, printed: float) -> None:
        self._printed = printed

    def show(self, line: str) -> None:
        now = time.monotonic()
        if now - self._printed >= _EVERY:
            self._printed = now
            show(line)


def _text(progress: Progress) -> str:
    if not progress.planned:
        return "estimating the class prior"
    left = f"about {duration(progress.seconds_left)} left"
    return f"comparing methods: {progress.done} of {progress.planned} fits, {left} ({progress.method})"


def duration(seconds: float) -> str:
    """Return a time in words: hours and minutes, minutes and seconds, or seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes_left} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
