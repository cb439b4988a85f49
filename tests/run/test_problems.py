"""A plugin's function that raises, and a child that breaks the protocol, end as rows and never as the run's end."""

from __future__ import annotations

import contextlib
import struct

import numpy as np
import pytest
from helpers.suites import plan, run_text

from pubench.protocol.replies import Done, End, Failed, Introspection, OracleQuestion, Result, Trial
from pubench.run.executing import execute
from pubench.run.job_state import JobState
from pubench.run.workplace import Workplace
from pubench.sandbox import Sandbox
from pubench.sandbox.wire import REPLIES, Buffer, encode
from pubench.status import Problem, Status

FRAGILE = """
from pubench import Criterion, hookimpl

@hookimpl
def pubench_criteria():
    names = {"fragile": "raises", "quits": "quits", "greedy": "greedy", "dies": "dies"}
    return [Criterion(name=name, function=f"fragile:{function}") for name, function in names.items()]

def raises(validation):
    raise RuntimeError("no score today")

def quits(validation):
    raise SystemExit(3)

def greedy(validation):
    raise MemoryError

def dies(validation):
    import os
    os._exit(3)
"""
PU_SUITE = """
name = "pu"
replicates = 1
[[datasets]]
use = "csv"
params = {{ path = "mine.csv", labelled = "s" }}
[[labellings]]
scenario = "single-training-set"
positives = "given"
[[algorithms]]
use = "naive-lr"
[report]
metrics = {metrics}
"""


def pu_run(folder, labelled, metrics, plugins=()):
    lines = [f"{i % 7 + (3 if i < labelled else 0)},{int(i < labelled)}" for i in range(60)]
    (folder / "mine.csv").write_text("\n".join(["x,s", *lines]) + "\n")
    return run_text(folder, PU_SUITE.format(metrics=metrics), plugins)


@pytest.fixture(scope="module")
def fragile(tmp_path_factory):
    """Write the plugin once: a process imports a file once."""
    file = tmp_path_factory.mktemp("plugin") / "fragile.py"
    file.write_text(FRAGILE)
    return file


@pytest.mark.parametrize(
    ("criterion", "error"),
    [
        ("fragile", "RuntimeError: no score today"),
        pytest.param("quits", "SystemExit: 3", marks=pytest.mark.slow),
        pytest.param("greedy", "ran out of memory", marks=pytest.mark.slow),
    ],
)
def test_a_criterion_that_raises_on_pu_data_is_a_note_of_its_row(tmp_path, fragile, criterion, error):
    (row,) = pu_run(tmp_path, 20, f'["{criterion}", "pauc"]', [fragile]).rows
    assert row["status"] == "ok"
    assert row[criterion] is None
    assert row["pauc"] is not None
    assert f"criterion '{criterion}' on test rows: {error}" in row["notes"]


def test_a_single_labelled_row_leaves_criteria_without_a_value(tmp_path):
    (row,) = pu_run(tmp_path, 1, '["puf"]').rows
    assert row["status"] == "ok"
    assert row["puf"] is None
    assert "criterion 'puf' on test rows: ValueError: s must have a labelled" in row["notes"]


class ScriptedSandbox(Sandbox):
    """A process that says what a test wrote down, byte by byte, and then falls silent."""

    def __init__(self, replies):
        self.is_open, self.number = True, 1
        self._buffer, self._replies = Buffer(REPLIES), replies

    def send(self, request, arrays=(), descriptors=()):
        for reply in self._replies:
            self._buffer.feed(reply)

    def allow(self, seconds):
        pass

    def output(self):
        return ""

    def close(self, patience=0.0):
        self.is_open = False
        return 0

    def _wait(self):
        raise self.misbehaved("fell silent")

    def _drain_ready(self):
        pass


class ScriptedProcesses:
    """Hands out processes that all say the same."""

    def __init__(self, replies):
        self._replies = replies

    @contextlib.contextmanager
    def task(self, prepare, limits, warm_up=None):
        yield ScriptedSandbox(self._replies)


@pytest.fixture
def workplace():
    found = Workplace()
    yield found
    found.metrics.close()


def said(*messages) -> list[bytes]:
    return [encode(message, number=1) for message in messages]


def result() -> Result:
    costs = {"fit_seconds": 0.1, "score_seconds": 0.1, "peak_memory_mb": 1.0}
    return Result(**costs, training={}, training_notes=())


def raw(text: bytes) -> bytes:
    return struct.pack("<4sIQ", b"pub2", len(text), 0) + text


