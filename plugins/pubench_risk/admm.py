r"""ADMM for the unbiased risk of the double hinge (du Plessis et al., 2015).

The loss of a negative, :math:`h(z) = \max(z, 0, (1 + z)/2)`, has two corners, which the minimum likes to sit on.
Splitting the scores off, :math:`z = A w + b`, leaves a linear system that stays the same and, for each row alone, a
step that knows the corners.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve
from sklearn.exceptions import ConvergenceWarning

from pubench_risk.matrices import factorised, weighted_gram

__all__ = ["double_hinge", "hinge_step"]

Floats = NDArray[np.float64]

_RELAXATION = 1.6
_FIRST_CHECK = 20


def hinge_step(x: Floats, t: float) -> Floats:
    """Return the z that minimise t h(z) + (z - x)^2 / 2, shape as x: h has slopes 0, 1/2, 1 with corners at -1, 1."""
    middle = np.clip(x - t / 2.0, -1.0, 1.0)
    step: Floats = np.where(x < -1.0, x, np.where(x > 1.0 + t, x - t, middle))
    return step


def double_hinge(
    A: Any, u: Floats, v: Floats, l2: float, tol: float, max_iter: int
) -> tuple[Floats, list[float]]:
    r"""Minimise :math:`\sum_i u_i h(f_i) - \sum_i v_i f_i + \frac{l2}{2} \|w\|^2` over f = A w + b.

    Parameters
    ----------
    A : array or CSR matrix of shape (n, p)
    u, v : arrays of shape (n,)
        u is 0 or one other number.
    l2 : float
    tol : float
        Primal and dual residuals, relative to the sizes of their terms, end at this.
    max_iter : int

    Returns
    -------
    theta : array of shape (p + 1,)
        w and, last, b.
    curve : list of float
        The objective whenever it was looked at: after 20, 40, 80, ... iterations and at the end.
    """
    inside = u > 0.0
    B, weight = A[inside], float(u[inside][0])
    pull = np.append(A.T @ v, v.sum())
    gram = weighted_gram(B, np.ones(B.shape[0]))
    splitting = _Splitting(B, gram, pull, l2)
    rho, check, curve = weight, _FIRST_CHECK, []
    splitting.penalise(rho)
    z, y = np.zeros(B.shape[0]), np.zeros(B.shape[0])
    for iteration in range(1, max_iter + 1):
        theta, f = splitting.solve(z - y)
        relaxed = _RELAXATION * f + (1.0 - _RELAXATION) * z
        before, z = z, hinge_step(relaxed + y, weight / rho)
        y += relaxed - z
        primal = float(np.linalg.norm(f - z)) / max(float(np.linalg.norm(z)), math.sqrt(len(z)))
        dual = float(np.linalg.norm(z - before)) / max(
            float(np.linalg.norm(y)), weight / rho * math.sqrt(len(z))
        )
        done = max(primal, dual) <= tol
        if iteration == check or done:
            curve.append(_value(theta, f, weight, pull, l2))
            check *= 2
            if not done and not 0.2 < primal / max(dual, 1e-300) < 5.0:
                factor = float(np.clip(math.sqrt(primal / max(dual, 1e-300)), 0.1, 10.0))
                rho, y = rho * factor, y / factor
                splitting.penalise(rho)
        if done:
            return theta, curve
    warnings.warn(
        f"ADMM stopped after max_iter = {max_iter} iterations with residuals {primal:.1e} and {dual:.1e} above "
        f"tol = {tol:g}; raise max_iter, tol or l2",
        ConvergenceWarning,
        stacklevel=2,
    )
    return theta, curve


class _Splitting:
    """The linear half: parameters and scores that suit the targets, at one penalty."""

    def __init__(self, B: Any, gram: Floats, pull: Floats, l2: float) -> None:
        self._B, self._gram, self._pull, self._l2 = B, gram, pull, l2

    def penalise(self, rho: float) -> None:
        matrix = rho * self._gram
        matrix[np.diag_indices(len(matrix) - 1)] += self._l2
        self._rho, self._factor = rho, factorised(matrix)

    def solve(self, target: Floats) -> tuple[Floats, Floats]:
        right = self._pull + self._rho * np.append(self._B.T @ target, target.sum())
        theta: Floats = cho_solve(self._factor, right, check_finite=False)
        return theta, np.asarray(self._B @ theta[:-1] + theta[-1])


def _value(theta: Floats, f: Floats, weight: float, pull: Floats, l2: float) -> float:
    hinge = np.maximum(f, np.maximum(0.0, (1.0 + f) / 2.0))
    return float(weight * hinge.sum() - pull @ theta + 0.5 * l2 * theta[:-1] @ theta[:-1])
