"""Tasks in threads of the driver: each has processes of its own, so that plugins run at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from queue import SimpleQueue

from pubench.run.backends.base import Execution, Finished
from pubench.run.executing import execute
from pubench.run.news import Hear, TrainingNews
from pubench.run.tasks import Outcome, Task
from pubench.run.workplace import Workplace

__all__ = ["Threads"]

_LOOK_SECONDS = 0.5


class Threads:
    """A thread for each worker."""

    def __init__(self, execution: Execution, note: Callable[[str], None]) -> None:
        self.workers = execution.jobs
        self._executor = ThreadPoolExecutor(execution.jobs)
        self._local = threading.local()
        self._workplaces: list[Workplace] = []
        self._futures: dict[Future[Outcome], int] = {}
        self._news: SimpleQueue[TrainingNews] = SimpleQueue()
        self._hear: Hear | None = None

    def listen(self, hear: Hear) -> None:
        """Tell, in the driver's thread, what methods say while they train."""
        self._hear = hear

    def submit(self, number: int, task: Task) -> None:
        """Take a task."""
        self._futures[self._executor.submit(self._work, task)] = number

    def _work(self, task: Task) -> Outcome:
        if not hasattr(self._local, "workplace"):
            self._local.workplace = Workplace(self._news.put)
            self._workplaces.append(self._local.workplace)
        return execute(task, self._local.workplace)

    def wait(self) -> list[Finished]:
        """Wait until a task has finished."""
        done: set[Future[Outcome]] = set()
        while not done:
            # Not without end: a signal that another thread receives does not wake this one.
            done, _ = wait(self._futures, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
            while not self._news.empty():
                news = self._news.get()
                if self._hear is not None:
                    self._hear(news)
        return [Finished(self._futures.pop(future), future.result()) for future in done]

    def close(self, *, at_once: bool = False) -> None:
        """End the threads; tasks under way are ended with their processes."""
        self._executor.shutdown(wait=not at_once, cancel_futures=True)
        for workplace in self._workplaces:
            workplace.close()
