"""One process that has made the imports which all tasks share; the base process of each run is forked from it.

It is kept until the process that started it ends, and runs nothing itself: later runs in the same process, and further
workers, do not pay for the imports again.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass

from pubench.sandbox.process import Sandbox
from pubench.sandbox.starting import start

__all__ = ["ServerKind", "fork_server"]


@dataclass(frozen=True, slots=True)
class ServerKind:
    """What a fork server runs, and the modules that it imports first."""

    module: str
    imports: tuple[str, ...] = ()


# Starting one costs more than most runs of a small suite, so they outlive a run. A forked copy of this process must
# not speak for it: each process has its own.
_KEPT: dict[tuple[int, ServerKind], Sandbox] = {}
_LOCK = threading.Lock()


def fork_server(kind: ServerKind, environment: Mapping[str, str]) -> Sandbox:
    """Return the fork server of a kind, started now if there is none; it may still be importing.

    The environment counts for what libraries read when they are imported; each run brings its own besides.
    """
    key = os.getpid(), kind
    with _LOCK:
        found = _KEPT.get(key)
        if found is None or not found.is_running():
            if found is not None:
                found.close()
            found = _KEPT[key] = start(kind.module, kind.imports, environment)
        return found
