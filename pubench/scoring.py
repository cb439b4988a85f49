"""Scoring a model by a criterion or a metric: one function each, which returns a value or a problem.

Searches, training rows and real PU data are all scored here, so that a plugin's function that raises means the same
everywhere: a :class:`~pubench.status.Problem`, never the end of a run.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from pubench.criteria import Validation
from pubench.plugins.imports import resolve
from pubench.protocol import Predictions
from pubench.protocol.parts import CriterionPlan, MetricPlan
from pubench.specs import Scenario
from pubench.status import Problem

__all__ = ["finite", "score_criteria", "score_criterion", "score_metric"]


def score_criterion(
    criterion: CriterionPlan,
    s: NDArray[np.uint8],
    predictions: Predictions,
    prior: float | None,
    scenario: Scenario,
) -> float | Problem:
    """Return a criterion's value for n rows, NaN where it is undefined, or why it has none.

    Parameters
    ----------
    criterion : CriterionPlan
        It sees the prior only if it needs one; without a prior it is then undefined.
    s : array of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    predictions : Predictions
    prior : float or None
    scenario : {"case-control", "single-training-set"}
    """
    if criterion.needs_prior and prior is None:
        return math.nan
    shown = prior if criterion.needs_prior else None
    try:
        validation = Validation(s, predictions.score, predictions.decision, shown, scenario)
        return float(resolve(criterion.function)(validation, **criterion.params))
    except (Exception, SystemExit) as error:
        return Problem.of(error)


def score_criteria(
    criteria: Iterable[CriterionPlan],
    s: NDArray[np.uint8],
    predictions: Predictions,
    prior: float | None,
    scenario: Scenario,
    *,
    where: str,
) -> tuple[dict[str, float | None], tuple[str, ...]]:
    """Return each criterion's value, None where it has none, and a note for each problem; ``where`` names the rows."""
    values: dict[str, float | None] = {}
    notes = []
    for criterion in criteria:
        score = score_criterion(criterion, s, predictions, prior, scenario)
        if isinstance(score, Problem):
            notes.append(f"criterion '{criterion.name}' on {where} rows: {score.error}")
        values[str(criterion.name)] = finite(score)
    return values, tuple(notes)


def score_metric(metric: MetricPlan, y: NDArray[np.uint8], predictions: Predictions) -> float | Problem:
    """Return a metric's value for n rows with true classes ``y``, NaN where it is undefined, or why it has none."""
    values = getattr(predictions, metric.uses)
    if values is None:
        return math.nan
    try:
        return float(resolve(metric.function)(y, values))
    except (Exception, SystemExit) as error:
        return Problem.of(error)


def finite(score: float | Problem) -> float | None:
    """Return a score that can be stored: None for a problem and for what is not finite."""
    return score if isinstance(score, float) and math.isfinite(score) else None
