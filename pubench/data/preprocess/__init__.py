"""Preprocessing: the child fits it to the training rows of a cell and applies it to all rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import numpy as np

from pubench.data.preprocess.dense import DensePreprocess, fit_dense
from pubench.data.preprocess.rows import Composed, frequent_columns
from pubench.data.preprocess.sparse import SparsePreprocess, fit_sparse
from pubench.data.preprocess.typed import TypedRows
from pubench.protocol.parts import Preprocess

if TYPE_CHECKING:
    from pubench.data.values import Matrix

__all__ = ["Composed", "DensePreprocess", "Fitted", "Preprocess", "SparsePreprocess", "fit_preprocess"]

Fitted = DensePreprocess | SparsePreprocess | Composed | TypedRows


def fit_preprocess(
    config: Preprocess,
    X_train: Matrix,
    categorical: Mapping[int, int],
    *,
    missing: bool = True,
    dtype: Literal["float64", "float32", "uint8"] = "float64",
) -> Fitted:
    """Learn fills and scales from the training rows; ``.transform(X)`` applies them to any rows.

    A column that is constant in training carries no information and becomes 0 in all rows. So does a column without
    any value, unless nothing is imputed. (``"maxabs"`` keeps constants other than 0, ``scale="none"`` keeps all.)
    A column that varies but has an interquartile range of 0 is centred and not divided.

    Sparse rows are divided, never shifted: ``"standard"`` divides by the standard deviation (zeros counted),
    ``"minmax"`` and ``"robust"`` mean ``"maxabs"``. NaN in sparse rows, and one-hot encoding of them, is a DataError.

    Parameters
    ----------
    config : Preprocess
    X_train : ndarray or CSR matrix of shape (n, d)
    categorical : mapping of int to int
        Column -> number of codes. A one-hot block has that width whichever codes occur in training.
    missing : bool
        False states that no row, now or later, has a missing number; the fills are then not computed.
    dtype : str
        The type of the result. With ``"uint8"`` rows of bytes stay as they are; others become float32.

    Returns
    -------
    DensePreprocess, SparsePreprocess or, with ``min_count`` or ``norm``, Composed; TypedRows for other types
    """
    if dtype == "uint8" and X_train.dtype == np.uint8:
        return TypedRows(None, "uint8")
    fitted = _fit(config, X_train, categorical, missing)
    return fitted if dtype == "float64" else TypedRows(fitted, "float32")


def _fit(
    config: Preprocess, X_train: Matrix, categorical: Mapping[int, int], missing: bool
) -> DensePreprocess | SparsePreprocess | Composed:
    if not config.min_count and config.norm == "none":
        return _fit_columns(config, X_train, categorical, missing)
    kept = frequent_columns(X_train, config.min_count, categorical)
    columns = X_train if kept is None else X_train[:, kept]
    return Composed(kept, _fit_columns(config, columns, categorical, missing), config.norm)


def _fit_columns(
    config: Preprocess, X_train: Matrix, categorical: Mapping[int, int], missing: bool
) -> DensePreprocess | SparsePreprocess:
    if isinstance(X_train, np.ndarray):
        return fit_dense(config, X_train, categorical, missing)
    return fit_sparse(config, X_train, categorical)
