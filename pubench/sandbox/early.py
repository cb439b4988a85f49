"""What a run starts before anything else: the process that imports scikit-learn, which takes longest."""

from __future__ import annotations

import os
import sys

from pubench.sandbox.guard import child_environment
from pubench.sandbox.interpreters import Interpreter, ServerKind, plugin_environment, start_server

__all__ = ["ALGORITHMS", "begin_imports", "take_early"]

ALGORITHMS = ServerKind("pubench.child", ("pubench.base", "pubench.child.final_fit", "pubench.child.trial"))
"""The fork server of the processes that run algorithms."""

_STARTED: dict[tuple[int, ServerKind], Interpreter] = {}


def begin_imports() -> None:
    """Start the fork server of algorithms; nothing waits for it, and the first who needs it takes it over."""
    if sys.platform == "linux":
        # Nothing to hide yet: each run hides its places in the processes that it forks.
        _STARTED[os.getpid(), ALGORITHMS] = start_server(ALGORITHMS, child_environment(plugin_environment()))


def take_early(kind: ServerKind) -> Interpreter | None:
    """Hand over the fork server of a kind, if this process has started it early and nobody has taken it."""
    return _STARTED.pop((os.getpid(), kind), None)
