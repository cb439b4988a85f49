"""What a worker keeps from task to task: its processes, and the rows of the last jobs, labelled."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from pubench.data.truth import hidden_places
from pubench.plan.jobs import Job
from pubench.protocol.replies import TrainingStep
from pubench.run.labels import LabelledRows, label_job
from pubench.run.news import Hear, news_of
from pubench.run.tasks import FitTask, TrialTask
from pubench.sandbox import Processes
from pubench.sandbox.early import ALGORITHMS
from pubench.sandbox.fork_server import share
from pubench.sandbox.interpreters import ServerKind

__all__ = ["Workplace"]

_KEPT_ROWS = 4
_METRICS = ServerKind("pubench.evaluator")


class Workplace:
    """The processes of one worker: those that run algorithms, and those that run metrics.

    Parameters
    ----------
    hear : callable, optional
        Is told what methods say while they train.
    """

    def __init__(self, hear: Hear | None = None) -> None:
        self._hear = hear
        self.algorithms = Processes(ALGORITHMS, hidden_places)
        self.metrics = Processes(_METRICS)
        self._rows: OrderedDict[tuple[str, ...], LabelledRows] = OrderedDict()

    def on_step(self, task: TrialTask | FitTask) -> Callable[[TrainingStep], None] | None:
        """Return what takes the steps of a task, if somebody listens."""
        hear = self._hear
        return None if hear is None else lambda step: hear(news_of(task, step))

    def begin(self) -> None:
        """Let the imports of algorithms begin without waiting for them; those of metrics can wait for a task."""
        self.algorithms.begin()

    def share(self) -> tuple[tuple[ServerKind, str], ...]:
        """Return where worker processes find what algorithms import: it takes longest by far."""
        return share([(self.algorithms.kind, self.algorithms.environment())])

    def rows(self, job: Job) -> LabelledRows:
        """Return the rows of a job, labelled; those of the last jobs are kept."""
        key = tuple(cell.key for cell in job.cells)
        if key not in self._rows:
            self._rows[key] = label_job(job)
            while len(self._rows) > _KEPT_ROWS:
                self._rows.popitem(last=False)
        return self._rows[key]

    def kill(self) -> None:
        """End all processes at once, also while another thread waits for one of them."""
        self.algorithms.kill()
        self.metrics.kill()

    def close(self) -> None:
        """End all processes."""
        self._rows.clear()
        self.algorithms.close()
        self.metrics.close()
