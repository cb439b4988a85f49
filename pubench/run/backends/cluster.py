"""What all clusters share: tasks travel with their needs, and a worker's own trouble has them run elsewhere."""

from __future__ import annotations

import queue
import time
import uuid
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from pubench.errors import PubenchError
from pubench.plan.jobs import Job
from pubench.run.backends.base import Finished
from pubench.run.news import Hear, read_news
from pubench.run.remote import Answer, RemoteTask
from pubench.run.software import Software, packages_of, software_here
from pubench.run.tasks import Task

__all__ = ["Cluster", "ClusterError", "Heard"]

_STRIKES, _PAUSE = 3, 0.5
LOOK_SECONDS = 5.0
PATIENCE_SECONDS = 600.0
"""How long a run waits for workers while there is none."""
R = TypeVar("R")
T = TypeVar("T")
Heard = tuple[int, str, Answer | None]
"""The number of a task, the worker that ran it, and its answer; None where the worker was lost."""


class ClusterError(PubenchError):
    """A cluster cannot go on; what is finished is stored."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"{reason}; finished cells are stored: run the same command again to continue")


class Cluster(ABC, Generic[R]):
    """Hands tasks to workers that share nothing with this process; a kind of cluster says how.

    ``what`` is what answers in its place, ``failures`` are the errors of a cluster that is gone.
    """

    what: ClassVar[str] = "cluster"
    failures: tuple[type[Exception], ...] = (OSError,)

    def __init__(self, address: str | None, note: Callable[[str], None]) -> None:
        self.run = uuid.uuid4().hex
        self.where = address or "this machine"
        self.note = note
        self.dropped: dict[str, str] = {}
        self._sent: dict[str, list[R]] = {}
        self._software: dict[frozenset[str], Software] = {}
        self._tasks: dict[int, RemoteTask] = {}
        self._strikes: Counter[str] = Counter()
        self._slots: Mapping[str, int] = {}
        self._listener: Hear | None = None
        self.said: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._looked = self._seen = time.monotonic() - LOOK_SECONDS
        self._is_waiting = False

    @abstractmethod
    def put(self, content: bytes) -> R:
        """Make some bytes available to all workers, and return a reference to them."""

    @abstractmethod
    def send(self, number: int, remote: RemoteTask, contents: Sequence[R]) -> None:
        """Have a task run by a worker that was not dropped; what is referred to comes to the worker with it."""

    @abstractmethod
    def hear(self) -> list[Heard]:
        """Wait a moment and return what has come back, which may be nothing."""

    @abstractmethod
    def look(self) -> Mapping[str, int]:
        """Return how many tasks each worker runs at a time; raise ClusterError if the cluster is gone."""

    def unreachable(self, error: Exception) -> PubenchError:
        """Return the error of a cluster that was never reached."""
        return PubenchError(f"no {self.what} answers at {self.where} ({error}); start it, or check --address")

    def gone(self, error: Exception | None = None) -> ClusterError:
        """Return the error of a cluster that has answered before."""
        return ClusterError(f"the {self.what} at {self.where} is gone" + (f" ({error})" if error else ""))

    def ask(self, question: Callable[[], T]) -> T:
        """Return what the cluster answers; raise ClusterError if it is gone."""
        try:
            return question()
        except self.failures as error:
            raise self.gone(error) from None

    @property
    def workers(self) -> int:
        """How many tasks can run at the same time."""
        return max(1, sum(self.allowed().values()))

    def allowed(self) -> dict[str, int]:
        """Return the workers that may be used, as they were seen in the last seconds."""
        if time.monotonic() - self._looked >= LOOK_SECONDS:
            self._slots, self._looked = self.look(), time.monotonic()
        found = {worker: slots for worker, slots in self._slots.items() if worker not in self.dropped}
        self._mind(bool(found))
        return found

    def _mind(self, there_are_workers: bool) -> None:
        """Wait for workers with a visible message, and not for ever."""
        now = time.monotonic()
        if there_are_workers:
            self._seen, self._is_waiting = now, False
            return
        if self._slots:
            reasons = "; ".join(f"{worker}: {trouble}" for worker, trouble in self.dropped.items())
            raise ClusterError(f"no worker of the cluster can be used ({reasons})")
        if now - self._seen > PATIENCE_SECONDS:
            raise ClusterError(f"the cluster has had no worker for {PATIENCE_SECONDS:g} seconds")
        if not self._is_waiting:
            self._is_waiting = True
            self.note(f"the cluster has no worker; waiting for one up to {PATIENCE_SECONDS:g} seconds")

    def wait_for_workers(self) -> None:
        """Wait until there is a worker."""
        while not self.allowed():
            time.sleep(_PAUSE)
            self._looked = 0.0

    def submit(self, number: int, task: Task) -> None:
        """Take a task, to be run when a worker is free."""
        job = task.job
        files = {file: Path(file).read_bytes() for file in job.files}
        self._tasks[number] = RemoteTask(self.run, task, self._wanted(job), files)
        self.again(number)

    def listen(self, hear: Hear) -> None:
        """Tell what methods say while they train, as far as it is put into ``said``; kinds of clusters say how."""
        self._listener = hear

    def _tell(self) -> None:
        while not self.said.empty():
            told = read_news(self.said.get())
            if self._listener is not None and told is not None:
                self._listener(told)

    def wait(self) -> list[Finished]:
        """Wait until at least one task has finished, and return those that have."""
        finished: list[Finished] = []
        while not finished:
            self.allowed()
            heard = self.hear()
            self._tell()
            for number, worker, answer in heard:
                if answer is not None and answer.outcome is None:
                    self._retry(number, worker, answer)
                    continue
                del self._tasks[number]
                self._strikes.pop(worker, None)
                finished.append(Finished(number, None if answer is None else answer.outcome))
        return finished

    def again(self, number: int) -> None:
        """Send a task, also one that nobody will answer any more."""
        remote = self._tasks[number]
        # Workers with a disk of ours have the data: they are sent only after one has asked for them.
        self.send(number, remote, self._sent.get(remote.task.job.data.stored.fingerprint, ()))

    def _retry(self, number: int, worker: str, answer: Answer) -> None:
        """Run a task again that a worker could not run: with its data, or elsewhere."""
        stored = self._tasks[number].task.job.data.stored
        if not answer.lacks_data:
            self._strike(worker, answer)
        elif stored.fingerprint not in self._sent:
            self._sent[stored.fingerprint] = [self.put(path.read_bytes()) for path in stored.arrays()]
        self.again(number)

    def _strike(self, worker: str, answer: Answer) -> None:
        """Count the trouble of a worker, and drop one whose trouble does not end."""
        self._strikes[worker] += 1
        if answer.refused or self._strikes[worker] >= _STRIKES:
            self.drop(worker, answer.trouble)

    def drop(self, worker: str, trouble: str) -> None:
        """Use a worker no more, and say why."""
        if worker not in self.dropped:
            self.dropped[worker] = trouble
            self.note(f"worker {worker} is not used: {trouble}")

    def _wanted(self, job: Job) -> Software:
        packages = packages_of([job])
        if packages not in self._software:
            self._software[packages] = software_here(packages)
        return self._software[packages]
