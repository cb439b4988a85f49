"""Evaluation with true labels, in the one process that holds them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from pubench.metrics import collapsed
from pubench.protocol import Introspection, Predictions
from pubench.results.record import ModelRecord
from pubench.scoring import finite, score_metric
from pubench.specs import Array
from pubench.status import Problem
from pubench.tasks import MetricPlan

__all__ = ["evaluate", "is_collapsed", "model_record", "regret"]


def evaluate(
    metrics: Iterable[MetricPlan], y: NDArray[np.uint8], predictions: Predictions
) -> tuple[dict[str, float | None], tuple[str, ...]]:
    """Return each metric (None where it is undefined) and a note for each metric that raised."""
    values: dict[str, float | None] = {}
    notes = []
    for metric in metrics:
        score = score_metric(metric, y, predictions)
        if isinstance(score, Problem):
            notes.append(f"metric '{metric.name}' raised {score.error}")
        values[metric.name] = finite(score)
    return values, tuple(notes)


def is_collapsed(predictions: Predictions) -> bool:
    """Whether every row got the same decision."""
    return bool(collapsed(predictions.decision))


def regret(posterior: NDArray[np.float64], predictions: Predictions) -> float:
    r"""Return the expected accuracy lost against the Bayes rule on these rows.

    With p = Pr(y = 1 | x) and decision f it is the mean of max(p, 1 - p) - (p if f = 1 else 1 - p), free of the noise
    of counting true classes.
    """
    chosen = np.where(predictions.decision == 1, posterior, 1 - posterior)
    return float(np.mean(np.maximum(posterior, 1 - posterior) - chosen))


def model_record(
    metrics: Sequence[MetricPlan],
    y: NDArray[np.uint8],
    found: Introspection,
    arrays: Sequence[Array],
    names: Sequence[str] = (),
) -> ModelRecord | None:
    """Return a model's introspection with each metric after each of its stages in place of the stages' scores.

    Metrics of probabilities, and those that no stage defines, are left out. Weights have the names of their columns
    where there is one for each. None where nothing is left.
    """
    named = len(names) == found.size
    weights = tuple(
        (str(names[column]) if named else f"column {column}", value) for column, value in found.weights
    )
    curves = _curves(metrics, y, found, arrays)
    record = ModelRecord(
        of=found.of,
        size=found.size,
        errors=found.errors,
        image=found.image,
        weights=weights,
        stages=() if curves is None else found.stages,
        metrics=curves or {},
    )
    return None if record == ModelRecord() else record


def _curves(
    metrics: Sequence[MetricPlan], y: NDArray[np.uint8], found: Introspection, arrays: Sequence[Array]
) -> dict[str, tuple[float | None, ...]] | None:
    scores = arrays[0] if arrays else np.empty((0, len(y)))
    if not (found.stages and metrics and scores.shape == (len(found.stages), len(y))):
        return None
    plain = [metric for metric in metrics if metric.uses != "probability"]
    decisions = (scores >= 0).astype(np.uint8)
    stages = [
        evaluate(plain, y, Predictions(*stage, None))[0] for stage in zip(scores, decisions, strict=True)
    ]
    curves = {metric.name: tuple(_rounded(stage[metric.name]) for stage in stages) for metric in plain}
    return {name: curve for name, curve in curves.items() if any(value is not None for value in curve)}


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")
