"""Logistic regression on probabilities as targets, with weights: the M-step of expectation maximisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

__all__ = ["Logistic"]

Floats = NDArray[np.float64]

_STEPS = 50


@dataclass(frozen=True, slots=True, eq=False)
class Logistic:
    """A linear model of log odds: weights and, last, the bias, in one array of shape (d + 1,)."""

    theta: Floats

    @classmethod
    def zero(cls, d: int) -> Self:
        """Return the model of probability one half."""
        return cls(np.zeros(d + 1))

    def scores(self, X: Any) -> Floats:
        """Return the log odds of rows, shape (n,)."""
        found: Floats = np.asarray(X @ self.theta[:-1]).ravel() + self.theta[-1]
        return found

    def probability(self, X: Any) -> Floats:
        """Return the probabilities of rows, shape (n,)."""
        found: Floats = expit(self.scores(X))
        return found

    def improved(self, X: Any, targets: Floats, weights: Floats, l2: float) -> Self:
        r"""Return the model that lowers the weighted mean cross-entropy, from here on.

        .. math:: \frac{1}{n} \sum_i w_i \left[\ln(1 + e^{g_i}) - q_i g_i\right] + \frac{l2}{2} \|w\|^2

        Parameters
        ----------
        X : array or CSR matrix of shape (n, d)
        targets, weights : arrays of shape (n,)
            Probabilities q and weights w of at least 0.
        l2 : float
            The penalty; the bias has none.
        """

        def cost(theta: Floats) -> tuple[float, Floats]:
            g = type(self)(theta).scores(X)
            value = float((weights * (np.logaddexp(0.0, g) - targets * g)).mean())
            slope = weights * (expit(g) - targets) / len(g)
            gradient = np.append(X.T @ slope + l2 * theta[:-1], slope.sum())
            return value + 0.5 * l2 * float(theta[:-1] @ theta[:-1]), gradient

        found = minimize(cost, self.theta, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS})
        return type(self)(np.asarray(found.x))
