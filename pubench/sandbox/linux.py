"""What Python does not offer of the Linux kernel: a process's memory, its end, and the orphans below it.

Each function returns whether the kernel agreed; on other systems that is False. Nothing heavy is imported: these
calls are made before a process has threads.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from functools import cache
from typing import Any

__all__ = [
    "call",
    "die_with_parent",
    "is_protected",
    "own_subreaper",
    "prctl",
    "protect_memory",
    "unprotect_memory",
]

_PR_SET_PDEATHSIG, _PR_GET_DUMPABLE, _PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 1, 3, 4, 36


def call(name: str, *arguments: Any) -> int:
    """Call a function of the C library; raise OSError with its error number if it returns -1."""
    result = int(getattr(_library(), name)(*arguments))
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), name)
    return result


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def prctl(option: int, value: int) -> bool:
    """Change a setting of this process, or of this thread for some options."""
    if sys.platform != "linux":
        return False
    try:
        zero = ctypes.c_ulong(0)
        call("prctl", ctypes.c_int(option), ctypes.c_ulong(value), zero, zero, zero)
    except OSError:
        return False
    return True


def protect_memory() -> bool:
    """Keep other processes of this user from reading this process's memory; for processes that hold the truth.

    The process is no longer dumpable: ``/proc/PID/mem`` and its like belong to root, and without CAP_SYS_PTRACE nobody
    may trace it. It also writes no core file. For an ordinary user this takes away, of its own files in ``/proc/self``,
    ``environ``, ``mem``, ``io``, ``clear_refs``, ``oom_score_adj`` and ``uid_map``; ``status``, ``statm``, ``maps`` and
    ``fd`` stay readable, and other processes still read ``status``, ``statm`` and ``stat``. Debuggers and py-spy need
    root. A forked process inherits the setting; a program that is started with exec does not.
    """
    return prctl(_PR_SET_DUMPABLE, 0)


def is_protected() -> bool:
    """Whether the memory of this process is kept from others."""
    if sys.platform != "linux":
        return False
    zero = ctypes.c_ulong(0)
    return call("prctl", ctypes.c_int(_PR_GET_DUMPABLE), zero, zero, zero, zero) == 0


def unprotect_memory() -> bool:
    """Undo :func:`protect_memory`."""
    return prctl(_PR_SET_DUMPABLE, 1)


def own_subreaper() -> bool:
    """Become the parent of every orphan below this process, so that none leaves its tree; it must wait for them."""
    return prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> bool:
    """Let the kernel kill this process when its parent ends, however that happens.

    Parameters
    ----------
    parent : int
        The process that started this one, as it knows itself: if it is gone already, this process ends at once.

    Notes
    -----
    The kernel means the *thread* that started this process: start it from one that lives as long as the parent. The
    setting is lost by fork, so each forked process makes its own call.
    """
    agreed = prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    return agreed
