"""Tasks on a ray cluster, spoken to directly: joblib's ray backend returns nothing before everything has ended."""

from __future__ import annotations

from typing import Any

from pubench.run.backends.base import Execution, Finished
from pubench.run.tasks import Task
from pubench.run.worker import work

__all__ = ["Ray"]


class Ray:
    """The processors of a cluster, or of this machine where no address is given."""

    def __init__(self, execution: Execution) -> None:
        import ray

        # edge: ray ships no types
        self._ray: Any = ray
        local = {} if execution.address else {"num_cpus": execution.jobs}
        ray.init(address=execution.address, ignore_reinit_error=True, **local)
        self.workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._work: Any = ray.remote(max_retries=0)(work)
        self._numbers: dict[Any, int] = {}

    def submit(self, number: int, task: Task) -> None:
        """Take a task."""
        self._numbers[self._work.remote(task)] = number

    def wait(self) -> list[Finished]:
        """Wait until a task has finished, or its worker was lost."""
        done, _ = self._ray.wait(list(self._numbers), num_returns=1)
        return [self._finished(reference) for reference in done]

    def _finished(self, reference: Any) -> Finished:
        number = self._numbers.pop(reference)
        try:
            return Finished(number, self._ray.get(reference))
        except self._ray.exceptions.RayError:
            return Finished(number, None)

    def close(self, *, at_once: bool = False) -> None:
        """Leave the cluster; one that was started here ends."""
        self._ray.shutdown()
