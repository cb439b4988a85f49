"""A data set from the cache; if it is not there, a child process runs the plugin's loader first."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pubench.data.cache import FEATURES, cache_root, digest
from pubench.data.stored import StoredDataset, read_categories, read_coordinates, read_features, row_order
from pubench.data.truth import read_given, read_posterior, read_split, read_target, record_path, truth_path
from pubench.data.values import Array, Data, GivenLabels
from pubench.errors import DataError
from pubench.plugins.imports import resolve
from pubench.plugins.registry import Registered
from pubench.protocol.replies import Done, Failed, LogLine
from pubench.protocol.requests import LoadRequest
from pubench.sandbox import Sandbox, SandboxError, start_loader
from pubench.sandbox.guard import refuse_in_child
from pubench.specs import Dataset, Params

__all__ = ["as_loaded", "load_stored", "read_stored"]

_FORMAT = 5
# Who wants to see how loading goes listens to this logger; a loader in the child is heard through it too.
_LOG = logging.getLogger("pubench.data")


def load_stored(
    registered: Registered[Dataset],
    params: Params,
    *,
    files: Sequence[str] = (),
    seconds: float = 3600,
    memory_mb: int = 16_384,
) -> StoredDataset:
    """Return the data set from the cache, loading it first if it is not there, in a process of its own."""
    refuse_in_child()
    spec, arguments = registered.spec, {**registered.spec.params, **params}
    key = digest([_FORMAT, spec.name, registered.version, spec.loader, arguments, _identity(spec, arguments)])
    folder = cache_root() / FEATURES / key
    cached = _from_cache(folder)
    if cached is not None:
        return cached
    request = LoadRequest(
        name=spec.name,
        loader=spec.loader,
        card=spec.card,
        params=arguments,
        asked=dict(params),
        files=tuple(files),
        folder=str(folder),
    )
    _load(request, memory_mb, seconds)
    stored = _from_cache(folder)
    if stored is None:
        raise DataError(f"data set '{spec.name}' vanished from the cache {folder}; run again")
    return stored


def _load(request: LoadRequest, memory_mb: int, seconds: float) -> None:
    """Let the child load; its log lines are logged here, and ``ended`` marks the last one."""
    name = request.name
    _LOG.info("loading data set '%s'", name)
    sandbox: Sandbox | None = None
    try:
        sandbox = start_loader(memory_mb)
        sandbox.allow(seconds)
        sandbox.send(request)
        while True:
            match sandbox.receive().message:
                case LogLine(level=level, text=text):
                    _LOG.log(level, "%s", text)
                case Done():
                    return
                case Failed(problem=problem):
                    raise DataError(f"data set '{name}' could not be loaded: {problem.error}")
                case other:
                    raise sandbox.misbehaved(f"sent {type(other).__name__} while it was loading data")
    except SandboxError as failure:
        raise DataError(f"data set '{name}': its loader {failure.problem.error}") from failure
    finally:
        if sandbox is not None:
            sandbox.close()
        _LOG.info("data set '%s': the loader has ended", name, extra={"ended": True})


def _identity(spec: Dataset, arguments: Params) -> object:
    if not spec.identity:
        return None
    try:
        return resolve(spec.identity)(**arguments)
    except DataError as error:
        raise DataError(f"data set '{spec.name}': {error}") from error
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise DataError(f"data set '{spec.name}': its identity raised {reason}") from error


def _from_cache(folder: Path) -> StoredDataset | None:
    """Return what the cache holds; what is not whole is removed, where it can be loaded again."""
    found = read_stored(folder)
    # A program that an algorithm starts sees features without their classes: they are whole, and others use them.
    if found is None and _can_write(truth_path(folder).parent):
        shutil.rmtree(folder, ignore_errors=True)
    return found


def _can_write(folder: Path) -> bool:
    return not folder.exists() or os.access(folder, os.W_OK)


def read_stored(folder: Path) -> StoredDataset | None:
    """Return a cached data set, unless a file is missing or has another size than it was written with."""
    try:
        text = record_path(folder).read_text(encoding="utf-8")
        stored = StoredDataset.from_json(text, folder=folder, truth=truth_path(folder))
        sizes = (folder / "sizes").read_text(encoding="utf-8").split()
        if [str(path.stat().st_size) for path in stored.arrays()] == sizes:
            return stored
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None


def as_loaded(stored: StoredDataset) -> Data:
    """Return a stored data set as its loader returned it: true classes and all, in arrays of its own."""
    place = np.empty(stored.n_rows, dtype=np.int64)
    place[row_order(stored.n_rows)] = np.arange(stored.n_rows)
    X, places = read_features(stored.for_child())[place], read_coordinates(stored.for_child())
    return Data(
        X=X if stored.sparse else np.asarray(X),
        target=_classes(stored)[read_target(stored.truth)[place]],
        feature_names=stored.feature_names,
        categorical=read_categories(stored),
        split=read_split(stored.truth)[place] if stored.has_split else None,
        posterior=read_posterior(stored.truth)[place] if stored.has_posterior else None,
        pu=stored.pu,
        image_shape=stored.image_shape,
        given=_given(stored, place),
        coordinates=None if places is None else np.asarray(places[place]),
    )


def _given(stored: StoredDataset, place: NDArray[np.int64]) -> dict[str, GivenLabels]:
    if not stored.given:
        return {}
    arrays = read_given(stored.truth)[:, :, place]
    return {name: GivenLabels(s, y) for name, (s, y) in zip(stored.given, arrays, strict=True)}


def _classes(stored: StoredDataset) -> Array:
    """Return the classes by their number; in the cache their names are texts, whatever they were."""
    names = stored.classes
    if not stored.target_type:
        return np.asarray(names)
    kind = np.dtype(stored.target_type)
    if kind.kind == "b":
        return np.asarray([name == "True" for name in names])
    return np.asarray([float(name) if kind.kind == "f" else int(name) for name in names], dtype=kind)
