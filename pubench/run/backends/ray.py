"""Tasks on a ray cluster, spoken to directly: joblib's ray backend returns nothing before everything has ended."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pubench.run.backends.base import Execution
from pubench.run.backends.cluster import Cluster, ClusterError, Heard
from pubench.run.backends.ray_mailbox import RayMailbox, sender_to
from pubench.run.news import Hear
from pubench.run.remote import Answer, RemoteTask, work_remotely

__all__ = ["Ray"]

_MOMENT = 0.5
_LOST = ("WorkerCrashedError", "NodeDiedError", "OutOfMemoryError", "ObjectLostError")
"""The errors of ray that say that a worker is gone with its task."""


def _work(remote: RemoteTask, actor: Any, *contents: bytes) -> tuple[str, Answer]:
    import ray

    answer = work_remotely(remote, contents, None if actor is None else sender_to(actor))
    return str(ray.get_runtime_context().get_node_id()), answer


class Ray(Cluster[object]):
    """The processors of a cluster, or of this machine where no address is given."""

    what = "ray cluster"

    def __init__(self, execution: Execution, note: Callable[[str], None]) -> None:
        import ray

        super().__init__(execution.address, note)
        # edge: a cluster is installed only where it is used
        self._ray: Any = ray
        self.failures = (ray.exceptions.RayError, OSError)
        here = {"num_cpus": execution.jobs, "include_dashboard": False}
        where = {"address": execution.address} if execution.address else here
        try:
            self._ray.init(**where, log_to_driver=False, logging_level="ERROR")
        except (ConnectionError, OSError, ValueError, RuntimeError) as error:
            raise self.unreachable(error) from None
        # The driver decides what is run again.
        self._work: Any = self._ray.remote(max_retries=0)(_work)
        self._numbers: dict[object, int] = {}
        self._mailbox: RayMailbox | None = None

    def put(self, content: bytes) -> object:
        """Put some bytes into the object store."""
        return self.ask(lambda: self._ray.put(content))

    def send(self, number: int, remote: RemoteTask, contents: Sequence[object]) -> None:
        """Submit a task; ray itself chooses the node, unless it might choose one that was dropped."""
        work = self._work
        if self.dropped and (nodes := list(self.allowed())):
            from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

            node = nodes[number % len(nodes)]
            # Soft: a node that is gone by then must not keep its tasks waiting.
            work = work.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=True))
        actor = None if self._mailbox is None else self._mailbox.actor
        self._numbers[self.ask(lambda: work.remote(remote, actor, *contents))] = number

    def hear(self) -> list[Heard]:
        """Take what has come back, and the news."""
        for text in self._mailbox.collect() if self._mailbox is not None else ():
            self.said.put(text)
        done, _ = self.ask(
            lambda: self._ray.wait(list(self._numbers), num_returns=1, timeout=_MOMENT, fetch_local=False)
        )
        return [self._heard(reference) for reference in done]

    def _heard(self, reference: object) -> Heard:
        number = self._numbers.pop(reference)
        errors = self._ray.exceptions
        try:
            worker, answer = self._ray.get(reference)
        except tuple(getattr(errors, name) for name in _LOST):
            return number, "", None
        except errors.RayTaskError as error:
            raise ClusterError(f"a worker failed with {error.cause!r}") from None
        except errors.RayError as error:
            raise self.gone(error) from None
        return number, worker, answer

    def listen(self, hear: Hear) -> None:
        """Start an actor that workers tell what methods say while they train."""
        super().listen(hear)
        self._mailbox = self.ask(lambda: RayMailbox(self._ray))

    def look(self) -> Mapping[str, int]:
        """Return the processors of each node."""
        nodes = self.ask(self._ray.nodes)
        return {
            node["NodeID"]: int(node["Resources"].get("CPU", 0))
            for node in nodes
            if node["Alive"] and node["Resources"].get("CPU", 0) >= 1
        }

    def close(self, *, at_once: bool = False) -> None:
        """Leave the cluster, whose workers for this run end; one that was started here ends."""
        with contextlib.suppress(Exception):
            for reference in self._numbers:
                self._ray.cancel(reference, force=True)
            self._ray.shutdown()
