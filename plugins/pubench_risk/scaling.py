"""Columns brought to one scale, dense or sparse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from pubench_risk.matrices import is_sparse

__all__ = ["Scaling"]

Floats = NDArray[np.float64]

_LARGEST = 1e140


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """What is taken away from each column (nothing, if sparse), and what it is then divided by.

    Attributes
    ----------
    mean, scale : arrays of shape (d,)
    """

    mean: Floats
    scale: Floats

    @classmethod
    def of(cls, X: Any, standardize: bool) -> Self:
        """Learn the means and standard deviations of columns; constant ones are divided by 1."""
        d = X.shape[1]
        if float(np.abs(X.data if is_sparse(X) else X).max(initial=0.0)) > _LARGEST:
            raise ValueError("the features are too large to be squared and added up; scale them down")
        if not standardize:
            return cls(np.zeros(d), np.ones(d))
        scaler = StandardScaler(with_mean=not is_sparse(X)).fit(X)
        # Of sparse rows scikit-learn's scaler knows the mean, too, though it is not taken away.
        return cls(scaler.mean_ if scaler.with_mean else np.zeros(d), scaler.scale_)

    def apply(self, X: Any) -> Any:
        """Return a scaled copy of rows, shape (n, d): sparse if they are, unless a mean has to be taken away."""
        if is_sparse(X) and self.mean.any():
            X = X.toarray()
        if is_sparse(X):
            return sparse.csr_array(X @ sparse.diags_array(1.0 / self.scale))
        scaled = X - self.mean
        scaled /= self.scale
        return scaled

    def unscaled(self, weights: Floats, bias: float) -> tuple[Floats, float]:
        """Return the weights, shape (d,), and the bias that give the same scores on rows that are not scaled."""
        coefficients = weights / self.scale
        return coefficients, bias - float(coefficients @ self.mean)
