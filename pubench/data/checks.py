"""Checks of a data set's loader, made by the child that calls it: its parameters, and the data it returns."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pubench.data.values import Array, Data, Matrix
from pubench.errors import DataError, counted, did_you_mean

if TYPE_CHECKING:
    from pubench.specs import Params

__all__ = ["check_params", "checked_data"]

_KEPT_TYPES = (np.float64, np.float32, np.uint8)


def check_params(loader: Callable[..., object], params: Params) -> None:
    """Raise DataError if the loader does not have a parameter, or requires one that is missing."""
    known = inspect.signature(loader).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
        return
    for name in params:
        if name not in known:
            raise DataError(f"params.{name}: the loader has no such parameter{did_you_mean(name, known)}")
    for name, parameter in known.items():
        if parameter.default is parameter.empty and name not in params:
            raise DataError(f"params.{name}: the loader requires this parameter; add it")


def checked_data(name: str, data: object) -> Data:
    """Return the data with X as float or CSR matrix, or raise DataError if the loader's result is invalid."""
    if not isinstance(data, Data):
        raise DataError(f"the loader of '{name}' returned {type(data).__name__}, not pubench.data.Data")
    if np.ma.is_masked(data.X) or np.ma.is_masked(data.target):
        raise DataError(f"'{name}' contains masked cells; set missing numbers to NaN")
    data = _flattened(name, data)
    X = _checked_features(name, data)
    target = np.asarray(data.target)
    if target.shape != (X.shape[0],):
        raise DataError(f"'{name}': target has shape {target.shape}, X has {counted(X.shape[0], 'row')}")
    if target.dtype.kind == "f" and np.isnan(target).any():
        raise DataError(
            f"'{name}': target has missing values; give every row a class, or for PU data "
            "set pu=True with target 1 (labelled) or 0 (unlabelled)"
        )
    checked = replace(
        data,
        X=X,
        target=target,
        feature_names=tuple(map(str, data.feature_names)),
        image_shape=tuple(data.image_shape),
    )
    _check_features(name, checked)
    _check_rows(name, checked)
    return replace(checked, image_shape=tuple(map(int, checked.image_shape)))


def _flattened(name: str, data: Data) -> Data:
    """Return data with X of shape (n, d): arrays of images become rows that know their shape."""
    X = data.X
    if not isinstance(X, np.ndarray) or X.ndim not in (3, 4):
        return data
    shape = X.shape[1:]
    if tuple(data.image_shape) not in ((), shape):
        raise DataError(
            f"'{name}': image_shape {tuple(data.image_shape)} is not the shape of the images, {shape}; remove it"
        )
    return replace(data, X=X.reshape(len(X), -1), image_shape=shape)


def _checked_features(name: str, data: Data) -> Matrix:
    from scipy.sparse import csr_array, issparse

    X = csr_array(data.X) if issparse(data.X) else np.asarray(data.X)
    values: Array = X if isinstance(X, np.ndarray) else X.data
    if X.ndim != 2 or values.dtype.kind not in "fiub":
        raise DataError(f"'{name}': X must be a matrix of numbers, not {X.ndim}-dimensional {values.dtype}")
    if X.shape[0] == 0 or X.shape[1] == 0:
        raise DataError(f"'{name}' is empty: {counted(X.shape[0], 'row')}, {counted(X.shape[1], 'feature')}")
    if not isinstance(X, np.ndarray) and (np.isnan(values).any() or data.categorical):
        raise DataError(
            f"'{name}': a sparse matrix cannot contain missing or categorical cells; make it dense"
        )
    if np.isinf(values).any():
        raise DataError(f"'{name}' contains infinite values; clip them or set them to NaN (missing)")
    return X if values.dtype in _KEPT_TYPES else X.astype(np.float64)


def _check_features(name: str, data: Data) -> None:
    X, d = data.X, data.X.shape[1]
    if data.feature_names and len(data.feature_names) != d:
        raise DataError(
            f"'{name}': {counted(len(data.feature_names), 'feature name')} for {counted(d, 'feature')}"
        )
    if data.image_shape:
        _check_image(name, data, d)
    for column, names in data.categorical.items():
        if not 0 <= column < d:
            raise DataError(f"'{name}': categorical column {column} is not one of the {d} features")
        cells = np.asarray(X[:, column])
        codes = cells[~np.isnan(cells)]
        if codes.size and (codes.min() < 0 or codes.max() >= len(names) or (codes % 1).any()):
            raise DataError(f"'{name}': column {column} contains codes outside 0..{len(names) - 1}")


def _check_rows(name: str, data: Data) -> None:
    n = data.X.shape[0]
    if data.split is not None:
        split = np.asarray(data.split)
        if split.shape != (n,) or not set(np.unique(split)) <= {"train", "test"}:
            raise DataError(f"'{name}': split must be 'train' or 'test' for each of the {n} rows")
    if data.pu and not set(np.unique(data.target).tolist()) <= {0, 1}:
        raise DataError(f"'{name}': labels of PU data must be 1 (labelled) or 0 (unlabelled)")
    _check_given(name, data, n)
    if data.posterior is not None:
        posterior = np.asarray(data.posterior)
        if posterior.shape != (n,) or not ((posterior >= 0) & (posterior <= 1)).all():
            raise DataError(f"'{name}': posterior must be a probability for each of the {n} rows")
    if data.coordinates is not None:
        places = np.asarray(data.coordinates, dtype=np.float64)
        if places.shape != (n, 2) or not np.isfinite(places).all():
            raise DataError(f"'{name}': coordinates must be two finite numbers for each of the {n} rows")


def _check_given(name: str, data: Data, n: int) -> None:
    if data.given and not data.pu:
        raise DataError(f"'{name}': given labels are for real PU data; set pu=True")
    if "" in data.given and len(data.given) > 1:
        raise DataError(f"'{name}': one of {len(data.given)} learning problems has no name; name all of them")
    for problem, labels in data.given.items():
        who = f"'{name}': problem '{problem}'" if problem else f"'{name}'"
        s, y_test = np.asarray(labels.s), np.asarray(labels.y_test)
        for part, values in (("s", s), ("y_test", y_test)):
            if values.shape != (n,) or not set(np.unique(values).tolist()) <= {-1, 0, 1}:
                raise DataError(f"{who}: {part} must be 1, 0 or -1 for each of the {n} rows")
        for part, values, kinds in (
            ("y_test", y_test, "positive and negative test rows"),
            ("s", s[y_test < 0], "labelled and unlabelled rows whose true class is unknown"),
        ):
            if not {0, 1} <= set(np.unique(values).tolist()):
                raise DataError(f"{who}: {part} must mark both {kinds}")


def _check_image(name: str, data: Data, d: int) -> None:
    shape = data.image_shape
    is_whole = all(isinstance(side, int | np.integer) and side > 0 for side in shape)
    if len(shape) not in (2, 3) or not is_whole or math.prod(shape) != d:
        raise DataError(
            f"'{name}': image_shape {shape} does not match {counted(d, 'feature')}; set the height and width in pixels "
            "and, for colours, the number of channels"
        )
    if data.categorical:
        raise DataError(f"'{name}': pixels cannot be categorical; remove image_shape or categorical")
