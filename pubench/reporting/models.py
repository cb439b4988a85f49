"""What fitted models told of themselves: scores after each stage, and the columns that weigh most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.reporting import Report
from pubench.reporting.sensitivity import Line, Panel, Sweep
from pubench.stats.scores import Row

__all__ = ["Inside", "Place", "Weights", "find_curves", "find_weights", "told_by_place"]

Floats = NDArray[np.float64]
Inside = Mapping[str, Mapping[str, Any]]
"""What the model of each cell told, by the cell's key: stages, metrics, of, weights, size, errors, image."""
TOP, POINTS = 8, 25


class Weights(NamedTuple):
    """The heaviest columns of an algorithm's models on one data set: (name, mean weight, share of the heaviest)."""

    algorithm: str
    dataset: str
    setting: str
    of: str
    size: int
    top: tuple[tuple[str, float, float], ...]


class Place(NamedTuple):
    """Where a model stands on the page; ``reference`` marks one that saw true labels."""

    dataset: str
    setting: str
    algorithm: str
    reference: bool


def find_curves(report: Report, rows: Sequence[Row], inside: Inside) -> list[Sweep]:
    """Return each shown metric over the stages of models, as means and deviations over replicates."""
    told = {
        place: cells
        for place, cells in told_by_place(rows, inside).items()
        if any("stages" in c for c in cells)
    }
    sweeps = []
    for place, table in enumerate(report.tables):
        panels: dict[tuple[str, str], list[Line]] = {}
        for where, cells in told.items():
            line = _line(
                where, [cell for cell in cells if table.metric in cell.get("metrics", {})], table.metric
            )
            if line is not None:
                panels.setdefault((where.dataset, where.setting), []).append(line)
        if panels:
            found = tuple(Panel(*key, tuple(lines)) for key, lines in panels.items())
            sweeps.append(Sweep(place, table.metric, "stage", found))
    return sweeps


def find_weights(rows: Sequence[Row], inside: Inside) -> list[Weights]:
    """Return the columns with the greatest mean weight over replicates; one that a model left out has 0 in it.

    Those of images are left out: they are drawn (`pubench.reporting.images`).
    """
    found = []
    for where, cells in told_by_place(rows, inside).items():
        weighed = [cell for cell in cells if cell.get("weights") and not cell.get("image")]
        if weighed:
            names = dict.fromkeys(name for cell in weighed for name, _ in cell["weights"])
            means = {name: sum(dict(cell["weights"]).get(name, 0.0) for cell in weighed) for name in names}
            order = sorted(means, key=lambda name: -abs(means[name]))[:TOP]
            largest = abs(means[order[0]]) or 1.0
            top = tuple((name, means[name] / len(weighed), abs(means[name]) / largest) for name in order)
            first = weighed[0]
            place = where.algorithm, where.dataset, where.setting
            found.append(Weights(*place, str(first["of"]), int(first["size"]), top))
    return found


def told_by_place(rows: Sequence[Row], inside: Inside) -> dict[Place, list[Mapping[str, Any]]]:
    """Gather what the replicates of each algorithm told, by data set and setting."""
    told: dict[Place, list[Mapping[str, Any]]] = {}
    for row in rows:
        cell = inside.get(row.get("key") or "")
        if cell and row["status"] == "ok":
            tuned = f", tuned by {row['criterion']}" if row["criterion"] else ""
            where = Place(
                row["dataset"], row["labelling"] + tuned, str(row["algorithm"]), bool(row.get("reference"))
            )
            told.setdefault(where, []).append(cell)
    return told


def _line(where: Place, cells: Sequence[Mapping[str, Any]], metric: str) -> Line | None:
    """Average the curves of replicates; one that ends earlier keeps its last value."""
    stages = np.unique([stage for cell in cells for stage in cell["stages"]]).astype(np.int64)
    if stages.size < 2:
        return None
    stages = stages[np.unique(np.linspace(0, stages.size - 1, POINTS).round().astype(int))]
    values = np.array([_at(stages, cell["stages"], cell["metrics"][metric]) for cell in cells])
    sd = values.std(axis=0, ddof=1) if len(cells) > 1 else np.full(stages.size, np.nan)
    return Line(where.algorithm, where.reference, stages.astype(np.float64), values.mean(axis=0), sd)


def _at(stages: NDArray[np.int64], own: Sequence[int], curve: Sequence[float | None]) -> Floats:
    """Return a curve at other stages: the value of the last own stage before each, or of the first."""
    known = np.array([np.nan if value is None else value for value in curve], dtype=np.float64)
    place = np.searchsorted(np.array(own), stages, side="right") - 1
    taken: Floats = known[np.maximum(place, 0)]
    return taken
