"""The processes that run plugins, seen from outside: starting them, their limits, the wire, and why one died.

Names are imported when they are first used: one process is started before anything that takes time is imported.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pubench.sandbox.pool import Processes, TaskLimits, start_loader
    from pubench.sandbox.process import Sandbox, SandboxError

__all__ = ["Processes", "Sandbox", "SandboxError", "TaskLimits", "start_loader"]

_OF_PROCESS = ("Sandbox", "SandboxError")


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"{__name__}.{'process' if name in _OF_PROCESS else 'pool'}")
    return getattr(module, name)
