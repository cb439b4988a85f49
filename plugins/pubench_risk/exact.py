r"""The minimum of the unbiased risk for models that are linear in their parameters.

For losses whose difference :math:`\ell(m) - \ell(-m) = -k m` is linear, the unbiased risk plus a ridge is convex,

.. math:: \sum_i u_i \ell(-f_i) - k \sum_i v_i f_i + \frac{l2}{2} \|w\|^2, \qquad f = A w + b,

where u are the weights of the population (U, or P and U) and :math:`v = \pi / n_p` on P. The bias b is not penalised.
The squared loss has a closed form, the logistic one is minimised by Newton's method, the double hinge by ADMM with one
factorisation (:mod:`pubench_risk.admm`). The sigmoid loss is not convex: from the logistic minimum, L-BFGS goes down to
a minimum nearby. So it does for the smooth losses where a matrix of all columns would be too large.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from pubench.risk import loss_pair
from pubench_risk.admm import double_hinge
from pubench_risk.losses import CONVEX, Loss, Masses, slope_pair
from pubench_risk.matrices import is_sparse, solve_positive, weighted_gram

__all__ = ["DIRECT", "Limits", "Problem", "Solution", "solve"]

Floats = NDArray[np.float64]

# Columns up to which systems are factorised: 70 megabytes, and some seconds for each factorisation.
DIRECT = 3_000
# The share of the predicted decrease that a step has to bring.
_ARMIJO = 1e-4
_SHORTEST = 1e-10
# The scores with which the sigmoid loss starts: so small that its slope is still felt everywhere.
_START = 1.0


@dataclass(frozen=True, slots=True)
class Limits:
    """When an iteration ends: at a relative change of the objective, or after so many steps."""

    tol: float
    max_iter: int


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A matrix of features, shape (n, p), dense or CSR; which rows are labelled; the masses, the loss and the ridge."""

    A: Any
    s: NDArray[np.uint8]
    masses: Masses
    loss: Loss
    l2: float

    @property
    def population(self) -> Floats:
        """The weight u of each row in the population, shape (n,)."""
        n_p = int(self.s.sum())
        in_p = (self.masses.negative + self.masses.positive) / n_p
        # In case-control data P is no part of the population: the two are opposites, and their sum is 0.
        return np.where(self.s == 1, in_p, self.masses.unlabelled / (len(self.s) - n_p))

    @property
    def pull(self) -> Floats:
        """The weight v of each labelled row as a positive, shape (n,)."""
        return np.where(self.s == 1, self.masses.positive / int(self.s.sum()), 0.0)

    def scores(self, theta: Floats) -> Floats:
        """Return the scores of parameters (w, b), shape (n,)."""
        return np.asarray(self.A @ theta[:-1] + theta[-1])

    def ridge(self, theta: Floats) -> Floats:
        """Return the slope of the penalty, shape (p + 1,); its product with theta / 2 is the penalty."""
        slope = self.l2 * theta
        slope[-1] = 0.0
        return slope

    def value_and_slope(self, theta: Floats, loss: Loss | None = None) -> tuple[float, Floats]:
        """Return the objective and its slope in the parameters."""
        loss = loss or self.loss
        f, u, v, ridge = self.scores(theta), self.population, self.pull, self.ridge(theta)
        if_positive, if_negative = loss_pair(f, loss)
        up, down = slope_pair(f, loss)
        value = u @ if_negative + v @ (if_positive - if_negative) + 0.5 * float(ridge @ theta)
        slopes = u * down + v * (up - down)
        return float(value), np.append(self.A.T @ slopes, slopes.sum()) + ridge


@dataclass(frozen=True, slots=True)
class Solution:
    """Weights, shape (p,), the bias, and the objective at each iteration."""

    weights: Floats
    bias: float
    curve: list[float]


def solve(problem: Problem, limits: Limits) -> Solution:
    """Minimise the unbiased risk plus the ridge.

    Parameters
    ----------
    problem : Problem
    limits : Limits

    Returns
    -------
    Solution

    Raises
    ------
    ValueError
        For the double hinge with more than ``DIRECT`` columns and rows, or sparse ones: it needs a factorisation.
    """
    n, p = problem.A.shape
    if p > n and n <= DIRECT and not is_sparse(problem.A):
        return _among_rows(problem, limits)
    direct = p <= DIRECT
    if problem.loss == "double-hinge" and not direct:
        raise ValueError(
            f"loss='double-hinge' is solved with {DIRECT} columns at most, or as many dense rows; got {p}: "
            "use loss='logistic' or solver='adam'"
        )
    theta, curve = (_directly if direct else _by_slopes)(problem, limits)
    return Solution(theta[:-1], float(theta[-1]), curve)


