"""Naive Bayes models of two classes, fitted on rows that belong to both classes with weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

__all__ = ["Gaussian", "ModelName", "Multinomial", "NaiveBayes", "fit_naive_bayes", "model_for"]

Floats = NDArray[np.float64]
ModelName = Literal["auto", "multinomial", "gaussian"]

# A variance that is a difference of two estimates may vanish; it is at least this share of the variance of all rows.
_LEAST_SHARE = 0.1


class NaiveBayes(Protocol):
    """A fitted model."""

    def log_odds(self, X: Any) -> Floats:
        """Return log Pr(1 | x) - log Pr(0 | x) of n rows; shape (n,)."""


@dataclass(frozen=True, slots=True)
class Multinomial:
    """Counts: the log odds are ``x . weights + constant``."""

    weights: Floats
    constant: float

    def log_odds(self, X: Any) -> Floats:
        """Return log Pr(1 | x) - log Pr(0 | x) of n rows; shape (n,)."""
        return np.asarray(X @ self.weights) + self.constant


@dataclass(frozen=True, slots=True)
class Gaussian:
    """A normal density for each feature and class; ``means`` and ``variances`` have shape (2, d)."""

    means: Floats
    variances: Floats
    constant: float

    def log_odds(self, X: Any) -> Floats:
        """Return log Pr(1 | x) - log Pr(0 | x) of n rows; shape (n,)."""
        far = [np.square(X - mean) @ (0.5 / v) for mean, v in zip(self.means, self.variances, strict=True)]
        result: Floats = far[0] - far[1] + self.constant
        return result


def model_for(name: ModelName, X: Any) -> Literal["multinomial", "gaussian"]:
    """Return the model for the rows: "auto" is multinomial if they are sparse, as counts are, else Gaussian.

    Raises
    ------
    ValueError
        If the model does not take such rows.
    """
    model = name if name != "auto" else "multinomial" if issparse(X) else "gaussian"
    if model == "gaussian" and issparse(X):
        raise ValueError("model = 'gaussian' takes dense rows, but X is sparse; use model = 'multinomial'")
    if model == "multinomial" and X.min() < 0:
        raise ValueError(
            f"Negative values in data: the multinomial model takes counts, but X holds {X.min():g}; "
            "use model = 'gaussian' with dense rows, or features that are counts"
        )
    return model


def fit_naive_bayes(
    X: Any,
    weights: tuple[Floats, Floats],
    prior: float,
    model: Literal["multinomial", "gaussian"],
    smoothing: float,
) -> NaiveBayes:
    r"""Fit naive Bayes on rows that count for class k with the weight :math:`w_{ki}`.

    The multinomial model has :math:`\Pr(j \mid k) = (N_{kj} + \alpha) / \sum_l (N_{kl} + \alpha)` with
    :math:`N_{kj} = \max(0, \sum_i w_{ki} x_{ij})`. The Gaussian model has weighted means and variances, to which the
    share :math:`\alpha` of the largest variance of a feature is added.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
    weights : two float arrays of shape (n,)
        The weights for class 0 and class 1. They may be negative if their sum is positive.
    prior : float
        Pr(1), strictly between 0 and 1.
    model : {"multinomial", "gaussian"}
    smoothing : float
        :math:`\alpha`, above 0.
    """
    log_prior = float(np.log(prior) - np.log1p(-prior))
    if model == "multinomial":
        log_0, log_1 = (_log_shares(X, class_weights, smoothing) for class_weights in weights)
        return Multinomial(log_1 - log_0, log_prior)
    population = np.var(X, axis=0)
    floor = smoothing * float(population.max()) or 1.0
    moments = [_moments(X, class_weights, population) for class_weights in weights]
    means, variances = np.array([m for m, _ in moments]), np.array([v for _, v in moments]) + floor
    if not (np.isfinite(means).all() and np.isfinite(variances).all()):
        raise ValueError("the features are too large to be squared and summed; scale them down")
    constant = 0.5 * float(np.sum(np.log(variances[0]) - np.log(variances[1])))
    return Gaussian(means, variances, constant + log_prior)


def _log_shares(X: Any, weights: Floats, smoothing: float) -> Floats:
    counts = np.maximum(np.asarray(weights @ X), 0.0) + smoothing
    result: Floats = np.log(counts) - np.log(counts.sum())
    return result


def _moments(X: Any, weights: Floats, population: Floats) -> tuple[Floats, Floats]:
    shares = weights / weights.sum()
    mean = shares @ X
    variance = shares @ np.square(X - mean)
    signed = weights.min() < -1e-9 * weights.max()
    least = _LEAST_SHARE * population if signed else 0.0
    return mean, np.maximum(variance, least)
