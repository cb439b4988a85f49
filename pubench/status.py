"""From an exception to the text of a row."""

from __future__ import annotations

import traceback
from typing import Literal, TypedDict

from pubench.errors import PubenchError

__all__ = ["Description", "describe"]

_KEPT_LINES = 60
_KEPT_LETTERS = 2_000


class Description(TypedDict):
    """The status of a failed cell, one sentence, and the traceback."""

    status: Literal["failed", "out-of-memory"]
    error: str
    traceback: str


def describe(error: BaseException) -> Description:
    """Say what an exception means for the cell in which it was raised."""
    text = _text(error)
    if isinstance(error, MemoryError):
        reason = f"ran out of memory: {text}" if text else "ran out of memory"
        return Description(status="out-of-memory", error=reason, traceback=_lines(error))
    sentence = text if isinstance(error, PubenchError) else f"{type(error).__name__}: {text}"
    return Description(status="failed", error=sentence, traceback=_lines(error))


def _text(error: BaseException) -> str:
    """Return what an exception says, as text that can be stored: of bounded length, and encodable."""
    try:
        text = str(error)
    except Exception:
        return "(its message cannot be shown)"
    return _plain(text)


def _plain(text: str) -> str:
    cut = text if len(text) <= _KEPT_LETTERS else f"{text[:_KEPT_LETTERS]} ... ({len(text):,} letters in all)"
    return cut.encode("utf-8", "backslashreplace").decode()


def _lines(error: BaseException) -> str:
    lines = traceback.format_exception(error)[-_KEPT_LINES:]
    return "".join(_plain(line) for line in lines)
