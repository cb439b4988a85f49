"""Judging models of real PU data, whose true classes nobody knows: by PU-only criteria on held-out rows."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from pubench.criteria import Validation
from pubench.plan.jobs import CriterionPlan
from pubench.plugins.imports import resolve
from pubench.protocol import Predictions
from pubench.specs import Scenario

__all__ = ["judge"]


def judge(
    criteria: Iterable[CriterionPlan],
    s: NDArray[np.uint8],
    predictions: Predictions,
    prior: float | None,
    scenario: Scenario,
) -> dict[str, float | None]:
    """Return PU-only criteria on held-out rows: all that can be said where true classes are unknown."""
    values: dict[str, float | None] = {}
    seen = Validation(s, predictions.score, predictions.decision, prior, scenario)
    for criterion in criteria:
        value = math.nan
        if prior is not None or not criterion.needs_prior:
            value = float(resolve(criterion.function)(seen, **criterion.params))
        values[str(criterion.name)] = value if math.isfinite(value) else None
    return values
