"""Preparing a data set: a child process runs the plugin's loader and saves checked arrays into the cache."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pubench.cache import cache_root, digest, write_atomically
from pubench.data import Data
from pubench.errors import DataError
from pubench.imports import load_files, resolve
from pubench.messages import Message
from pubench.prepared import Prepared
from pubench.registry import Registered
from pubench.sandbox import Sandbox, SandboxError
from pubench.specs import Dataset

if TYPE_CHECKING:
    from pubench.child import Channel

__all__ = ["prepare", "serve_load"]

_FORMAT = 2
_ROW_ORDER = 20030821
_KEPT_TYPES = (np.float64, np.float32, np.uint8)


def prepare(
    registered: Registered[Dataset],
    params: Mapping[str, Any],
    *,
    files: Sequence[str] = (),
    seconds: float = 3600,
    memory_mb: int = 16_384,
) -> Prepared:
    """Return the data set from the cache, loading it first if it is not there, in a process of its own."""
    spec, arguments = registered.spec, {**registered.spec.params, **params}
    key = digest([_FORMAT, spec.name, registered.version, spec.loader, arguments, _identity(spec, arguments)])
    folder = cache_root() / "prepared" / key
    cached = _from_cache(folder)
    if cached is not None:
        return cached
    request = {"kind": "load", "name": spec.name, "loader": spec.loader, "params": arguments}
    sandbox = Sandbox(memory_mb=memory_mb)
    try:
        sandbox.send(request | {"files": list(files), "folder": str(folder)}, seconds=seconds)
        reply = sandbox.receive(seconds=seconds)
    except SandboxError as failure:
        raise DataError(f"data set '{spec.name}': its loader {failure.reason}") from failure
    finally:
        sandbox.close()
    if reply.kind == "failed":
        raise DataError(f"data set '{spec.name}' could not be loaded: {reply.header['error']}")
    prepared = _from_cache(folder)
    if prepared is None:
        raise DataError(f"data set '{spec.name}' vanished from the cache {folder}; run again")
    return prepared


def _identity(spec: Dataset, arguments: Mapping[str, Any]) -> Any:
    if not spec.identity:
        return None
    try:
        return resolve(spec.identity)(**arguments)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise DataError(f"data set '{spec.name}': its identity raised {reason}") from error


def _from_cache(folder: Path) -> Prepared | None:
    """Return what the cache holds, unless a file is missing or has another size than it was written with."""
    try:
        prepared = Prepared.from_json((folder / "meta.json").read_text(encoding="utf-8"))
        sizes = (folder / "sizes").read_text(encoding="utf-8").split()
        if [str(path.stat().st_size) for path in prepared.arrays()] == sizes:
            return prepared
    except (OSError, ValueError, KeyError, TypeError):
        pass
    shutil.rmtree(folder, ignore_errors=True)
    return None


def serve_load(message: Message, channel: Channel) -> None:
    """In the child: load, check and save the data set named by the request."""
    request = message.header
    load_files(request["files"])
    try:
        data = resolve(request["loader"])(**request["params"])
    except DataError as error:
        channel.send({"kind": "failed", "error": str(error)})
        return
    try:
        _save(request["name"], _checked(request["name"], data), Path(request["folder"]))
    except OSError as error:
        raise DataError(f"cannot write the cache {request['folder']}: {error.strerror}") from error
    channel.send({"kind": "loaded"})


def _checked(name: str, data: Any) -> Data:
    """Return the data with X as float or CSR matrix, or say what is wrong with what the loader returned."""
    from scipy.sparse import csr_array, issparse

    if not isinstance(data, Data):
        raise DataError(f"the loader of '{name}' returned {type(data).__name__}, not pubench.data.Data")
    sparse = issparse(data.X)
    X: Any = csr_array(data.X) if sparse else np.asarray(data.X)
    values: NDArray[Any] = X.data if sparse else X
    if X.ndim != 2 or values.dtype.kind not in "fiub":
        raise DataError(f"'{name}': X must be a matrix of numbers, not {X.ndim}-dimensional {values.dtype}")
    target = np.asarray(data.target)
    if target.shape != (X.shape[0],):
        raise DataError(f"'{name}': target has shape {target.shape}, X has {X.shape[0]} rows")
    if X.shape[0] == 0 or X.shape[1] == 0:
        raise DataError(f"'{name}' is empty: {X.shape[0]} rows, {X.shape[1]} features")
    if np.isinf(values).any():
        raise DataError(f"'{name}' holds infinite values; clip them or set them missing (NaN)")
    if values.dtype not in _KEPT_TYPES:
        X = X.astype(np.float64)
    if data.split is not None and not set(np.unique(data.split)) <= {"train", "test"}:
        raise DataError(f"'{name}': split must say 'train' or 'test' for each row")
    return Data(X, target, tuple(map(str, data.feature_names)), data.categorical, data.split)


def _class_names(target: NDArray[Any]) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    values, codes = np.unique(target, return_inverse=True)
    names = [str(int(v)) if isinstance(v, np.floating) and float(v).is_integer() else str(v) for v in values]
    return tuple(names), codes.astype(np.int32)


def _save(name: str, data: Data, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    order = np.random.default_rng(_ROW_ORDER).permutation(data.X.shape[0])
    classes, codes = _class_names(data.target)
    # The truth lies in a folder of its own: whoever is told where the features are is not told where it is.
    truth = cache_root() / "truth" / f"{digest(['truth', folder.name])}.npy"
    X = data.X[order]
    parts = _parts(X)
    split = None if data.split is None else np.asarray(data.split)[order].astype("U5")
    categorical = tuple(sorted((int(c), len(names)) for c, names in data.categorical.items()))
    hashed = [*parts.values(), codes[order], *([] if split is None else [split])]
    temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".tmp-"))
    try:
        for part, array in parts.items():
            np.save(temporary / f"{part}.npy", array)
        _save_truth(truth, codes[order], split)
        prepared = Prepared(
            name=name,
            folder=str(folder),
            truth=str(truth),
            fingerprint=_fingerprint(hashed, (classes, categorical)),
            n_rows=X.shape[0],
            n_features=X.shape[1],
            sparse="indptr" in parts,
            missing=int(np.isnan(next(iter(parts.values()))).sum()),
            classes=classes,
            counts=tuple(np.bincount(codes, minlength=len(classes)).tolist()),
            categorical=categorical,
            has_split=data.split is not None,
            feature_names=data.feature_names,
        )
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


def _save_truth(path: Path, codes: NDArray[np.int32], split: NDArray[Any] | None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    files = {path: codes} | ({path.with_suffix(".split.npy"): split} if split is not None else {})
    for target, array in files.items():
        temporary = target.with_name(f".{target.stem}.{os.getpid()}.npy")
        np.save(temporary, array)
        os.replace(temporary, target)


def _fingerprint(arrays: Sequence[NDArray[Any]], facts: object) -> str:
    sha = hashlib.sha256(repr(facts).encode())
    for array in arrays:
        sha.update(f"{array.dtype.str}{array.shape}".encode())
        sha.update(np.ascontiguousarray(array).view(np.uint8).data)
    return sha.hexdigest()[:32]
