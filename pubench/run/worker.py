"""What a joblib worker runs: jobs, one after the other, with sandboxes that outlive them."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import OrderedDict

from pubench.plan.jobs import Job
from pubench.results.record import Record
from pubench.run.conversation import run_job
from pubench.sandbox.process import Sandbox

__all__ = ["close_sandboxes", "settle", "work"]

MOST_KEPT = 16
"""Children that a worker keeps alive at a time; the one that was not used for longest makes room.

A suite asks its packages in turn: with one child too few, every cell would start one.
"""

# One child per thread and package: kept alive between jobs because starting one costs more than most cells.
_KEPT = threading.local()


def work(job: Job, driver: int) -> list[Record]:
    """Run a job in this process; ``driver`` is the process that waits for it."""
    if os.getpid() != driver and not getattr(_KEPT, "settled", False):
        settle(os.getppid())
    return run_job(job, _sandbox(job))


def _sandbox(job: Job) -> Sandbox:
    """Return this thread's sandbox for the algorithm's package.

    Packages share no process: what one does to it (patched libraries, threads left behind) affects no other. A child
    that has held true labels never serves an algorithm that must not see any.
    """
    kept: OrderedDict[tuple[object, ...], Sandbox] = _KEPT.__dict__.setdefault("sandboxes", OrderedDict())
    limits, package = job.limits, job.algorithm.estimator.partition(":")[0].partition(".")[0]
    key = (job.algorithm.labels, package, limits.memory_mb, limits.threads)
    if key not in kept:
        while len(kept) >= MOST_KEPT:
            kept.popitem(last=False)[1].close()
        kept[key] = Sandbox(memory_mb=limits.memory_mb, threads=limits.threads)
    kept.move_to_end(key)
    return kept[key]


def close_sandboxes() -> None:
    """End this thread's children."""
    for sandbox in _KEPT.__dict__.pop("sandboxes", {}).values():
        sandbox.close()


def settle(parent: int) -> None:
    """Make a worker process well behaved: only the driver handles SIGINT, and the worker does not outlive it.

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
