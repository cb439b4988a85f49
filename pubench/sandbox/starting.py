"""From a started interpreter to a process that can be asked."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence

from pubench.sandbox.interpreters import Interpreter, start_interpreter
from pubench.sandbox.process import Sandbox
from pubench.sandbox.tree import kill_tree

__all__ = ["sandbox_of", "start"]


def start(module: str, arguments: Sequence[str], environment: Mapping[str, str]) -> Sandbox:
    """Start an interpreter that serves requests."""
    return sandbox_of(start_interpreter(module, arguments, environment))


def sandbox_of(interpreter: Interpreter) -> Sandbox:
    """Return the process of an interpreter; it may still be importing."""
    process = interpreter.process

    def end(patience: float) -> int:
        try:
            return process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            kill_tree(process.pid)
            return process.wait()

    return Sandbox(interpreter.channel, interpreter.printed, process.pid, end)
