"""Tasks one after the other, in the driver's own process."""

from __future__ import annotations

from collections import deque

from pubench.run.backends.base import Finished
from pubench.run.executing import execute
from pubench.run.news import Hear, TrainingNews
from pubench.run.tasks import Task
from pubench.run.workplace import Workplace
from pubench.sandbox.linux import is_protected, protect_memory, unprotect_memory

__all__ = ["Inline"]


class Inline:
    """One worker: this process. Plugins run in processes of their own here too."""

    workers = 1

    def __init__(self) -> None:
        # While there is truth in this process, its memory is closed to those that it starts.
        self._was_protected = is_protected()
        protect_memory()
        self._hear: Hear | None = None
        self._workplace = Workplace(self._tell)
        self._workplace.begin()
        self._tasks: deque[tuple[int, Task]] = deque()

    def listen(self, hear: Hear) -> None:
        """Tell what methods say while they train."""
        self._hear = hear

    def _tell(self, news: TrainingNews) -> None:
        if self._hear is not None:
            self._hear(news)

    def submit(self, number: int, task: Task) -> None:
        """Take a task."""
        self._tasks.append((number, task))

    def wait(self) -> list[Finished]:
        """Run the next task."""
        number, task = self._tasks.popleft()
        return [Finished(number, execute(task, self._workplace))]

    def close(self, *, at_once: bool = False) -> None:
        """End the processes."""
        self._workplace.close()
        if not self._was_protected:
            unprotect_memory()
