"""Estimators of the class prior: the hook and its specs; only the modules named here import scikit-learn."""

from __future__ import annotations

from pubench import hookimpl
from pubench.citations import cite
from pubench.specs import PriorEstimator, Scenario

__all__ = ["PUBENCH_PINNED", "pubench_priors"]

PUBENCH_PINNED = True
"""Versions of these specs are raised by hand, in a checkout too."""

_SINGLE: tuple[Scenario, ...] = ("single-training-set",)
_ELKAN_NOTO = "elkan2008"
_PURE = "Labels at random; some region holds positives only (irreducibility)"
_APART = "Labels at random; the classes do not overlap"


@hookimpl
def pubench_priors() -> list[PriorEstimator]:
    """Return the estimators: of U's share of positives, for both scenarios, and of the label frequency, for one."""
    return [*_elkan_noto(), *_mixtures(), _profile(), _tice()]


def _elkan_noto() -> list[PriorEstimator]:
    what = {
        "e1": ("the mean score of labelled rows", _APART),
        "e2": ("the labelled rows' share of all scores", _APART),
        "e3": ("the highest score", _PURE),
    }
    return [
        PriorEstimator(
            name=f"elkan-noto-{which}",
            function="pubench_priors.elkan_noto:elkan_noto",
            summary=f"Elkan and Noto's {which}: the label frequency as {text}",
            version="3",
            params={"which": which},
            scenarios=_SINGLE,
            assumes=assumption,
            accepts=("sparse", "missing"),
            bibtex=cite(_ELKAN_NOTO),
        )
        for which, (text, assumption) in what.items()
    ]


def _mixtures() -> list[PriorEstimator]:
    methods = [
        (
            "bbe",
            "pubench_priors.bbe:bbe",
            "Best bin estimation: U's share over P's above the threshold with the least upper bound",
            "garg2021",
        ),
        (
            "dedpul",
            "pubench_priors.dedpul:dedpul",
            "DEDPUL: EM on the ratio of the densities of scores",
            "ivanov2020",
        ),
        (
            "km2",
            "pubench_priors.km2:km2",
            "KM2: how much of P can be taken from U, by kernel means",
            "ramaswamy2016",
        ),
        (
            "pen-l1",
            "pubench_priors.pen_l1:pen_l1",
            "Penalised L1 distance between the scaled density of P and that of U",
            "duplessis2015prior",
        ),
    ]
    return [
        PriorEstimator(
            name=name,
            function=function,
            summary=summary,
            version="2",
            assumes=_PURE,
            accepts=("sparse", "missing"),
            bibtex=cite(key),
        )
        for name, function, summary, key in methods
    ]


def _profile() -> PriorEstimator:
    return PriorEstimator(
        name="profile",
        function="pubench_priors.profile:profile",
        summary="Profile likelihood of U's share of positives, with an interval that allows for overlap",
        version="2",
        assumes="Labels at random; the log-odds of a positive are linear in the score, with one bend",
        accepts=("sparse", "missing"),
        paper="T. Lancaster and G. Imbens, Case-control studies with contaminated controls, Journal of Econometrics "
        "71, 1996 (the likelihood; the bent score and the grid are pubench's)",
        bibtex=cite("lancaster1996"),
    )


def _tice() -> PriorEstimator:
    return PriorEstimator(
        name="tice",
        function="pubench_priors.tice:tice",
        summary="TIcE: the label frequency, bounded from below by the purest subsets of a tree",
        version="2",
        scenarios=_SINGLE,
        assumes=_PURE,
        bibtex=cite("bekker2018"),
    )
