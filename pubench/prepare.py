"""A data set from the cache; if it is not there, a child process runs the plugin's loader first."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pubench.cache import cache_root, digest
from pubench.cached import read_prepared
from pubench.errors import DataError
from pubench.imports import resolve
from pubench.messages import Message
from pubench.prepared import Prepared
from pubench.registry import Registered
from pubench.sandbox import Sandbox, SandboxError
from pubench.specs import Dataset

__all__ = ["prepare"]

_FORMAT = 5
# Who wants to see how loading goes listens to this logger; a loader in the child is heard through it too.
_LOG = logging.getLogger("pubench.data")


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
    request = {
        "kind": "load",
        "name": spec.name,
        "loader": spec.loader,
        "card": spec.card,
        "params": arguments,
        "asked": dict(params),
        "files": list(files),
        "folder": str(folder),
    }
    reply = _loaded(spec.name, request, Sandbox(memory_mb=memory_mb), seconds)
    if reply.kind == "failed":
        raise DataError(f"data set '{spec.name}' could not be loaded: {reply.header['error']}")
    prepared = _from_cache(folder)
    if prepared is None:
        raise DataError(f"data set '{spec.name}' vanished from the cache {folder}; run again")
    return prepared


def _loaded(name: str, request: dict[str, Any], sandbox: Sandbox, seconds: float) -> Message:
    """Let the child load; what it tells meanwhile is logged here, ``ended`` marks the last word about it."""
    _LOG.info("loading data set '%s'", name)
    deadline = time.monotonic() + seconds
    try:
        sandbox.send(request, seconds=seconds)
        while True:
            reply = sandbox.receive(seconds=deadline - time.monotonic())
            if reply.kind != "told":
                return reply
            _LOG.log(int(reply.header["level"]), "%s", reply.header["text"])
    except SandboxError as failure:
        raise DataError(f"data set '{name}': its loader {failure.reason}") from failure
    finally:
        sandbox.close()
        _LOG.info("data set '%s': the loader has ended", name, extra={"ended": True})


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
    found = read_prepared(folder)
    if found is None:
        shutil.rmtree(folder, ignore_errors=True)
    return found
