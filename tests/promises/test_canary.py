"""Promise 1: true labels never reach a plugin."""

from __future__ import annotations

import pickle
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import pubench
from pubench.data.truth import read_given, read_target
from pubench.plan.jobs import Job
from pubench.plan.planning import plan_suite
from pubench.plugins.discovery import discover
from pubench.run.labels import label_job
from pubench.suite import parse_suite

PLUGIN = Path(__file__).with_name("canary.py")
SUITE = """
name = "canary"
replicates = 1
[[datasets]]
use = "noise"
[[labellings]]
scenario = "{scenario}"
positives = 60
[tuning]
sampler = "random"
trials = 2
folds = 2
criteria = ["puf", "oracle-f1"]
[limits]
# The canary waits until its memory has been read, which takes long on a busy machine.
seconds = 1800
[report]
training = ["pu-risk"]
[store]
trials = true
# Cells that do see the truth, or are judged by it, come first in the same worker.
[[algorithms]]
use = "supervised-lr"
[[algorithms]]
use = "wlr"
tune = true
[[algorithms]]
use = "{canary}"
params = {{ folder = "{folder}" }}
"""


GIVEN = """
name = "canary"
replicates = 1
[[datasets]]
use = "surveyed"
[[labellings]]
scenario = "case-control"
positives = "given"
test = "given"
[limits]
seconds = 1800
[[algorithms]]
use = "naive-lr"
datasets = ["surveyed"]
[[algorithms]]
use = "canary"
params = {{ folder = "{folder}" }}
"""


def true_labels(text: str) -> dict[str, NDArray[np.uint8]]:
    planned = plan_suite(
        parse_suite(text, "canary"), discover(files=[PLUGIN]), source="", files=[str(PLUGIN)]
    )
    job: Job = planned.jobs[-1]
    truth = label_job(job).truth
    if job.data.given is not None:
        # Labels that come with the data are known to all; true classes of test rows are not.
        known = read_given(job.data.stored.truth)[:, 1].astype(np.uint8)
        return {"test": truth.test, "all": known[1], "other": known[0]}
    return {
        "train": truth.train,
        "test": truth.test,
        "all": read_target(job.data.stored.truth).astype(np.uint8),
    }


def resembles(sequence: object, y: NDArray[np.uint8]) -> bool:
    """Whether a sequence tells nearly all of y, as numbers, text or bytes, in whatever coding."""
    if isinstance(sequence, bytes):
        sequence = np.frombuffer(sequence, np.uint8)
    values = np.asarray(sequence)
    columns = [values] if values.ndim == 1 else [*values.T] if values.ndim == 2 else []
    return any(len(column) == len(y) and _tells(column, y) for column in columns)


def _tells(column: NDArray[np.generic], y: NDArray[np.uint8]) -> bool:
    kinds, codes = np.unique(column, return_inverse=True)
    if not 2 <= len(kinds) <= 20:
        return False
    best = sum(np.bincount(y[codes == k], minlength=2).max() for k in range(len(kinds)))
    return bool(best >= 0.95 * len(y))


def memory_holds(pid: int, y: NDArray[np.uint8]) -> bool:
    """Whether the bytes of y, in any usual type, stand anywhere in a process's memory."""
    patterns = [y.astype(kind).tobytes() for kind in ("u1", "i2", "i4", "i8", "f4", "f8")]
    patterns += [
        (1 - y).astype("u1").tobytes(),
        "".join(map(str, y)).encode(),
        ", ".join(map(str, y)).encode(),
    ]
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            span, rights, *_ = line.split()
            if not rights.startswith("r"):
                continue
            start, end = (int(edge, 16) for edge in span.split("-"))
            try:
                memory.seek(start)
                data = memory.read(end - start)
            except (OSError, OverflowError, ValueError):
                continue
            if any(pattern in data for pattern in patterns):
                return True
    return False


def look(tmp_path: Path, text: str) -> dict[str, bool]:
    """Run the suite; while the canary waits inside its fit, read its memory. Return which truths were found."""
    suite = tmp_path / "canary.toml"
    suite.write_text(text)
    truths = true_labels(text)
    found: dict[str, bool] = {}

    ended = threading.Event()

    def watch() -> None:
        while not (tmp_path / "pid").exists():
            if ended.wait(0.02):
                return
        try:
            pid = int((tmp_path / "pid").read_text())
            found.update({name: memory_holds(pid, y) for name, y in truths.items()})
        finally:
            (tmp_path / "seen").touch()

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        results = pubench.run_suite(suite, out=tmp_path / "run", plugins=[PLUGIN])
    finally:
        ended.set()
        watcher.join()
    assert results.counts == {"ok": 4}
    assert found.keys() == truths.keys(), "the canary's memory was not read"
    sequences = pickle.loads((tmp_path / "found.pickle").read_bytes())
    assert len(sequences) > 50
    for name, y in truths.items():
        found[name] |= any(resembles(sequence, y) for sequence in sequences)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="reads another process's memory through /proc")
@pytest.mark.parametrize(
    "scenario", ["case-control", pytest.param("single-training-set", marks=pytest.mark.slow)]
)
def test_the_canary_finds_no_true_label(tmp_path: Path, scenario: str) -> None:
    text = SUITE.format(scenario=scenario, canary="canary", folder=tmp_path)
    assert look(tmp_path, text) == {"train": False, "test": False, "all": False}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads another process's memory through /proc")
def test_the_canary_finds_no_class_of_a_test_row_whose_labels_are_given(tmp_path: Path) -> None:
    assert look(tmp_path, GIVEN.format(folder=tmp_path)) == {"test": False, "all": False, "other": False}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads another process's memory through /proc")
def test_the_search_finds_what_a_reference_is_given(tmp_path: Path) -> None:
    text = SUITE.format(scenario="single-training-set", canary="supervised-canary", folder=tmp_path)
    found = look(tmp_path, text)
    assert found["train"]
    assert not found["test"]
