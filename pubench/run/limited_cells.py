"""Cells that ended at a limit of time or memory, or crashed, next to how they end when they are run again here."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from pubench.plan.planning import ExecutionPlan
from pubench.results.table import Results, Row
from pubench.run.row_differences import label_of
from pubench.run.running_again import AT_A_LIMIT
from pubench.status import Status

__all__ = ["LimitedCells", "limited_cells"]

_SLOWEST = 10
"""A time limit that is reached here after less than its tenth part, is not believed to be reached elsewhere."""
_RETRY = "run the suite with --retry-failed where it was run"


@dataclass(frozen=True, slots=True)
class LimitedCells:
    """The cells that ended at a limit: how many there are, how many were run again, and what came of these.

    ``problems`` are ends that cannot be believed, ``remarks`` those that another machine may explain.
    """

    count: int = 0
    rerun: int = 0
    problems: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def limited_cells(
    results: Results, again: Results | None, keys: Collection[str], planned: ExecutionPlan | None
) -> LimitedCells:
    """Compare how cells ended that are not repeatable; without ``again``, only count them."""
    rows = {row["key"]: row for row in results.rows if row["status"] in AT_A_LIMIT}
    if again is None or planned is None:
        return LimitedCells(len(rows))
    fresh = {row["key"]: row for row in again.rows}
    limits = {cell.key: job.limits.seconds for job in planned.jobs for cell in job.cells}
    drawn = [row for key, row in rows.items() if key in keys and key in fresh]
    found = [*_otherwise(drawn, fresh, limits)]
    problems = tuple(text for believable, text in found if not believable)
    remarks = tuple(text for believable, text in found if believable)
    return LimitedCells(len(rows), len(drawn), problems, remarks)


def _otherwise(
    rows: Collection[Row], fresh: Mapping[str, Row], limits: Mapping[str, float]
) -> Iterator[tuple[bool, str]]:
    """Yield, for each cell that ends in another way here, whether that is believable, and a sentence."""
    for row in rows:
        other = fresh[row["key"]]
        there, here = row["status"], other["status"]
        if there == here:
            continue
        sentence = (
            f"{label_of(row)}, run again with the same limits, ended as {here} here and as {there} there"
        )
        if there != Status.TIMEOUT:
            yield False, f"{sentence}; {_RETRY}"
            continue
        limit, seconds = limits[row["key"]], _seconds(other)
        took = f"{sentence}; it took {seconds:.3g} s here, and the limit is {limit:g} s"
        if seconds * _SLOWEST < limit:
            yield False, f"{took}; {_RETRY}"
        else:
            yield True, f"{took}: the other machine may be slower"


def _seconds(row: Row) -> float:
    return sum(row[name] or 0.0 for name in ("tune_seconds", "fit_seconds", "score_seconds"))
