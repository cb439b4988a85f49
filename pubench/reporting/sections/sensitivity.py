"""The section of sensitivity: how scores change with the prior that methods get, or with the labelled positives."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pubench.reporting.draw.curves import Curve, Panel, Sweep, draw_sweep, shown_panels
from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import FigureBlock, Section, TableBlock
from pubench.reporting.wording import mean_and_sd
from pubench.results.table import Row
from pubench.stats.scores import ScoreTable

__all__ = ["find_sweeps", "sensitivity_section", "sweep_figure"]

QUANTITIES = {
    "prior": "prior given / prior from its source",
    "c": "share of the positives that is labelled",
    "n_p": "labelled positives",
}
LINES, VALUES = 60, 5
"""Limits of the table below a figure, so that pages stay small."""
_CAPTION = (
    "{name} against the {axis}: means over replicates, the band is one standard deviation to either side. A dagger "
    "marks algorithms that used true labels."
)
_LABEL = re.compile(r"(?P<scenario>[a-z-]+) (?P<quantity>c|n_p)=(?P<value>[\d.e+-]+)(?P<rest> sar)?")


class _Point(NamedTuple):
    """A block as a point of a sweep: the quantity that varies, all that does not, and the value."""

    quantity: str
    dataset: str
    setting: str
    value: float


def sensitivity_section(report: Report) -> Section | None:
    """Return a figure for each metric and varied quantity; Markdown has the numbers in its score tables."""
    found = [sweep for sweep in find_sweeps(report) if any(panel.curves for panel in sweep.panels)]
    figures = tuple(
        sweep_figure(
            sweep,
            _CAPTION.format(name=sweep.name, axis=sweep.axis),
            "{} more data sets and settings are in the score tables.",
            f"The numbers: {sweep.name} against the {sweep.axis}",
        )
        for sweep in found
    )
    return Section("sensitivity", "Sensitivity", "Sensitivity", figures, ()) if figures else None


def sweep_figure(sweep: Sweep, caption: str, more: str, title: str) -> FigureBlock:
    """Draw a sweep; ``more`` says that panels are left out, with {} for their number."""
    left = len(sweep.panels) - len(shown_panels(sweep))
    whole = f"{caption} {more.format(left)}" if left else caption
    return FigureBlock(draw_sweep(sweep), whole, _numbers(sweep, title), sweep.metric)


def _numbers(sweep: Sweep, title: str) -> TableBlock:
    """Return the numbers of a sweep; where there are many values, only some of them."""
    values = sorted({x for panel in sweep.panels for curve in panel.curves for x in curve.x.tolist()})
    if len(values) > VALUES:
        values = [values[i] for i in np.unique(np.linspace(0, len(values) - 1, VALUES).round().astype(int))]
    lines = []
    for panel in shown_panels(sweep):
        for curve in panel.curves:
            found = zip(curve.x, curve.mean, curve.sd, strict=True)
            texts = {x: mean_and_sd(mean, sd) for x, mean, sd in found}
            place = panel.dataset, panel.setting, curve.algorithm
            lines.append((*place, *(texts.get(x, "") for x in values)))
    heads = ("data set", "setting", "algorithm", *(f"{x:g}" for x in values))
    return TableBlock(title, heads, lines[:LINES])


def find_sweeps(report: Report) -> list[Sweep]:
    """Find what a run varies, metric by metric.

    Returns
    -------
    list of Sweep
        A quantity is included if some data set has two or more values of it with all else equal. Labellings with
        names of their own may differ in several respects and are left out.
    """
    given = _prior_factors(report.rows)
    return [
        Sweep(place, table.metric, quantity, axis, panels)
        for place, table in enumerate(report.tables)
        for quantity, axis in QUANTITIES.items()
        if (panels := _panels(table, quantity, given))
    ]


def _prior_factors(rows: Sequence[Row]) -> dict[str, float]:
    """Return what the prior was multiplied by, for each labelling with such a factor."""
    factors = {(row["labelling"], row.get("prior_factor")) for row in rows}
    return {str(labelling): float(factor) for labelling, factor in factors if factor is not None}


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
    return tuple(Panel(*key, _curves(table, found)) for key, found in varied.items())


def _points(dataset: str, label: str, criterion: str | None, factor: float | None) -> list[_Point]:
    """Return the value of each quantity that a block's labelling gives."""
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


def _curves(table: ScoreTable, found: Sequence[tuple[float, int]]) -> tuple[Curve, ...]:
    x, rows = np.array([value for value, _ in found]), [i for _, i in found]
    return tuple(
        Curve(name, bool(table.reference[rows, j].all()), x, table.mean[rows, j], table.sd[rows, j])
        for j, name in enumerate(table.algorithms)
        if np.isfinite(table.mean[rows, j]).sum() > 1
    )
