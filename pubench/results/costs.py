"""What cells cost in an earlier run, and what is expected of others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from pubench.errors import RunFolderError
from pubench.plan.jobs import Cell, Job
from pubench.results.record import Record
from pubench.results.run_folder import read_plan
from pubench.results.store import read_records
from pubench.status import Status

__all__ = ["Costs", "read_costs"]


class Seconds(NamedTuple):
    """The seconds of a cell: of its search, which others may share, and of its own fit and scores."""

    search: float
    own: float


@dataclass(frozen=True, slots=True)
class Costs:
    """Expected costs: of a cell by its key, of others by what they have in common with known ones.

    ``alike`` has the mean of the cells of one algorithm on one data set, of one algorithm, and of all. Cells that timed
    out are expected to use all of their time again.
    """

    known: Mapping[str, Seconds]
    alike: Mapping[tuple[str, ...], Seconds]
    timed_out: frozenset[str] = frozenset()

    def of(self, job: Job) -> float:
        """Return the expected seconds of a job."""
        if any(cell.key in self.timed_out for cell in job.cells):
            return job.limits.seconds
        found = [self.known.get(cell.key) or self._expected(cell) for cell in job.cells]
        return max(one.search for one in found) + sum(one.own for one in found)

    def _expected(self, cell: Cell) -> Seconds:
        return next(self.alike[names] for names in _names(cell) if names in self.alike)


def read_costs(folder: Path) -> Costs:
    """Read what the cells of an earlier run cost, finished or not.

    Raises
    ------
    RunFolderError
        If there is no run, or it has no cell whose time is known.
    """
    plan, (records, _) = read_plan(folder), read_records(folder)
    timed = {key: seconds for key, record in records.items() if (seconds := _seconds(record)) is not None}
    known = {cell.key: timed[cell.key] for cell in plan.own_cells if cell.key in timed}
    if not known:
        raise RunFolderError(f"{folder} has no finished cells to take costs from; leave out --costs")
    alike: dict[tuple[str, ...], list[Seconds]] = {}
    # In the order of the plan: sums of floats depend on the order.
    for cell in plan.own_cells:
        for names in _names(cell) if cell.key in known else ():
            alike.setdefault(names, []).append(known[cell.key])
    timed_out = frozenset(key for key, record in records.items() if record.status is Status.TIMEOUT)
    return Costs(known, {names: _mean(found) for names, found in alike.items()}, timed_out)


def _seconds(record: Record) -> Seconds | None:
    if record.status is not Status.OK:
        return None
    return Seconds(record.tune_seconds or 0.0, (record.fit_seconds or 0.0) + (record.score_seconds or 0.0))


def _names(cell: Cell) -> tuple[tuple[str, ...], ...]:
    return (cell.algorithm, cell.dataset), (cell.algorithm,), ()


def _mean(found: Iterable[Seconds]) -> Seconds:
    search, own = zip(*found, strict=True)
    return Seconds(fmean(search), fmean(own))
