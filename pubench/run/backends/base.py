"""The seam between the driver and where tasks run: submit a task, and wait for what has finished."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from pubench.errors import PubenchError, did_you_mean
from pubench.run.news import Hear
from pubench.run.tasks import Outcome, Task

__all__ = ["BACKENDS", "Backend", "Execution", "Finished"]

BACKENDS: Mapping[str, str] = {
    "loky": "pubench.run.backends.loky:make",
    "threads": "pubench.run.backends.threads:Threads",
    # joblib's name for it.
    "threading": "pubench.run.backends.threads:Threads",
    "dask": "pubench.run.backends.dask:Dask",
    "ray": "pubench.run.backends.ray:Ray",
}
"""The backends by name, as import strings: clusters need packages that may not be there."""
CLUSTERS = ("dask", "ray")


@dataclass(frozen=True, slots=True)
class Execution:
    """How to run: the number of workers, the backend, and the address of a cluster where there is one."""

    jobs: int = 1
    backend: str = "loky"
    address: str | None = None

    def __post_init__(self) -> None:
        if self.backend not in BACKENDS:
            raise PubenchError(f"backend '{self.backend}' is unknown{did_you_mean(self.backend, BACKENDS)}")
        if self.address is not None and self.backend not in CLUSTERS:
            raise PubenchError(f"backend '{self.backend}' takes no address; use one of {', '.join(CLUSTERS)}")
        if self.address is not None and not self.address.strip():
            raise PubenchError(
                f"the address is empty; give that of the {self.backend} cluster, or leave it out to start one here"
            )
        if self.jobs < 1:
            raise PubenchError(f"jobs = {self.jobs}: at least one cell must run at a time")


@dataclass(frozen=True, slots=True)
class Finished:
    """The outcome of a task; None where its worker was lost."""

    number: int
    outcome: Outcome | None


class Backend(Protocol):
    """Runs tasks in workers."""

    @property
    def workers(self) -> int:
        """How many tasks can run at the same time."""

    def submit(self, number: int, task: Task) -> None:
        """Take a task, to be run when a worker is free."""

    def wait(self) -> list[Finished]:
        """Wait until at least one task has finished, and return those that have."""

    def listen(self, hear: Hear) -> None:
        """Tell what methods say while they train, where workers can be heard; called before the first task."""

    def close(self, *, at_once: bool = False) -> None:
        """End the workers and their processes; with ``at_once`` without waiting for tasks under way."""
