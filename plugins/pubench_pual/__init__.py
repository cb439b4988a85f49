"""The PUAL family: the hook and its specs; only the modules named here import scikit-learn."""

from __future__ import annotations

from pubench import hookimpl
from pubench.citations import cite
from pubench.specs import Algorithm, Choice, Float, Param

__all__ = ["PUBENCH_PINNED", "pubench_algorithms"]

PUBENCH_PINNED = True
"""Versions of these specs are raised by hand, in a checkout too."""

_MEMBERS = {
    "pual": (
        "Hinge loss on labelled, squared loss on unlabelled rows, neighbours kept together",
        "wang2024pual",
    ),
    "gllc": (
        "Squared loss on labelled and unlabelled rows, neighbours kept together",
        "ke2018gllc",
    ),
    "blssvm": (
        "Least squares support vector machine of labelled against unlabelled, weighted",
        "ke2018blssvm",
    ),
    "bsvm": (
        "Support vector machine of labelled against unlabelled, weighted",
        "liu2003",
    ),
}
_LOCAL = ("pual", "gllc")
# With the hinge on both sides, the constant 1 costs 2 C_u and the constant -1 costs 2 C_p: unless both weights are
# the same, the objective prefers one class for all rows where the features say little.
_PARAMS: dict[str, dict[str, float]] = {
    "bsvm": {"C_u": 1.0, "ridge": 0.1},
    "bsvm-rbf": {"C_u": 1.0, "ridge": 0.03},
}

# As losses are means and C_p is 1, the balance of P and U lies within a decade around C_u = 0.3 whatever the data: with
# less than a quarter the constant 1 is hard to beat, with more than 1 U is all that counts. Standardised features want
# a ridge from 0.001 to 10; at 100 the direction is that of the means of P and U, and more changes nothing. A kernel,
# whose scores a ridge of 1 already flattens, wants less. The local term's width matters little: four values are
# enough. Widths of the kernel are few, so that trials share its inverse.
_SPACE: dict[str, Param] = {"C_u": Float(0.1, 1.0, log=True, points=5)}
_SPACES: dict[str, dict[str, Param]] = {
    "linear": {"ridge": Float(1e-3, 1e2, log=True, points=6)},
    "rbf": {"ridge": Float(1e-4, 1.0, log=True, points=5), "width": Choice((0.125, 0.25, 0.5, 1.0))},
}
_SIGMA: dict[str, Param] = {"sigma": Choice((0.1, 1.0, 10.0, 100.0))}


@hookimpl
def pubench_algorithms() -> list[Algorithm]:
    """Return four members of the family, each linear and with the radial basis kernel."""
    return [_algorithm(member, kernel) for kernel in _SPACES for member in _MEMBERS]


def _algorithm(member: str, kernel: str) -> Algorithm:
    summary, key = _MEMBERS[member]
    name = member if kernel == "linear" else f"{member}-{kernel}"
    return Algorithm(
        name=name,
        estimator="pubench_pual.pual:PUAL",
        summary=summary if kernel == "linear" else f"{summary}; radial basis kernel",
        version="3",
        params={"loss": member, "kernel": kernel, **_PARAMS.get(name, {})},
        space={**_SPACE, **_SPACES[kernel], **(_SIGMA if member in _LOCAL else {})},
        receives=("scenario", "random_state"),
        probability="calibrated",
        bibtex=cite(key),
        licence="BSD-3-Clause",
    )
