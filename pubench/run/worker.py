"""What a worker process runs: tasks, one after the other, with a workplace that outlives them."""

from __future__ import annotations

import os
import signal
import threading
import time

from pubench.run.executing import execute
from pubench.run.tasks import Outcome, Task
from pubench.run.workplace import Workplace
from pubench.sandbox.linux import protect_memory

__all__ = ["close_workplace", "settle", "work"]

# One workplace per thread of a worker process: starting its processes costs more than most tasks.
_KEPT = threading.local()


def work(task: Task) -> Outcome:
    """Run a task in this worker process."""
    if not hasattr(_KEPT, "workplace"):
        _KEPT.workplace = Workplace()
    return execute(task, _KEPT.workplace)


def close_workplace() -> None:
    """End the processes of this thread."""
    workplace: Workplace | None = _KEPT.__dict__.pop("workplace", None)
    if workplace is not None:
        workplace.close()


def settle(parent: int) -> None:
    """Make a worker process well behaved: only the driver handles SIGINT, and the worker does not outlive it.

    The parent is named by who knows it: one that died while the worker started is not found by asking.
    """
    protect_memory()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
