"""The hidden models behind labelling mechanisms. They are fitted where the truth is, and no algorithm sees them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pubench.data.preprocess import Preprocess, fit_preprocess

if TYPE_CHECKING:
    from pubench.data.values import Matrix

__all__ = ["column_values", "linear_score", "log_odds", "product", "standardised", "standardised_rows"]

Floats = NDArray[np.float64]

# Ridge penalty per training row of the hidden linear model: weak, yet enough for collinear columns.
_RIDGE = 0.01
_PENALTY = 1.0


def standardised_rows(X: Matrix) -> Matrix:
    """Return rows with filled gaps and columns of standard deviation 1; codes count as numbers."""
    return fit_preprocess(Preprocess("mean", "standard", "codes"), X, {}).transform(X)


def linear_score(Z: Matrix, y: NDArray[np.uint8]) -> Floats:
    """Return a ridge regression of y on the rows, shape (n,)."""
    from scipy.sparse.linalg import lsqr

    return product(Z, lsqr(Z, y - y.mean(), damp=math.sqrt(_RIDGE * y.size), iter_lim=200)[0])


def log_odds(Z: Matrix, y: NDArray[np.uint8]) -> Floats:
    """Return the log odds of y = 1 by a logistic regression on the same rows, shape (n,).

    It is fitted with one thread, so that labels do not depend on the number of workers.
    """
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    if not 0 < np.count_nonzero(y) < y.size:
        return np.zeros(y.size)
    with threadpool_limits(1):
        model = LogisticRegression(C=_PENALTY, max_iter=1000).fit(Z, y)
        found: Floats = model.decision_function(Z)
    return found


def product(Z: Matrix, weights: Floats) -> Floats:
    """Return the weighted sum of the columns, shape (n,)."""
    score: Floats = Z @ weights
    return score


def column_values(Z: Matrix, column: int) -> Floats:
    """Return one column as a dense array of shape (n,)."""
    values = Z[:, [column]]
    dense: Floats = np.asarray(
        values if isinstance(values, np.ndarray) else values.toarray(), dtype=np.float64
    )
    return dense.ravel()


def standardised(score: Floats, y: NDArray[np.uint8]) -> Floats:
    """Return the scores of all rows, shape (n,), with mean 0 and standard deviation 1 over the positives."""
    own = score[y == 1]
    deviation = score - own.mean()
    size = float(np.abs(deviation[y == 1]).max())
    # Scores that differ only by rounding carry no information; dividing by their spread would amplify the noise.
    if size <= 1e-12 * (1.0 + float(np.abs(own).max())):
        return np.zeros_like(score)
    found: Floats = deviation / (own - own.mean()).std()
    return found
