"""Tasks on a ray cluster, spoken to directly: joblib's ray backend returns nothing before everything has ended."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pubench.run.backends.base import Execution
from pubench.run.backends.cluster import Cluster, ClusterError, Heard, unreachable
from pubench.run.news import Hear, TrainingNews, news_text
from pubench.run.remote import Answer, RemoteTask, work_remotely

__all__ = ["Ray"]

_MOMENT, _MOST_NEWS = 0.5, 1000
T = TypeVar("T")


def _work(remote: RemoteTask, mailbox: Any, *contents: bytes) -> tuple[str, Answer]:
    import ray

    def send(news: TrainingNews) -> None:
        mailbox.put.remote(news_text(news))

    answer = work_remotely(remote, contents, None if mailbox is None else send)
    return str(ray.get_runtime_context().get_node_id()), answer


class _Mailbox:
    """An actor that keeps what methods say while they train until the driver asks; the oldest make room."""

    def __init__(self) -> None:
        self._said: deque[bytes] = deque(maxlen=_MOST_NEWS)

    def put(self, text: bytes) -> None:
        """Keep news."""
        self._said.append(text)

    def collect(self) -> list[bytes]:
        """Return what was kept, and forget it."""
        said = list(self._said)
        self._said.clear()
        return said


class Ray(Cluster[object]):
    """The processors of a cluster, or of this machine where no address is given."""

    def __init__(self, execution: Execution, note: Callable[[str], None]) -> None:
        import ray

        super().__init__(note)
        # edge: a cluster is installed only where it is used
        self._ray: Any = ray
        self._where = execution.address or "this machine"
        quiet: dict[str, object] = {
            "include_dashboard": False,
            "log_to_driver": False,
            "logging_level": "ERROR",
        }
        here = {"num_cpus": execution.jobs, **quiet}
        cluster = {"address": execution.address, "log_to_driver": False, "logging_level": "ERROR"}
        try:
            self._ray.init(**(cluster if execution.address else here))
        except (ConnectionError, OSError, ValueError, RuntimeError) as error:
            raise unreachable(f"ray cluster answers at {self._where}", error) from None
        # The driver decides what is run again.
        self._work: Any = self._ray.remote(max_retries=0)(_work)
        self._numbers: dict[object, int] = {}
        self._mailbox: Any = None
        self._question: object = None

    def put(self, content: bytes) -> object:
        """Put some bytes into the object store."""
        return self._asked(lambda: self._ray.put(content))

    def send(self, number: int, remote: RemoteTask, contents: Sequence[object]) -> None:
        """Submit a task; ray itself chooses the node, unless it might choose one that was dropped."""
        work = self._work
        if self.dropped and (nodes := list(self.allowed())):
            from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

            node = nodes[number % len(nodes)]
            # Soft: a node that is gone by then must not keep its tasks waiting.
            work = work.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=True))
        self._numbers[self._asked(lambda: work.remote(remote, self._mailbox, *contents))] = number

    def hear(self) -> list[Heard]:
        """Take what has come back."""
        done, _ = self._asked(
            lambda: self._ray.wait(list(self._numbers), num_returns=1, timeout=_MOMENT, fetch_local=False)
        )
        return [self._heard(reference) for reference in done]

    def _heard(self, reference: object) -> Heard:
        number = self._numbers.pop(reference)
        errors = self._ray.exceptions
        try:
            worker, answer = self._ray.get(reference)
        except (
            errors.WorkerCrashedError,
            errors.NodeDiedError,
            errors.OutOfMemoryError,
            errors.ObjectLostError,
        ):
            return number, "", None
        except errors.RayTaskError as error:
            raise ClusterError(f"a worker failed with {error.cause!r}") from None
        except errors.RayError as error:
            raise ClusterError(f"the ray cluster at {self._where} is gone ({error})") from None
        return number, worker, answer

    def listen(self, hear: Hear) -> None:
        """Start an actor that workers tell what methods say while they train."""
        super().listen(hear)
        self._mailbox = self._asked(lambda: self._ray.remote(num_cpus=0)(_Mailbox).remote())
        self._question = self._mailbox.collect.remote()

    def news(self) -> list[bytes]:
        """Return what the actor has answered, and ask again; nobody waits for it, and it may be lost."""
        if self._question is None:
            return []
        with contextlib.suppress(self._ray.exceptions.RayError):
            if not self._ray.wait([self._question], timeout=0)[0]:
                return []
            said: list[bytes] = self._ray.get(self._question)
            self._question = self._mailbox.collect.remote()
            return said
        self._question = None
        return []

    def look(self) -> Mapping[str, int]:
        """Return the processors of each node."""
        nodes = self._asked(self._ray.nodes)
        return {
            node["NodeID"]: int(node["Resources"].get("CPU", 0))
            for node in nodes
            if node["Alive"] and node["Resources"].get("CPU", 0) >= 1
        }

    def _asked(self, question: Callable[[], T]) -> T:
        try:
            return question()
        except (self._ray.exceptions.RayError, ConnectionError, OSError) as error:
            raise ClusterError(f"the ray cluster at {self._where} is gone ({error})") from None

    def close(self, *, at_once: bool = False) -> None:
        """Leave the cluster, whose workers for this run end; one that was started here ends."""
        with contextlib.suppress(Exception):
            for reference in self._numbers:
                self._ray.cancel(reference, force=True)
            self._ray.shutdown()
