"""Expectation maximisation over classes, with a logistic model of classes and one of propensities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pubench_sar.likelihood import class_posterior, divergence, log_likelihood, tilted
from pubench_sar.logistic import Logistic

__all__ = ["Fitted", "Problem", "maximise"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Scaled rows, the columns of them that propensities depend on, labels, and the prior if it is given.

    ``l2`` and ``propensity_l2`` are the penalties on the weights of the two models.
    """

    X: Any
    Z: Any
    s: NDArray[np.uint8]
    prior: float | None
    l2: float
    propensity_l2: float


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """Both models, and what was maximised, before each round."""

    classes: Logistic
    propensities: Logistic
    curve: list[float]


def maximise(problem: Problem, *, max_iter: int, tol: float) -> Fitted:
    r"""Alternate between the posterior q of the classes and the two models, until a round gains less than tol.

    What rises in every round is the penalised mean log-likelihood of the labels minus the mean relative entropy of q
    to the posterior of the models:

    .. math:: \frac{1}{n} \sum_i \left[\ln \Pr(s_i | x_i) - KL(q_i \| \Pr(y_i = 1 | x_i, s_i))\right] - penalty

    With a given prior, q is the posterior with this mean, see :func:`pubench_sar.likelihood.tilted`; then the mean of
    the class probabilities is the prior, too, because the bias is free. Otherwise q is the posterior itself.
    """
    classes, propensities = start(problem)
    curve: list[float] = []
    for _ in range(max_iter):
        f, e = classes.probability(problem.X), propensities.probability(problem.Z)
        posterior = class_posterior(f, e, problem.s)
        q = posterior if problem.prior is None else tilted(posterior, problem.s, problem.prior)
        gained = log_likelihood(f, e, problem.s) - divergence(q, posterior)
        curve.append(gained - _penalty(problem, classes, propensities))
        if len(curve) > 1 and curve[-1] - curve[-2] < tol:
            break
        classes = classes.improved(problem.X, q, np.ones(len(f)), problem.l2)
        # The propensity is learned on positives: each row counts as much as it is one.
        propensities = propensities.improved(problem.Z, problem.s.astype(float), q, problem.propensity_l2)
    return Fitted(classes, propensities, curve)


def start(problem: Problem) -> tuple[Logistic, Logistic]:
    """Return where the search begins: P against U, balanced, and one propensity for all.

    There is one start. Others, such as exchanged models, often end in a larger likelihood and in wrong classes.
    """
    s = problem.s.astype(float)
    share = s.mean()
    weights = np.where(s == 1, 0.5 / share, 0.5 / (1.0 - share))
    classes = Logistic.zero(problem.X.shape[1]).improved(problem.X, s, weights, problem.l2)
    f = np.where(problem.s == 1, 1.0, classes.probability(problem.X))
    positives = problem.prior if problem.prior is not None else float(f.mean())
    frequency = np.clip(share / positives, 0.05, 0.95)
    constant = np.append(np.zeros(problem.Z.shape[1]), np.log(frequency / (1.0 - frequency)))
    return classes, Logistic(constant)


def _penalty(problem: Problem, classes: Logistic, propensities: Logistic) -> float:
    pairs = (problem.l2, classes), (problem.propensity_l2, propensities)
    return 0.5 * sum(l2 * float(model.theta[:-1] @ model.theta[:-1]) for l2, model in pairs)
