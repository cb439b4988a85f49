"""What a joblib worker runs: jobs, one after the other, with sandboxes that outlive them."""

from __future__ import annotations

import os
import signal
import threading
import time

from pubench.cell import Record, run_job
from pubench.jobs import Job, Limits
from pubench.sandbox import Sandbox

__all__ = ["close_sandboxes", "settle", "work"]

# One child per thread and kind: kept alive between jobs because starting one costs more than most cells.
_KEPT = threading.local()


def work(job: Job, driver: int) -> list[Record]:
    """Run a job in this process; ``driver`` is the process that waits for it."""
    if os.getpid() != driver and not getattr(_KEPT, "settled", False):
        settle(os.getppid())
    return run_job(job, _sandbox(job.algorithm.labels == "true", job.limits))


def _sandbox(sees_truth: bool, limits: Limits) -> Sandbox:
    """Return this thread's sandbox; one that has held true labels never serves an algorithm that must not see any."""
    kept: dict[bool, Sandbox] = _KEPT.__dict__.setdefault("sandboxes", {})
    found = kept.get(sees_truth)
    if found is None or (found.memory_mb, found.threads) != (limits.memory_mb, limits.threads):
        if found is not None:
            found.close()
        found = kept[sees_truth] = Sandbox(memory_mb=limits.memory_mb, threads=limits.threads)
    return found


def close_sandboxes() -> None:
    """End this thread's children."""
    for sandbox in _KEPT.__dict__.pop("sandboxes", {}).values():
        sandbox.close()


def settle(parent: int) -> None:
    """Make a worker process well behaved: Ctrl-C is the driver's affair, and it does not outlive its parent.

    The parent is named by who knows it: one that died while the worker started is not found by asking.
    """
    _KEPT.settled = True
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
