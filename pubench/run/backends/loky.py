"""Tasks in worker processes of this machine, through joblib's loky."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from typing import TypeVar

from pubench.run.backends.base import Backend, Execution, Finished
from pubench.run.backends.inline import Inline
from pubench.run.backends.trackers import start_trackers
from pubench.run.news import Hear, Mailbox, TrainingNews
from pubench.run.tasks import Outcome, Task
from pubench.run.worker import begin, settle, work
from pubench.run.workplace import Workplace

__all__ = ["Loky", "make"]

_LOOK_SECONDS = 0.5
T = TypeVar("T")


def make(execution: Execution, note: Callable[[str], None]) -> Backend:
    """Return worker processes; a single one would only cost its start."""
    return Loky(execution) if execution.jobs > 1 else Inline()


class Loky:
    """A process for each worker."""

    def __init__(self, execution: Execution) -> None:
        self.workers = execution.jobs
        self._futures: dict[Future[Outcome], int] = {}
        start_trackers()
        self._mailbox = Mailbox()
        self._hear: Hear = _ignore
        self._settings = os.getpid(), Workplace().share(), self._mailbox.address
        # Workers start now, and begin with their imports.
        self._submit(begin)

    def listen(self, hear: Hear) -> None:
        """Tell what methods say while they train."""
        self._hear = hear

    def submit(self, number: int, task: Task) -> None:
        """Take a task; workers are started again after one has died."""
        self._futures[self._submit(work, task)] = number

    def _submit(self, function: Callable[..., T], *arguments: object) -> Future[T]:
        from joblib.externals.loky import get_reusable_executor

        with _interrupts_held_back():
            executor = get_reusable_executor(
                max_workers=self.workers, initializer=settle, initargs=self._settings, timeout=600
            )
            future: Future[T] = executor.submit(function, *arguments)
            return future

    def wait(self) -> list[Finished]:
        """Wait until a task has finished, or a worker has died."""
        done: set[Future[Outcome]] = set()
        while not done:
            # Not without end: a signal that another thread receives does not wake this one.
            done, _ = wait(self._futures, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
            for news in self._mailbox.collect():
                self._hear(news)
        return [Finished(self._futures.pop(future), _outcome(future)) for future in done]

    def close(self, *, at_once: bool = False) -> None:
        """End the workers; their children go with them."""
        self._mailbox.close()
        if at_once:
            _ignore_last_words()
        from joblib.externals.loky import get_reusable_executor

        with warnings.catch_warnings(), contextlib.suppress(Exception):
            warnings.simplefilter("ignore")
            executor = get_reusable_executor(max_workers=self.workers, reuse=True, kill_workers=at_once)
            executor.shutdown(wait=not at_once, kill_workers=True)


def _ignore(news: TrainingNews) -> None:
    """Take news that nobody wants."""


def _outcome(future: Future[Outcome]) -> Outcome | None:
    from joblib.externals.loky.process_executor import BrokenProcessPool, TerminatedWorkerError

    try:
        return future.result()
    except (BrokenProcessPool, TerminatedWorkerError, CancelledError):
        return None


def _ignore_last_words() -> None:
    """Silence loky's threads: one may fail on tasks that a stopped run takes away from it."""
    ending = {thread for thread in threading.enumerate() if thread.name == "ExecutorManagerThread"}
    before = threading.excepthook

    def hook(args: threading.ExceptHookArgs) -> None:
        if args.thread not in ending:
            before(args)

    threading.excepthook = hook


@contextlib.contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Block SIGINT while workers start: they inherit that, so that only the driver handles a terminal's Ctrl-C."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
