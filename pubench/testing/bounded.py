"""Commands with a time limit: what a plugin does in them cannot stop the check."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence

__all__ = ["ended_badly", "run_python"]


def run_python(
    arguments: Sequence[str], *, seconds: float, variables: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """Run this Python with arguments; return its exit code and what it wrote, code -SIGKILL after the time limit."""
    # A file and not a pipe: processes that a plugin leaves behind may keep it open.
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(
            # Not the modules of the current folder: one may have the name of the plugin.
            [sys.executable, "-P", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=os.environ | (variables or {}),
            start_new_session=True,
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(seconds)
        if child.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
        code = child.wait()
        output.seek(0)
        return code, output.read().decode(errors="replace").strip()


def ended_badly(code: int, seconds: float, last: str) -> str:
    """Return how a process ended, as a sentence about it."""
    if code == -signal.SIGKILL:
        return f"it did not end within {seconds:g} seconds and was stopped"
    if code < 0:
        return f"it killed its process with {signal.Signals(-code).name}"
    return f"it ended its process with code {code}: {last}"
