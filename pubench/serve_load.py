"""In the child: run a data set plugin's loader, check what it returns, and save it as arrays."""

from __future__ import annotations

import contextlib
import inspect
import json
import logging
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pubench.cache import write_atomically
from pubench.data import Data
from pubench.errors import DataError, did_you_mean
from pubench.fingerprints import fingerprint
from pubench.imports import load_files, resolve
from pubench.messages import Message
from pubench.prepared import Prepared, row_order
from pubench.truth import truth_path

if TYPE_CHECKING:
    from pubench.child import Channel

__all__ = ["serve_load"]

_KEPT_TYPES = (np.float64, np.float32, np.uint8)
_TOLD_SECONDS = 0.1
_TOLD_LETTERS, _FACT_LETTERS, _MOST_FACTS = 500, 2_000, 40
_LOG = logging.getLogger("pubench.data")


def serve_load(message: Message, channel: Channel) -> None:
    """In the child: load, check and save the data set named by the request."""
    request = message.header
    load_files(request["files"])
    try:
        with _telling(channel):
            loader = resolve(request["loader"])
            _check_params(loader, request["params"])
            data = loader(**request["params"])
            facts = _facts(request["card"], request["params"])
    except DataError as error:
        channel.send({"kind": "failed", "error": str(error)})
        return
    try:
        _save(request, _checked(request["name"], data), facts)
    except OSError as error:
        # NumPy says how many bytes it could not write, but has no error number for it.
        raise DataError(
            f"cannot write the cache {request['folder']}: {error.strerror or error}; "
            "make room, or set PUBENCH_CACHE to another folder"
        ) from error
    channel.send({"kind": "loaded"})


class _Telling(logging.Handler):
    """Sends what is logged to the worker, from the loader's own thread and not too often."""

    def __init__(self, channel: Channel) -> None:
        super().__init__(logging.INFO)
        self._channel, self._thread, self._last = channel, threading.get_ident(), 0.0

    def emit(self, record: logging.LogRecord) -> None:
        # Two threads that write at a time would garble the channel.
        if record.thread != self._thread:
            return
        if record.levelno < logging.WARNING:
            if time.monotonic() - self._last < _TOLD_SECONDS:
                return
            self._last = time.monotonic()
        text = record.getMessage()[:_TOLD_LETTERS]
        # A forked copy of this process has no channel.
        with contextlib.suppress(OSError):
            self._channel.send({"kind": "told", "level": record.levelno, "text": text})


@contextlib.contextmanager
def _telling(channel: Channel) -> Iterator[None]:
    """Let the worker hear what is logged to ``pubench.data``."""
    handler, level = _Telling(channel), _LOG.level
    _LOG.addHandler(handler)
    _LOG.setLevel(logging.INFO)
    try:
        yield
    finally:
        _LOG.removeHandler(handler)
        _LOG.setLevel(level)


def _facts(card: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the plugin knows of the data, as short texts and whole numbers; a card that fails dooms no data."""
    if not card:
        return {}
    try:
        found: Mapping[str, Any] = resolve(card)(**params)
    except Exception as error:
        _LOG.warning("the card could not be made: %s: %s", type(error).__name__, error)
        return {}
    plain = {
        str(name): value[:_FACT_LETTERS] if isinstance(value, str) else value
        for name, value in found.items()
        if isinstance(value, str | int) and value != ""
    }
    return dict(list(plain.items())[:_MOST_FACTS])


def _check_params(loader: Callable[..., Any], params: Mapping[str, Any]) -> None:
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


def _checked(name: str, data: Any) -> Data:
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
    return replace(data, X=X, target=target, feature_names=tuple(map(str, data.feature_names)))


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
    for column, names in data.categorical.items():
        if not 0 <= column < d:
            raise DataError(f"'{name}': categorical column {column} is not one of the {d} features")
        codes = X[:, column][~np.isnan(X[:, column])]
        if codes.size and (codes.min() < 0 or codes.max() >= len(names) or (codes % 1).any()):
            raise DataError(f"'{name}': column {column} holds codes outside 0..{len(names) - 1}")


def _class_names(target: NDArray[Any]) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    values, codes = np.unique(target, return_inverse=True)
    names = [str(int(v)) if isinstance(v, np.floating) and float(v).is_integer() else str(v) for v in values]
    return tuple(names), codes.astype(np.int32)


def _save(request: Mapping[str, Any], data: Data, facts: Mapping[str, Any]) -> None:
    folder = Path(request["folder"])
    folder.parent.mkdir(parents=True, exist_ok=True)
    order = row_order(data.X.shape[0])
    classes, codes = _class_names(data.target)
    truth = truth_path(folder)
    X: Any = data.X[order]
    parts = _parts(X)
    split = None if data.split is None else np.asarray(data.split)[order].astype("U5")
    categorical = tuple(sorted((int(c), len(names)) for c, names in data.categorical.items()))
    posterior = None if data.posterior is None else np.asarray(data.posterior, dtype=np.float64)[order]
    named = {"split": split, "posterior": posterior}
    extras = {name: array for name, array in named.items() if array is not None}
    hashed = [*parts.values(), codes[order], *extras.values()]
    missing = int(np.isnan(next(iter(parts.values()))).sum())
    missing_codes = int(sum(np.isnan(X[:, column]).sum() for column in data.categorical))
    temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".tmp-"))
    try:
        for part, array in parts.items():
            np.save(temporary / f"{part}.npy", array)
        _save_truth(truth, codes[order], extras)
        prepared = Prepared(
            name=request["name"],
            folder=str(folder),
            truth=str(truth),
            fingerprint=fingerprint(hashed, (classes, categorical)),
            n_rows=X.shape[0],
            n_features=X.shape[1],
            sparse="indptr" in parts,
            missing=missing - missing_codes,
            missing_codes=missing_codes,
            classes=classes,
            counts=tuple(np.bincount(codes, minlength=len(classes)).tolist()),
            categorical=categorical,
            has_split=data.split is not None,
            has_posterior=data.posterior is not None,
            pu=data.pu,
            feature_names=data.feature_names,
            target_type=data.target.dtype.str if data.target.dtype.kind in "iufb" else "",
            params=request["asked"],
            facts=facts,
        )
        if data.categorical:
            names = {int(column): list(map(str, found)) for column, found in data.categorical.items()}
            (temporary / "categories.json").write_text(json.dumps(names), encoding="utf-8")
        (temporary / "meta.json").write_text(prepared.to_json(), encoding="utf-8")
        sizes = [(temporary / p.name if p.parent == folder else p).stat().st_size for p in prepared.arrays()]
        write_atomically(temporary / "sizes", " ".join(map(str, sizes)))
        # Another process may have been faster; its copy is the same.
        with contextlib.suppress(OSError):
            os.rename(temporary, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _parts(X: Any) -> dict[str, NDArray[Any]]:
    if isinstance(X, np.ndarray):
        return {"X": np.ascontiguousarray(X)}
    return {"data": X.data, "indices": X.indices, "indptr": X.indptr}


def _save_truth(path: Path, codes: NDArray[np.int32], extras: Mapping[str, NDArray[Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    named = {path.with_suffix(f".{name}.npy"): array for name, array in extras.items()}
    for target, array in ({path: codes} | named).items():
        temporary = target.with_name(f".{target.stem}.{os.getpid()}.npy")
        try:
            np.save(temporary, array)
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
