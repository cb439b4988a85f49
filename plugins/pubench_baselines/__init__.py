"""Baselines and references: the hook and its specs; only the modules named here import scikit-learn."""

from __future__ import annotations

from typing import Any

from pubench import hookimpl
from pubench.citations import cite
from pubench.specs import Algorithm, Float, Int, Param

__all__ = ["PUBENCH_PINNED", "pubench_algorithms"]

PUBENCH_PINNED = True
"""Versions of these specs are raised by hand, in a checkout too."""

# Spaces are shared by all that differ in their labels alone. Four decades either side of scikit-learn's default:
_LINEAR: dict[str, Param] = {"C": Float(1e-4, 1e4, log=True, points=9)}
# Large leaves and few columns are what keeps a forest from learning noise, labels that are wrong included.
_FOREST: dict[str, Param] = {
    "min_samples_leaf": Int(1, 32, log=True, points=4),
    "max_features": Float(0.1, 1.0, log=True, points=3),
}
# Trees, and how much each may say; 100 trees of depth 3 at 0.1 lie in the middle.
_BOOSTING: dict[str, Param] = {
    "learning_rate": Float(0.03, 0.3, log=True, points=3),
    "max_depth": Int(1, 6, points=3),
    "n_estimators": Int(25, 400, log=True, points=3),
}
_HISTOGRAMS: dict[str, Param] = {
    "learning_rate": _BOOSTING["learning_rate"],
    "max_depth": _BOOSTING["max_depth"],
    "max_iter": _BOOSTING["n_estimators"],
}
_TREES = "geurts2006"
_PUET = ("wilton2022", _TREES)
_NOVELGB = ("timmons",)
_BRT = ("elith2008",)
_ADAPU = ("zhao2022adapu",)
_SKLEARN = "pedregosa2011"


@hookimpl
def pubench_algorithms() -> list[Algorithm]:
    """Return what PU methods are compared with: learners that ignore the problem, and those that see true labels."""
    return [*_naive(), *_at_prior(), *_supervised(), *_positive_negative()]


def _naive() -> list[Algorithm]:
    return [
        Algorithm(
            name="naive-lr",
            estimator="pubench_baselines.unlabeled_as_negative:naive_lr",
            summary="Uncorrected: logistic regression that treats unlabelled rows as negative, cut at 1/2",
            version="1",
            receives=(),
            space=_LINEAR,
            accepts=("sparse",),
            bibtex=cite(_SKLEARN),
            licence="BSD-3-Clause",
        ),
        _named(
            "naive",
            "Uncorrected: any classifier, with unlabelled rows as negative: params.classifier = 'sklearn.svm:SVC'",
            "sklearn.linear_model:LogisticRegression",
            # Whether the classifier takes them nobody knows before it is asked.
            accepts=("sparse", "missing"),
        ),
        _named(
            "naive-et",
            "Uncorrected, NaivePUET: scikit-learn's extra trees, with unlabelled rows as negative",
            "sklearn.ensemble:ExtraTreesClassifier",
            space=_FOREST,
            accepts=("sparse", "missing", "categorical"),
            papers=_PUET,
        ),
        _named(
            "naive-rf",
            "Uncorrected: scikit-learn's random forest, with unlabelled rows as negative",
            "sklearn.ensemble:RandomForestClassifier",
            space=_FOREST,
            accepts=("sparse", "missing", "categorical"),
            papers=("breiman2001",),
        ),
        _named(
            "naive-hgb",
            "Uncorrected: scikit-learn's histogram gradient boosting, with unlabelled rows as negative",
            "sklearn.ensemble:HistGradientBoostingClassifier",
            space=_HISTOGRAMS,
            accepts=("missing", "categorical"),
        ),
        _named(
            "brt",
            "Boosted regression trees as for species: 200 trees of six leaves, labelled and unlabelled rows balanced",
            "sklearn.ensemble:HistGradientBoostingClassifier",
            params={
                "class_weight": "balanced",
                "learning_rate": 0.03,
                "max_iter": 200,
                "max_leaf_nodes": 6,
            },
            space=_HISTOGRAMS,
            accepts=("missing", "categorical"),
            papers=_BRT,
        ),
        _named(
            "standard-gb",
            "Uncorrected, StandardGB: scikit-learn's gradient boosting, with unlabelled rows as negative",
            "sklearn.ensemble:GradientBoostingClassifier",
            space=_BOOSTING,
            accepts=("sparse", "categorical"),
            papers=_NOVELGB,
        ),
    ]


