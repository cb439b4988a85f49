"""A data set from the cache; if it is not there, a child process runs the plugin's loader first."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pubench.cache import cache_root, digest
from pubench.errors import DataError
from pubench.imports import resolve
from pubench.prepared import Prepared
from pubench.registry import Registered
from pubench.sandbox import Sandbox, SandboxError
from pubench.specs import Dataset

__all__ = ["cached", "empty_cache", "forget", "prepare"]

_FORMAT = 3


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
    except DataError as error:
        raise DataError(f"data set '{spec.name}': {error}") from error
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise DataError(f"data set '{spec.name}': its identity raised {reason}") from error


def _from_cache(folder: Path) -> Prepared | None:
    """Return what the cache holds; what is not whole is removed."""
    found = _read(folder)
    if found is None:
        shutil.rmtree(folder, ignore_errors=True)
    return found


def _read(folder: Path) -> Prepared | None:
    """Return a cached data set, unless a file is missing or has another size than it was written with."""
    try:
        prepared = Prepared.from_json((folder / "meta.json").read_text(encoding="utf-8"))
        sizes = (folder / "sizes").read_text(encoding="utf-8").split()
        if [str(path.stat().st_size) for path in prepared.arrays()] == sizes:
            return prepared
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None


def cached() -> list[Prepared]:
    """Return what the cache holds, sorted by name; entries that are not whole are left out."""
    folders = (cache_root() / "prepared").glob("[0-9a-f]*")
    found = [entry for folder in folders if (entry := _read(folder)) is not None]
    return sorted(found, key=lambda entry: (entry.name, entry.fingerprint))


def forget(prepared: Prepared) -> None:
    """Remove a data set from the cache."""
    for path in prepared.arrays():
        path.unlink(missing_ok=True)
    shutil.rmtree(prepared.folder, ignore_errors=True)


def empty_cache() -> None:
    """Remove everything that pubench keeps in its cache folder, and nothing else."""
    (cache_root() / "checked.json").unlink(missing_ok=True)
    for name in ("prepared", "truth", "openml"):
        shutil.rmtree(cache_root() / name, ignore_errors=True)
