"""The hidden model of x behind a SAR labelling: how likely a positive row is to be labelled."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from pubench.data.preprocess import Preprocess, fit_preprocess

if TYPE_CHECKING:
    from pubench.data.values import Matrix

__all__ = ["log_propensity"]

# Ridge penalty per training row of the hidden linear model: weak, yet enough to keep collinear columns sane.
_RIDGE = 0.01

Model = Literal["linear", "direction"]


def log_propensity(
    X: Matrix, y: NDArray[np.uint8], model: Model, strength: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    r"""Return :math:`-\log(1 + e^{-a z})` of each positive row, a the strength, z its standardised hidden score.

    Parameters
    ----------
    X : matrix of shape (n, d)
    y : uint8 array of shape (n,)
    model : str
        ``"linear"``: a ridge regression of y on x; ``"direction"``: a random direction of x.
    strength : float
    rng : Generator

    Returns
    -------
    array of shape (number of positives,)
    """
    score = _hidden_score(X, y, model, rng)[y == 1]
    weight: NDArray[np.float64] = -np.logaddexp(0.0, -strength * _standardised(score))
    return weight


def _hidden_score(
    X: Matrix, y: NDArray[np.uint8], model: Model, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the hidden model's score of each row, shape (n,), fitted to these very rows."""
    Z: Any = fit_preprocess(Preprocess("mean", "standard", "codes"), X, {}).transform(X)
    score: NDArray[np.float64]
    if model == "direction":
        score = Z @ rng.standard_normal(Z.shape[1])
    else:
        from scipy.sparse.linalg import lsqr

        score = Z @ lsqr(Z, y - y.mean(), damp=math.sqrt(_RIDGE * y.size), iter_lim=200)[0]
    return score


def _standardised(score: NDArray[np.float64]) -> NDArray[np.float64]:
    deviation = score - score.mean()
    size = float(np.abs(deviation).max())
    # Scores that differ by rounding only say nothing; dividing by their spread would make noise of it.
    if size <= 1e-12 * (1.0 + float(np.abs(score).max())):
        return np.zeros_like(score)
    standardised: NDArray[np.float64] = deviation / deviation.std()
    return standardised
