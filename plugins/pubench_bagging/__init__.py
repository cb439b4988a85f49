"""PU bagging over any scikit-learn classifier: the hook and its specs; only the modules named here import it."""

from __future__ import annotations

from typing import Any

from pubench import hookimpl
from pubench.citations import cite
from pubench.specs import Algorithm, Choice, Float, Int, Param

__all__ = ["PUBENCH_PINNED", "pubench_algorithms"]

PUBENCH_PINNED = True
"""Versions of these specs are raised by hand, in a checkout too."""

_BAGGING = "mordelet2014"
_PUET = "wilton2022"
_NOVELGB = "timmons"
_RF_DOWN = "valavi2021"
# As many rows as P holds balance a bag; larger bags hold more of what U is like, and want weights to stay balanced.
_SIZE: dict[str, Param] = {
    "max_samples": Choice((None, 0.1, 0.3, 1.0)),
    "labeled_weight": Choice((1.0, "balanced")),
}
# Leaves that average over some rows blur the positives among a bag's unlabelled rows.
_LEAVES: dict[str, Param] = {"estimator__min_samples_leaf": Int(1, 32, log=True, points=4)}
# Codes are split as numbers: one-hot columns would crowd out the others among the features tried.
_SPLITS = ("sparse", "missing", "categorical")


@hookimpl
def pubench_algorithms() -> list[Algorithm]:
    """Return PU bagging over any classifier, and over those that papers use."""
    return [
        _spec(
            "pu-bagging",
            "PU bagging over any scikit-learn classifier: params.classifier = 'sklearn.svm:SVC'",
            "sklearn.tree:DecisionTreeClassifier",
            space=_SIZE,
            # Whether the classifier takes them nobody knows before it is asked.
            accepts=("sparse", "missing"),
        ),
        _spec(
            "pu-bagging-svm",
            "PU-SVM: bags of support vector machines with the radial basis kernel",
            "sklearn.svm:SVC",
            # SVMs of different bags agree more than trees do: half the bags suffice.
            params={"n_estimators": 50},
            # Around scikit-learn's C = 1; bags are small, so that large C over-fits them.
            space={
                "estimator__C": Float(1e-2, 1e2, log=True, points=5),
                "max_samples": Choice((None, 0.1, 0.3)),
            },
            accepts=("sparse",),
            probability="calibrated",
            papers=(_BAGGING, _NOVELGB),
        ),
        _spec(
            "pu-bagging-et",
            "PUBaggingET: bags of all unlabelled rows, drawn with replacement, an extra tree each",
            "sklearn.tree:ExtraTreeClassifier",
            # The paper's bags are as large as the data, so that few positives face many rows treated as negative: with
            # equal weights and leaves of single rows nearly all are.
            params={"max_samples": 1.0, "labeled_weight": "balanced", "estimator__min_samples_leaf": 8},
            space={**_SIZE, **_LEAVES},
            accepts=_SPLITS,
            papers=(_BAGGING, _PUET),
        ),
        _spec(
            "pu-bagging-tree",
            "Bags of decision trees that try the square root of the features at each split, as a random forest's",
            "sklearn.tree:DecisionTreeClassifier",
            params={"estimator__max_features": "sqrt"},
            space={**_SIZE, **_LEAVES},
            accepts=_SPLITS,
        ),
        _spec(
            "rf-down",
            "Down-sampled random forest: each tree sees as many unlabelled rows as labelled ones; leaves of five",
            "sklearn.tree:DecisionTreeClassifier",
            params={
                "bootstrap_labeled": True,
                "estimator__max_features": "sqrt",
                "estimator__min_samples_leaf": 5,
            },
            space={**_SIZE, **_LEAVES},
            accepts=_SPLITS,
            papers=(_RF_DOWN,),
        ),
        _spec(
            "pu-bagging-lr",
            "Bags of logistic regressions",
            "sklearn.linear_model:LogisticRegression",
            params={"n_estimators": 50, "estimator__max_iter": 1000},
            # Four decades either side of scikit-learn's default, as for the naive model.
            space={**_SIZE, "estimator__C": Float(1e-4, 1e4, log=True, points=9)},
            accepts=("sparse",),
        ),
    ]


def _spec(
    name: str,
    summary: str,
    classifier: str,
    *,
    params: dict[str, Any] | None = None,
    papers: tuple[str, ...] = (_BAGGING,),
    **more: Any,
) -> Algorithm:
    return Algorithm(
        name=name,
        estimator="pubench_bagging.bagging:pu_bagging",
        summary=summary,
        version="1",
        params={"classifier": classifier, **(params or {})},
        receives=("random_state",),
        bibtex=cite(*papers),
        licence="BSD-3-Clause",
        **more,
    )
