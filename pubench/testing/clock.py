"""Another time of day, for the check that results do not depend on it."""

from __future__ import annotations

import contextlib
import datetime
import sys
import time
from collections.abc import Iterator
from types import ModuleType
from unittest import mock

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
    }
    with contextlib.ExitStack() as stack:
        for module in (time, datetime, *_modules_of(package)):
            for name, value in list(vars(module).items()):
                if callable(value) and value.__hash__ is not None and value in changes:
                    stack.enter_context(mock.patch.object(module, name, changes[value]))
        yield


def _modules_of(package: str) -> list[ModuleType]:
    inside = f"{package}."
    return [
        module for name, module in list(sys.modules.items()) if module and (name + ".").startswith(inside)
    ]
