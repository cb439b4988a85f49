"""What two runs of the same cells have in common and what changed, as one value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pubench.specs import JSONValue
from pubench.stats.changes import BlockChange, Change

__all__ = ["OnlyIn", "RunComparison", "StatusChange"]


class StatusChange(NamedTuple):
    """Cells that ended in another status: how many, one of them, and the error of the latter run there."""

    before: str
    after: str
    cells: int
    example: str
    error: str


class OnlyIn(NamedTuple):
    """What only one of the runs has: whole algorithms, whole data sets with their labelling, and cells in all."""

    algorithms: tuple[str, ...]
    places: tuple[str, ...]
    cells: int


@dataclass(frozen=True, slots=True)
class RunComparison:
    """What changed from the first run to the second.

    Attributes
    ----------
    first, second : Path
        The run folders.
    paired : int
        Cells of the same names and the same split and labels; only these are compared.
    identical : int
        Those of them whose rows are equal to the bit, times aside.
    redefined : int
        Those whose keys differ: another version, parameter, search or prior, on the same rows.
    irreproducible : int
        Those that have the same key, and so the same definition, but different results.
    other_splits : int
        Cells of the same names that were drawn differently, for example with another seed; they are not compared.
    unknown_splits : int
        Cells of the same names whose splits no plan tells; they are not compared either.
    only_first, only_second : OnlyIn
    statuses : tuple of StatusChange
    changes : tuple of Change
        One for each algorithm and metric, over data sets.
    blocks : tuple of BlockChange
        One for each algorithm, metric, data set, labelling and criterion, over replicates.
    greater_is_better : mapping of str to bool or None
        The direction of each metric that is compared.
    software : tuple of str
        Versions and arithmetic that differ.
    problems : tuple of str
        Metrics that cannot be compared, and records that cannot be trusted.
    alpha : float
        The level of all tests.
    """

    first: Path
    second: Path
    paired: int
    identical: int
    redefined: int
    irreproducible: int
    other_splits: int
    unknown_splits: int
    only_first: OnlyIn
    only_second: OnlyIn
    statuses: tuple[StatusChange, ...]
    changes: tuple[Change, ...]
    blocks: tuple[BlockChange, ...]
    greater_is_better: Mapping[str, bool | None]
    software: tuple[str, ...]
    problems: tuple[str, ...]
    alpha: float

    def to_json(self) -> dict[str, JSONValue]:
        """Return all of it as a JSON object; what is not a number there is null."""
        return {name: _plain(getattr(self, name)) for name in self.__dataclass_fields__}


def _plain(value: object) -> JSONValue:
    """Return a value of a comparison as JSON."""
    match value:
        case float():
            return value if math.isfinite(value) else None
        case None | bool() | int() | str():
            return value
        case Path():
            return str(value)
        case Mapping():
            return {str(key): _plain(one) for key, one in value.items()}
        case tuple() if hasattr(value, "_asdict"):
            return {key: _plain(one) for key, one in value._asdict().items()}
        case tuple():
            return [_plain(one) for one in value]
    raise TypeError(f"a comparison holds no {type(value).__name__}")
