"""Loaders of files that hold a matrix: NumPy archives and SVMlight (LIBSVM) files."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Sequence
from itertools import pairwise
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from pubench.data import Data, refuse_in_child
from pubench.errors import DataError, did_you_mean
from pubench_datasets.source import check_file, open_bytes, open_text, reading, refuse_if_large
from pubench_datasets.targets import (
    Column,
    Cut,
    check_answer,
    check_flag,
    check_name,
    refuse_truth,
    to_classes,
    to_labels,
    to_split,
)

__all__ = ["npz", "svmlight"]

_MOST_CHANNELS = 4
_KEPT = (np.uint8, np.float32, np.float64)


def npz(
    path: str,
    target: str | None = None,
    *,
    data: str = "data",
    split: str | None = None,
    labelled: str | None = None,
    image_shape: Sequence[int] = (),
    threshold: float | None = None,
    quantile: float | None = None,
) -> Data:
    """Load arrays from a NumPy archive.

    Parameters
    ----------
    path : str
    target, labelled : str
        The array of the classes (default ``"target"``), or that of s (1 / 0) in real PU data.
    data : str
        The array of the features, shape (n, d); further axes are flattened. An array of shape (n, height, width) holds
        grey images, one of shape (n, height, width, channels) with at most four channels images in colour. Bytes
        (uint8) and floats of 32 and 64 bits keep their type, other numbers become float64.
    split : str
        The array of ``"train"`` and ``"test"``; default: ``"split"`` if there is one; ``""`` for none.
    image_shape : sequence of int
        Height, width and, for colours, channels of images that are saved as rows.
    threshold, quantile : float
        Convert a numeric target to classes: see `pubench_datasets.targets.Cut`.
    """
    refuse_in_child()
    cut = Cut(threshold, quantile)
    check_answer(target, labelled, cut)
    check_name("split", split)
    check_name("data", data, optional=False)
    check_file(path, binary=True)
    with reading(path), open_bytes(path) as file:
        arrays = _Archive(path, file)
        if split is None:
            split = "split" if "split" in arrays.names else ""
        X, own_shape = _matrix(arrays, data)
        answer = arrays.column(labelled if labelled is not None else target or "target", len(X))
        parts = to_split(arrays.column(split, len(X))) if split else None
    classes = to_classes(answer, cut) if labelled is None else to_labels(answer)
    return Data(X, classes, split=parts, pu=labelled is not None, image_shape=tuple(image_shape) or own_shape)


class _Archive:
    """An open archive: arrays by name, each read on demand."""

    def __init__(self, path: str, file: IO[bytes]) -> None:
        self.path = path
        try:
            loaded: Any = np.load(file, allow_pickle=False)
        except (ValueError, NotImplementedError, zipfile.BadZipFile) as error:
            raise DataError(
                f"{path} is not a NumPy archive (.npz), or is truncated; get a new copy"
            ) from error
        if not hasattr(loaded, "files"):
            raise DataError(f"{path} contains only one array; save data and target together with numpy.savez")
        refuse_if_large(path, sum(member.file_size for member in loaded.zip.infolist()))
        self._arrays = loaded
        self.names: list[str] = list(loaded.files)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self.names:
            raise DataError(f"{self.path} has no array '{name}'{did_you_mean(name, self.names)}")
        try:
            array: NDArray[Any] = self._arrays[name]
        except (ValueError, NotImplementedError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            reason = str(error).partition("\n")[0]
            if "allow_pickle" in reason:
                reason = "it contains Python objects instead of numbers or text"
            raise DataError(f"{self.path}: array '{name}' cannot be read: {reason}") from error
        return array

    def column(self, name: str, n: int) -> Column:
        values = self[name]
        if values.shape != (n,):
            raise DataError(
                f"{self.path}: array '{name}' has shape {values.shape}, but the data have {n} rows; save one value "
                "per row"
            )
        return Column(f"{self.path}: array '{name}'", values, lambda row: f"row {row + 1}")


def _matrix(arrays: _Archive, name: str) -> tuple[NDArray[Any], tuple[int, ...]]:
    """Return the features, shape (n, d), and the height, width and channels of rows that are images."""
    X = arrays[name]
    is_image = X.ndim == 3 or (X.ndim == 4 and X.shape[3] <= _MOST_CHANNELS)
    image_shape = X.shape[1:] if is_image else ()
    place = f"{arrays.path}: array '{name}'"
    if X.ndim < 2 or X.dtype.kind not in "fiub":
        raise DataError(
            f"{place} is {X.ndim}-dimensional {X.dtype}; save features as a matrix of numbers, one row per example"
        )
    if X.shape[0] == 0 or X.size == 0:
        raise DataError(f"{place} is empty: its shape is {X.shape}; save at least one row")
    X = np.ascontiguousarray(X.reshape(X.shape[0], -1))
    if X.dtype not in _KEPT:
        refuse_if_large(arrays.path, X.size * 8)
        X = X.astype(np.float64)
    if X.dtype.kind == "f" and np.isinf(X).any():
        row, column = (int(i[0]) for i in np.nonzero(np.isinf(X)))
        raise DataError(
            f"{place} is infinite in row {row + 1}, column {column + 1}; write a finite number or NaN (missing)"
        )
    return X, image_shape


def svmlight(
    path: str,
    *,
    labelled: bool = False,
    n_features: int | None = None,
    zero_based: bool | None = None,
    threshold: float | None = None,
    quantile: float | None = None,
) -> Data:
    """Load a file of lines ``class place:value ...`` as a CSR matrix.

    Parameters
    ----------
    path : str
    labelled : bool
        Real PU data: the first number of a line is s, 1 = labelled positive, 0 = unlabelled.
    n_features : int
        The number of columns, if the last of them may be empty; default: as many as occur.
    zero_based : bool
        Whether places count from 0; default: only if a place 0 occurs.
    threshold, quantile : float
        Convert a numeric target to classes: see `pubench_datasets.targets.Cut`.
    """
    from scipy.sparse import csr_array
    from sklearn.datasets import load_svmlight_file

    refuse_in_child()
    cut = Cut(threshold, quantile)
    check_flag("labelled", labelled)
    if labelled:
        refuse_truth(None, cut)
    if zero_based is not None:
        check_flag("zero_based", zero_based)
    if n_features is not None and (
        isinstance(n_features, bool) or not isinstance(n_features, int) or n_features < 1
    ):
        raise DataError(f"n_features = {n_features!r} is not a whole number of at least 1")
    check_file(path)
    based = "auto" if zero_based is None else zero_based
    with reading(path):
        try:
            # Opened here, because only the ending .gz decides whether the file is compressed.
            with open_bytes(path) as file:
                rows, target = load_svmlight_file(file, n_features=n_features, zero_based=based)
        except (ValueError, OverflowError) as error:
            _refuse_line(path)
            raise DataError(f"{path} cannot be read as SVMlight: {error}") from error
    if rows.shape[0] == 0 or rows.shape[1] == 0:
        raise DataError(f"{path} is empty: {rows.shape[0]} rows, {rows.shape[1]} features")
    X = csr_array(rows)
    if not np.isfinite(X.data).all():
        row = int(np.searchsorted(X.indptr, np.isfinite(X.data).argmin(), side="right")) - 1
        raise DataError(f"{path}: row {row + 1} contains a value that is not finite; write a finite number")
    X.eliminate_zeros()
    column = Column(f"{path}: the first column", target, lambda row: f"row {row + 1}")
    return Data(X, to_labels(column) if labelled else to_classes(column, cut), pu=labelled)


def _refuse_line(path: str) -> None:
    """Raise DataError for the first line that is not ``class place:value ...``."""
    with open_text(path, "utf-8") as file:
        for number, line in enumerate(file, 1):
            text = line.partition("#")[0].split()
            try:
                places = _places(text)
            except ValueError as error:
                raise DataError(f"{path}, line {number}: {error}; write CLASS PLACE:VALUE ...") from error
            if any(later <= earlier for earlier, later in pairwise(places)):
                raise DataError(
                    f"{path}, line {number}: places are not in ascending order; sort them and list each once"
                )


def _places(words: list[str]) -> list[int]:
    if not words:
        return []
    float(words[0])
    pairs = [word.split(":") for word in words[1:] if not word.startswith("qid:")]
    for pair in pairs:
        if len(pair) != 2:
            raise ValueError(f"{':'.join(pair)!r} is not PLACE:VALUE")
        float(pair[1])
    return [int(place) for place, _ in pairs]
