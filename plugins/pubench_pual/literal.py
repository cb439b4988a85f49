r"""Algorithm 2 as it is printed: a kernel is put in place of B^-1 between the rows, and nothing is solved.

Equations 24 and 25 find that :math:`\phi B^{-1} \phi^\top` is a kernel and then choose one, so that the coefficients
:math:`\Omega` of the expansion follow from h and u directly (equation 21) instead of from a linear system. The ridge
does not appear, nor does the local term, as R times a constant is 0; and where the iterations end depends on mu_1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from pubench_pual.admm import Margins
from pubench_pual.losses import Goal
from pubench_pual.systems import HingeRows, Solution

__all__ = ["Literal"]

Floats = NDArray[np.float64]

# The iterations settle if mu_1 times the largest eigenvalue of the map does not exceed 1. That of the kernel among the
# hinge rows, which must not either, is where the search for such a mu_1 starts; it ends after a few halvings.
_SHARE, _HALVINGS = 0.5, 10


class Literal:
    r"""The updates of :math:`\Omega` and :math:`\beta_0` as an affine map of what ADMM pulls with.

    Written for the family: g is the gradient at 0 of the squared losses less the pull, D the diagonal of their
    curvatures and, on hinge rows, of mu_1. Then equations 12, 21, 28 and 29 read :math:`m_2 = -1^\top g`,
    :math:`M_{22} = 1^\top D 1`, :math:`\Omega = -(g + D 1 m_2 / M_{22})` and
    :math:`\beta_0 = (m_2 - 1^\top D K \Omega) / M_{22}`.

    Parameters
    ----------
    K : array of shape (n, n)
    goal : Goal
    """

    def __init__(self, K: Floats, goal: Goal) -> None:
        self._K = K
        self._hinge = HingeRows(goal)
        rows, signed = self._hinge.rows, self._hinge.signed
        self._among = K[rows, rows] * np.outer(signed, signed)
        self._penalty = 1.0
        if self._hinge.count:
            self._penalty = _SHARE / _largest_eigenvalue(self._among)
        self._set(goal)
        for _ in range(_HALVINGS):
            if not self._hinge.count or self._penalty * _largest_eigenvalue(self._map()) <= 1.0:
                break
            self._penalty /= 2.0
            self._set(goal)

    def _set(self, goal: Goal) -> None:
        """Compute what depends on the penalty."""
        self._slope, self._curvature = goal.slope(), goal.curvature(self._penalty)
        self._mass = float(self._curvature.sum())
        self._along = self._K @ self._curvature

    def _map(self) -> Floats:
        """Return T, shape (h, h).

        A push at row i adds 1 to Omega there and takes D / M22 from everywhere; beta_0 follows.
        """
        signed = self._hinge.signed
        even = signed * self._along[self._hinge.rows] / self._mass
        level = 1.0 / self._mass + float(self._curvature @ self._along) / self._mass**2
        return np.asarray(
            self._among - np.outer(even, signed) - np.outer(signed, even) + level * np.outer(signed, signed)
        )

    def margins(self) -> Margins:
        """Return the map, which is no inverse of a Hessian: it holds at one penalty only."""
        start = self.solve(np.zeros(self._hinge.count))
        offset = self._hinge.signed * start.scores[self._hinge.rows]
        return Margins(offset, self._penalty, matrix=self._map(), adapts=False)

    def solve(self, pull: Floats) -> Solution:
        """Return Omega, shape (n,), and beta_0."""
        g = self._hinge.pulled(self._slope, pull)
        m_2 = -float(g.sum())
        omega = -(g + self._curvature * (m_2 / self._mass))
        beta_0 = (m_2 - float(self._along @ omega)) / self._mass
        return Solution(omega, beta_0, self._K @ omega + beta_0)


def _largest_eigenvalue(matrix: Floats) -> float:
    last = len(matrix) - 1
    return float(eigh(matrix, eigvals_only=True, subset_by_index=[last, last], check_finite=False)[0])