TUNED_TOY = {"algorithms": [{"use": "toy", "tune": True}], "tuning": {"sampler": "grid", "trials": 1}}
FITTED = encode(result(), [np.zeros(27), np.zeros(27, dtype=np.uint8)], number=1)
VIOLATIONS = {
    "a result without its fields": [raw(b'[1,[],{"type":"result"}]')],
    "a kind that does not exist": [raw(b'[1,[],{"type":"gossip"}]')],
    "not JSON": [raw(b"{]")],
    "nested too deeply": [raw(b"[1,[]," + b"[" * 100_000)],
    "a result without predictions": said(result()),
    "two results": [FITTED, FITTED],
    "a loader's reply": said(Done()),
    "an end without a result": said(End()),
    "a trial nobody asked for": said(Trial(params={})),
    "introspection before the result": said(Introspection()),
    "a weight of no column": [FITTED, *said(Introspection(weights=((5, 1.0),), size=2))],
    "a weight before the first column": [FITTED, *said(Introspection(weights=((-9, 1.0),), size=2))],
    "predictions without rows": [encode(result(), [np.array(1.0), np.array(1, dtype=np.uint8)], number=1)],
    "nothing": [],
}
TRIAL_VIOLATIONS = {
    "a result in a search": [FITTED],
    "an oracle question without arrays": said(OracleQuestion(criteria=("oracle-f1",))),
    "an oracle question about rows that are no numbers": [
        encode(
            OracleQuestion(criteria=("oracle-f1",)),
            [np.array([0.5]), np.array([1.0]), np.array([1], dtype=np.uint8)],
            number=1,
        ),
    ],
    "an oracle question about other rows": [
        encode(
            OracleQuestion(criteria=("oracle-f1",)),
            [np.array([10**6]), np.array([1.0]), np.array([1], dtype=np.uint8)],
            number=1,
        ),
    ],
}


def ended(job, replies, workplace):
    """Run a job whose child says what is written down, and return its records."""
    workplace.algorithms = ScriptedProcesses(replies)
    state = JobState(job)
    while not state.is_done:
        task = state.take()
        state.accept(task, execute(task, workplace))
    return state.records


@pytest.mark.parametrize("name", VIOLATIONS)
def test_a_child_that_breaks_the_protocol_is_a_crash_of_its_cell(name, workplace):
    (job,) = plan().jobs
    (record,) = ended(job, VIOLATIONS[name], workplace)
    assert record.status is Status.CRASHED
    assert record.error
    assert record.key == job.cells[0].key


@pytest.mark.parametrize("name", TRIAL_VIOLATIONS)
def test_a_child_that_breaks_the_protocol_in_a_search_is_a_crash_of_its_cells(name, workplace):
    (job,) = plan(**TUNED_TOY).jobs
    (record,) = ended(job, TRIAL_VIOLATIONS[name], workplace)
    assert record.status is Status.CRASHED
    assert record.n_p == 10


def test_a_problem_that_the_child_reports_is_the_cells(workplace):
    (job,) = plan().jobs
    problem = Problem(Status.OUT_OF_MEMORY, "ran out of memory", "line 1")
    (record,) = ended(job, said(Failed(problem=problem)), workplace)
    assert (record.status, record.error, record.traceback) == (
        Status.OUT_OF_MEMORY,
        "ran out of memory",
        "line 1",
    )


def test_a_child_that_falls_silent_after_its_result_keeps_it(workplace):
    (job,) = plan().jobs
    (record,) = ended(job, [FITTED], workplace)
    assert record.status is Status.OK


TUNED = """
name = "tuned"
replicates = 1
[[datasets]]
use = "iris"
[[labellings]]
scenario = "case-control"
positives = 20
[[algorithms]]
use = "naive-lr"
tune = true
search = {{ C = [0.1, 1.0] }}
[tuning]
sampler = "grid"
criteria = {criteria}
"""


@pytest.mark.parametrize(
    "criteria",
    [
        ["dies", "greedy", "puf"],
        pytest.param(["puf", "pauc", "dies"], marks=pytest.mark.slow),
        pytest.param(["puf", "dies", "pauc"], marks=pytest.mark.slow),
    ],
)
def test_a_criterion_that_ends_the_child_affects_only_its_own_cell(tmp_path, fragile, criteria):
    rows = run_text(tmp_path, TUNED.format(criteria=str(criteria).replace("'", '"')), [fragile]).rows
    expected = {"dies": "crashed", "greedy": "failed"}
    assert {row["criterion"]: row["status"] for row in rows} == {
        name: expected.get(name, "ok") for name in criteria
    }
    assert all("exit code 3" in row["error"] for row in rows if row["criterion"] == "dies")
