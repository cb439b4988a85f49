"""Metrics that were added after the run: the plan with them, and the values of each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pubench.plan.jobs import Plan, PlannedMetric
from pubench.results.record import Record, RescoredValue
from pubench.status import Status

__all__ = ["Rescored", "is_computed", "metric_values", "rescored_metrics", "with_rescored"]

Rescored = Mapping[tuple[str, str], RescoredValue]
"""Rescored values by the key of the cell and the name of the metric."""


def rescored_metrics(plan: Plan, values: Sequence[RescoredValue]) -> Mapping[str, PlannedMetric]:
    """Return the metrics that were added to the cells of a plan; the latest value says what its metric is."""
    keys = {cell.key for cell in plan.cells} if values else set()
    return {
        line.metric: PlannedMetric(line.greater_is_better, line.version)
        for line in values
        if line.cell in keys
    }


def with_rescored(plan: Plan, values: Sequence[RescoredValue]) -> Plan:
    """Return a plan that has the added metrics and lets reports show them; the plan's own metrics are as planned."""
    added = rescored_metrics(plan, values)
    if not added:
        return plan
    # A metric that has no value anywhere would be an empty table.
    defined = {line.metric for line in values if line.value is not None}
    return replace(
        plan,
        metrics={**plan.metrics, **{name: added[name] for name in added if name not in plan.metrics}},
        shown=(*plan.shown, *(name for name in added if name in defined and name not in plan.shown)),
    )


def is_computed(record: Record, name: str, version: str) -> bool:
    """Whether the run itself computed this version of a metric."""
    return name in record.metrics and record.metric_versions.get(name, version) == version


def metric_values(
    plan: Plan, record: Record, rescored: Rescored
) -> tuple[dict[str, float | None], tuple[str, ...]]:
    """Return the value of each metric of a cell, and notes on those that have none.

    A value that another version of the metric gave must not be compared with this version's: it is left out.
    """
    values: dict[str, float | None] = {}
    notes = []
    for name, metric in plan.metrics.items():
        line = rescored.get((record.key, name)) if record.status is Status.OK else None
        values[name] = None
        if is_computed(record, name, metric.version):
            values[name] = record.metrics[name]
        elif line is not None and line.version == metric.version:
            values[name] = line.value
            notes += [line.note] if line.note else []
        elif record.metric_versions.get(name, metric.version) != metric.version:
            notes.append(f"metric '{name}' has changed since; run with --force")
        elif line is not None:
            notes.append(f"metric '{name}' has changed since; rescore it again")
    return values, tuple(notes)
