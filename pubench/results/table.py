"""Results of a run folder: one tidy row for each planned cell, finished or not."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pubench.interpreter import collector_paused
from pubench.plan.jobs import Cell, Plan
from pubench.results.record import AFTER_METRICS, BEFORE_METRICS, Column, Record
from pubench.results.rescored import Rescored, metric_values, with_rescored
from pubench.results.run_folder import read_plan
from pubench.results.store import read_records, read_rescored
from pubench.status import Status

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Results", "Row", "read_results", "settled"]

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

    Examples
    --------
    >>> results = pubench.run_suite("quickstart-smoke")
    >>> sorted({row["dataset"] for row in results.rows})
    ['breast-cancer', 'digits-even']
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
    """Read a run folder, whether its run has ended or not.

    Examples
    --------
    >>> results = pubench.run_suite("quickstart-smoke")
    >>> len(pubench.read_results("runs/quickstart-smoke").rows) == len(results.rows)
    True
    """
    folder = Path(folder)
    with collector_paused():
        planned = read_plan(folder)
        records, problems = read_records(folder)
        added, more = read_rescored(folder)
        plan = with_rescored(planned, added)
        rows = _Rows(plan, {line.key: line for line in added})
        made = tuple(rows.row(cell, records.get(cell.key)) for cell in plan.own_cells)
        return Results(folder, plan, made, (*problems, *more))


def settled(skip: str, status: Status | None) -> Status:
    """Return the status of a planned cell from why it is skipped, and from that of its record, if there is one."""
    if skip:
        return Status.SKIPPED
    return Status.PENDING if status is None or status is Status.SKIPPED else status


class _Rows:
    """Makes the rows of a plan: where each value comes from is looked up once for all rows."""

    def __init__(self, plan: Plan, rescored: Rescored) -> None:
        self._plan, self._rescored = plan, rescored
        self._metrics = tuple(plan.metrics)
        self._versions = {name: metric.version for name, metric in plan.metrics.items()}
        self._before = _Getter(BEFORE_METRICS, plan)
        self._after = _Getter(AFTER_METRICS, plan)
        self._names = (*self._before.names, *self._metrics, *self._after.names)

    def row(self, cell: Cell, record: Record | None) -> Row:
        """Return the row of a cell."""
        status = settled(cell.skip, None if record is None else record.status)
        if record is None or record.status is not status:
            record = Record(key=cell.key, status=status, error=cell.skip or None)
        metrics, notes = self._metric_values(record)
        values = (*self._before.values(cell, record), *metrics, *self._after.values(cell, record))
        row: Row = dict(zip(self._names, values, strict=True))
        row["status"] = status.value
        row["params"] = None if record.params is None else _SORTED.encode(record.params)
        row["notes"] = "; ".join([*record.notes, *notes]) or None
        return row

    def _metric_values(self, record: Record) -> tuple[list[float | None], Sequence[str]]:
        """Return the metrics of a record in the plan's order, and notes on them."""
        versions = record.metric_versions
        if not self._rescored and (not versions or versions == self._versions):
            # Most runs: nothing was added, and no metric has changed since.
            return [record.metrics.get(name) for name in self._metrics], ()
        found, notes = metric_values(self._plan, record, self._rescored)
        return [found[name] for name in self._metrics], notes


_SORTED = json.JSONEncoder(sort_keys=True)


class _Getter:
    """Gets the values of some columns, in their order."""

    def __init__(self, columns: Sequence[Column], plan: Plan) -> None:
        self.names = tuple(column.name for column in columns)
        sources: Mapping[str, int] = {"plan": 0, "cell": 1, "record": 2}
        paths = [(sources[column.origin], attrgetter(column.name)) for column in columns]
        self._plan, self._paths = plan, paths

    def values(self, cell: Cell, record: Record) -> list[object]:
        """Return the values of a cell and its record."""
        sources = (self._plan, cell, record)
        return [get(sources[source]) for source, get in self._paths]
