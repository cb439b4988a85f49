"""How scores change with what a suite varies: the prior that methods are given, or how many positives are labelled."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.reporting import Report
from pubench.stats.scores import Row, ScoreTable

__all__ = ["QUANTITIES", "Line", "Panel", "Sweep", "find_sweeps"]

Floats = NDArray[np.float64]
QUANTITIES = {
    "prior": "prior given / prior from its source",
    "c": "share of the positives that is labelled",
    "n_p": "labelled positives",
    "stage": "stages",
}
_LABEL = re.compile(r"(?P<scenario>[a-z-]+) (?P<quantity>c|n_p)=(?P<value>[\d.e+-]+)(?P<rest> sar)?")


class Line(NamedTuple):
    """One algorithm: mean and sd at each value, shape (n,); NaN where there is no mean."""

    algorithm: str
    reference: bool
    x: Floats
    mean: Floats
    sd: Floats


class Panel(NamedTuple):
    """One data set under what else stays the same."""

    dataset: str
    setting: str
    lines: tuple[Line, ...]


class Sweep(NamedTuple):
    """A metric over one varied quantity, a key of :data:`QUANTITIES`; ``metric`` is its place among the tables."""

    metric: int
    name: str
    quantity: str
    panels: tuple[Panel, ...]


class _Point(NamedTuple):
    """Where a block stands: the quantity that varies, all that does not, and the value."""

    quantity: str
    dataset: str
    setting: str
    value: float


def find_sweeps(report: Report, rows: Sequence[Row]) -> list[Sweep]:
    """Find what a run varies, metric by metric.

    Returns
    -------
    list of Sweep
        A quantity is there if some data set has two or more values of it with all else equal. Labellings with a name of
        their own may differ in anything and are left alone.
    """
    factors = {(row["labelling"], row.get("prior_factor")) for row in rows}
    given = {str(labelling): float(factor) for labelling, factor in factors if factor is not None}
    return [
        Sweep(place, table.metric, quantity, panels)
        for place, table in enumerate(report.tables)
        for quantity in ("prior", "c", "n_p")
        if (panels := _panels(table, quantity, given))
    ]


def _panels(table: ScoreTable, quantity: str, given: Mapping[str, float]) -> tuple[Panel, ...]:
    places: dict[tuple[str, str], list[tuple[float, int]]] = {}
    for i, block in enumerate(table.blocks):
        factor = given.get(block.labelling)
        label = block.labelling if factor is None else block.labelling.removesuffix(f", prior x {factor:g}")
        points = _points(block.dataset, label, block.criterion, factor)
        for point in points:
            if point.quantity == quantity:
                places.setdefault((point.dataset, point.setting), []).append((point.value, i))
    varied = {key: sorted(found) for key, found in places.items() if len({x for x, _ in found}) > 1}
    return tuple(Panel(*key, _lines(table, found)) for key, found in varied.items())


def _points(dataset: str, label: str, criterion: str | None, factor: float | None) -> list[_Point]:
    """Return where a block stands on each quantity that its labelling tells."""
    tuned = f", tuned by {criterion}" if criterion else ""
    found = []
    if factor is not None:
        found.append(_Point("prior", dataset, label + tuned, factor))
    parts = _LABEL.fullmatch(label)
    if parts is not None:
        with_prior = "" if factor is None else f", prior x {factor:g}"
        setting = parts["scenario"] + (parts["rest"] or "") + with_prior + tuned
        found.append(_Point(parts["quantity"], dataset, setting, float(parts["value"])))
    return found


def _lines(table: ScoreTable, found: Sequence[tuple[float, int]]) -> tuple[Line, ...]:
    x, rows = np.array([value for value, _ in found]), [i for _, i in found]
    return tuple(
        Line(name, bool(table.reference[rows, j].all()), x, table.mean[rows, j], table.sd[rows, j])
        for j, name in enumerate(table.algorithms)
        if np.isfinite(table.mean[rows, j]).sum() > 1
    )
