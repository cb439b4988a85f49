"""Expectation maximisation over classes, with a logistic model of classes and one of propensities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pubench_sar.likelihood import class_posterior, log_likelihood, tilted
from pubench_sar.logistic import Logistic

__all__ = ["Fitted", "Problem", "maximise"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Scaled rows, the columns of them that propensities depend on, labels, and the prior if it is given."""

    X: Any
    Z: Any
    s: NDArray[np.uint8]
    prior: float | None
    l2: float


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """Both models, and the penalised mean log-likelihood after each round."""

    classes: Logistic
    propensities: Logistic
    curve: list[float]


def maximise(problem: Problem, *, max_iter: int, tol: float) -> Fitted:
    """Alternate between the posterior of the classes and the two models, until the likelihood rises by less than tol.

    With a given prior the posterior is the one with this mean, see :func:`pubench_sar.likelihood.tilted`; then the mean
    of the class probabilities is the prior, too, because the bias is free.
    """
    classes, propensities = start(problem)
    curve: list[float] = []
    for _ in range(max_iter):
        f, e = classes.probability(problem.X), propensities.probability(problem.Z)
        curve.append(_objective(problem, f, e, classes, propensities))
        if len(curve) > 1 and curve[-1] - curve[-2] < tol and problem.prior is None:
            break
        posterior = _posterior(problem, f, e)
        new = classes.improved(problem.X, posterior, np.ones(len(f)), problem.l2)
        moved = float(np.abs(new.theta - classes.theta).max())
        classes = new
        # The propensity is learned on positives: each row counts as much as it is one.
        propensities = propensities.improved(problem.Z, problem.s.astype(float), posterior, problem.l2)
        if problem.prior is not None and moved < tol:
            break
    return Fitted(classes, propensities, curve)


def start(problem: Problem) -> tuple[Logistic, Logistic]:
    """Return where the search begins: P against U, balanced, and one propensity for all."""
    s = problem.s.astype(float)
    share = s.mean()
    weights = np.where(s == 1, 0.5 / share, 0.5 / (1.0 - share))
    classes = Logistic.zero(problem.X.shape[1]).improved(problem.X, s, weights, problem.l2)
    f = np.where(problem.s == 1, 1.0, classes.probability(problem.X))
    positives = problem.prior if problem.prior is not None else float(f.mean())
    frequency = np.clip(share / positives, 0.05, 0.95)
    constant = np.append(np.zeros(problem.Z.shape[1]), np.log(frequency / (1.0 - frequency)))
    return classes, Logistic(constant)


def _posterior(problem: Problem, f: Floats, e: Floats) -> Floats:
    found = class_posterior(f, e, problem.s)
    return found if problem.prior is None else tilted(found, problem.s, problem.prior)


def _objective(problem: Problem, f: Floats, e: Floats, *models: Logistic) -> float:
    penalty = sum(float(model.theta[:-1] @ model.theta[:-1]) for model in models)
    return log_likelihood(f, e, problem.s) - 0.5 * problem.l2 * penalty
