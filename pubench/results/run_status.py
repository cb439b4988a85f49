"""How far a run is: the status of each cell without its results, so that looking at a large run is quick."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from pubench.bulk import collector_paused
from pubench.plan.jobs import Cell
from pubench.results.run_folder import read_plan
from pubench.results.store import read_endings
from pubench.results.table import settled
from pubench.status import Status

__all__ = ["FailedCell", "RunStatus", "read_status"]


@dataclass(frozen=True, slots=True)
class FailedCell:
    """A cell that was run and gave no result, and why."""

    cell: Cell
    status: Status
    error: str


@dataclass(frozen=True, slots=True)
class RunStatus:
    """How many cells of a run have each status, those that failed, and records that could not be trusted."""

    suite: str
    cells: int
    counts: Counter[str]
    failed: tuple[FailedCell, ...]
    problems: tuple[str, ...]


def read_status(folder: Path) -> RunStatus:
    """Read how far the run in a folder is; :func:`pubench.results.table.read_results` reads its results."""
    with collector_paused():
        plan = read_plan(folder)
        endings, problems = read_endings(folder)
        counts: Counter[str] = Counter()
        failed = []
        for cell in plan.cells:
            ending = endings.get(cell.key)
            status = settled(cell, None if ending is None else ending.status)
            counts[status.value] += 1
            if ending is not None and status.is_failure:
                failed.append(FailedCell(cell, status, ending.error or ""))
    return RunStatus(plan.suite, len(plan.cells), counts, tuple(failed), problems)
