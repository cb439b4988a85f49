"""The training rows as the kernel reads them: column by column, and row by row for small nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from pubench.base import Rows
from pubench_extratrees.trees import as_rows

__all__ = ["Columns"]


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Dense columns one after another, or the three arrays of a CSC matrix.

    Attributes
    ----------
    values : float32 ndarray
    rows : int32 ndarray, or None if dense
    starts : int64 ndarray, or None if dense
    X : float64 or float32 ndarray of shape (n, d), or None
        The same rows in C order, if they came so.
    """

    values: NDArray[np.float32]
    rows: NDArray[np.int32] | None = None
    starts: NDArray[np.int64] | None = None
    X: NDArray[Any] | None = None

    @classmethod
    def of(cls, X: Rows) -> Columns:
        """Return checked rows in this form.

        Raises
        ------
        ValueError
            If a value is too large for float32.
        """
        if isinstance(X, np.ndarray):
            narrow = check_array(X, dtype=np.float32, order="F", input_name="X")
            return cls(narrow.ravel(order="F"), X=X if X.flags.c_contiguous else None)
        X = as_rows(X)
        return cls(X.data, X.indices, X.indptr.astype(np.int64))

    def narrow(self, X: Rows) -> Rows:
        """Return the rows as float32: those of which ``self`` was made."""
        return self.values.reshape(X.shape, order="F") if self.rows is None else X
