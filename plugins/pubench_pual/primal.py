"""The system in the weights of given features."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, solve_triangular

from pubench_pual.admm import Margins
from pubench_pual.losses import Goal
from pubench_pual.systems import HingeRows, Solution, factorise

__all__ = ["Primal"]

Floats = NDArray[np.float64]

_ROWS_AT_ONCE = 4096


class Primal:
    """The system in d weights and the intercept (equations 12 and 13): d + 1 unknowns, O(n d^2) to set up.

    Parameters
    ----------
    Z : array of shape (n, d)
    goal : Goal
    ridge : float
    penalty : float
    """

    def __init__(self, Z: Floats, goal: Goal, ridge: float, penalty: float) -> None:
        self._Z = Z
        self._hinge = HingeRows(goal)
        self._penalty = penalty
        H = _hessian(Z, goal, ridge, penalty)
        # Scaled to a unit diagonal, a matrix of features of very different sizes keeps its digits.
        self._unit = 1.0 / np.sqrt(np.diagonal(H))
        H *= np.outer(self._unit, self._unit)
        self._lower = factorise(H.copy, ridge)
        slope = goal.slope()
        self._right = -np.append(slope @ Z, slope.sum())
        rows = Z[self._hinge.rows]
        self._rows = np.column_stack([rows, np.ones(len(rows))]) * self._hinge.signed[:, None]

    def margins(self) -> Margins:
        """Return T = A H^-1 A', A holding the hinge rows times their signs, as its factor or as a matrix."""
        B = self._halve((self._rows * self._unit).T).T
        offset = B @ self._halve(self._unit * self._right)
        if B.shape[0] <= B.shape[1]:
            return Margins(offset, self._penalty, matrix=B @ B.T)
        return Margins(offset, self._penalty, factor=np.ascontiguousarray(B))

    def _halve(self, right: Floats) -> Floats:
        return np.asarray(solve_triangular(self._lower, right, lower=True, check_finite=False))

    def solve(self, pull: Floats) -> Solution:
        """Return the weights, shape (d,), and the intercept (equation 13)."""
        right = self._unit * (self._right + self._rows.T @ pull)
        theta = self._unit * cho_solve((self._lower, True), right, check_finite=False)
        weights, intercept = theta[:-1], float(theta[-1])
        return Solution(weights, intercept, self._Z @ weights + intercept)


def _hessian(Z: Floats, goal: Goal, ridge: float, penalty: float) -> Floats:
    """Return M of equation 12, shape (d + 1, d + 1)."""
    d = Z.shape[1]
    curvature = goal.curvature(penalty)
    H = np.empty((d + 1, d + 1))
    H[:d, :d] = _weighted_moments(Z, curvature)
    if goal.laplacian is not None:
        H[:d, :d] += 2.0 * (Z.T @ (goal.laplacian @ Z))
    H[np.arange(d), np.arange(d)] += ridge
    # R times a constant is 0: the local term says nothing about the intercept.
    H[d, :d] = H[:d, d] = curvature @ Z
    H[d, d] = curvature.sum()
    return H


def _weighted_moments(Z: Floats, weight: Floats) -> Floats:
    """Return Z' diag(weight) Z, a few rows at a time: no second matrix of the size of Z."""
    total = np.zeros((Z.shape[1], Z.shape[1]))
    for start in range(0, len(Z), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        part = Z[rows] * np.sqrt(weight[rows, None])
        total += part.T @ part
    return total
