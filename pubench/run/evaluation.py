"""Evaluation with true labels, in the one process that holds them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pubench.metrics import collapsed
from pubench.plan.jobs import MetricPlan
from pubench.plugins.imports import resolve
from pubench.protocol import Predictions
from pubench.sandbox.messages import Message

__all__ = ["evaluate", "is_collapsed", "regret", "staged_metrics"]


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


def staged_metrics(
    metrics: Sequence[MetricPlan], y: NDArray[np.uint8], message: Message, names: Sequence[str] = ()
) -> dict[str, Any] | None:
    """Return what a model told of itself, each metric after each of its stages in place of the stages' scores.

    Metrics of probabilities, and those that no stage defines, are left out. Weights have the names of their columns
    where there is one for each; images are kept as they are. None where nothing is left to tell.
    """
    header, numbers = message.header, list(message.header["stages"])
    found = {name: header[name] for name in ("of", "size", "errors", "image") if header.get(name)}
    if header["weights"]:
        known = names if len(names) == header["size"] else [f"column {i}" for i in range(header["size"])]
        found["weights"] = [[str(known[column]), value] for column, value in header["weights"]]
    scores = message.arrays[0] if message.arrays else np.empty((0, len(y)))
    if numbers and metrics and scores.shape == (len(numbers), len(y)):
        plain = [metric for metric in metrics if metric.uses != "probability"]
        decisions = (scores >= 0).astype(np.uint8)
        stages = [
            evaluate(plain, y, Predictions(*stage, None))[0] for stage in zip(scores, decisions, strict=True)
        ]
        curves = {metric.name: [_rounded(stage[metric.name]) for stage in stages] for metric in plain}
        kept = {name: curve for name, curve in curves.items() if any(value is not None for value in curve)}
        found |= {"stages": numbers, "metrics": kept}
    return found or None


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")
