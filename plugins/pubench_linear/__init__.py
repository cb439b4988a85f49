"""Linear PU classifiers: the hook and its specs; only the modules named here import scikit-learn."""

from __future__ import annotations

from pubench import hookimpl
from pubench.citations import cite
from pubench.specs import Algorithm, Float

__all__ = ["PUBENCH_PINNED", "pubench_algorithms"]

PUBENCH_PINNED = True
"""Versions of these specs are raised by hand, in a checkout too."""


@hookimpl
def pubench_algorithms() -> list[Algorithm]:
    """Return weighted logistic regression."""
    return [
        Algorithm(
            name="wlr",
            estimator="pubench_linear.wlr:WeightedLogisticRegression",
            summary="Logistic regression of labelled against unlabelled, both weighted to the same total",
            version="3",
            receives=(),
            # The paper's four values, 0.005 to 0.1, are too few: unit-length texts want 0.00005 to 0.001, standardised
            # tables 1 to 10; the space spans all of these, and a little more on either side.
            space={"c": Float(1e-5, 100.0, log=True, points=8)},
            accepts=("sparse",),
            bibtex=cite("lee2003"),
            licence="BSD-3-Clause",
        )
    ]
