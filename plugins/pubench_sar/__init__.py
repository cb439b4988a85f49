"""Methods for labels that are not missing at random: the hook and its specs; nothing here imports scikit-learn."""

from __future__ import annotations

from pubench import hookimpl
from pubench.citations import cite
from pubench.specs import Algorithm, Float, Param, Scenario

__all__ = ["PUBENCH_PINNED", "pubench_algorithms"]

PUBENCH_PINNED = True
"""Versions of these specs are raised by hand, in a checkout too."""

_SAR = "bekker2019"
_LBE = "gong2022"
_PUE = "wang2023pue"
_SINGLE: tuple[Scenario, ...] = ("single-training-set",)
_RIDGE: dict[str, Param] = {"l2": Float(1e-5, 1e-1, log=True, points=5)}
_NETWORK: dict[str, Param] = {
    "learning_rate": Float(1e-4, 1e-2, log=True, points=4),
    "l2": Float(1e-5, 1e-1, log=True, points=3),
}


@hookimpl
def pubench_algorithms() -> list[Algorithm]:
    """Return SAR-EM, LBE, and nnPU weighted by estimated or by true propensities."""
    return [
        Algorithm(
            name="sar-em",
            estimator="pubench_sar.sar_em:SAREM",
            summary="Logistic models of class and propensity by expectation maximisation; a known prior helps",
            version="2",
            space=_RIDGE,
            scenarios=_SINGLE,
            receives=("prior",),
            accepts=("sparse",),
            threshold="prior",
            bibtex=cite(_SAR),
            licence="BSD-3-Clause",
        ),
        Algorithm(
            name="lbe",
            estimator="pubench_sar.lbe:LBE",
            summary="Logistic models of class and propensity by gradient steps, without a prior",
            version="1",
            space=_RIDGE,
            scenarios=_SINGLE,
            receives=("random_state",),
            accepts=("sparse",),
            bibtex=cite(_LBE),
            licence="BSD-3-Clause",
        ),
        Algorithm(
            name="pu-weighted",
            estimator="pubench_sar.weighted:PUWeighted",
            summary="nnPU with labelled rows weighted by 1 / estimated propensity, for classes that hardly overlap",
            version="1",
            space=_NETWORK,
            receives=("prior", "scenario", "random_state"),
            needs=("prior",),
            accepts=("sparse",),
            threshold="prior",
            bibtex=cite(_PUE, _SAR),
            licence="BSD-3-Clause",
        ),
        Algorithm(
            name="oracle-propensity",
            estimator="pubench_sar.weighted:PUWeighted",
            summary="Reference: nnPU with labelled rows weighted by 1 / true propensity",
            version="1",
            space=_NETWORK,
            receives=("prior", "scenario", "random_state", "propensity"),
            needs=("prior",),
            accepts=("sparse",),
            bibtex=cite(_PUE, _SAR),
            licence="BSD-3-Clause",
        ),
    ]
