"""A plugin's function that raises, and a child that breaks the protocol, end as rows and never as the run's end."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from helpers.suites import plan, run_text

from pubench.protocol import (
    CellStarted,
    End,
    Failed,
    Introspection,
    Loaded,
    OracleQuestion,
    Ready,
    Result,
    Searched,
)
from pubench.run.conversation import run_job
from pubench.sandbox import Sandbox
from pubench.sandbox.wire import encode
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
        ("quits", "SystemExit: 3"),
        ("greedy", "ran out of memory"),
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
    """A sandbox whose child says what a test wrote down, byte by byte; each start repeats it."""

    def __init__(self, *replies: bytes) -> None:
        super().__init__(memory_mb=1000)
        self._replies = replies
        self.starts = 0

    def send(self, request, arrays=(), *, seconds):
        if self._process is None:
            self._process, self._number, self.starts = object(), 1, self.starts + 1
            for reply in self._replies:
                self._buffer.feed(reply)

    def close(self):
        self._process = None
        self._buffer.__init__(self._buffer._decoder)

    def _wait(self, deadline):
        raise self.misbehaved("fell silent")

    def _drain_ready(self):
        pass


def said(*messages) -> list[bytes]:
    return [encode(message, number=1) for message in messages]


def result(**fields) -> Result:
    known = {"criterion": None, "params": {}, "prior": None, "prior_low": None, "prior_high": None}
    costs = {"fit_seconds": 0.1, "score_seconds": 0.1, "peak_memory_mb": 1.0}
    rest = {"doubts": (), "training": {}, "training_notes": ()}
    return Result(**(known | costs | rest | fields))


def raw(text: bytes) -> bytes:
    return struct.pack("<4sIQ", b"pub2", len(text), 0) + text


BEGIN = (Ready(), Searched(seconds=0.0, trials=()), CellStarted(criterion=None))
VIOLATIONS = {
    "a result without its fields": [*said(*BEGIN), raw(b'[1,[],{"type":"result"}]')],
    "a kind that does not exist": [*said(Ready()), raw(b'[1,[],{"type":"gossip"}]')],
    "not JSON": [*said(Ready()), raw(b"{]")],
    "a result without predictions": said(*BEGIN, result()),
    "a result for another criterion": said(*BEGIN, result(criterion="puf")),
    "a loader's reply": said(Ready(), Loaded()),
    "an oracle question without arrays": said(Ready(), OracleQuestion(criteria=("oracle-f1",))),
    "an end without a result": said(*BEGIN, End()),
    "a weight of no column": said(*BEGIN, Introspection(criteria=(None,), weights=((5, 1.0),), size=2)),
    "a weight before the first column": said(
        *BEGIN, Introspection(criteria=(None,), weights=((-9, 1.0),), size=2)
    ),
    "predictions without rows": [
        *said(*BEGIN),
        encode(result(), [np.array(1.0), np.array(1, dtype=np.uint8)], number=1),
    ],
    "an oracle question about rows that are no numbers": [
        *said(Ready()),
        encode(
            OracleQuestion(criteria=("oracle-f1",)),
            [np.array([0.5]), np.array([1.0]), np.array([1], dtype=np.uint8)],
            number=1,
        ),
    ],
    "nested too deeply": [*said(Ready()), raw(b"[1,[]," + b"[" * 100_000)],
    "a start of an unknown cell": said(Ready(), CellStarted(criterion="puf")),
}


@pytest.mark.parametrize("name", VIOLATIONS)
def test_a_child_that_breaks_the_protocol_is_a_crash_of_its_cell(name):
    (job,) = plan().jobs
    (record,) = run_job(job, ScriptedSandbox(*VIOLATIONS[name]))
    assert record.status is Status.CRASHED
    assert record.error
    assert record.key == job.cells[0].key


def test_a_problem_that_the_child_reports_is_the_cells():
    (job,) = plan().jobs
    problem = Problem(Status.OUT_OF_MEMORY, "ran out of memory", "line 1")
    (record,) = run_job(job, ScriptedSandbox(*said(*BEGIN, Failed(problem=problem), End())))
    assert (record.status, record.error, record.traceback) == (
        Status.OUT_OF_MEMORY,
        "ran out of memory",
        "line 1",
    )


def test_several_criteria_that_share_a_broken_child_each_end_as_a_crash():
    (job,) = plan(
        algorithms=[{"use": "toy", "tune": True}], tuning={"sampler": "grid", "criteria": ["puf", "pauc"]}
    ).jobs
    sandbox = ScriptedSandbox(*said(Ready(), Loaded()))
    records = run_job(job, sandbox)
    assert [record.status for record in records] == [Status.CRASHED] * 2
    assert sandbox.starts == 3


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
    "criteria", [["puf", "pauc", "dies"], ["puf", "dies", "pauc"], ["dies", "greedy", "puf"]]
)
def test_a_criterion_that_ends_the_child_affects_only_its_own_cell(tmp_path, fragile, criteria):
    rows = run_text(tmp_path, TUNED.format(criteria=str(criteria).replace("'", '"')), [fragile]).rows
    expected = {"dies": "crashed", "greedy": "failed"}
    assert {row["criterion"]: row["status"] for row in rows} == {
        name: expected.get(name, "ok") for name in criteria
    }
    assert all("exit code 3" in row["error"] for row in rows if row["criterion"] == "dies")
