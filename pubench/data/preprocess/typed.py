"""Rows in the type that an algorithm asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from pubench.data.preprocess.dense import DensePreprocess
from pubench.data.preprocess.rows import Composed
from pubench.data.preprocess.sparse import SparsePreprocess

if TYPE_CHECKING:
    from pubench.data.values import Matrix

__all__ = ["TypedRows"]


@dataclass(frozen=True, slots=True, eq=False)
class TypedRows:
    """Preprocessing whose result has another type than float64; without preprocessing rows are as they are stored."""

    preprocess: DensePreprocess | SparsePreprocess | Composed | None
    dtype: Literal["float32", "uint8"]

    def transform(self, X: Matrix) -> Matrix:
        """Return rows of this type; columns are those of the preprocessing."""
        rows = X if self.preprocess is None else self.preprocess.transform(X)
        return cast("Matrix", rows.astype(self.dtype))
