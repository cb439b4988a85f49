"""How far a run is: the status of each cell without its results, so that looking at a large run is quick."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from pubench.interpreter import collector_paused
from pubench.plan.jobs import Cell, Shard
from pubench.results.run_folder import read_outline
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
    shard: Shard | None
    cells: int
    counts: Counter[str]
    failed: tuple[FailedCell, ...]
    problems: tuple[str, ...]


def read_status(folder: Path) -> RunStatus:
    """Read how far the run in a folder is; :func:`pubench.results.table.read_results` reads its results."""
    with collector_paused():
        plan = read_outline(folder)
        endings, problems = read_endings(folder)
        counts: Counter[Status] = Counter()
        failed = []
        for place, (key, skip) in enumerate(zip(plan.keys, plan.skips, strict=True)):
            ending = endings.get(key)
            status = settled(skip, None if ending is None else ending.status)
            counts[status] += 1
            if ending is not None and status.is_failure:
                failed.append(FailedCell(plan.cell(place), status, ending.error or ""))
    named = Counter({status.value: number for status, number in counts.items()})
    return RunStatus(plan.suite, plan.shard, len(plan.keys), named, tuple(failed), problems)
