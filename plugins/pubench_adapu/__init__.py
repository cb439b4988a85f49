"""Ada-PU: the hook and its specs; only the modules named here import scikit-learn."""

from __future__ import annotations

from pubench import hookimpl
from pubench.citations import cite
from pubench.specs import Algorithm, Choice, Float, Int

__all__ = ["PUBENCH_PINNED", "pubench_algorithms"]

PUBENCH_PINNED = True
"""Versions of these specs are raised by hand, in a checkout too."""


@hookimpl
def pubench_algorithms() -> list[Algorithm]:
    """Return Ada-PU."""
    return [
        Algorithm(
            name="adapu",
            estimator="pubench_adapu.adapu:AdaPU",
            summary="AdaBoost over stumps, with errors and weights estimated from positive and unlabelled rows",
            version="1",
            space={
                # The paper's values run from 0.00125 to 0.9; with the guard, none of them collapses.
                "beta": Float(1e-3, 1.0, log=True, points=7),
                # What matters is beta times rounds: small steps need more than the paper's 100 to get anywhere.
                "n_estimators": Int(30, 1000, log=True, points=4),
                # The paper's draws spread the stumps over features; all cuts are better where one feature tells most.
                "thresholds": Choice((10, "all")),
            },
            receives=("prior", "scenario", "random_state"),
            needs=("prior",),
            threshold="prior",
            bibtex=cite("zhao2022adapu"),
            licence="BSD-3-Clause",
        )
    ]
