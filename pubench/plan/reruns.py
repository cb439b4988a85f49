"""Which finished cells are run again, and why: the plan of a folder compared with a later one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping
from typing import NamedTuple

from pubench.errors import counted
from pubench.plan.jobs import Cell, Plan
from pubench.plan.parts import PlannedPart

__all__ = ["reruns"]

_UNKNOWN = "their definition in the suite, or pubench itself, changed"
_SETTINGS = "their settings in the suite changed"


def reruns(before: Plan, now: Plan, stored: Container[str]) -> Iterator[str]:
    """Yield a sentence for each reason why cells of one algorithm run again.

    Parameters
    ----------
    before, now : Plan
        The plan that a run folder holds, and the one that is run now.
    stored : container of str
        The keys of finished cells.
    """
    earlier = {_place(cell): cell for cell in before.cells}
    parts = _Parts(*({part.place: part for part in plan.parts} for plan in (before, now)))
    found: Counter[tuple[str, str]] = Counter()
    for cell in now.own_cells:
        old = earlier.get(_place(cell))
        if old is not None and old.key in stored and cell.key not in stored and not cell.skip:
            found[cell.algorithm, _reason(cell, parts)] += 1
    for (algorithm, reason), number in found.items():
        verb = "runs" if number == 1 else "run"
        yield f"{counted(number, 'cell')} of {algorithm} {verb} again: {reason}"


class _Parts(NamedTuple):
    """The parts of two plans, by kind and label."""

    before: Mapping[tuple[str, str], PlannedPart]
    now: Mapping[tuple[str, str], PlannedPart]


def _place(cell: Cell) -> tuple[str, str, int, str, str | None]:
    return cell.dataset, cell.labelling, cell.replicate, cell.algorithm, cell.criterion


def _reason(cell: Cell, parts: _Parts) -> str:
    if not parts.before:
        return _UNKNOWN
    named = {("algorithm", cell.algorithm), ("criterion", cell.criterion), ("data set", cell.dataset)}
    places = [place for place in parts.now if place in named or place[0] == "prior estimator"]
    changes = (parts.before[place].change(parts.now[place]) for place in places if place in parts.before)
    return "; ".join(filter(None, changes)) or _SETTINGS
