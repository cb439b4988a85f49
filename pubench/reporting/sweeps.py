"""What a run varies: scores along the prior, the label frequency or the number of labels, and their averages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.reporting.draw.curves import Curve, Panel, Sweep
from pubench.reporting.report import Report
from pubench.results.table import Row
from pubench.stats.paired import t_margin
from pubench.stats.scores import ScoreTable

__all__ = ["UNITS", "average_sweep", "biased_labellings", "find_sweeps", "sweep_priors"]

Floats = NDArray[np.float64]
QUANTITIES = {
    "prior": "prior given / prior from its source",
    "c": "share of the positives that is labelled",
    "n_p": "labelled positives",
    "strength": "strength of the labelling bias",
}
UNITS = 6
"""From this number of data sets on, intervals of averages are over data sets."""
_LABEL = re.compile(
    r"(?P<scenario>[a-z-]+) (?P<quantity>c|n_p)=(?P<value>[\d.e+-]+)"
    r"(?P<rest> sar| (?P<mechanism>[a-z]+) (?P<strength>[\d.e+-]+)(?P<random> random [\d.e+-]+)?)?"
)


class _Point(NamedTuple):
    """A block as a point of a sweep: the quantity that varies, all that does not, and the value."""

    quantity: str
    dataset: str
    setting: str
    value: float


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


def biased_labellings(report: Report) -> tuple[str, ...]:
    """Return the labellings whose labels say that their mechanism has a strength."""
    labels = dict.fromkeys(str(row["labelling"]) for row in report.rows)
    found = ((label, _LABEL.match(label)) for label in labels)
    return tuple(label for label, parts in found if parts and parts["mechanism"])


def sweep_priors(priors: Mapping[str, Floats]) -> Sweep | None:
    """Show priors against the strength of the bias, or nothing where no mechanism has two strengths.

    Parameters
    ----------
    priors : mapping of str to array of shape (n, 2)
        For each labelling, the prior that was given and the true one in each of its cells.
    """
    places: dict[str, list[tuple[float, Floats]]] = {}
    mechanisms = _mechanisms(priors)
    for label, pairs in priors.items():
        for point in _points("all data sets", label, None, None, mechanisms):
            if point.quantity == "strength":
                places.setdefault(point.setting, []).append((point.value, pairs))
    panels = []
    for setting, found in places.items():
        found.sort(key=lambda one: one[0])
        x = np.array([value for value, _ in found])
        mean, sd = (np.array([f(pairs, axis=0) for _, pairs in found]) for f in (np.mean, np.std))
        curves = (Curve(name, False, x, mean[:, i], sd[:, i]) for i, name in enumerate(("given", "true")))
        panels.append(Panel("all data sets", setting, tuple(curves)))
    kept = tuple(panel for panel in panels if len({*panel.curves[0].x}) > 1)
    return Sweep(0, "class prior", "strength", QUANTITIES["strength"], kept) if kept else None


def _prior_factors(rows: Sequence[Row]) -> dict[str, float]:
    """Return what the prior was multiplied by, for each labelling with such a factor."""
    factors = {(row["labelling"], row.get("prior_factor")) for row in rows}
    return {str(labelling): float(factor) for labelling, factor in factors if factor is not None}


def _panels(table: ScoreTable, quantity: str, given: Mapping[str, float]) -> tuple[Panel, ...]:
    places: dict[tuple[str, str], list[tuple[float, int]]] = {}
    mechanisms = _mechanisms(block.labelling for block in table.blocks)
    for i, block in enumerate(table.blocks):
        factor = given.get(block.labelling)
        label = block.labelling if factor is None else block.labelling.removesuffix(f", prior x {factor:g}")
        points = _points(block.dataset, label, block.criterion, factor, mechanisms)
        for point in points:
            if point.quantity == quantity:
                places.setdefault((point.dataset, point.setting), []).append((point.value, i))
    varied = {key: sorted(found) for key, found in places.items() if len({x for x, _ in found}) > 1}
    return tuple(
        Panel(*key, _curves(table, found), tuple(i for _, i in found)) for key, found in varied.items()
    )


def _mechanisms(labels: Iterable[str]) -> tuple[str, ...]:
    """Return the mechanisms with a strength that labellings name, each with its share of random labels."""
    found = (_LABEL.match(label) for label in labels)
    return tuple(dict.fromkeys(_mechanism(parts) for parts in found if parts and parts["mechanism"]))


def _mechanism(parts: re.Match[str]) -> str:
    return parts["mechanism"] + (parts["random"] or "")


def _points(
    dataset: str, label: str, criterion: str | None, factor: float | None, mechanisms: Sequence[str]
) -> list[_Point]:
    """Return the value of each quantity that a block's labelling gives; SCAR is every mechanism at strength 0."""
    tuned = f", tuned by {criterion}" if criterion else ""
    found = []
    if factor is not None:
        found.append(_Point("prior", dataset, label + tuned, factor))
    parts = _LABEL.fullmatch(label)
    if parts is not None:
        with_prior = "" if factor is None else f", prior x {factor:g}"
        setting = parts["scenario"] + (parts["rest"] or "") + with_prior + tuned
        found.append(_Point(parts["quantity"], dataset, setting, float(parts["value"])))
        fixed = f"{parts['scenario']} {parts['quantity']}={parts['value']}"
        own = (_mechanism(parts),) if parts["mechanism"] else ()
        for mechanism in own if parts["rest"] else mechanisms:
            place = f"{fixed} {mechanism}{with_prior}{tuned}"
            found.append(_Point("strength", dataset, place, float(parts["strength"] or 0)))
    return found


