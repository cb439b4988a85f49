"""Row rules: which rows an estimator takes, declared once and used by ``fit``, the predictions and the tags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = ["Estimator", "Labels", "RowRules", "Rows", "narrow_indices"]

Estimator: TypeAlias = Any  # edge: scikit-learn ships no types
Rows: TypeAlias = Any  # edge: a dense array or a sparse matrix of shape (n, d), which share no type
Labels: TypeAlias = NDArray[np.uint8]
"""s, of shape (n,): 1 = labelled positive, 0 = unlabelled."""


@dataclass(frozen=True, slots=True)
class RowRules:
    """Which rows an estimator takes, and in which form it receives them.

    Attributes
    ----------
    sparse : {"csr", "csc"} or None
        The format in which sparse rows arrive. None refuses sparse rows.
    missing : bool
        Whether rows may contain NaN.
    dtype : NumPy type, tuple of them or "numeric"
        Rows are converted to this type, or to the first of a tuple unless they already have one of its types.
        "numeric" converts only what is not a number.
    order : {"C", "F"} or None
        The memory layout of dense rows in ``fit``. Rows to be predicted keep theirs.
    narrow : bool
        Whether sparse rows get 32-bit indices where these suffice; see :func:`narrow_indices`.
    """

    sparse: Literal["csr", "csc"] | None = None
    missing: bool = False
    dtype: DTypeLike | tuple[DTypeLike, ...] = "numeric"
    order: Literal["C", "F"] | None = None
    narrow: bool = False

    def options(self) -> dict[str, object]:
        """Return the rules as options of :func:`sklearn.utils.validation.validate_data`, without ``order``."""
        return {
            "accept_sparse": self.sparse or False,
            "ensure_all_finite": "allow-nan" if self.missing else True,
            "dtype": self.dtype,
        }

    def finished(self, X: Rows) -> Rows:
        """Return checked rows with each sparse entry stored once and, if the rules ask for it, narrow indices."""
        return narrow_indices(_summed(X)) if self.narrow else _summed(X)


def narrow_indices(X: Rows) -> Rows:
    """Return sparse rows with 32-bit indices if these suffice, since many learners refuse others; dense rows as is."""
    if (
        not hasattr(X, "indptr")
        or X.indices.dtype == np.int32
        or max(*X.shape, X.nnz) > np.iinfo(np.int32).max
    ):
        return X
    indices, starts = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return type(X)((X.data, indices, starts), shape=X.shape)


def _summed(X: Rows) -> Rows:
    """Return rows whose duplicate sparse entries are summed, in a copy: some learners count or sum them in place."""
    if getattr(X, "has_canonical_format", True):
        return X
    X = X.copy()
    X.sum_duplicates()
    return X
