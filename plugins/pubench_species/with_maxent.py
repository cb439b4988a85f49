"""Means of ranks with MaxEnt among their members: elapid is imported here, once for all fits of a process."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pubench.base import UNSTATED
from pubench.specs import Scenario
from pubench_species import maxent  # noqa: F401 - a process that was warmed up has it
from pubench_species.rank_mean import MemberEntry, RankMean

__all__ = ["rank_mean_maxent"]


def rank_mean_maxent(
    members: Sequence[MemberEntry] = ("maxent", "rf-down", "brt"),
    *,
    prior: float | None = None,
    scenario: Scenario = UNSTATED,
    categorical_features: Sequence[int] | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> RankMean:
    """Return a mean of ranks; see :class:`pubench_species.rank_mean.RankMean` for the parameters."""
    return RankMean(
        members,
        prior=prior,
        scenario=scenario,
        categorical_features=categorical_features,
        random_state=random_state,
    )
