r"""The quadratic part of an objective: what all ways of factorising it have in common.

Hinge losses enter through ADMM's penalty, so what is left is quadratic in the scores f of the n rows,

.. math:: \frac{\lambda}{2} \|\beta\|^2 + \frac12 f^\top D f + g^\top f,

with D = diagonal + 2R. A system, whether by features (:mod:`pubench_pual.primal`) or by rows (:mod:`pubench_pual.dual`,
:mod:`pubench_pual.inverse`), is factorised once and answers two questions: how the margins of the hinge rows follow the
targets that ADMM sets them, and which model belongs to its end.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgWarning
from scipy.linalg.lapack import dpotrf

from pubench_pual.admm import Hinge, Margins
from pubench_pual.losses import Goal

__all__ = ["HingeRows", "Solution", "System", "factorise"]

Floats = NDArray[np.float64]

# What a diagonal is raised by, relative to its largest entry, when it is lost in rounding.
_LIFT = 1e-12
# A pivot that is smaller than this share of its diagonal entry, per row, is what rounding leaves of none.
_PIVOT = 4.0 * np.finfo(np.float64).eps


@dataclass(frozen=True, slots=True)
class Solution:
    """Weights of the features, or of the rows in a kernel expansion; the intercept; the scores of the n rows."""

    weights: Floats
    intercept: float
    scores: Floats


class System(Protocol):
    """A factorised quadratic part."""

    def margins(self) -> Margins:
        """Return the map from targets to margins of the hinge rows."""

    def solve(self, pull: Floats) -> Solution:
        """Return the model given the hinge rows' linear term, shape (h,)."""


class HingeRows:
    """The h rows with hinge losses, which are the last ones, in the units of :class:`pubench_pual.admm.Hinge`.

    Attributes
    ----------
    rows : slice
    count : int
        h
    signed : array of shape (h,)
        What turns a score into a margin: the label's sign times the root of the weight.
    hinge : Hinge
    """

    def __init__(self, goal: Goal) -> None:
        n = len(goal.hinge)
        self.count = int(np.count_nonzero(goal.hinge))
        if not goal.hinge[n - self.count :].all():
            raise ValueError("rows with the hinge loss must come last")
        self.rows = slice(n - self.count, n)
        root = np.sqrt(goal.weight[self.rows])
        self.hinge = Hinge(root, root)
        self.signed = goal.sign[self.rows] * root

    def pulled(self, slope: Floats, pull: Floats) -> Floats:
        """Return the linear term g of all rows, shape (n,): a slope less what pulls at the hinge rows' margins."""
        g = slope.copy()
        g[self.rows] -= self.signed * pull
        return g


def factorise(build: Callable[[], Floats], ridge: float) -> Floats:
    """Return the lower Cholesky factor of the matrix that ``build`` makes again; its other triangle is not 0.

    Only the upper triangle of the matrix, in C's order, is read. Where the ridge is lost in rounding next to the
    rest, the diagonal is raised, with a warning.
    """
    lower = _factor(build(), _PIVOT)
    if lower is not None:
        return lower
    warnings.warn(
        f"ridge = {ridge:g} is lost in rounding next to the features; solved with a diagonal raised by {_LIFT:g} "
        "of its largest entry. Scale the features down, drop columns that are sums of others, or raise ridge",
        LinAlgWarning,
        stacklevel=2,
    )
    matrix = build()
    matrix[np.diag_indices_from(matrix)] += _LIFT * float(np.max(np.diagonal(matrix)))
    lower = _factor(matrix, 0.0)
    if lower is None:
        raise ValueError(f"the system with ridge = {ridge:g} is singular beyond rounding; raise ridge")
    return lower


def _factor(matrix: Floats, least: float) -> Floats | None:
    """Return the lower factor; None if a pivot is below ``least`` of its diagonal entry, per row of the matrix."""
    limit = least * len(matrix) * np.diagonal(matrix)
    lower, failed = dpotrf(matrix.T, lower=1, clean=0, overwrite_a=1)
    if failed or (np.square(np.diagonal(lower)) < limit).any():
        return None
    return np.asarray(lower)
