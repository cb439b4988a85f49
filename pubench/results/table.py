"""Results of a run folder: one tidy row for each planned cell, finished or not."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pubench.plan.jobs import Plan
from pubench.results.store import Record, read_plan, read_records

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FAILED", "TIMES", "Results", "read_results"]

TIMES = ("tune_seconds", "fit_seconds", "score_seconds", "peak_memory_mb")
FAILED = ("failed", "timeout", "crashed", "out-of-memory")
_FACTS = ("prior", "prior_low", "prior_high", "true_prior", "n_p", "n_u", "n_test")

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, repr=False)
class Results:
    """All rows of a run in the order of its plan.

    Attributes
    ----------
    folder : Path
    plan : Plan
    rows : tuple of dict
        One for each planned cell; ``status`` is ``pending`` where it has not run.
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
        return sum(self.counts[status] for status in FAILED)

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a data frame."""
        import pandas as pd

        return pd.DataFrame(list(self.rows))


def read_results(folder: str | Path) -> Results:
    """Read a run folder, whether its run has ended or not."""
    folder = Path(folder)
    plan = read_plan(folder)
    records, problems = read_records(folder)
    return Results(
        folder, plan, tuple(_row(plan, number, records) for number in range(len(plan.cells))), problems
    )


def _row(plan: Plan, number: int, records: Mapping[str, Record]) -> Row:
    cell = plan.cells[number]
    record = records.get(cell.key, {"status": "pending"})
    if cell.skip:
        record = {"status": "skipped", "error": cell.skip}
    elif record["status"] == "skipped":
        record = {"status": "pending"}
    metrics, versions = record.get("metrics", {}), record.get("metric_versions", {})
    # A value that another version of the metric gave would be compared with what it is not.
    outdated = [
        name for name, metric in plan.metrics.items() if versions.get(name, metric.version) != metric.version
    ]
    notes = [
        *record.get("notes", ()),
        *(f"metric '{name}' has changed since; run with --force" for name in outdated),
    ]
    return {
        "suite": plan.suite,
        "dataset": cell.dataset,
        "scenario": cell.scenario,
        "labelling": cell.labelling,
        "replicate": cell.replicate,
        "algorithm": cell.algorithm,
        "criterion": cell.criterion,
        "status": record["status"],
        "error": record.get("error"),
        **{name: None if name in outdated else metrics.get(name) for name in plan.metrics},
        **{name: record.get(name) for name in ("collapsed", "regret")},
        "prior_factor": cell.prior_factor,
        **{name: record.get(name) for name in _FACTS},
        "params": json.dumps(record["params"], sort_keys=True) if "params" in record else None,
        "reference": cell.reference,
        "notes": "; ".join(notes) or None,
        **{name: record.get(name) for name in TIMES},
        "key": cell.key,
    }
