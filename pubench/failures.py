"""From an exception to the text of a row."""

from __future__ import annotations

import traceback
from typing import Literal, TypedDict

from pubench.errors import PubenchError

__all__ = ["Description", "describe"]

_KEPT_LINES = 60


class Description(TypedDict):
    """The status of a failed cell, one sentence, and the traceback."""

    status: Literal["failed", "out-of-memory"]
    error: str
    traceback: str


def describe(error: BaseException) -> Description:
    """Say what an exception means for the cell in which it was raised."""
    if isinstance(error, MemoryError):
        reason = f"ran out of memory: {error}" if str(error) else "ran out of memory"
        return Description(status="out-of-memory", error=reason, traceback=_lines(error))
    text = str(error) if isinstance(error, PubenchError) else f"{type(error).__name__}: {error}"
    return Description(status="failed", error=text, traceback=_lines(error))


def _lines(error: BaseException) -> str:
    return "".join(traceback.format_exception(error)[-_KEPT_LINES:])
