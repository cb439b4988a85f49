"""Results of a run folder: one tidy row for each planned cell, finished or not."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pubench.plan.jobs import Cell, Plan
from pubench.results.record import AFTER_METRICS, BEFORE_METRICS, Column, Record
from pubench.results.rescored import Rescored, metric_values, with_rescored
from pubench.results.run_folder import read_plan
from pubench.results.store import read_records, read_rescored
from pubench.status import Status

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Results", "Row", "read_results"]

Row = dict[str, Any]
"""A row of results: its columns are those of :mod:`pubench.results.record`, and the metrics of the run."""


@dataclass(frozen=True, slots=True, repr=False)
class Results:
    """All rows of a run in the order of its plan.

    Attributes
    ----------
    folder : Path
    plan : Plan
    rows : tuple of dict
        One for each planned cell, of a shard for each of its own; ``status`` is ``pending`` where it has not run.
    problems : tuple of str
        Records that could not be trusted.
    """

    folder: Path
    plan: Plan
    rows: tuple[Row, ...]
    problems: tuple[str, ...] = ()

    def __repr__(self) -> str:
        counts = ", ".join(f"{number} {status}" for status, number in self.counts.most_common())
        return f"<Results of {self.plan.suite!r} in {self.folder}: {counts or 'no cells'}>"

    @property
    def counts(self) -> Counter[str]:
        """How many rows have each status."""
        return Counter(row["status"] for row in self.rows)

    @property
    def n_failed(self) -> int:
        """How many cells ended without a result though they were run."""
        return sum(self.counts[status] for status in Status if status.is_failure)

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a data frame."""
        import pandas as pd

        return pd.DataFrame(list(self.rows))


def read_results(folder: str | Path) -> Results:
    """Read a run folder, whether its run has ended or not."""
    folder = Path(folder)
    planned = read_plan(folder)
    records, problems = read_records(folder)
    added, more = read_rescored(folder)
    plan, rescored = with_rescored(planned, added), {line.key: line for line in added}
    rows = tuple(_row(plan, cell, records, rescored) for cell in plan.own_cells)
    return Results(folder, plan, rows, (*problems, *more))


def _row(plan: Plan, cell: Cell, records: Mapping[str, Record], rescored: Rescored) -> Row:
    record = records.get(cell.key, Record(key=cell.key, status=Status.PENDING))
    if cell.skip:
        record = Record(key=cell.key, status=Status.SKIPPED, error=cell.skip)
    elif record.status is Status.SKIPPED:
        record = Record(key=cell.key, status=Status.PENDING)
    metrics, notes = metric_values(plan, record, rescored)
    texts: Row = {
        "status": record.status.value,
        "params": None if record.params is None else json.dumps(record.params, sort_keys=True),
        "notes": "; ".join([*record.notes, *notes]) or None,
    }

    def values(columns: Iterable[Column]) -> Row:
        sources: Mapping[str, object] = {"plan": plan, "cell": cell, "record": record}
        return {
            column.name: texts[column.name]
            if column.name in texts
            else getattr(sources[column.origin], column.name)
            for column in columns
        }

    return values(BEFORE_METRICS) | metrics | values(AFTER_METRICS)
