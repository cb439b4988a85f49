"""Penalised logistic regression for many penalties: each starts where the one before ended, with its curvature.

A start alone saves little: nearly all products with X go into conjugate gradients, whatever the start. The Hessian of
a neighbouring minimum solves for steps directly, so that one of them costs two products.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from pubench_linear.newton import Minimum, Point, Step, Vector, line_search, minimise, read_problem

__all__ = ["minimise_path"]

# Columns up to which a Hessian costs less than the products that it saves.
_MOST_COLUMNS = 300
# Rows whose product with themselves is taken at a time: they stay in the cache.
_BLOCK = 2048
# A step that is not this much smaller than the one before, squared, shows that the Hessian is too old.
_SHRINKS = 3e-3


class _Hessian:
    """The curvature of the losses at a point, and its factor with a penalty."""

    def __init__(self, point: Point) -> None:
        X, d = point.problem.X, len(point.theta)
        self._losses = np.zeros((d, d))
        root = np.sqrt(point.curvature)
        for start in range(0, X.shape[0], _BLOCK):
            rows = slice(start, start + _BLOCK)
            part = X[rows] * root[rows, np.newaxis]
            self._losses[:-1, :-1] += part.T @ part
            self._losses[-1, :-1] += root[rows] @ part
        self._losses[:-1, -1] = self._losses[-1, :-1]
        self._losses[-1, -1] = point.curvature.sum()
        self._factor = self._factorised(point.problem.penalty)

    def _factorised(self, penalty: float) -> Any:
        return cho_factor(self._losses + penalty * np.eye(len(self._losses)), check_finite=False)

    def moved_to(self, penalty: float) -> None:
        """Take another penalty."""
        self._factor = self._factorised(penalty)

    def step_from(self, point: Point) -> Step:
        """Return Newton's step with this curvature, which may belong to a point nearby."""
        theta: Vector = cho_solve(self._factor, -point.gradient, check_finite=False)
        return Step(theta, point.problem.margins(theta), float(-point.gradient @ theta), solved=True)


def minimise_path(
    X: Any, s: NDArray[np.uint8], penalties: Sequence[float], *, tol: float, max_iter: int
) -> list[Minimum]:
    """Return the minima of :func:`pubench_linear.newton.minimise` for several penalties, in their order.

    Each search ends by the rule of a separate one; its size of the first step is that of the largest penalty, which is
    the smallest. Sparse rows, and those with more columns than a Hessian is worth, are fitted one by one.

    Parameters
    ----------
    X : float64 array or CSR matrix of shape (n, d)
    s : uint8 array of shape (n,)
    penalties : sequence of float
    tol : float
    max_iter : int
        Steps at most, for each penalty.
    """
    if not isinstance(X, np.ndarray) or X.shape[1] > min(_MOST_COLUMNS, X.shape[0]):
        return [minimise(X, s, penalty, tol=tol, max_iter=max_iter) for penalty in penalties]
    problem = read_problem(X, s, max(penalties))
    point = problem.at(np.zeros(X.shape[1] + 1), np.zeros(len(s)))
    hessian = _Hessian(point)
    first = hessian.step_from(point).decrement
    found: dict[float, Minimum] = {}
    for penalty in sorted(set(penalties), reverse=True):
        problem = replace(problem, penalty=penalty)
        hessian.moved_to(penalty)
        # Of the gradient only the ridge's part depends on the penalty: no product with X.
        gradient = point.gradient + (penalty - point.problem.penalty) * point.theta
        start = replace(point, problem=problem, gradient=gradient, at_rest=False)
        found[penalty], point, hessian = _descend(start, hessian, first, tol, max_iter)
    return [found[penalty] for penalty in penalties]


def _descend(
    point: Point, hessian: _Hessian, first: float, tol: float, max_iter: int
) -> tuple[Minimum, Point, _Hessian]:
    """Follow the steps of a Hessian, renewed where they shrink too slowly; return it and the last point, too."""
    steps, reached, last = 0, point.at_rest, np.inf
    while not reached and steps < max_iter:
        step = hessian.step_from(point)
        if step.decrement > _SHRINKS * last:
            hessian, last = _Hessian(point), np.inf
            continue
        moved, length = line_search(point.problem, point, step)
        if not length:
            break
        small = length == 1 and not point.is_left_by(step.decrement, first, tol)
        point, steps, reached = moved, steps + 1, small or moved.at_rest
        last = step.decrement
    return Minimum(point.theta, steps, reached), point, hessian
