"""Strong simple baselines: a balanced scikit-learn classifier of P against U, cut where the prior says."""

from __future__ import annotations

from typing import Any

import numpy as np

from pubench import PriorCut
from pubench.base import UNSTATED
from pubench.learners import classifier_named
from pubench.specs import Scenario

__all__ = ["naive_prior"]


def naive_prior(
    classifier: str = "sklearn.linear_model:LogisticRegression",
    *,
    prior: float | str = "estimate",
    scenario: Scenario = UNSTATED,
    n_folds: int = 5,
    random_state: int | np.random.RandomState | None = None,
    **params: Any,
) -> PriorCut:
    """Return a classifier chosen by name, balanced where it can be, that calls as many rows positive as the prior says.

    Parameters
    ----------
    classifier : str
        ``"package.module:Class"`` of a scikit-learn classifier.
    prior, scenario, n_folds, random_state
        See :class:`pubench.PriorCut`.
    **params
        Parameters of the classifier; where it has ``class_weight``, that is "balanced" unless it is given.

    Returns
    -------
    PriorCut
    """
    learner = classifier_named(classifier)(**params)
    if "class_weight" in learner.get_params() and "class_weight" not in params:
        learner.set_params(class_weight="balanced")
    return PriorCut(learner, prior=prior, scenario=scenario, n_folds=n_folds, random_state=random_state)
