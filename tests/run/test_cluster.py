"""Clusters: tasks run on workers that share nothing with the driver, and a worker's trouble is never a row."""

from __future__ import annotations

import os
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.suites import TOY, plan

from pubench.data.truth import read_target, return_truth
from pubench.run.backends import cluster as clusters
from pubench.run.backends.cluster import Cluster, ClusterError
from pubench.run.executing import execute
from pubench.run.news import TrainingNews, news_text
from pubench.run.remote import Answer, RemoteTask, end_run, work_remotely
from pubench.run.software import packages_of, software_here
from pubench.run.tasks import FitTask, Outcome, RowsTask
from pubench.run.workplace import Workplace

OUTCOME = Outcome(None, None)


class Scripted(Cluster):
    """Workers that answer as written down: the first that may be used takes each task."""

    def __init__(self, answers, slots=None):
        self.notes = []
        super().__init__(None, self.notes.append)
        self.answers = answers
        self.slots = dict.fromkeys(answers, 1) if slots is None else slots
        self.queue, self.ran, self.shipped = [], [], []

    def put(self, content):
        return content

    def send(self, number, remote, contents):
        self.queue.append(number)
        self.shipped.append(len(contents))

    def hear(self):
        if not self.queue:
            return []
        number = self.queue.pop(0)
        worker = next(iter(self.allowed()))
        self.ran.append(worker)
        return [(number, worker, self.answers[worker].pop(0))]

    def look(self):
        return self.slots


@pytest.fixture(scope="module")
def job():
    return plan().jobs[0]


GOOD, TROUBLE = Answer(OUTCOME), Answer(None, "No space left on device")
REFUSED = Answer(None, "its package 'pubench' is another version", refused=True)


def test_news_are_told_as_they_come_and_what_cannot_be_read_is_dropped(job):
    news, heard = TrainingNews(key="a", trial=False, step=1, total=2), []

    cluster = Scripted({"good": [GOOD, GOOD]})
    for number in (1, 2):
        for text in (b"{", news_text(news)):
            cluster.said.put(text)
        cluster.submit(number, RowsTask(job))
        cluster.wait()
        cluster.listen(heard.append)
    assert heard == [news]


def test_a_refused_worker_is_dropped_and_the_task_runs_elsewhere(job):
    cluster = Scripted({"bad": [REFUSED], "good": [GOOD, GOOD]})
    for number in (1, 2):
        cluster.submit(number, RowsTask(job))
        assert [(found.number, found.outcome) for found in cluster.wait()] == [(number, OUTCOME)]
    assert cluster.ran == ["bad", "good", "good"]
    assert cluster.notes == ["worker bad is not used: its package 'pubench' is another version"]


def test_a_worker_with_trouble_three_times_in_a_row_is_dropped(job):
    cluster = Scripted({"ill": [TROUBLE, TROUBLE, GOOD, TROUBLE, TROUBLE, TROUBLE], "good": [GOOD]})
    for number in (1, 2):
        cluster.submit(number, RowsTask(job))
        (found,) = cluster.wait()
        assert found.outcome == OUTCOME
    assert cluster.ran == ["ill"] * 6 + ["good"]
    assert cluster.notes == ["worker ill is not used: No space left on device"]


def test_a_run_ends_with_a_sentence_when_no_worker_can_be_used(job):
    cluster = Scripted({"bad": [REFUSED]})
    cluster.submit(1, RowsTask(job))
    with pytest.raises(
        ClusterError, match=r"no worker of the cluster can be used .*finished cells are stored"
    ):
        cluster.wait()


def test_a_run_waits_for_workers_visibly_and_not_for_ever(job, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(clusters.time, "monotonic", lambda: now[0])
    cluster = Scripted({"late": [GOOD]}, slots={})
    monkeypatch.setattr(cluster, "send", lambda number, remote, contents: None)
    cluster.submit(1, RowsTask(job))
    for seconds in (10, 100, 400):
        now[0] += seconds
        assert cluster.allowed() == {}
    assert cluster.notes == ["the cluster has no worker; waiting for one up to 600 seconds"]
    now[0] += 200
    with pytest.raises(ClusterError, match="has had no worker for 600 seconds"):
        cluster.wait()


def test_a_lost_worker_is_told_to_the_driver(job):
    cluster = Scripted({"lost": [None]})
    cluster.submit(1, RowsTask(job))
    (found,) = cluster.wait()
    assert found.outcome is None


@pytest.fixture(scope="module")
def fit():
    """A task, its data set in the driver's cache."""
    return FitTask(plan(algorithms=[{"use": "toy-seeded"}]).jobs[0], {}, None)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch, fit):
    """Be a worker with a cache of its own, which holds nothing."""
    monkeypatch.setenv("PUBENCH_CACHE", str(tmp_path / "elsewhere"))
    yield tmp_path / "elsewhere"
    end_run("run")


def packed(task, run="run"):
    """Pack a task as a driver does."""
    job = task.job
    files = {file: Path(file).read_bytes() for file in job.files}
    return RemoteTask(run, task, software_here(packages_of([job])), files)


def contents_of(task):
    """Return the files of a task's data set."""
    return [path.read_bytes() for path in task.job.data.stored.arrays()]


def results(outcome):
    return outcome.value.metrics, outcome.rows


@pytest.fixture(scope="module")
def expected(fit):
    workplace = Workplace()
    yield execute(fit, workplace)
    workplace.close()


