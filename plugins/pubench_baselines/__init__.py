"""Baselines and references: the hook and its specs; only the modules named here import scikit-learn."""

from __future__ import annotations

from pubench.hookspecs import hookimpl
from pubench.specs import Algorithm, Float

__all__ = ["pubench_algorithms"]


@hookimpl
def pubench_algorithms() -> list[Algorithm]:
    """Return the naive baseline and the supervised reference, both over the same logistic regression."""
    # Four decades either side of scikit-learn's default; the same for both, so that only labels differ.
    inverse_penalty = Float(1e-4, 1e4, log=True, points=9)
    return [
        Algorithm(
            name="naive-lr",
            estimator="pubench_baselines.unlabeled_as_negative:naive_lr",
            summary="Logistic regression that takes unlabelled rows for negative ones: the method to beat",
            version="1",
            space={"C": inverse_penalty},
            accepts=("sparse",),
            licence="BSD-3-Clause",
        ),
        Algorithm(
            name="supervised-lr",
            estimator="sklearn.linear_model:LogisticRegression",
            summary="Reference: scikit-learn's logistic regression on the true labels",
            version="1",
            params={"max_iter": 1000},
            space={"C": inverse_penalty},
            accepts=("sparse",),
            labels="true",
            licence="BSD-3-Clause",
        ),
    ]