def _among_rows(problem: Problem, limits: Limits) -> Solution:
    """Solve in the space that the rows span, where the minimum lies: as many columns as rows."""
    basis, corner = qr(problem.A.T, mode="economic", check_finite=False)
    rotated = Problem(np.ascontiguousarray(corner.T), problem.s, problem.masses, problem.loss, problem.l2)
    found = solve(rotated, limits)
    return Solution(basis @ found.weights, found.bias, found.curve)


def _directly(problem: Problem, limits: Limits) -> tuple[Floats, list[float]]:
    if problem.loss == "quadratic":
        return _closed_form(problem), []
    if problem.loss == "double-hinge":
        theta, curve = double_hinge(
            problem.A, problem.population, problem.pull, problem.l2, limits.tol, limits.max_iter
        )
    else:
        theta, curve = _newton(problem, limits)
    if problem.loss == "sigmoid":
        theta, curve = _descend(problem, problem.loss, _shrunk(problem, theta), limits)
    return theta, curve


def _shrunk(problem: Problem, theta: Floats) -> Floats:
    """Return parameters with the same signs of scores, the median of their sizes being at most 1.

    The sigmoid loss is flat where scores are large, as those of an over-fitted logistic minimum are.
    """
    size = float(np.median(np.abs(problem.scores(theta))))
    return theta * min(1.0, _START / size) if size > 0.0 else theta


def _by_slopes(problem: Problem, limits: Limits) -> tuple[Floats, list[float]]:
    start = np.zeros(problem.A.shape[1] + 1)
    if problem.loss == "sigmoid":
        start = _shrunk(problem, _descend(problem, "logistic", start, limits)[0])
    return _descend(problem, problem.loss, start, limits)


def _closed_form(problem: Problem) -> Floats:
    """Solve the normal equations 2 A'UA w + l2 w = 4 A'v - 2 A'u, the bias being one more column."""
    u, v = problem.population, problem.pull
    right = -CONVEX["quadratic"] * v - 2.0 * u
    matrix = 2.0 * weighted_gram(problem.A, u)
    matrix[np.diag_indices(len(matrix) - 1)] += problem.l2
    return solve_positive(matrix, np.append(problem.A.T @ right, right.sum()))


def _newton(problem: Problem, limits: Limits) -> tuple[Floats, list[float]]:
    """Minimise the logistic objective; the decrease still to be had is half of slope times step.

    The last step is taken, too: it is the one that makes the minimum exact. Where no step lowers the objective,
    rounding has the last word: the point is kept, and told unless it is near enough.
    """
    theta, curve = np.zeros(problem.A.shape[1] + 1), []
    for _ in range(limits.max_iter):
        value, slope = problem.value_and_slope(theta, "logistic")
        curve.append(value)
        sigma = expit(problem.scores(theta))
        matrix = weighted_gram(problem.A, problem.population * sigma * (1.0 - sigma))
        matrix[np.diag_indices(len(matrix) - 1)] += problem.l2
        step = solve_positive(matrix, slope)
        gain = float(slope @ step)
        near = gain / 2.0 <= limits.tol * max(abs(value), limits.tol)
        length = _damping(lambda t: problem.value_and_slope(t, "logistic")[0], theta, step, gain)
        theta = theta - length * step
        if near:
            return theta, curve
        if not length:
            break
    _warn(limits)
    return theta, curve


def _damping(objective: Callable[[Floats], float], theta: Floats, step: Floats, gain: float) -> float:
    """Return the first of 1, 1/2, 1/4, ... that lowers the objective enough, or 0 where none does."""
    start, length = objective(theta), 1.0
    while not objective(theta - length * step) <= start - _ARMIJO * length * gain:
        length /= 2.0
        if length < _SHORTEST:
            return 0.0
    return length


def _descend(problem: Problem, loss: Loss, start: Floats, limits: Limits) -> tuple[Floats, list[float]]:
    curve: list[float] = []

    def objective(theta: Floats) -> tuple[float, Floats]:
        value, slope = problem.value_and_slope(theta, loss)
        curve.append(value)
        return value, slope

    found = minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        # A step that changes little may be short: what it says of the minimum is worth far less than its size.
        options={"maxiter": limits.max_iter, "ftol": 1e-4 * limits.tol, "gtol": limits.tol, "maxfun": 10**9},
    )
    if found.status == 1:
        _warn(limits)
    return np.asarray(found.x), curve


def _warn(limits: Limits) -> None:
    warnings.warn(
        f"the minimum of the risk was not reached within max_iter = {limits.max_iter} iterations, or is lost in "
        "rounding; raise l2, max_iter or tol",
        ConvergenceWarning,
        stacklevel=2,
    )
