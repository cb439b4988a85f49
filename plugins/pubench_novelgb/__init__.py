"""Gradient boosting on the PU risk: the hook and its specs; only the modules named here import scikit-learn."""

from __future__ import annotations

from pubench import hookimpl
from pubench.citations import cite
from pubench.specs import Algorithm, Float, Int

__all__ = ["PUBENCH_PINNED", "pubench_algorithms"]

PUBENCH_PINNED = True
"""Versions of these specs are raised by hand, in a checkout too."""


@hookimpl
def pubench_algorithms() -> list[Algorithm]:
    """Return NovelGB."""
    return [
        Algorithm(
            name="novelgb",
            estimator="pubench_novelgb.novelgb:NovelGB",
            summary="Gradient boosting on the unbiased PU risk (or, with risk = 'nnpu', the non-negative one)",
            version="1",
            params={"l2": 10.0},
            # The penalty on leaf values decides how far the unbiased risk, which has no minimum, is followed, and
            # with it how many trees are too many: both span a decade and more around the defaults, which are where
            # small medical tables and 20,000 rows do well alike. Depth 1 is additive; beyond 6, leaves of labelled
            # rows alone are the rule. The learning rate would say the same as the number of trees.
            space={
                "l2": Float(1.0, 1000.0, log=True, points=4),
                "max_depth": Int(1, 6, points=3),
                "n_estimators": Int(25, 400, log=True, points=3),
            },
            receives=("prior", "scenario", "random_state"),
            needs=("prior",),
            threshold="prior",
            accepts=("sparse", "missing", "categorical"),
            bibtex=cite("timmons"),
            licence="BSD-3-Clause",
        )
    ]
