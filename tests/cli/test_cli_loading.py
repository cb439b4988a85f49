"""Loading of data: the data root, and the status line in a terminal."""

from __future__ import annotations

import json

import pytest
from helpers.commands import in_terminal, pubench, pubench_here

PLUGIN = """
import logging, os, time
import numpy as np
import pubench

def rows():
    log = logging.getLogger("pubench.data")
    log.warning("the rows are old")
    for part in ("first", "second"):
        log.info("fetching the %s half", part)
        while "SEEN" in os.environ and not os.path.exists(os.environ["SEEN"] + part):
            time.sleep(0.01)
        time.sleep(0.15)  # a loader is not heard more often than that
    n = int(open(os.path.join(os.environ["PUBENCH_DATA"], "n.txt")).read())
    return pubench.Data(X=np.ones((n, 1)), target=np.arange(n) % 2)

class Zero:
    def fit(self, X, s):
        self.classes_ = np.array([0, 1])
        return self

    def decision_function(self, X):
        return np.zeros(len(X))

    def predict(self, X):
        return np.ones(len(X), int)

@pubench.hookimpl
def pubench_datasets():
    return [pubench.Dataset(name="rows", loader="my_rows:rows", positive=("1",))]

@pubench.hookimpl
def pubench_algorithms():
    return [pubench.Algorithm(name="zero", estimator="my_rows:Zero")]
"""
ROWS = """
name = "rows"
replicates = 1
[[datasets]]
use = "rows"
[[labellings]]
scenario = "case-control"
positives = 5
[[algorithms]]
use = "zero"
"""


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """A data set in the data root, its plugin, and a suite over it."""
    monkeypatch.setenv("PUBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("PUBENCH_DATA", raising=False)
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "n.txt").write_text("34")
    (tmp_path / "my_rows.py").write_text(PLUGIN)
    (tmp_path / "rows.toml").write_text(ROWS)
    return ("--plugin", "my_rows.py", "--data", "root")


COMMANDS = [
    ("data", "show", "rows"),
    ("data", "fetch", "rows.toml"),
    ("suite", "check", "rows.toml"),
    ("suite", "run", "rows.toml"),
]
SHOWING = [
    pytest.param(
        command, id=" ".join(command), marks=[] if command[1] in ("fetch", "run") else pytest.mark.slow
    )
    for command in COMMANDS
]


@pytest.mark.slow
@pytest.mark.parametrize("command", SHOWING)
def test_a_terminal_shows_the_progress_of_loading_from_the_given_data_root(rows, tmp_path, command):
    seen = {f"the {part} half": tmp_path / f"seen-{part}" for part in ("first", "second")}
    code, shown = in_terminal(tmp_path, *command, *rows, notices=seen, SEEN=str(tmp_path / "seen-"))
    assert code == 0, shown
    places = [shown.index(text) for text in ("loading data set 'rows'", "the first half", "the second half")]
    assert places == sorted(places)
    assert "pubench: the rows are old" in shown
    (meta,) = (tmp_path / "cache" / "truth").glob("*.json")
    assert json.loads(meta.read_text())["n_rows"] == 34
    # From the cache nothing is loaded, and nothing is shown of it.
    code, shown = in_terminal(tmp_path, *command, *rows)
    assert code == 0, shown
    assert "loading" not in shown


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_missing_data_root_is_refused(rows, tmp_path, monkeypatch, capsys, command):
    monkeypatch.chdir(tmp_path)
    said = pubench_here(capsys, *command, *rows[:-1], "nowhere", code=2).stderr
    assert "Directory 'nowhere' does not exist" in said


def test_without_a_terminal_only_warnings_are_printed(rows, tmp_path):
    found = pubench(tmp_path, "data", "show", "rows", *rows)
    assert found.stderr == "pubench: the rows are old\n"
    assert "half" not in found.stdout


@pytest.mark.slow
def test_a_quiet_run_shows_no_progress(rows, tmp_path):
    _, shown = in_terminal(tmp_path, "suite", "run", "rows.toml", "-q", *rows)
    assert "half" not in shown
