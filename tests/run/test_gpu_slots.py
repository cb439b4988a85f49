"""Tasks that need a GPU do not share it, unless somebody says so; others run beside them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import msgspec
import pytest
from helpers.suites import plan, run_text, toml

from pubench.errors import PubenchError
from pubench.plan.jobs import Job
from pubench.results.record import Record
from pubench.results.store import read_records
from pubench.run.asking import prepare_algorithm
from pubench.run.backends import Finished
from pubench.run.driver import run_jobs
from pubench.run.gpus import GpuSlots, gpu_slots, visible_gpus
from pubench.run.tasks import Outcome, RowCounts
from pubench.status import Status


class FourWorkers:
    """Finishes the task that it was given first, and remembers how many with a GPU it had at a time."""

    workers = 4

    def __init__(self):
        self.tasks, self.with_gpu, self.at_a_time, self.devices = {}, [], [], []

    def submit(self, number, task):
        self.tasks[number] = task
        self.devices.append(sorted(one.gpu for one in self.tasks.values() if one.job.algorithm.gpu))
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


@pytest.mark.parametrize(("slots", "most"), [("1", ["0", "3"]), ("2", ["0", "0", "3", "3"])])
def test_each_task_has_a_gpu_of_its_own_unless_told(monkeypatch, slots, most):
    monkeypatch.setenv("PUBENCH_GPU_SLOTS", slots)
    backend = FourWorkers()
    run_jobs(jobs_with_gpu(), NoStore(), backend, lambda cell, record: None, gpus=("0", "3"))
    assert max(backend.devices, key=len) == most
    assert all(Counter(held) <= Counter(most) for held in backend.devices)
    assert not any(one.gpu for one in backend.tasks.values())


def test_a_gpu_is_free_again_when_its_worker_dies(monkeypatch):
    class Dying(FourWorkers):
        """Loses everything that is under way, once."""

        def wait(self):
            if len(self.tasks) > 1:
                lost, self.tasks = list(self.tasks), {}
                return [Finished(number, None) for number in lost]
            return super().wait()

    monkeypatch.setenv("PUBENCH_GPU_SLOTS", "1")
    jobs, ended = jobs_with_gpu(), []
    run_jobs(jobs, NoStore(), Dying(), lambda cell, record: ended.append(cell.key), gpus=("0",))
    assert len(ended) == sum(len(job.cells) for job in jobs)


def test_the_gpus_are_those_that_the_driver_may_use(tmp_path):
    assert visible_gpus({"CUDA_VISIBLE_DEVICES": "2, GPU-77"}) == ("2", "GPU-77")
    assert visible_gpus({"CUDA_VISIBLE_DEVICES": "-1"}) == visible_gpus({"CUDA_VISIBLE_DEVICES": ""}) == ()
    for name in ("0000:01:00.0", "0000:02:00.0"):
        (tmp_path / name).mkdir()
    assert visible_gpus({}, tmp_path) == ("0", "1")
    assert visible_gpus({}, tmp_path / "nothing") == ()


def test_slots_without_known_gpus_are_shared_by_all():
    slots = GpuSlots((), 1)
    assert not slots.is_full
    assert slots.take() == ""
    assert slots.is_full
    slots.give_back("")
    assert not slots.is_full


ASKING = """
import os

from pubench import hookimpl
from pubench.specs import Algorithm
from sklearn.linear_model import LogisticRegression


class Asking(LogisticRegression):
    def fit(self, X, s):
        print("sees", os.environ.get("CUDA_VISIBLE_DEVICES"), flush=True)
        return super().fit(X, s)


@hookimpl
def pubench_algorithms():
    return [Algorithm(name="asking", estimator=Asking, needs=("gpu",), summary="Says which GPU it sees.")]
"""


@pytest.mark.parametrize("isolation", ["task", "package"])
def test_a_method_sees_one_gpu_only(tmp_path, monkeypatch, isolation):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5,7")
    plugin = tmp_path / "asking.py"
    plugin.write_text(ASKING)
    text = toml(
        algorithms=[{"use": "asking"}],
        datasets=[{"use": "gaussians", "params": {"n": 60}}],
        limits={"isolation": isolation},
        replicates=2,
    )
    results = run_text(tmp_path, text, plugins=[plugin])
    records, _ = read_records(results.folder)
    assert [record.output.strip() for record in records.values()] == ["sees 5", "sees 5"]


def test_a_device_without_a_number_takes_a_slot():
    def gpu(device):
        algorithms = [{"use": "wlr", "params": {"device": device} if device else {}}]
        return plan(algorithms=algorithms).jobs[0].algorithm.gpu

    assert gpu("cuda")
    assert not gpu("cuda:1")
    assert not gpu("")


def test_what_uses_a_gpu_is_not_warmed_up():
    other, needing = jobs_with_gpu()[:2]
    assert prepare_algorithm(other)[1] is not None
    assert prepare_algorithm(needing)[1] is None


def test_slots_are_a_number():
    assert gpu_slots({}) == 1
    with pytest.raises(PubenchError, match="PUBENCH_GPU_SLOTS = 'two' is not a whole number"):
        gpu_slots({"PUBENCH_GPU_SLOTS": "two"})
