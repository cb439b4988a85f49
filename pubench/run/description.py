"""What is in a plugin file, asked of a process that has made the imports which such a file shares with algorithms."""

from __future__ import annotations

import contextlib
from pathlib import Path

from pubench.plugins.discovery import Contents
from pubench.protocol.replies import PluginDescription
from pubench.protocol.requests import DescribePlugin, Prepare
from pubench.run.workplace import Workplace
from pubench.sandbox import SandboxError, TaskLimits

__all__ = ["describe_plugin"]

_SECONDS = 120.0


def describe_plugin(file: Path) -> Contents | None:
    """Return what is in a plugin file, or None if that cannot be found out without loading it here.

    A driver that loads such a file imports scikit-learn with it, while its workers import the same and wait.
    """
    limits = TaskLimits(seconds=_SECONDS, memory_mb=0)
    nothing = Prepare(files=(), imports=())
    with contextlib.suppress(SandboxError), contextlib.closing(Workplace().algorithms) as processes:
        with processes.task(nothing, limits) as process:
            reply = process.ask(DescribePlugin(file=str(file.absolute())), seconds=_SECONDS)
        if isinstance(reply, PluginDescription):
            return Contents({"algorithms": reply.algorithms}, reply.advice)
    return None
