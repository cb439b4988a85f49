"""Evaluation with true labels, in the one process that holds them."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from pubench.fitting import Predictions
from pubench.imports import resolve
from pubench.jobs import MetricPlan
from pubench.metrics import collapsed

__all__ = ["evaluate", "is_collapsed", "regret"]


def evaluate(
    metrics: Iterable[MetricPlan], y: NDArray[np.uint8], predictions: Predictions
) -> tuple[dict[str, float | None], tuple[str, ...]]:
    """Return each metric (None where it is undefined) and a note for each metric that raised."""
    values: dict[str, float | None] = {}
    notes = []
    for metric in metrics:
        given = getattr(predictions, metric.uses)
        if given is None:
            values[metric.name] = None
            continue
        try:
            value = float(resolve(metric.function)(y, given))
        except (Exception, SystemExit) as error:
            notes.append(f"metric '{metric.name}' raised {type(error).__name__}: {error}")
            value = math.nan
        values[metric.name] = value if math.isfinite(value) else None
    return values, tuple(notes)


def is_collapsed(predictions: Predictions) -> bool:
    """Whether every row got the same decision."""
    return bool(collapsed(predictions.decision))


def regret(posterior: NDArray[np.float64], predictions: Predictions) -> float:
    r"""Return the expected accuracy lost against the Bayes rule on these rows.

    With p = Pr(y = 1 | x) and decision f it is the mean of max(p, 1 - p) - (p if f = 1 else 1 - p), free of the noise
    that counting true classes has.
    """
    chosen = np.where(predictions.decision == 1, posterior, 1 - posterior)
    return float(np.mean(np.maximum(posterior, 1 - posterior) - chosen))
