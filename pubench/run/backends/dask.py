"""Tasks on a dask cluster, spoken to directly: joblib's dask backend never wakes when a worker dies."""

from __future__ import annotations

import contextlib
import queue
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from pubench.run.backends.base import Execution
from pubench.run.backends.cluster import Cluster, ClusterError, Heard
from pubench.run.backends.dask_client import connect
from pubench.run.news import Hear, news_text
from pubench.run.remote import Answer, RemoteTask, end_run, work_remotely

__all__ = ["Dask"]

_MOMENT = 0.5
T = TypeVar("T")
_Untyped: TypeAlias = Any  # edge: distributed ships no types


def _work(remote: RemoteTask, *contents: bytes) -> tuple[str, Answer]:
    from distributed import get_worker

    worker, topic = get_worker(), _topic(remote.run)
    return worker.address, work_remotely(
        remote, contents, lambda told: worker.log_event(topic, news_text(told))
    )


def _topic(run: str) -> str:
    """Return the name under which workers tell the driver of a run what methods say while they train."""
    return f"pubench-{run}"


async def _end_run(run: str) -> None:
    end_run(run)


class Dask(Cluster[object]):
    """The workers of a cluster, or of a local one where no address is given."""

    what = "dask scheduler"

    def __init__(self, execution: Execution, note: Callable[[str], None]) -> None:
        super().__init__(execution.address, note)
        try:
            self._client: _Untyped = connect(execution)
        except (OSError, ValueError) as error:
            raise self.unreachable(error) from None
        self._heard: queue.SimpleQueue[_Untyped] = queue.SimpleQueue()
        self._waiting: dict[str, tuple[int, frozenset[str]]] = {}
        self._futures, self._count = dict[str, _Untyped](), 0

    def put(self, content: bytes) -> object:
        """Send some bytes into the cluster's memory, from where each worker fetches them once."""
        self.wait_for_workers()
        return self.ask(lambda: list(self._client.scatter([content], hash=False)))[0]

    def send(self, number: int, remote: RemoteTask, contents: Sequence[object]) -> None:
        """Submit a task, to the workers that are left if some were dropped."""
        self._count += 1
        key, where = f"pubench-{self.run}-{self._count}", frozenset(self.allowed() if self.dropped else ())
        options = {"key": key, "pure": False} | ({"workers": list(where)} if where else {})
        future = self.ask(lambda: self._client.submit(_work, remote, *contents, **options))
        self._waiting[key], self._futures[key] = (number, where), future
        future.add_done_callback(self._heard.put)

    def hear(self) -> list[Heard]:
        """Take what has come back."""
        try:
            future = self._heard.get(timeout=_MOMENT)
        except queue.Empty:
            return []
        if self._futures.pop(future.key, None) is None:
            return []
        number, _ = self._waiting.pop(future.key)
        if future.status == "finished":
            return [(number, *future.result())]
        if future.status in ("cancelled", "lost"):
            raise self.gone()
        if type(error := future.exception()).__name__ == "KilledWorker":
            return [(number, "", None)]
        # A worker that cannot import pubench cannot say so: it fails at whatever it is asked.
        asked = self.ask(lambda: self._client.run(end_run, "", on_error="return"))
        for worker, found in asked.items():
            if found is not None:
                self.drop(worker, f"it cannot run pubench ({type(found).__name__}: {found})")
        if not self.dropped:
            raise ClusterError(f"a worker failed with {type(error).__name__}: {error}")
        return [(number, "", Answer(None, str(error)))]

    def listen(self, hear: Hear) -> None:
        """Have the scheduler pass on what methods say while they train."""
        super().listen(hear)
        self.ask(
            lambda: self._client.subscribe_topic(_topic(self.run), lambda event: self.said.put(event[1]))
        )

    def look(self) -> Mapping[str, int]:
        """Ask the scheduler for its workers; tasks that were meant for workers which are gone are sent again."""
        slots: Mapping[str, int] = self.ask(self._client.nthreads)
        for key, (number, where) in list(self._waiting.items()):
            if where and not where & slots.keys():
                del self._waiting[key]
                self._futures.pop(key).cancel()
                self.again(number)
        return slots

    def ask(self, question: Callable[[], T]) -> T:
        """Ask the scheduler, unless the client has noticed that it is gone."""
        if self._client.status not in ("running", "connecting"):
            raise self.gone()
        return super().ask(question)

    def close(self, *, at_once: bool = False) -> None:
        """Leave the cluster, end this run's processes on it, and a local one as a whole."""
        with contextlib.suppress(Exception), contextlib.closing(self._client):
            if self._client.status == "running":
                self._client.cancel(list(self._futures.values()), force=True)
                self._client.run(_end_run, self.run, wait=False)
