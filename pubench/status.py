"""How a cell can end, and from an exception to the problem that a row shows."""

from __future__ import annotations

import traceback
from enum import StrEnum

import msgspec

from pubench.errors import PubenchError

__all__ = ["Problem", "Status"]

_KEPT_LINES = 60
_KEPT_CHARACTERS = 2_000


class Status(StrEnum):
    """The status of a cell. A new one is declared here and nowhere else."""

    OK = "ok"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    OUT_OF_MEMORY = "out-of-memory"
    SKIPPED = "skipped"
    PENDING = "pending"

    @property
    def is_failure(self) -> bool:
        """Whether the cell was run and gave no result; ``--retry-failed`` runs it again."""
        return self not in (Status.OK, Status.SKIPPED, Status.PENDING)

    @property
    def is_finished(self) -> bool:
        """Whether a record of this status settles its cell: it is not run again without being asked to."""
        return self is Status.OK or self.is_failure


class Problem(msgspec.Struct, frozen=True):
    """Why there is no result: the status of the row, one sentence, and what helps to find the cause."""

    status: Status
    error: str
    traceback: str = ""
    output: str = ""

    @classmethod
    def of(cls, error: BaseException) -> Problem:
        """Say what an exception means for the cell in which it was raised."""
        text = _text(error)
        if isinstance(error, MemoryError):
            sentence = f"ran out of memory: {text}" if text else "ran out of memory"
            return cls(Status.OUT_OF_MEMORY, sentence, _traceback(error))
        sentence = text if isinstance(error, PubenchError) else f"{type(error).__name__}: {text}"
        return cls(Status.FAILED, sentence, _traceback(error))


def _text(error: BaseException) -> str:
    """Return the message of an exception as text that can be stored: of bounded length, and encodable."""
    try:
        text = str(error)
    except Exception:
        return "(its message cannot be shown)"
    return _storable(text)


def _storable(text: str) -> str:
    if len(text) > _KEPT_CHARACTERS:
        text = f"{text[:_KEPT_CHARACTERS]} ... ({len(text):,} characters in total)"
    return text.encode("utf-8", "backslashreplace").decode()


def _traceback(error: BaseException) -> str:
    lines = traceback.format_exception(error)[-_KEPT_LINES:]
    return "".join(_storable(line) for line in lines)
