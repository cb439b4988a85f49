"""What a worker keeps from task to task: its processes, and the rows of the last jobs, labelled."""

from __future__ import annotations

from collections import OrderedDict

from pubench.data.truth import hidden_places
from pubench.plan.jobs import Job
from pubench.run.labels import LabelledRows, label_job
from pubench.sandbox import Processes

__all__ = ["Workplace"]

_KEPT_ROWS = 4


class Workplace:
    """The processes of one worker: those that run algorithms, and those that run metrics."""

    def __init__(self) -> None:
        self.algorithms = Processes("pubench.child", hidden_places())
        self.metrics = Processes("pubench.evaluator")
        self._rows: OrderedDict[tuple[str, ...], LabelledRows] = OrderedDict()

    def rows(self, job: Job) -> LabelledRows:
        """Return the rows of a job, labelled; those of the last jobs are kept."""
        key = tuple(cell.key for cell in job.cells)
        if key not in self._rows:
            self._rows[key] = label_job(job)
            while len(self._rows) > _KEPT_ROWS:
                self._rows.popitem(last=False)
        return self._rows[key]

    def close(self) -> None:
        """End all processes."""
        self._rows.clear()
        self.algorithms.close()
        self.metrics.close()
