"""The error tree: each error a user can cause says what is wrong, where, and the remedy; and words for sentences."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

__all__ = [
    "DamagedFileError",
    "DataError",
    "DuplicateNameError",
    "PriorError",
    "PubenchError",
    "RunFolderError",
    "StoreError",
    "SuiteError",
    "UnknownNameError",
    "be",
    "counted",
    "did_you_mean",
    "have",
    "plural",
    "some_of",
]


class PubenchError(Exception):
    """Anything that the command line prints as one sentence, without a traceback."""


class SuiteError(PubenchError):
    """A suite file that cannot be used: the message names file, key, value and remedy."""


class DataError(PubenchError):
    """A data set that cannot be loaded, or cannot serve what the suite asks of it."""


class PriorError(PubenchError, ValueError):
    """Data from which the class prior cannot be estimated, or not in this way."""


class UnknownNameError(PubenchError, LookupError):
    """A name that nothing is registered under."""


class DuplicateNameError(PubenchError):
    """A name that two distributions both registered."""


class StoreError(PubenchError):
    """A record that cannot be written, for example because the disk is full."""


class RunFolderError(PubenchError):
    """A folder that is no run folder, or one that another run is using."""


class DamagedFileError(RunFolderError):
    """A file of a run folder that does not hold what was written."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the nearest known name, else a list of what there is."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f"; did you mean '{close[0]}'?"
    if not names:
        return "; none is registered"
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"; known: {shown}"


def some_of(names: Sequence[str], most: int = 4) -> str:
    """Return names as a list in a sentence; of too many, the first ones and how many more there are."""
    shown = list(names) if len(names) <= most else [*names[: most - 1], f"{len(names) - most + 1} more"]
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def counted(count: int, noun: str) -> str:
    """Return a number with its noun: ``1 cell``, ``2 cells``."""
    return f"{count} {plural(count, noun)}"


def plural(count: int, noun: str) -> str:
    """Return a noun as it stands behind a number; behind ``k of n`` that number is n."""
    return noun if count == 1 else f"{noun}s"


def be(count: int) -> str:
    """Return ``is`` or ``are``."""
    return "is" if count == 1 else "are"


def have(count: int) -> str:
    """Return ``has`` or ``have``."""
    return "has" if count == 1 else "have"
