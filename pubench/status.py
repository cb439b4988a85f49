"""How a cell can end, and from an exception, or a process's end, to the problem that a row shows."""

from __future__ import annotations

import errno
import re
import signal
import traceback
from collections.abc import Iterator
from enum import StrEnum

import msgspec

from pubench.errors import PubenchError

__all__ = ["Problem", "Status", "problem_of_end"]

_KEPT_LINES = 60
_KEPT_CHARACTERS = 2_000
_SEARCHED_CHARACTERS = 100_000
# What libraries say when an allocation fails: whole phrases, because a message may mention memory for other reasons.
_IN_EXCEPTIONS = (
    r"DefaultCPUAllocator: (?:can't allocate|not enough) memory",
    r"CUDA out of memory\. Tried to allocate",
    r"(?:^|[\s:])std::bad_alloc\s*$",
    r"\[Errno 12\] Cannot allocate memory",
    r": Cannot allocate memory(?: \(12\))?\s*$",
    r"C error: out of memory\s*$",
    r"^(?:\w+\.)*_?(?:Array)?MemoryError(?::|\s*$)",
)
_IN_OUTPUT = (
    *_IN_EXCEPTIONS,
    r"^terminat(?:e|ing) .*\bstd::bad_alloc\b",
    r"(?:^|: )[Oo]ut of memory(?: allocating \d+ bytes)?[.!]?\s*$",
    r"^memory allocation of \d+ bytes failed",
    r"^OpenBLAS error: Memory allocation still failed",
)
_ALLOCATION_ERROR = re.compile("|".join(_IN_EXCEPTIONS), re.MULTILINE)
_ALLOCATION_FAILURE = re.compile("|".join(_IN_OUTPUT), re.MULTILINE)


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
        if isinstance(error, PubenchError):
            return cls(Status.FAILED, text, _traceback(error))
        if any(map(_is_allocation_error, _chain(error))):
            sentence = f"ran out of memory: {text}" if text else "ran out of memory"
            return cls(Status.OUT_OF_MEMORY, sentence, _traceback(error))
        return cls(Status.FAILED, f"{type(error).__name__}: {text}", _traceback(error))


def problem_of_end(code: int, output: str) -> Problem:
    """Say what the end of a process means that was not asked to end.

    Parameters
    ----------
    code : int
        Its exit code, or minus the number of the signal that ended it.
    output : str
        The end of what it printed.
    """
    failure = _ALLOCATION_FAILURE.search(output[-_KEPT_CHARACTERS:])
    if failure is not None and (code > 0 or code == -signal.SIGABRT):
        line = _storable(_line_of(failure))
        return Problem(Status.OUT_OF_MEMORY, f"ran out of memory: {line}", output=output)
    sentence = f"ended its process with exit code {code}"
    if code < 0:
        sentence = f"was ended by signal {_signal_name(-code)}"
    if code == -signal.SIGKILL:
        sentence += "; the system's out-of-memory killer may have ended it"
    return Problem(Status.CRASHED, sentence, output=output)


def _line_of(found: re.Match[str]) -> str:
    """Return the line in which something was found; that of several which comes first."""
    start = found.string.rfind("\n", 0, found.start() + 1) + 1
    return found.string[start:].split("\n", 1)[0].strip() or found.group().strip()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception, those it was raised from or while handling, and the members of groups."""
    todo, seen = [error], set[int]()
    while todo:
        current = todo.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        if isinstance(current, BaseExceptionGroup):
            todo.extend(current.exceptions)
        behind = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
        if behind is not None:
            todo.append(behind)


def _is_allocation_error(error: BaseException) -> bool:
    """Whether an exception tells of an allocation that failed; libraries raise many types for that."""
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    if isinstance(error, PubenchError):
        return False
    return _ALLOCATION_ERROR.search(_message(error)[:_SEARCHED_CHARACTERS]) is not None


def _text(error: BaseException) -> str:
    """Return the message of an exception as one line that can be stored and printed; its traceback has all of it."""
    shown = "".join(one if one.isprintable() else " " for one in _storable(_message(error)))
    return " ".join(shown.split())


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return "(its message cannot be shown)"


def _storable(text: str) -> str:
    if len(text) > _KEPT_CHARACTERS:
        text = f"{text[:_KEPT_CHARACTERS]} ... ({len(text):,} characters in total)"
    return text.encode("utf-8", "backslashreplace").decode()


def _traceback(error: BaseException) -> str:
    lines = traceback.format_exception(error)[-_KEPT_LINES:]
    return "".join(_storable(line) for line in lines)
