"""Starting an interpreter that serves requests: it inherits nothing, and knows only what it is sent.

Only the standard library is used here, so that one can be started before this process makes its own imports.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = [
    "THREAD_VARIABLES",
    "Interpreter",
    "ServerKind",
    "module_path",
    "plugin_environment",
    "start_interpreter",
    "start_server",
]

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
_LARGE_PAGES = {"PYTHONMALLOC": "malloc", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
"""A fork's cost is the number of pages: Python's objects go to the C library's heap, and that to pages of 2 MB.

Where the kernel or the C library knows no large pages, nothing changes. What is forked gets its run's environment.
"""


@dataclass(frozen=True, slots=True)
class ServerKind:
    """What a fork server runs, and the modules that it imports first."""

    module: str
    imports: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A process that was started, this end of its channel, and the descriptor from which its output can be read."""

    channel: socket.socket
    printed: int
    process: subprocess.Popen[bytes]


def start_interpreter(module: str, arguments: Sequence[str], environment: Mapping[str, str]) -> Interpreter:
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
    return Interpreter(ours, printed, process)


def start_server(kind: ServerKind, environment: Mapping[str, str]) -> Interpreter:
    """Start the interpreter of a fork server."""
    return start_interpreter(kind.module, kind.imports, {**_LARGE_PAGES, **environment})


def plugin_environment() -> dict[str, str]:
    """Return the environment of a process that runs plugins.

    It finds the modules that this process finds and no others. Libraries begin with one thread, so that the process
    can be confined and forked, and hashes of texts are the same in every process.
    """
    fixed = {"PYTHONPATH": os.pathsep.join(module_path()), "PYTHONUNBUFFERED": "1", "PYTHONHASHSEED": "0"}
    return os.environ | dict.fromkeys(THREAD_VARIABLES, "1") | fixed


def module_path() -> tuple[str, ...]:
    """Return where this process finds modules."""
    return tuple(map(os.path.abspath, sys.path))
