"""Another time of day, for the check that results do not depend on it."""

from __future__ import annotations

import contextlib
import datetime
import time
from collections.abc import Callable, Iterator

from pubench.testing.replacing import replaced

__all__ = ["LATER", "at_another_time"]

LATER = 10_000_000
"""Seconds: about four months, so that neither the second nor the day nor the month stays the same."""


class _LaterDatetime(datetime.datetime):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> _LaterDatetime:
        return cls.fromtimestamp(time.time(), tz)

    @classmethod
    def today(cls) -> _LaterDatetime:
        return cls.now()

    @classmethod
    def utcnow(cls) -> _LaterDatetime:
        return cls.now(datetime.UTC).replace(tzinfo=None)


def _later(function: Callable[[float], object], now: Callable[[], float]) -> Callable[..., object]:
    """Return a function of the time that is called without one as if it were later."""
    return lambda seconds=None: function(now() + LATER if seconds is None else seconds)


@contextlib.contextmanager
def at_another_time(package: str) -> Iterator[None]:
    """Let Python's clocks of the date go wrong by :data:`LATER`, also under names that modules of a package imported.

    Clocks that measure durations stay right: what waits or has a deadline works as before.
    """
    now, now_ns = time.time, time.time_ns
    changes: dict[object, object] = {
        now: lambda: now() + LATER,
        now_ns: lambda: now_ns() + LATER * 10**9,
        datetime.datetime: _LaterDatetime,
        **{function: _later(function, now) for function in (time.localtime, time.gmtime, time.ctime)},
    }
    with replaced(changes, (time, datetime), package):
        yield
