"""Trees that minimise a PU risk: the hook and its specs; only the modules named here import scikit-learn."""

from __future__ import annotations

from typing import Literal

from pubench import hookimpl
from pubench.citations import cite
from pubench.specs import Algorithm, Choice, Int, Param

__all__ = ["PUBENCH_PINNED", "pubench_algorithms"]

PUBENCH_PINNED = True
"""Versions of these specs are raised by hand, in a checkout too."""

_PAPER = "wilton2022"

# The paper's defaults do well untuned. What is worth a trial: leaves that average over some rows where labels are
# few, a share of the features where many are noise, and the loss, which matters little for nnPU. uPU is left out:
# it over-fits by design of the comparison.
_SPACE: dict[str, Param] = {
    "min_samples_leaf": Int(1, 50, log=True, points=4),
    "max_features": Choice(("sqrt", "log2", 0.3, None)),
    "loss": Choice(("quadratic", "logistic")),
}


def _spec(
    name: str,
    estimator: str,
    summary: str,
    space: dict[str, Param],
    threshold: Literal["own", "prior"],
    module: str = "classifiers",
) -> Algorithm:
    return Algorithm(
        name=name,
        estimator=f"pubench_extratrees.{module}:{estimator}",
        summary=summary,
        version="1",
        space=space,
        receives=("prior", "scenario", "random_state"),
        needs=("prior",),
        # Codes are split as numbers.
        accepts=("sparse", "categorical"),
        threshold=threshold,
        bibtex=cite(_PAPER),
        licence="BSD-3-Clause",
    )


@hookimpl
def pubench_algorithms() -> list[Algorithm]:
    """Return PU extra trees, the PU random forest, the single PU tree, and PU extra trees on chosen features."""
    return [
        _spec(
            "puet",
            "PUExtraTrees",
            "Extremely randomised trees that minimise the non-negative PU risk",
            # More thresholds make a tree greedier: the paper finds 1 best with sqrt, 10 better with few features.
            {**_SPACE, "n_thresholds": Choice((1, 3, 10))},
            # Where positives are rare, hardly a leaf has more of them than of negatives: only the cut is wrong.
            "prior",
        ),
        _spec(
            "purf",
            "PURandomForest",
            "A random forest whose trees minimise the non-negative PU risk",
            _SPACE,
            "prior",
        ),
        _spec(
            "putree",
            "PUDecisionTree",
            "One decision tree that minimises the non-negative PU risk",
            # A single tree needs its size held down; best-first growth spends few leaves well.
            {"max_leaf_nodes": Int(2, 256, log=True, points=6), "loss": _SPACE["loss"]},
            "own",
        ),
        _spec(
            "puet-top",
            "PUTopFeatures",
            "PU extra trees on the features that a first forest finds important",
            {"n_features": Int(1, 100, log=True, points=5), "by": Choice(("risk", "gini"))},
            "prior",
            module="chosen",
        ),
    ]
