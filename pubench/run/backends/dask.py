"""Tasks on a dask cluster, spoken to directly: joblib's dask backend never wakes when a worker dies."""

from __future__ import annotations

from typing import Any

from pubench.run.backends.base import Execution, Finished
from pubench.run.tasks import Task
from pubench.run.worker import work

__all__ = ["Dask"]


class Dask:
    """The workers of a cluster, or of a local one where no address is given."""

    def __init__(self, execution: Execution) -> None:
        from distributed import Client, as_completed

        # edge: distributed ships no types
        client: Any = Client
        options: dict[str, Any] = {} if execution.address else {"n_workers": execution.jobs}
        self._client = client(execution.address, **options)
        self.workers = max(1, sum(self._client.nthreads().values()))
        self._completed: Any = as_completed()
        self._numbers: dict[str, int] = {}

    def submit(self, number: int, task: Task) -> None:
        """Take a task."""
        future = self._client.submit(work, task, pure=False, key=f"pubench-{id(self)}-{number}", retries=0)
        self._numbers[future.key] = number
        self._completed.add(future)

    def wait(self) -> list[Finished]:
        """Wait until a task has finished, or its worker was lost too often."""
        future = next(self._completed)
        number = self._numbers.pop(future.key)
        return [Finished(number, future.result() if future.status == "finished" else None)]

    def close(self, *, at_once: bool = False) -> None:
        """Leave the cluster; a local one is ended."""
        if not at_once:
            from pubench.run.worker import close_workplace

            self._client.run(close_workplace)
        self._client.close()
