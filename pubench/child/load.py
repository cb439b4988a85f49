"""In the child: run a data set plugin's loader, check what it returns, and save it as arrays."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pubench.data.cache import write_atomically
from pubench.data.checks import check_params, checked_data
from pubench.data.stored import StoredDataset, fingerprint, row_order
from pubench.data.truth import record_path, truth_path
from pubench.data.values import Data, Matrix
from pubench.errors import DataError
from pubench.plugins.imports import load_files, resolve
from pubench.protocol.replies import Done, Failed, LogLine
from pubench.protocol.requests import LoadRequest
from pubench.specs import Array, Params
from pubench.status import Problem

if TYPE_CHECKING:
    from pubench.sandbox.channel import Channel

__all__ = ["serve_load"]

_LOG_SECONDS = 0.1
_LOG_CHARACTERS, _FACT_CHARACTERS, _MOST_FACTS = 500, 2_000, 40
Facts = dict[str, str | int]
_LOG = logging.getLogger("pubench.data")


def serve_load(request: LoadRequest, channel: Channel) -> None:
    """Load, check and save the data set that the request names."""
    load_files(request.files)
    try:
        with _forwarded_log(channel):
            loader = resolve(request.loader)
            check_params(loader, request.params)
            data = loader(**request.params)
            facts = _facts(request.card, request.params)
    except DataError as error:
        channel.send(Failed(problem=Problem.of(error)))
        return
    try:
        _save(request, checked_data(request.name, data), facts)
    except OSError as error:
        # NumPy says how many bytes it could not write, but has no error number for it.
        raise DataError(
            f"cannot write the cache {request.folder}: {error.strerror or error}; "
            "make room, or set PUBENCH_CACHE to another folder"
        ) from error
    channel.send(Done())


class _Forwarding(logging.Handler):
    """Forwards log lines of the loader's own thread to the worker, at a limited rate."""

    def __init__(self, channel: Channel) -> None:
        super().__init__(logging.INFO)
        self._channel, self._thread, self._last = channel, threading.get_ident(), 0.0

    def emit(self, record: logging.LogRecord) -> None:
        # Two threads that write at a time would garble the channel.
        if record.thread != self._thread:
            return
        if record.levelno < logging.WARNING:
            if time.monotonic() - self._last < _LOG_SECONDS:
                return
            self._last = time.monotonic()
        text = record.getMessage()[:_LOG_CHARACTERS]
        # A forked copy of this process has no channel.
        with contextlib.suppress(OSError):
            self._channel.send(LogLine(level=record.levelno, text=text))


@contextlib.contextmanager
def _forwarded_log(channel: Channel) -> Iterator[None]:
    """Forward what is logged to ``pubench.data`` to the worker."""
    handler, level = _Forwarding(channel), _LOG.level
    _LOG.addHandler(handler)
    _LOG.setLevel(logging.INFO)
    try:
        yield
    finally:
        _LOG.removeHandler(handler)
        _LOG.setLevel(level)


def _facts(card: str, params: Params) -> Facts:
    """Return what the plugin knows of the data, as short texts and integers; a failing card does not fail the load."""
    if not card:
        return {}
    try:
        found: Mapping[str, object] = resolve(card)(**params)
    except Exception as error:
        _LOG.warning("the card could not be made: %s: %s", type(error).__name__, error)
        return {}
    plain = {
        str(name): value[:_FACT_CHARACTERS] if isinstance(value, str) else value
        for name, value in found.items()
        if isinstance(value, str | int) and value != ""
    }
    return dict(list(plain.items())[:_MOST_FACTS])


def _class_names(target: Array) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    values, codes = np.unique(target, return_inverse=True)
    names = [str(int(v)) if isinstance(v, np.floating) and float(v).is_integer() else str(v) for v in values]
    return tuple(names), codes.astype(np.int32)


def _save(request: LoadRequest, data: Data, facts: Facts) -> None:
    folder = Path(request.folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    order = row_order(data.X.shape[0])
    classes, codes = _class_names(data.target)
    truth = truth_path(folder)
    X = data.X[order]
    parts = _parts(X)
    if data.coordinates is not None:
        parts["coordinates"] = np.asarray(data.coordinates, dtype=np.float64)[order]
    split = None if data.split is None else np.asarray(data.split)[order].astype("U5")
    categorical = tuple(sorted((int(c), len(names)) for c, names in data.categorical.items()))
    posterior = None if data.posterior is None else np.asarray(data.posterior, dtype=np.float64)[order]
    labels = [np.stack([np.asarray(one.s), np.asarray(one.y_test)]) for one in data.given.values()]
    given = np.stack(labels).astype(np.int8)[:, :, order] if labels else None
    named = {"split": split, "posterior": posterior, "given": given}
    extras = {name: array for name, array in named.items() if array is not None}
    hashed = [*parts.values(), codes[order], *extras.values()]
    missing = int(np.isnan(next(iter(parts.values()))).sum())
    missing_codes = sum(int(np.isnan(np.asarray(X[:, column])).sum()) for column in data.categorical)
    temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".tmp-"))
    try:
        for part, array in parts.items():
            np.save(temporary / f"{part}.npy", array)
        _save_truth(truth, codes[order], extras)
        prepared = StoredDataset(
            name=request.name,
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
            params=request.asked,
            facts=facts,
            image_shape=data.image_shape,
            given=tuple(data.given),
            has_coordinates=data.coordinates is not None,
        )
        if data.categorical:
            names = {int(column): list(map(str, found)) for column, found in data.categorical.items()}
            (temporary / "categories.json").write_text(json.dumps(names), encoding="utf-8")
        write_atomically(record_path(folder), prepared.to_json())
        sizes = [(temporary / p.name if p.parent == folder else p).stat().st_size for p in prepared.arrays()]
        write_atomically(temporary / "sizes", " ".join(map(str, sizes)))
        # Another process may have been faster; its copy is the same.
        with contextlib.suppress(OSError):
            os.rename(temporary, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _parts(X: Matrix) -> dict[str, Array]:
    if isinstance(X, np.ndarray):
        return {"X": np.ascontiguousarray(X)}
    return {"data": X.data, "indices": X.indices, "indptr": X.indptr}


def _save_truth(path: Path, codes: NDArray[np.int32], extras: Mapping[str, Array]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    named = {path.with_suffix(f".{name}.npy"): array for name, array in extras.items()}
    for target, array in ({path: codes} | named).items():
        temporary = target.with_name(f".{target.stem}.{os.getpid()}.npy")
        try:
            np.save(temporary, array)
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
