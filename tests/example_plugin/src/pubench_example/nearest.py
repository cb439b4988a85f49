"""Two classifiers: a simple one, and one that raises."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pubench import PUClassifier
from pubench.base import Labels, Rows, validate_rows

__all__ = ["NearestMean", "Raises"]


class NearestMean(PUClassifier):
    """Nearer to the mean of P than to that of U means positive."""

    def _fit(self, X: Rows, s: Labels) -> None:
        p, u = X[s == 1].mean(axis=0), X[s == 0].mean(axis=0)
        self.coef_, self.intercept_ = p - u, (u @ u - p @ p) / 2

    def decision_function(self, X: Rows) -> NDArray[np.float64]:
        """Return the difference of the squared distances, halved; shape (n,)."""
        return np.asarray(validate_rows(self, X) @ self.coef_ + self.intercept_)


class Raises(NearestMean):
    """Raises at call time."""

    def _fit(self, X: Rows, s: Labels) -> None:
        raise RuntimeError("this method does not want to be fitted")
