"""Means of ranks with MaxEnt among their members: elapid is imported here, once for all fits of a process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pubench import RankMean
from pubench.base import UNSTATED, Estimator
from pubench.specs import Scenario
from pubench_species import maxent  # noqa: F401 - a process that was warmed up has it

__all__ = ["rank_mean_maxent"]


def rank_mean_maxent(
    members: Sequence[str | Mapping[str, object] | Estimator] = ("maxent", "rf-down", "brt"),
    *,
    prior: float | None = None,
    scenario: Scenario = UNSTATED,
    categorical_features: Sequence[int] | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> RankMean:
    """Return a mean of ranks; see :class:`pubench.RankMean` for the parameters."""
    return RankMean(
        members,
        prior=prior,
        scenario=scenario,
        categorical_features=categorical_features,
        random_state=random_state,
    )
