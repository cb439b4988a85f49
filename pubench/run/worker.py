"""What a worker process runs: tasks, one after the other, with a workplace that outlives them."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterable
from contextvars import ContextVar

from pubench.run.executing import execute
from pubench.run.news import Hear, sender
from pubench.run.tasks import Outcome, Task
from pubench.run.workplace import Workplace
from pubench.sandbox.fork_server import use_shared
from pubench.sandbox.interpreters import ServerKind
from pubench.sandbox.linux import protect_memory

__all__ = ["begin", "settle", "work"]

# One workplace per thread of a worker process: starting its processes costs more than most tasks.
_KEPT = threading.local()
# Where news of training go; nowhere unless the driver says so.
_SENDER: ContextVar[Hear | None] = ContextVar("sender", default=None)


def work(task: Task) -> Outcome:
    """Run a task in this worker process."""
    return execute(task, _workplace())


def begin() -> None:
    """Do nothing: a worker that is asked for this has started."""


def _workplace() -> Workplace:
    if not hasattr(_KEPT, "workplace"):
        _KEPT.workplace = Workplace(_SENDER.get())
    workplace: Workplace = _KEPT.workplace
    return workplace


def settle(parent: int, servers: Iterable[tuple[ServerKind, str]], news: str = "") -> None:
    """Make a worker process well behaved: only the driver handles SIGINT, and the worker does not outlive it.

    The parent is named by who knows it: one that died while the worker started is not found by asking. It shares its
    fork servers, and ``news`` is the address of its mailbox.
    """
    if news:
        _SENDER.set(sender(news))
    protect_memory()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    use_shared(servers)
    _workplace().begin()