def test_a_worker_computes_the_same_with_what_it_pulled(expected, elsewhere, fit):
    remote = pickle.loads(pickle.dumps(packed(fit)))
    assert work_remotely(remote).lacks_data
    answer = work_remotely(remote, contents_of(fit))
    assert not answer.trouble
    assert results(answer.outcome) == results(expected)
    assert (elsewhere / "prepared" / f"pulled-{fit.job.data.stored.fingerprint}" / "X.npy").exists()


def test_a_worker_asks_for_data_once_in_a_run(elsewhere, fit):
    remote = packed(RowsTask(fit.job))
    assert work_remotely(remote).lacks_data
    assert work_remotely(remote, contents_of(fit)).outcome is not None
    assert work_remotely(remote).outcome is not None
    end_run("run")
    assert work_remotely(remote).lacks_data


def test_a_worker_that_shares_the_cache_asks_for_nothing(fit):
    assert work_remotely(packed(RowsTask(fit.job))).outcome is not None
    end_run("run")


def test_data_are_sent_only_after_a_worker_has_asked(job):
    cluster = Scripted({"far": [Answer(None, lacks_data=True), GOOD, GOOD]})
    for number in (1, 2):
        cluster.submit(number, RowsTask(job))
        (found,) = cluster.wait()
        assert found.outcome == OUTCOME
    assert cluster.shipped == [0, 2, 2]
    assert not cluster.notes


def test_true_classes_are_written_nowhere_and_forgotten_after_the_run(elsewhere, fit):
    stored = fit.job.data.stored
    y = np.load(stored.truth)
    work_remotely(packed(RowsTask(fit.job)), contents_of(fit))
    names = [path.name for path in elsewhere.rglob("*") if path.is_file()]
    assert sorted(names) == sorted(["X.npy", TOY.name])
    memory = str(elsewhere / "prepared" / f"pulled-{stored.fingerprint}" / "in-memory.npy")
    assert (read_target(memory) == y).all()
    end_run("run")
    with pytest.raises(FileNotFoundError):
        read_target(memory)


def test_features_that_were_damaged_here_are_pulled_again(elsewhere, fit):
    remote = packed(RowsTask(fit.job))
    work_remotely(remote, contents_of(fit))
    (file,) = elsewhere.rglob("X.npy")
    whole = file.read_bytes()
    file.write_bytes(whole[:-8] + bytes(8))
    end_run("run")
    assert not work_remotely(replace(remote, run="another"), contents_of(fit)).trouble
    assert file.read_bytes() == whole
    end_run("another")


def test_what_was_damaged_on_the_way_is_trouble_and_not_a_row(elsewhere, fit):
    features, *truth = contents_of(fit)
    answer = work_remotely(packed(RowsTask(fit.job)), [features[:-8] + bytes(8), *truth])
    assert answer.outcome is None
    assert "damaged on its way" in answer.trouble


def test_a_worker_whose_disk_is_full_has_trouble_and_no_row(elsewhere, fit):
    elsewhere.write_text("a file where the cache should be")
    answer = work_remotely(packed(RowsTask(fit.job)), contents_of(fit))
    assert answer.outcome is None
    assert answer.trouble
    assert not answer.refused


def test_changed_plugin_code_is_never_mistaken_for_what_is_loaded(elsewhere, fit):
    remote = packed(RowsTask(fit.job))
    for text in (b"A = 1\n", b"A = 2\n"):
        work_remotely(replace(remote, run=str(text), files={str(TOY): text}), contents_of(fit))
        end_run(str(text))
    found = sorted(path.read_bytes() for path in (elsewhere / "prepared" / "plugin-files").rglob("*.py"))
    assert found == [b"A = 1\n", b"A = 2\n"]


@pytest.mark.parametrize(("here", "trouble"), [(TOY.read_bytes(), False), (b"A = 1\n", True)])
def test_a_module_of_a_plugin_files_name_is_trouble_unless_it_is_that_file(
    elsewhere, fit, tmp_path, monkeypatch, here, trouble
):
    folder = tmp_path / "started-here"
    folder.mkdir()
    (folder / TOY.name).write_bytes(here)
    monkeypatch.syspath_prepend(folder)
    answer = work_remotely(packed(RowsTask(fit.job)), contents_of(fit))
    assert ("another module named 'toy_plugin' exists there" in answer.trouble) is trouble


def test_the_handshake_refuses_other_code_and_notes_other_rounding():
    here = software_here(["pubench_linear"])
    assert not here.refusal(here)
    assert not here.note(here)
    other = replace(here, code=(here.code[0], ("pubench_linear", "0" * 16)))
    assert "'pubench_linear' is another version" in here.refusal(other)
    assert "'pubench_linear' is not installed" in here.refusal(replace(here, code=here.code[:1]))
    versions = tuple((name, "0.1" if name == "numpy" else found) for name, found in here.versions)
    assert "it has numpy 0.1 instead of" in here.refusal(replace(here, versions=versions))
    assert "round otherwise" in here.note(replace(here, arithmetic="other"))
    assert not here.refusal(replace(here, arithmetic="other"))


def test_packages_of_jobs_leave_out_plugin_files(job):
    assert packages_of([job]) == {"pubench"}


@pytest.fixture(autouse=True)
def nothing_lent():
    yield
    return_truth()
    assert "PUBENCH_CACHE" in os.environ
