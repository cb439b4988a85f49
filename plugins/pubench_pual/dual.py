"""The system in the coefficients of a kernel expansion."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, solve_triangular
from scipy.sparse import csc_array, csr_array, diags_array
from scipy.sparse.linalg import splu

from pubench_pual._passes import congruence
from pubench_pual.admm import Margins
from pubench_pual.losses import Goal
from pubench_pual.matrices import inverse_from_factor
from pubench_pual.systems import HingeRows, Solution, factorise

__all__ = ["Dual"]

Floats = NDArray[np.float64]

# Between these quotients of curvature and ridge, a difference loses four digits at most, or six.
_LEAST, _MOST = 1e-6, 1e4


class Dual:
    r"""The system in the coefficients a of f = K a + b: n unknowns, one Cholesky factorisation.

    At the minimum :math:`\lambda a = -(D f + g)` and :math:`1^\top a = 0`. With a sparse factor
    :math:`D = G G^\top` this is :math:`a = -G S^{-1} G^\top (D^{-1} g + b 1)` where
    :math:`S = \lambda I + G^\top K G`, whose eigenvalues are at least :math:`\lambda` however flat K is.

    Parameters
    ----------
    K : array of shape (n, n)
        Symmetric; positive semi-definite up to rounding.
    goal : Goal
    ridge : float
    penalty : float
    """

    def __init__(self, K: Floats, goal: Goal, ridge: float, penalty: float) -> None:
        self._K, self._ridge, self._penalty = K, ridge, penalty
        self._hinge = HingeRows(goal)
        self._slope = goal.slope()
        curvature = goal.curvature(penalty)
        self._D = _factorise_sparse(curvature, goal.laplacian)
        self._root = _sparse_root(self._D)
        across = self._across = csr_array(self._root.T)
        self._lower = factorise(
            lambda: congruence(across.indptr, across.indices, across.data, K, ridge), ridge
        )
        self._one, self._start = self._apply(np.column_stack([np.ones(len(K)), self._D.solve(self._slope)])).T
        self._mass = float(self._one.sum())
        self._curvature = curvature
        self._diagonal = goal.laplacian is None

    def _apply(self, v: Floats) -> Floats:
        """Return G S^-1 G' v."""
        inner = cho_solve((self._lower, True), self._across @ v, check_finite=False)
        return np.asarray(self._root @ inner)

    def margins(self) -> Margins:
        r"""Return :math:`T = X + q q^\top / (\lambda 1^\top a_1)` among the hinge rows, with signs.

        :math:`X = K (\lambda I + D K)^{-1}` is the response of the scores to a push at a row, :math:`q` that to
        the intercept.
        """
        rows, signed = self._hinge.rows, self._hinge.signed
        T = self._response()
        q = self._ridge * self._D.solve(self._one)[rows]
        T += np.outer(q, q / (self._ridge * self._mass))
        T *= np.outer(signed, signed)
        start = self._solution(self._slope, self._start)
        return Margins(signed * start.scores[rows], self._penalty, matrix=T)

    def _response(self) -> Floats:
        """Return X by the cheapest formula that keeps its digits: all are differences of two matrices."""
        ratio = float(np.mean(np.diagonal(self._K))) * float(np.mean(self._curvature)) / self._ridge
        if self._diagonal and ratio > _LEAST:
            return self._response_by_factor()
        return self._response_by_kernel() if ratio < _MOST else self._response_by_curvature()

    def _response_by_factor(self) -> Floats:
        """Return X = D^-1 - lambda D^-1/2 S^-1 D^-1/2 for a diagonal D: the last rows of S's factor suffice."""
        rows = self._hinge.rows
        root = 1.0 / np.sqrt(self._curvature[rows])
        X = inverse_from_factor(self._lower[rows, rows])
        X *= np.outer(-self._ridge * root, root)
        X[np.diag_indices_from(X)] += root**2
        return X

    def _response_by_kernel(self) -> Floats:
        """Return X = (K - K G S^-1 G' K) / lambda."""
        rows = self._hinge.rows
        V = self._halve(self._across @ np.ascontiguousarray(self._K[:, rows]))
        return np.asarray((self._K[rows, rows] - V.T @ V) / self._ridge)

    def _response_by_curvature(self) -> Floats:
        """Return X = D^-1 - lambda D^-1 G S^-1 G' D^-1."""
        unit = np.zeros((len(self._slope), self._hinge.count))
        np.fill_diagonal(unit[self._hinge.rows], 1.0)
        Y = self._across @ self._D.solve(unit)
        V = self._halve(Y)
        return np.asarray(Y.T @ Y - self._ridge * (V.T @ V))

    def _halve(self, right: Floats) -> Floats:
        return np.asarray(solve_triangular(self._lower, right, lower=True, check_finite=False))

    def solve(self, pull: Floats) -> Solution:
        """Return the coefficients, shape (n,), and the intercept."""
        g = self._hinge.pulled(self._slope, pull)
        return self._solution(g, self._apply(self._D.solve(g)))

    def _solution(self, g: Floats, free: Floats) -> Solution:
        """Add the intercept to what G S^-1 G' D^-1 g alone would give."""
        b = -float(free.sum()) / self._mass
        a = -(free + b * self._one)
        return Solution(a, b, -self._D.solve(self._ridge * a + g))


def _factorise_sparse(diagonal: Floats, laplacian: csr_array | None) -> Any:
    D = diags_array(diagonal, format="csc")
    if laplacian is None:
        return splu(D, permc_spec="NATURAL", diag_pivot_thresh=0.0)
    # Diagonally dominant: no pivot need be sought off the diagonal, and the factors stay symmetric.
    return splu(
        csc_array(D + 2.0 * laplacian),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )


def _sparse_root(D: Any) -> csr_array:
    """Return G with G G' = D."""
    ordered = csr_array(D.L @ diags_array(np.sqrt(D.U.diagonal())))
    return csr_array(ordered[D.perm_r])
