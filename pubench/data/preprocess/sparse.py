"""Preprocessing of sparse rows, one column at a time: they are scaled, never shifted or made dense."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pubench.data.preprocess.config import Vector, rounding
from pubench.errors import DataError
from pubench.protocol.parts import Preprocess

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from pubench.data.values import Matrix

__all__ = ["SparsePreprocess", "fit_sparse"]


@dataclass(frozen=True, slots=True, eq=False)
class SparsePreprocess:
    """Fitted to CSR rows: z = x / spread, ``spread`` of shape (d,). The rows stay sparse."""

    spread: Vector

    def transform(self, X: Matrix) -> csr_array:
        """Return the scaled rows as CSR."""
        rows = _checked_csr(X)
        data = rows.data / self.spread[rows.indices]
        return type(rows)((data, rows.indices, rows.indptr), shape=rows.shape)


def _checked_csr(X: Matrix) -> csr_array:
    from scipy.sparse import csr_array

    rows = csr_array(X)
    if np.isnan(rows.data).any():
        raise DataError(
            "a sparse matrix contains missing values, which cannot be filled; load the data as a dense matrix"
        )
    return _narrow(rows)


def _narrow(rows: csr_array) -> csr_array:
    """Return the rows with 32-bit indices if these suffice, since scikit-learn's trees refuse longer ones."""
    if rows.indices.dtype == np.int32 or max(rows.nnz, *rows.shape) > np.iinfo(np.int32).max:
        return rows
    indices, pointers = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    return type(rows)((rows.data, indices, pointers), shape=rows.shape)


def fit_sparse(config: Preprocess, X: Matrix, categorical: Mapping[int, int]) -> SparsePreprocess:
    """Learn scales from CSR training rows."""
    if categorical and config.categorical == "one-hot":
        raise DataError(
            "a sparse matrix has categorical columns, which cannot be one-hot encoded; "
            "set categorical = 'codes' or load the data as a dense matrix"
        )
    rows = _checked_csr(X)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    spread = np.ones(rows.shape[1])
    if config.scale == "standard":
        spread = _sparse_sd(rows)
    elif config.scale != "none":
        spread = np.zeros(rows.shape[1])
        np.maximum.at(spread, rows.indices, np.abs(rows.data))
    spread[spread == 0] = np.inf
    spread[sorted(categorical)] = 1.0
    return SparsePreprocess(spread)


def _sparse_sd(rows: csr_array) -> Vector:
    """Return each column's standard deviation, zeros included; 1 for a constant such as a column of ones."""
    n, d = rows.shape
    stored = np.bincount(rows.indices, minlength=d)
    mean = np.bincount(rows.indices, weights=rows.data, minlength=d) / n
    squares = np.bincount(rows.indices, weights=(rows.data - mean[rows.indices]) ** 2, minlength=d)
    sd: Vector = np.sqrt((squares + (n - stored) * mean**2) / n)
    return np.where((mean != 0) & (sd <= rounding(n, mean)), 1.0, sd)
