"""Two classifiers: a simple one, and one that raises."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pubench import PUClassifier
from pubench.base import validate_pu, validate_rows

__all__ = ["NearestMean", "Raises"]


class NearestMean(PUClassifier):
    """Nearer to the mean of P than to that of U means positive."""

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the two means."""
        X, s = validate_pu(self, X, y)
        p, u = X[s == 1].mean(axis=0), X[s == 0].mean(axis=0)
        self.coef_, self.intercept_ = p - u, (u @ u - p @ p) / 2
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the difference of the squared distances, halved; shape (n,)."""
        return np.asarray(validate_rows(self, X) @ self.coef_ + self.intercept_)


class Raises(NearestMean):
    """Raises at call time."""

    def fit(self, X: Any, y: Any) -> Self:
        """Raise."""
        raise RuntimeError("this method does not want to be fitted")
