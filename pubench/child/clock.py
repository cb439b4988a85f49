"""In the child: how much time is left for each fit of a task."""

from __future__ import annotations

import time

__all__ = ["Clock"]

_SHARE = 0.9
"""What fits may use of the time that is left; the rest is for predictions."""


class Clock:
    """Shares the time of a task among its fits.

    Parameters
    ----------
    seconds : float
        What the task may use, from now on.
    """

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def deadline(self, fits: int) -> float:
        """Return the moment, by :func:`time.monotonic`, at which the next of so many fits should have ended."""
        now = time.monotonic()
        return now + _SHARE * max(self._end - now, 0.0) / fits