def _named(
    name: str,
    summary: str,
    classifier: str,
    *,
    params: dict[str, Any] | None = None,
    papers: tuple[str, ...] = (),
    **more: Any,
) -> Algorithm:
    return Algorithm(
        name=name,
        estimator="pubench_baselines.unlabeled_as_negative:naive",
        summary=summary,
        version="1",
        params={"classifier": classifier, **(params or {})},
        receives=("random_state",),
        bibtex=cite(*papers, _SKLEARN),
        licence="BSD-3-Clause",
        **more,
    )


def _at_prior() -> list[Algorithm]:
    """Return the naive learners that call as many rows positive as the prior says."""
    sparse, missing, codes = ("sparse",), ("missing",), ("categorical",)
    forest = {"min_samples_leaf": 3}
    learners: list[tuple[str, str, str, dict[str, Any], dict[str, Param], tuple[str, ...]]] = [
        ("", "Any scikit-learn classifier", "linear_model:LogisticRegression", {}, {}, sparse + missing),
        ("lr", "Logistic regression", "linear_model:LogisticRegression", {"max_iter": 1000}, _LINEAR, sparse),
        (
            "et",
            "Extra trees with leaves of 3",
            "ensemble:ExtraTreesClassifier",
            forest,
            _FOREST,
            sparse + missing + codes,
        ),
        (
            "hgb",
            "Histogram boosting",
            "ensemble:HistGradientBoostingClassifier",
            {},
            _HISTOGRAMS,
            missing + codes,
        ),
        ("svc", "A support vector machine", "svm:SVC", {}, _LINEAR, sparse),
    ]
    return [
        Algorithm(
            name="-".join(filter(None, ("naive", name, "prior"))),
            estimator="pubench_baselines.at_prior:naive_prior",
            summary=f"{what} of labelled against unlabelled rows, balanced, and cut where the prior says",
            version="2",
            params={"classifier": f"sklearn.{learner}", **params},
            space=space,
            receives=("prior", "scenario", "random_state"),
            needs=("prior",),
            threshold="built-in",
            accepts=accepts,
            bibtex=cite(*((_TREES, _SKLEARN) if name == "et" else (_SKLEARN,))),
            licence="BSD-3-Clause",
        )
        for name, what, learner, params, space, accepts in learners
    ]


def _supervised() -> list[Algorithm]:
    return [
        Algorithm(
            name="supervised-lr",
            estimator="sklearn.linear_model:LogisticRegression",
            summary="Reference: scikit-learn's logistic regression on the true labels",
            version="1",
            receives=(),
            params={"max_iter": 1000},
            space=_LINEAR,
            accepts=("sparse",),
            labels="true",
            bibtex=cite(_SKLEARN),
            licence="BSD-3-Clause",
        ),
        Algorithm(
            name="supervised-et",
            estimator="sklearn.ensemble:ExtraTreesClassifier",
            summary="Reference, SupervisedET: scikit-learn's extra trees on the true labels",
            version="1",
            space=_FOREST,
            receives=("random_state",),
            accepts=("sparse", "missing", "categorical"),
            labels="true",
            bibtex=cite(*_PUET, _SKLEARN),
            licence="BSD-3-Clause",
        ),
    ]


def _positive_negative() -> list[Algorithm]:
    """Return the boosting methods of Zhao et al., 100 rounds each and otherwise with their own defaults."""
    xgboost = {
        # XGBoost's defaults, by scikit-learn's engine of the same kind (second-order steps on histograms). Its least
        # curvature in a leaf, 1, is that of four undecided rows.
        "early_stopping": False,
        "l2_regularization": 1.0,
        "learning_rate": 0.3,
        "max_depth": 6,
        "max_leaf_nodes": None,
        "min_samples_leaf": 4,
    }
    stumps = {name: _BOOSTING[name] for name in ("learning_rate", "n_estimators")}
    learners: list[tuple[str, str, str, dict[str, Any], dict[str, Param], str]] = [
        ("pn-adaboost", "AdaBoost", "AdaBoostClassifier", {"n_estimators": 100}, stumps, "sparse"),
        ("pn-gbdt", "gradient boosting", "GradientBoostingClassifier", {}, _BOOSTING, "sparse"),
        (
            "pn-xgb",
            "histogram gradient boosting with XGBoost's defaults",
            "HistGradientBoostingClassifier",
            xgboost,
            _HISTOGRAMS,
            "missing",
        ),
    ]
    return [
        Algorithm(
            name=name,
            estimator="pubench_baselines.positive_negative:positive_negative",
            summary=f"Reference: {what}, shown as many positives as are labelled and few negatives, truly labelled",
            version="1",
            params={"classifier": f"sklearn.ensemble:{learner}", **params},
            space=space,
            receives=("prior", "n_labelled", "random_state"),
            needs=("prior",),
            accepts=(accepts,),
            labels="true",
            bibtex=cite(*_ADAPU, _SKLEARN),
            licence="BSD-3-Clause",
        )
        for name, what, learner, params, space, accepts in learners
    ]
