"""The training rows as the kernel reads them: row by row, or column by column where nodes try few of many features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from pubench.base import Rows
from pubench_extratrees.trees import as_rows

__all__ = ["Columns"]

# Features for each one that a node tries.
_SPARED = 16
# A sparse matrix is spread out, which makes it faster to read, up to this number of values (64 MB), or above this share
# of stored ones (at most eight times the memory).
_SPREAD = 1 << 24
_SHARE = 1 / 16


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Dense rows or columns one after another, or the three arrays of a CSC matrix.

    Attributes
    ----------
    values : float32 ndarray
    rows : int32 ndarray, or None if dense
    starts : int64 ndarray, or None if dense
    by_row : bool
        Whether dense values lie row after row.
    """

    values: NDArray[np.float32]
    rows: NDArray[np.int32] | None = None
    starts: NDArray[np.int64] | None = None
    by_row: bool = False

    @classmethod
    def of(cls, X: Rows, tried: int) -> Columns:
        """Return checked rows in this form, for nodes that try so many features.

        Raises
        ------
        ValueError
            If a value is too large for float32.
        """
        # Values that a node reads together lie together, unless too many others lie between them.
        order: Literal["C", "F"] = "C" if X.shape[1] <= _SPARED * tried else "F"
        if not isinstance(X, np.ndarray):
            X = as_rows(X)
            size = X.shape[0] * X.shape[1]
            if size > max(_SPREAD, X.nnz / _SHARE):
                return cls(X.data, X.indices, X.indptr.astype(np.int64))
            X = X.toarray(order=order)
        narrow = check_array(X, dtype=np.float32, order=order, input_name="X")
        return cls(narrow.ravel(order=order), by_row=order == "C")

    def narrow(self, X: Rows) -> Rows:
        """Return the rows as float32: those of which ``self`` was made, in column order if dense."""
        if not isinstance(X, np.ndarray):
            return X
        rows = self.values.reshape(X.shape, order="C" if self.by_row else "F")
        return np.asfortranarray(rows)
