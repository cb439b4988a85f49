"""Newton's method for penalised logistic regression: each step by conjugate gradients, in columns of like size.

liblinear, which has the same cost, is not used: where columns differ by six orders of magnitude it ends far from the
optimum without a word, or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

__all__ = ["Minimum", "Point", "Problem", "Step", "Vector", "line_search", "minimise", "read_problem"]

Vector = NDArray[np.float64]

# Steps are solved to a tenth: closer ones save Newton steps but cost more products with X in all.
_RESIDUAL = 0.1
_MAX_PRODUCTS = 2_000
_MIN_LENGTH = 1e-10
# Parameters are brought to one size only where their curvatures differ much: on texts, whose rare words the penalty
# keeps small anyway, it would cost three times the products.
_MAX_SPREAD = 1e6
_ROUNDING = 8 * np.finfo(np.float64).eps


@dataclass(frozen=True, slots=True)
class Minimum:
    """Where the search ended: weights and, last, the bias; Newton steps; whether the tolerance was reached."""

    theta: Vector
    steps: int
    reached: bool


@dataclass(frozen=True)
class Point:
    """Parameters of a problem with their margins, gradient and the losses' second derivatives by row."""

    problem: Problem
    theta: Vector
    margins: Vector
    gradient: Vector
    curvature: Vector
    at_rest: bool

    @cached_property
    def cost(self) -> float:
        """The cost, computed only where it decides: it takes as long as a product with X."""
        problem = self.problem
        losses = problem.weight @ np.logaddexp(0, -(problem.sign * self.margins))
        return float(losses + 0.5 * problem.penalty * (self.theta @ self.theta))

    @property
    def least_cost(self) -> float:
        """What the cost is at least: by Jensen's inequality, the loss of the mean margin is below the mean loss."""
        problem = self.problem
        loss = np.logaddexp(0, -(problem.weight @ (problem.sign * self.margins)))
        return float(loss + 0.5 * problem.penalty * (self.theta @ self.theta)) * (1.0 - 1e-9)

    def is_left_by(self, decrement: float, first: float, tol: float) -> bool:
        """Whether a step from here is larger than the tolerance allows."""

        def most(cost: float) -> float:
            return max(tol**2 * min(first, cost), _ROUNDING**2 * cost)

        # Costs are at most ln 2, that of the parameters 0.
        if decrement > max(tol**2 * first, _ROUNDING**2):
            return True
        # The cost itself is computed only where its bound does not decide.
        return decrement > most(self.least_cost) and decrement > most(self.cost)


@dataclass(frozen=True, slots=True)
class Step:
    """A direction, what it adds to the margins, its Newton decrement squared, and whether it was solved for."""

    theta: Vector
    margins: Vector
    decrement: float
    solved: bool


@dataclass(frozen=True, slots=True)
class Problem:
    """Rows, the sign and weight of each, the weighted mean squares of columns and of the bias, and the penalty."""

    X: Any
    sign: Vector
    weight: Vector
    squares: Vector
    penalty: float

    def margins(self, theta: Vector) -> Vector:
        """Return g(x) of all rows, shape (n,)."""
        z: Vector = self.X @ theta[:-1]
        z += theta[-1]
        return z

    def back(self, r: Vector) -> Vector:
        """Return the sums over rows of x r and of r, shape (d + 1,)."""
        return np.append(self.X.T @ r, r.sum())

    def at(self, theta: Vector, margins: Vector) -> Point:
        """Return the point of parameters whose margins are known."""
        agreement = self.sign * margins
        wrong = expit(-agreement)
        slope = self.weight * wrong
        gradient = self.penalty * theta - self.back(self.sign * slope)
        rounding = _ROUNDING * np.sqrt(self.squares * (slope @ wrong))
        at_rest = bool((np.abs(gradient) <= rounding).all())
        return Point(self, theta, margins, gradient, slope * (1 - wrong), at_rest)

    def sizes(self, curvature: Vector) -> Vector:
        """Return the units in which the parameters are about equally curved."""
        diagonal = self.squares * curvature.sum() + self.penalty
        alike = diagonal.max() <= _MAX_SPREAD * diagonal.min()
        return np.ones_like(diagonal) if alike else 1 / np.sqrt(diagonal)


