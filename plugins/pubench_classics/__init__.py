"""The classics of PU learning: the hook and its specs; only the modules named here import scikit-learn."""

from __future__ import annotations

from typing import Any

from pubench import hookimpl
from pubench.citations import cite
from pubench.specs import Algorithm, Choice, Float, Param

__all__ = ["PUBENCH_PINNED", "pubench_algorithms"]

PUBENCH_PINNED = True
"""Versions of these specs are raised by hand, in a checkout too."""

_ELKAN_NOTO = "elkan2008"
_SPIES = "liu2002"
_PNB = "denis2002"
_ONE_CLASS = "schoelkopf2001"
_ROCCHIO = "li2003"

# Four decades either side of scikit-learn's default, as for the naive model.
_LINEAR: dict[str, Param] = {"estimator__C": Float(1e-4, 1e4, log=True, points=9)}
# Texts want little smoothing, counts of few features more. Variances of few labelled rows come out at nothing where a
# feature hardly varies, and want much. A model uses one of the two.
_SMOOTHING: dict[str, Param] = {
    "alpha": Float(1e-3, 10.0, log=True, points=5),
    "var_smoothing": Float(1e-4, 1.0, log=True, points=5),
}
# Outliers among the spies cost likely negatives, too much noise lets positives in.
_NOISE: dict[str, Param] = {"noise": Choice((0.05, 0.15, 0.3))}


@hookimpl
def pubench_algorithms() -> list[Algorithm]:
    """Return the classics."""
    return [*_elkan_noto(), *_bayes(), _one_class(), *_two_step()]


def _spec(name: str, estimator: str, summary: str, **more: Any) -> Algorithm:
    return Algorithm(
        name=name,
        estimator=f"pubench_classics.{estimator}",
        summary=summary,
        version="1",
        accepts=("sparse",),
        licence="BSD-3-Clause",
        **more,
    )


def _elkan_noto() -> list[Algorithm]:
    shared: dict[str, Any] = {
        "space": _LINEAR,
        "receives": ("scenario", "random_state"),
        "bibtex": cite(_ELKAN_NOTO),
    }
    return [
        _spec(
            "elkan-noto",
            "elkan_noto:elkan_noto",
            "Elkan and Noto, scaling: Pr(s = 1 | x) of any classifier, divided by the label frequency",
            **shared,
        ),
        _spec(
            "elkan-noto-weighted",
            "elkan_noto:weighted_elkan_noto",
            "Elkan and Noto, weighting: any classifier on unlabelled rows that count for both classes",
            **shared,
        ),
    ]


def _bayes() -> list[Algorithm]:
    return [
        _spec(
            "s-em",
            "sem:SpyEM",
            "S-EM: naive Bayes and EM, started from negatives that spies reveal",
            space={**_SMOOTHING, **_NOISE},
            receives=("scenario", "random_state"),
            bibtex=cite(_SPIES),
        ),
        _spec(
            "pu-nb",
            "pu_naive_bayes:PUNaiveBayes",
            "Naive Bayes (counts if sparse, else Gaussian) whose negatives are the population less its positives",
            space=_SMOOTHING,
            receives=("prior", "scenario", "random_state"),
            needs=("prior",),
            bibtex=cite(_PNB),
        ),
    ]


def _one_class() -> Algorithm:
    return _spec(
        "one-class-svm",
        "one_class:OneClass",
        "One-class support vector machine on the labelled rows; the unlabelled ones are not used",
        params={"border": "held-out"},
        receives=(),
        # nu is the share of P outside; the kernel's width, about 1 / d for standardised columns, needs wide limits.
        space={"nu": Float(0.01, 0.9, points=5), "gamma": Float(1e-4, 10.0, log=True, points=6)},
        probability="calibrated",
        bibtex=cite(_ONE_CLASS),
    )


def _two_step() -> list[Algorithm]:
    return [
        _spec(
            "two-step-rocchio",
            "two_step:two_step_rocchio",
            "Two steps: likely negatives by Rocchio's prototypes, then any classifier, iterated",
            space=_LINEAR,
            receives=("random_state",),
            bibtex=cite(_ROCCHIO),
        ),
        _spec(
            "two-step-spies",
            "two_step:two_step_spies",
            "Two steps: likely negatives by spies, then any classifier, iterated",
            space={**_LINEAR, **_NOISE},
            receives=("random_state",),
            bibtex=cite(_SPIES, _ROCCHIO),
        ),
    ]
