"""Networks of recent papers: the hook and its specs; only the modules named here import scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pubench import hookimpl
from pubench.citations import cite
from pubench.specs import Algorithm, Float, Param

__all__ = ["PUBENCH_PINNED", "pubench_algorithms"]

PUBENCH_PINNED = True
"""Versions of these specs are raised by hand, in a checkout too."""

_VPU = "chen2020vpu"
_DIST = "zhao2022distpu"
_TED = "garg2021"
_PUSB = "kato2019"
_IMBALANCED = "su2021"
_ROBUST = "zhu2023"
_SELF = "chen2020selfpu"

# How far a network is trained, and how smooth it stays: the same two for all, around their defaults.
_NETWORK: dict[str, Param] = {
    "learning_rate": Float(1e-4, 1e-2, log=True, points=4),
    "l2": Float(1e-5, 1e-1, log=True, points=3),
}
_PRIOR = ("prior", "scenario", "random_state")


@hookimpl
def pubench_algorithms() -> list[Algorithm]:
    """Return the methods, all on a perceptron with two hidden layers of 100."""
    return [
        _spec(
            "vpu",
            "Variational PU learning: needs no prior, presumes rows that are certainly positive",
            "vpu:VPU",
            _VPU,
            space={"mixup": Float(0.03, 10.0, log=True, points=4)},
            receives=_PRIOR,
        ),
        _spec(
            "dist-pu",
            "Dist-PU: mean predictions of P and U that agree with the label distribution",
            "dist_pu:DistPU",
            _DIST,
            needs=("prior",),
            threshold="prior",
        ),
        _spec(
            "cvir",
            "P against U without the rows of U that look most positive, as many as the prior says",
            "cvir:CVIR",
            _TED,
            needs=("prior",),
        ),
        _spec(
            "cvir-ted",
            "(TED)^n: the same with a prior that is re-estimated in every epoch",
            "cvir:CVIR",
            _TED,
            params={"prior": "ted"},
            receives=("scenario", "random_state"),
        ),
        _spec(
            "pusb",
            "PUSB: nnPU's ranking, cut where the share of positives is the prior",
            "nonnegative:SelectionBiasPU",
            _PUSB,
            needs=("prior",),
            threshold="built-in",
        ),
        _spec(
            "imbalanced-nnpu",
            "nnPU for rare positives: the risk of a population with as many positives as negatives",
            "nonnegative:ImbalancedNNPU",
            _IMBALANCED,
            needs=("prior",),
        ),
        _spec(
            "robust-pu",
            "Robust-PU, small form: rows of U as negatives, weighted down where they look positive",
            "robust_pu:RobustPU",
            _ROBUST,
            needs=("prior",),
        ),
        _spec(
            "self-pu",
            "Self-PU, small form: nnPU that comes to trust its most confident predictions",
            "self_pu:SelfPU",
            _SELF,
            needs=("prior",),
        ),
    ]


def _spec(
    name: str,
    summary: str,
    estimator: str,
    paper: str,
    *,
    params: Mapping[str, Any] | None = None,
    space: Mapping[str, Param] | None = None,
    receives: tuple[str, ...] = _PRIOR,
    needs: tuple[str, ...] = (),
    threshold: Literal["own", "prior", "built-in"] = "own",
) -> Algorithm:
    return Algorithm(
        name=name,
        estimator=f"pubench_modern.{estimator}",
        summary=summary,
        version="1",
        params=params or {},
        space=_NETWORK | dict(space or {}),
        receives=receives,
        needs=needs,
        accepts=("sparse",),
        threshold=threshold,
        bibtex=cite(paper),
        licence="BSD-3-Clause",
    )