def _curves(table: ScoreTable, found: Sequence[tuple[float, int]]) -> tuple[Curve, ...]:
    x, rows = np.array([value for value, _ in found]), [i for _, i in found]
    return tuple(
        _curve(name, bool(table.reference[rows, j].all()), x, table.values[rows, j])
        for j, name in enumerate(table.algorithms)
        if np.isfinite(table.mean[rows, j]).sum() > 1
    )


def _curve(name: str, reference: bool, x: Floats, values: Floats) -> Curve:
    """Return a curve of values of shape (n, R), R of them at each x; the band is the t-interval of their mean."""
    count = np.isfinite(values).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(count > 0, np.nansum(values, axis=1) / count, np.nan)
        squares = np.nansum((values - mean[:, None]) ** 2, axis=1)
        sd = np.where(count > 1, np.sqrt(squares / (count - 1)), np.nan)
    return Curve(name, reference, x, mean, sd, t_margin(sd, count))


def average_sweep(table: ScoreTable, sweep: Sweep) -> Sweep | None:
    """Average the panels of one setting over data sets, at the values that all of them have.

    Returns
    -------
    Sweep or None
        A panel for each setting; None where no setting has several data sets. Intervals are over data sets if there
        are enough of them, else over replicates of the average.
    """
    groups: dict[str, list[Panel]] = {}
    for panel in (panel for panel in sweep.panels if panel.curves):
        groups.setdefault(panel.setting, []).append(panel)
    panels = [_average(table, setting, group) for setting, group in groups.items() if len(group) > 1]
    kept = tuple(panel for panel in panels if panel is not None)
    return sweep._replace(panels=kept) if kept else None


def _average(table: ScoreTable, setting: str, group: Sequence[Panel]) -> Panel | None:
    axes = [dict(zip(panel.curves[0].x.tolist(), panel.blocks, strict=True)) for panel in group]
    x = sorted(set.intersection(*(set(axis) for axis in axes)))
    if len(x) < 2:
        return None
    # Shape (data sets, values, algorithms, replicates).
    values = table.values[np.array([[axis[value] for value in x] for axis in axes])]
    over_data = len(group) >= UNITS
    spread = values.mean(axis=3).transpose(1, 2, 0) if over_data else values.mean(axis=0)
    curves = tuple(
        _curve(name, bool(table.reference[list(group[0].blocks), j].all()), np.array(x), spread[:, j])
        for j, name in enumerate(table.algorithms)
        if np.isfinite(spread[:, j]).all()
    )
    return Panel(f"mean over {len(group)} data sets", setting, curves) if curves else None
