"""The section of models: model introspection, as scores after each stage and feature importance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.reporting.draw.curves import Curve, Panel, Sweep
from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import Paragraph, Section, SectionBlock, TemplateBlock
from pubench.reporting.sections.sensitivity import sweep_figure
from pubench.results.record import ModelRecord
from pubench.status import Status
from pubench.suite.columns import is_on_training

__all__ = ["FeatureWeights", "ModelPlace", "find_curves", "find_weights", "models_by_place", "models_section"]

Floats = NDArray[np.float64]
TOP, POINTS = 8, 25
WEIGHTS, ERRORS = 10, 10
"""How many lines of weights and how many errors are shown: a page must stay small."""
_CAPTION = (
    "{name} on the {rows} rows after each stage of a model (a round of boosting, a tree, an epoch): means over "
    "replicates, the band is one standard deviation to either side. These curves were not used to choose anything."
)


class FeatureWeights(NamedTuple):
    """The largest weights of an algorithm's models on one data set: (name, mean weight, share of the largest)."""

    algorithm: str
    dataset: str
    setting: str
    of: str
    size: int
    top: tuple[tuple[str, float, float], ...]


class ModelPlace(NamedTuple):
    """Where a model belongs on the page; ``reference`` marks one that used true labels."""

    dataset: str
    setting: str
    algorithm: str
    reference: bool


@dataclass(frozen=True, slots=True)
class _WeightsPage:
    """What the template shows: the largest weights, and how many lines are left out."""

    weights: Sequence[FeatureWeights]
    more: int


def models_section(report: Report) -> Section | None:
    """Return curves, feature importance, and what could not be inspected; Markdown has none."""
    weights = find_weights(report)
    blocks: list[SectionBlock] = [_figure(curve) for curve in find_curves(report)]
    if weights:
        page = _WeightsPage(weights[:WEIGHTS], max(0, len(weights) - WEIGHTS))
        blocks.append(TemplateBlock("weights.html", page))
    inspected = report.details.introspection.values()
    errors = list(dict.fromkeys(error for model in inspected for error in model.errors))
    if errors:
        blocks.append(Paragraph(f"Some models could not be inspected: {'; '.join(errors[:ERRORS])}."))
    return Section("models", "Models", "Model introspection", tuple(blocks), ()) if blocks else None


def _figure(curve: Sweep) -> SectionBlock:
    rows = "training" if is_on_training(curve.name) else "test"
    caption = _CAPTION.format(name=curve.name, rows=rows)
    return sweep_figure(curve, caption, "not drawn", f"The numbers: {curve.name} by stage")


def find_curves(report: Report) -> list[Sweep]:
    """Return each shown metric over the stages of models, as means and deviations over replicates."""
    staged = {
        place: models
        for place, models in models_by_place(report).items()
        if any(model.stages for model in models)
    }
    sweeps = []
    for number, table in enumerate(report.tables):
        panels: dict[tuple[str, str], list[Curve]] = {}
        for place, models in staged.items():
            curve = _curve(place, [model for model in models if table.metric in model.metrics], table.metric)
            if curve is not None:
                panels.setdefault((place.dataset, place.setting), []).append(curve)
        if panels:
            found = tuple(Panel(*key, tuple(curves)) for key, curves in panels.items())
            sweeps.append(Sweep(number, table.metric, "stage", "stages", found))
    return sweeps


def find_weights(report: Report) -> list[FeatureWeights]:
    """Return the columns with the largest mean weight over replicates; a column that a model omits has 0 there.

    Images are left out: `pubench.reporting.sections.images` draws them.
    """
    found = []
    for place, models in models_by_place(report).items():
        weighted = [model for model in models if model.weights and model.image is None]
        if weighted:
            kind, size = weighted[0].of, weighted[0].size
            where = place.algorithm, place.dataset, place.setting
            found.append(FeatureWeights(*where, kind, size, _top([dict(one.weights) for one in weighted])))
    return found


def _top(weights: Sequence[Mapping[str, float]]) -> tuple[tuple[str, float, float], ...]:
    names = dict.fromkeys(name for one in weights for name in one)
    sums = {name: sum(one.get(name, 0.0) for one in weights) for name in names}
    order = sorted(sums, key=lambda name: -abs(sums[name]))[:TOP]
    largest = abs(sums[order[0]]) or 1.0
    return tuple((name, sums[name] / len(weights), abs(sums[name]) / largest) for name in order)


def models_by_place(report: Report) -> dict[ModelPlace, list[ModelRecord]]:
    """Collect the introspection of all replicates of each algorithm, by data set and setting."""
    found: dict[ModelPlace, list[ModelRecord]] = {}
    for row in report.rows:
        model = report.details.introspection.get(row.get("key") or "")
        if model is not None and row["status"] == Status.OK:
            tuned = f", tuned by {row['criterion']}" if row["criterion"] else ""
            place = ModelPlace(
                row["dataset"], row["labelling"] + tuned, str(row["algorithm"]), bool(row.get("reference"))
            )
            found.setdefault(place, []).append(model)
    return found


def _curve(place: ModelPlace, models: Sequence[ModelRecord], metric: str) -> Curve | None:
    """Average the curves of replicates; one that ends earlier keeps its last value."""
    stages = np.unique([stage for model in models for stage in model.stages]).astype(np.int64)
    if stages.size < 2:
        return None
    stages = stages[np.unique(np.linspace(0, stages.size - 1, POINTS).round().astype(int))]
    values = np.array([_at(stages, model.stages, model.metrics[metric]) for model in models])
    sd = values.std(axis=0, ddof=1) if len(models) > 1 else np.full(stages.size, np.nan)
    return Curve(place.algorithm, place.reference, stages.astype(np.float64), values.mean(axis=0), sd)


def _at(stages: NDArray[np.int64], own: Sequence[int], curve: Sequence[float | None]) -> Floats:
    """Return a curve at other stages: the value of the last own stage before each, or of the first."""
    known = np.array([np.nan if value is None else value for value in curve], dtype=np.float64)
    place = np.searchsorted(np.array(own), stages, side="right") - 1
    taken: Floats = known[np.maximum(place, 0)]
    return taken
