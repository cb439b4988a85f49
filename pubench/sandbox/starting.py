"""Starting an interpreter that serves requests: it inherits nothing, and knows only what it is sent."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence

from pubench.sandbox.process import Sandbox
from pubench.sandbox.tree import kill_tree

__all__ = ["start"]


def start(module: str, arguments: Sequence[str], environment: Mapping[str, str]) -> Sandbox:
    """Start an interpreter: ``python -m module DESCRIPTOR WORKER ...`` with these environment variables."""
    ours, theirs = socket.socketpair()
    printed, output = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", module, str(theirs.fileno()), str(os.getpid()), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        pass_fds=(theirs.fileno(),),
        env=dict(environment),
        start_new_session=True,
    )
    theirs.close()
    os.close(output)

    def end(patience: float) -> int:
        try:
            return process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            kill_tree(process.pid)
            return process.wait()

    return Sandbox(ours, printed, process.pid, end)