def minimise(X: Any, s: NDArray[np.uint8], penalty: float, *, tol: float, max_iter: int) -> Minimum:
    r"""Minimise the mean loss of P plus that of U, halved, plus a ridge penalty on weights and bias.

    .. math::

        \frac{1}{2 n^+} \sum_{i \in P} \ell(g(x_i)) + \frac{1}{2 n^-} \sum_{i \in U} \ell(-g(x_i))
        + \frac{\lambda}{2} (\|w\|^2 + b^2), \qquad g(x) = w^\top x + b, \quad \ell(m) = \ln(1 + e^{-m}).

    The search ends when the Newton decrement :math:`(\nabla^\top H^{-1} \nabla)^{1/2}`, which no scale of the columns
    changes, is at most ``tol`` times the one at 0 and ``tol`` times the root of the cost; or when all that is left of
    the gradient is rounding.

    Parameters
    ----------
    X : float64 array or CSR matrix of shape (n, d)
    s : uint8 array of shape (n,)
        1 = P, 0 = U, at least one of each.
    penalty : float
        Lambda, above 0.
    tol : float
    max_iter : int
        Newton steps at most.

    Returns
    -------
    Minimum
    """
    problem = read_problem(X, s, penalty)
    point = problem.at(np.zeros(X.shape[1] + 1), np.zeros(X.shape[0]))
    steps, first, reached = 0, 0.0, point.at_rest
    while not reached and steps < max_iter:
        step = _newton_step(problem, point)
        first = first or step.decrement
        moved, length = line_search(problem, point, step)
        if not length:
            break
        small = step.solved and length == 1 and not point.is_left_by(step.decrement, first, tol)
        point, steps, reached = moved, steps + 1, small or moved.at_rest
    return Minimum(point.theta, steps, reached)


def read_problem(X: Any, s: NDArray[np.uint8], penalty: float) -> Problem:
    """Return the problem of :func:`minimise`."""
    n_labelled = int(s.sum())
    weight = np.where(s == 1, 0.5 / n_labelled, 0.5 / (s.size - n_labelled))
    sign = np.where(s == 1, 1.0, -1.0)
    return Problem(X, sign, weight, np.append(_mean_squares(X, weight), 1.0), penalty)


def _mean_squares(X: Any, weight: Vector) -> Vector:
    with np.errstate(over="ignore"):
        if isinstance(X, np.ndarray):
            squares: Vector = np.einsum("ij,ij,i->j", X, X, weight)
        else:
            squares = type(X)((X.data**2, X.indices, X.indptr), shape=X.shape).T @ weight
    if not np.isfinite(squares).all():
        column = int(np.flatnonzero(~np.isfinite(squares))[0])
        raise ValueError(f"the values of column {column} are too large to square; scale the columns of X")
    return squares


def _newton_step(problem: Problem, point: Point) -> Step:
    """Solve H step = -gradient by conjugate gradients; ended early, it is still a direction of descent."""
    size = problem.sizes(point.curvature)
    ridge = problem.penalty * size**2
    step, margins = np.zeros_like(size), np.zeros_like(point.margins)
    residual = -size * point.gradient
    direction = residual.copy()
    square = residual @ residual
    goal = _RESIDUAL**2 * square
    for _ in range(_MAX_PRODUCTS):
        along = problem.margins(size * direction)
        product = size * problem.back(point.curvature * along) + ridge * direction
        length = square / (direction @ product)
        step += length * direction
        margins += length * along
        residual -= length * product
        before, square = square, residual @ residual
        if square <= goal:
            break
        direction *= square / before
        direction += residual
    step *= size
    return Step(step, margins, float(-point.gradient @ step), bool(square <= goal))


def line_search(problem: Problem, point: Point, step: Step) -> tuple[Point, float]:
    """Halve the step until it leads downhill; near the optimum, where costs differ by rounding, slopes tell."""
    length = 1.0
    while length >= _MIN_LENGTH:
        moved = problem.at(point.theta + length * step.theta, point.margins + length * step.margins)
        slope = moved.gradient @ step.theta
        # A convex cost has fallen wherever it still falls.
        if slope <= 0 or moved.cost <= point.cost - 1e-4 * length * step.decrement:
            return moved, length
        if abs(moved.cost - point.cost) <= 1e-10 * point.cost and slope <= 0.2 * step.decrement:
            return moved, length
        length /= 2
    return point, 0.0
