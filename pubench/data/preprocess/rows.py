"""Preprocessing around the columns' own: rare columns are dropped before it, rows normalised after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pubench.data.preprocess.config import Vector
from pubench.data.preprocess.dense import DensePreprocess
from pubench.data.preprocess.sparse import SparsePreprocess
from pubench.errors import DataError
from pubench.protocol.parts import Norm

if TYPE_CHECKING:
    from pubench.data.values import Matrix

__all__ = ["Composed", "frequent_columns"]


@dataclass(frozen=True, slots=True, eq=False)
class Composed:
    """Fitted: keep the frequent columns, then fill and scale them, then normalise each row.

    Attributes
    ----------
    kept : int array of shape (k,) or None
        The columns that are frequent enough in training; None keeps all.
    columns : DensePreprocess or SparsePreprocess
    norm : str
    """

    kept: NDArray[np.int64] | None
    columns: DensePreprocess | SparsePreprocess
    norm: Norm

    def transform(self, X: Matrix) -> Matrix:
        """Return the preprocessed rows; a row of zeros stays a row of zeros."""
        Z = self.columns.transform(X if self.kept is None else X[:, self.kept])
        if self.norm == "none":
            return Z
        norms = _norms(Z, self.norm)
        norms[norms == 0] = 1.0
        if isinstance(Z, np.ndarray):
            return Z / norms[:, np.newaxis]
        data = Z.data / np.repeat(norms, np.diff(Z.indptr))
        return type(Z)((data, Z.indices, Z.indptr), shape=Z.shape)


def _norms(Z: Matrix, norm: Norm) -> Vector:
    """Return the norm of each row, shape (n,)."""
    sizes: Any = abs(Z) if norm == "l1" else Z * Z  # edge: SciPy's types of operators are imprecise
    total: Vector = np.asarray(sizes.sum(axis=1), dtype=np.float64).ravel()
    return total if norm == "l1" else np.sqrt(total)


def frequent_columns(X: Matrix, min_count: int, categorical: Mapping[int, int]) -> NDArray[np.int64] | None:
    """Return the columns whose sum over the training rows is at least ``min_count``; None to keep all."""
    if not min_count:
        return None
    if categorical:
        raise DataError("min_count is for counts, not for categorical columns; remove it")
    kept = np.flatnonzero(np.asarray(X.sum(axis=0)).ravel() >= min_count)
    if not kept.size:
        raise DataError(f"min_count = {min_count} leaves no column; reduce it")
    return kept
