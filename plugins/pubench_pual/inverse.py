"""The system in the scores themselves, for kernels whose inverse is kept from one fit to the next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve
from scipy.linalg.lapack import dpotrf

from pubench_pual.admm import Margins
from pubench_pual.losses import Goal
from pubench_pual.matrices import inverse_from_factor
from pubench_pual.systems import HingeRows, Solution, factorise

__all__ = ["NUGGET", "Inverse", "kernel_inverse", "suits"]

Floats = NDArray[np.float64]

# Added to the kernel's diagonal of ones before it is inverted: rows that are the same, or nearly, make it singular.
NUGGET = 1e-7
# A score moves by NUGGET * curvature / ridge at most: by less than any tolerance in use if the quotient is this.
_MOST = 100.0


def suits(goal: Goal, ridge: float, penalty: float) -> bool:
    """Whether the nugget is too small to be seen next to this ridge."""
    return float(goal.curvature(penalty).max()) <= _MOST * ridge


def kernel_inverse(K: Floats) -> Floats:
    """Return the inverse of K + NUGGET I, symmetric, for K of shape (n, n) with ones on its diagonal."""
    work = K.copy()
    work[np.diag_indices_from(work)] += NUGGET
    lower, failed = dpotrf(work.T, lower=1, clean=0, overwrite_a=1)
    if failed:
        raise ValueError("the kernel is not positive definite; are the features finite?")
    return inverse_from_factor(np.asarray(lower))


class Inverse:
    r"""The system in f: :math:`(\lambda Q + D) f = \lambda b Q 1 - g` with Q the inverse of the kernel matrix.

    Setting it up costs a scaled copy of Q and the one Cholesky factorisation, and as the hinge rows come last, its
    last rows hold all that ADMM needs: less work than :class:`pubench_pual.dual.Dual` for all fits but the first.

    Parameters
    ----------
    Q : array of shape (n, n)
        From :func:`kernel_inverse`.
    goal : Goal
    ridge : float
    penalty : float
    """

    def __init__(self, Q: Floats, goal: Goal, ridge: float, penalty: float) -> None:
        self._goal, self._ridge, self._penalty = goal, ridge, penalty
        self._hinge = HingeRows(goal)
        self._slope = goal.slope()
        self._curvature = goal.curvature(penalty)
        self._lower = factorise(lambda: self._matrix(Q), ridge)
        right = np.column_stack([ridge * Q.sum(axis=1), self._slope])
        # How the scores follow the intercept, and what they are without one.
        self._follow, self._start = cho_solve((self._lower, True), right, check_finite=False).T
        self._mass = float(self._follow @ self._curvature)

    def _matrix(self, Q: Floats) -> Floats:
        M = self._ridge * Q
        M[np.diag_indices_from(M)] += self._curvature
        if self._goal.laplacian is not None:
            entries = self._goal.laplacian.tocoo()
            M[entries.row, entries.col] += 2.0 * entries.data
        return M

    def margins(self) -> Margins:
        """Return T, the inverse of the Hessian in f among the hinge rows, with signs."""
        rows, signed = self._hinge.rows, self._hinge.signed
        follow = self._follow[rows]
        T = inverse_from_factor(self._lower[rows, rows]) + np.outer(follow, follow / self._mass)
        T *= np.outer(signed, signed)
        start = self._solution(self._slope, self._start)
        return Margins(signed * start.scores[rows], self._penalty, matrix=T)

    def solve(self, pull: Floats) -> Solution:
        """Return the coefficients of the expansion, shape (n,), and the intercept."""
        g = self._hinge.pulled(self._slope, pull)
        return self._solution(g, cho_solve((self._lower, True), g, check_finite=False))

    def _solution(self, g: Floats, free: Floats) -> Solution:
        b = -float(self._follow @ g) / self._mass
        scores = b * self._follow - free
        gradient = self._curvature * scores + g
        if self._goal.laplacian is not None:
            gradient += 2.0 * (self._goal.laplacian @ scores)
        return Solution(-gradient / self._ridge, b, scores)
