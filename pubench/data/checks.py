"""Whether what a data set's loader returned can be used, and whether it can be called as asked."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pubench.data.values import Data
from pubench.errors import DataError, did_you_mean

__all__ = ["check_params", "checked_data"]

_KEPT_TYPES = (np.float64, np.float32, np.uint8)


def check_params(loader: Callable[..., Any], params: Mapping[str, Any]) -> None:
    """Say which parameter the loader does not know, or which it cannot do without."""
    known = inspect.signature(loader).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
        return
    for name in params:
        if name not in known:
            raise DataError(f"params.{name}: it has no such parameter{did_you_mean(name, known)}")
    for name, parameter in known.items():
        if parameter.default is parameter.empty and name not in params:
            raise DataError(f"params.{name}: it cannot do without this parameter; add it")


def checked_data(name: str, data: Any) -> Data:
    """Return the data with X as float or CSR matrix, or say what is wrong with what the loader returned."""
    from scipy.sparse import csr_array, issparse

    if not isinstance(data, Data):
        raise DataError(f"the loader of '{name}' returned {type(data).__name__}, not pubench.data.Data")
    if np.ma.is_masked(data.X) or np.ma.is_masked(data.target):
        raise DataError(f"'{name}' holds masked cells; set missing numbers to NaN")
    sparse = issparse(data.X)
    X: Any = csr_array(data.X) if sparse else np.asarray(data.X)
    values: NDArray[Any] = X.data if sparse else X
    if X.ndim != 2 or values.dtype.kind not in "fiub":
        raise DataError(f"'{name}': X must be a matrix of numbers, not {X.ndim}-dimensional {values.dtype}")
    target = np.asarray(data.target)
    if target.shape != (X.shape[0],):
        raise DataError(f"'{name}': target has shape {target.shape}, X has {X.shape[0]} rows")
    if target.dtype.kind == "f" and np.isnan(target).any():
        raise DataError(f"'{name}': target has missing values; leave those rows out")
    if X.shape[0] == 0 or X.shape[1] == 0:
        raise DataError(f"'{name}' is empty: {X.shape[0]} rows, {X.shape[1]} features")
    if sparse and (np.isnan(values).any() or data.categorical):
        raise DataError(f"'{name}': a sparse matrix cannot hold missing or categorical cells; make it dense")
    if np.isinf(values).any():
        raise DataError(f"'{name}' holds infinite values; clip them or set them missing (NaN)")
    if values.dtype not in _KEPT_TYPES:
        X = X.astype(np.float64)
    _check_extras(name, data, X)
    names, image_shape = tuple(map(str, data.feature_names)), tuple(map(int, data.image_shape))
    return replace(data, X=X, target=target, feature_names=names, image_shape=image_shape)


def _check_extras(name: str, data: Data, X: Any) -> None:
    n, d = X.shape
    if data.split is not None:
        split = np.asarray(data.split)
        if split.shape != (n,) or not set(np.unique(split)) <= {"train", "test"}:
            raise DataError(f"'{name}': split must say 'train' or 'test' for each of the {n} rows")
    if data.feature_names and len(data.feature_names) != d:
        raise DataError(f"'{name}': {len(data.feature_names)} feature names for {d} features")
    if data.pu and not set(np.unique(np.asarray(data.target)).tolist()) <= {0, 1}:
        raise DataError(f"'{name}': labels of PU data must be 1 (labelled) or 0 (unlabelled)")
    if data.posterior is not None:
        posterior = np.asarray(data.posterior)
        if posterior.shape != (n,) or not ((posterior >= 0) & (posterior <= 1)).all():
            raise DataError(f"'{name}': posterior must be a probability for each of the {n} rows")
    if len(data.image_shape):
        _check_image(name, data, d)
    for column, names in data.categorical.items():
        if not 0 <= column < d:
            raise DataError(f"'{name}': categorical column {column} is not one of the {d} features")
        codes = X[:, column][~np.isnan(X[:, column])]
        if codes.size and (codes.min() < 0 or codes.max() >= len(names) or (codes % 1).any()):
            raise DataError(f"'{name}': column {column} holds codes outside 0..{len(names) - 1}")


def _check_image(name: str, data: Data, d: int) -> None:
    shape = tuple(data.image_shape)
    whole = all(isinstance(side, int | np.integer) and side > 0 for side in shape)
    if len(shape) != 2 or not whole or shape[0] * shape[1] != d:
        raise DataError(
            f"'{name}': image_shape {shape} does not fit {d} features; give height and width, whose product they are"
        )
    if data.categorical:
        raise DataError(f"'{name}': pixels are no categories; leave out image_shape or categorical")
