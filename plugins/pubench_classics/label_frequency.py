"""The constant c of Elkan and Noto (2008): the probability that a positive row is labelled."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from pubench.learners import score_method
from pubench.specs import Scenario

__all__ = [
    "CFrom",
    "check_probabilities",
    "held_out_probabilities",
    "label_frequency",
    "prior_of",
    "unlabeled_posterior",
]

Floats = NDArray[np.float64]
CFrom = Literal["mean", "ratio", "max"]
_NEARLY_ONE = 1.0 - 1e-12


def check_probabilities(learner: Any) -> None:
    """Raise ValueError if the learner has no probabilities."""
    if score_method(learner) != "predict_proba":
        raise ValueError(
            f"{type(learner).__name__} has no predict_proba, but c is estimated from Pr(s = 1 | x); "
            "use a classifier that has it, or wrap this one in CalibratedClassifierCV"
        )


def held_out_probabilities(
    learner: Any, X: Any, s: NDArray[np.int64], folds: int, random_state: Any
) -> Floats:
    """Return g(x) = Pr(s = 1 | x) of each row, by a copy of the learner fitted without it; shape (n,).

    Raises
    ------
    ValueError
        If there is only one labelled or only one unlabelled row.
    """
    n_p = int(s.sum())
    fewest = min(n_p, len(s) - n_p)
    if fewest < 2:
        kind = "labelled" if n_p < 2 else "unlabelled"
        raise ValueError(f"y has 1 {kind} row, but cross-validation needs at least 2; add some")
    cv = StratifiedKFold(min(folds, fewest), shuffle=True, random_state=random_state)
    probabilities: Floats = cross_val_predict(learner, X, s, cv=cv, method="predict_proba")[:, 1]
    return probabilities


def label_frequency(g: Floats, s: NDArray[np.int64], how: CFrom) -> float:
    r"""Estimate c from held-out g, by the paper's :math:`e_1`, :math:`e_2` or :math:`e_3`.

    ``"mean"`` is :math:`\frac{1}{n_p} \sum_P g`, ``"ratio"`` is :math:`\sum_P g / \sum g`, ``"max"`` is
    :math:`\max g`. The first two are correct if no negative looks like a positive, the last if some row is certainly
    positive and g has no noise.

    Raises
    ------
    ValueError
        If the estimate is 0.
    """
    labelled = g[s == 1]
    total = float(g.sum())
    c = {"mean": labelled.mean(), "ratio": labelled.sum() / total if total else 0.0, "max": g.max()}[how]
    if not c > 0:
        raise ValueError(
            "c cannot be estimated: the learner gives held-out labelled rows a probability of 0; "
            "use a smoother learner, or give c"
        )
    return min(float(c), 1.0)


def unlabeled_posterior(g: Floats, c: float) -> Floats:
    r"""Return Pr(y = 1 | x, unlabelled) = :math:`\frac{1 - c}{c} \frac{g}{1 - g}` in either scenario; not clipped.

    In case-control data, g / (1 - g) is :math:`\frac{n_p}{n_u \pi} \Pr(y = 1 | x)`, and c, which is g at a certain
    positive, is :math:`n_p / (n_p + \pi n_u)`. The formula is the same, and gives Pr(y = 1 | x) itself.
    """
    inside = np.minimum(g, _NEARLY_ONE)
    result: Floats = (1.0 - c) / c * inside / (1.0 - inside)
    return result


def prior_of(c: float, n_p: int, n_u: int, scenario: Scenario) -> float:
    """Return the Pr(y = 1) that follows from c: n_p / (n c), or n_p (1 - c) / (n_u c) of case-control data."""
    prior = n_p * (1.0 - c) / (n_u * c) if scenario == "case-control" else n_p / ((n_p + n_u) * c)
    return min(prior, 1.0)
