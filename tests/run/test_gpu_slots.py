"""Tasks that need a GPU do not share it, unless somebody says so; others run beside them."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from helpers.suites import plan

from pubench.errors import PubenchError
from pubench.plan.jobs import Job
from pubench.results.record import Record
from pubench.run.asking import prepare_algorithm
from pubench.run.backends import Finished
from pubench.run.driver import gpu_slots, run_jobs
from pubench.run.tasks import Outcome, RowCounts
from pubench.status import Status


class FourWorkers:
    """Finishes the task that it was given first, and remembers how many with a GPU it had at a time."""

    workers = 4

    def __init__(self):
        self.tasks, self.with_gpu, self.at_a_time = {}, [], []

    def submit(self, number, task):
        self.tasks[number] = task
        self.with_gpu.append(sum(one.job.algorithm.gpu for one in self.tasks.values()))
        self.at_a_time.append(len(self.tasks))

    def wait(self):
        number = next(iter(self.tasks))
        self.tasks.pop(number)
        record = Record(key="", status=Status.OK, fit_seconds=0.1)
        return [Finished(number, Outcome(RowCounts(1, 1, 1, 0.5, ()), record))]


class NoStore:
    def append(self, record):
        pass


def jobs_with_gpu() -> list[Job]:
    """Return jobs of which every second one needs a GPU."""
    found = plan(replicates=8).jobs
    needing = msgspec.structs.replace(found[0].algorithm, gpu=True)
    return [replace(job, algorithm=needing) if i % 2 else job for i, job in enumerate(found)]


@pytest.mark.parametrize("slots", [1, 2])
def test_at_most_as_many_tasks_use_the_gpu_as_there_are_slots(monkeypatch, slots):
    monkeypatch.setenv("PUBENCH_GPU_SLOTS", str(slots))
    backend, ended = FourWorkers(), []
    jobs = jobs_with_gpu()
    run_jobs(jobs, NoStore(), backend, lambda cell, record: ended.append(cell.key))
    assert max(backend.with_gpu) == slots
    assert max(backend.at_a_time) > slots
    assert len(ended) == sum(len(job.cells) for job in jobs)


def test_what_uses_a_gpu_is_not_warmed_up():
    other, needing = jobs_with_gpu()[:2]
    assert prepare_algorithm(other)[1] is not None
    assert prepare_algorithm(needing)[1] is None


def test_slots_are_a_number():
    assert gpu_slots({}) == 1
    with pytest.raises(PubenchError, match="PUBENCH_GPU_SLOTS = 'two' is not a whole number"):
        gpu_slots({"PUBENCH_GPU_SLOTS": "two"})
