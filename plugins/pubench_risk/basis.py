"""Radial basis functions around some of the rows: what makes a linear model bend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel

from pubench_risk.matrices import is_sparse

__all__ = ["Basis"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """The functions exp(-gamma * squared distance to a centre).

    Attributes
    ----------
    centres : array or CSR matrix of shape (m, d)
    gamma : float
    """

    centres: Any
    gamma: float

    @classmethod
    def drawn(cls, Z: Any, n_centres: int, width: float, rng: np.random.Generator) -> Self:
        """Choose centres among the rows, and the width in units of the root mean squared distance of two rows."""
        chosen = np.sort(rng.choice(Z.shape[0], min(n_centres, Z.shape[0]), replace=False))
        return cls(Z[chosen], 1.0 / (2.0 * width**2 * _mean_distance(Z)))

    def features(self, Z: Any) -> Floats:
        """Return the values of all functions at all rows, shape (n, m)."""
        return np.asarray(rbf_kernel(Z, self.centres, gamma=self.gamma))


def _mean_distance(Z: Any) -> float:
    """Return the mean squared distance of two rows drawn with replacement; 1 where all rows are the same."""
    mean = np.asarray(Z.mean(axis=0)).ravel()
    if is_sparse(Z):
        squares = float(Z.multiply(Z).sum()) / Z.shape[0]
        spread = 2.0 * (squares - float(mean @ mean))
        return spread if spread > 1e-12 * squares else 1.0
    # Centred first: of rows far from 0 the difference of two squares would be noise.
    centred = Z - mean
    spread = 2.0 * float(np.einsum("ij,ij->", centred, centred)) / Z.shape[0]
    return spread if spread > 0.0 else 1.0
