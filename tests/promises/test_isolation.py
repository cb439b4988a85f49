"""Promise 2: what ran before in a process, or beside it, cannot matter; and promise 3 for metrics and descendants."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.suites import TOY, run_text, toml

from pubench import read_results, run_suite
from pubench.results.export import export_text

STATEFUL = Path(__file__).with_name("stateful.py")
NAMES = ("counting", "hashing", "settling")
STATE_SUITE = {
    "replicates": 2,
    "algorithms": [{"use": name} for name in NAMES]
    + [{"use": "counting", "name": "tuned", "tune": True, "search": {"shift": [0.0, 0.5]}}],
}


def state_rows(folder, *, jobs=1, backend="loky", **changes):
    folder.mkdir()
    suite = folder / "state.toml"
    suite.write_text(toml(**STATE_SUITE | changes))
    results = run_suite(suite, out=folder / "run", plugins=[TOY, STATEFUL], jobs=jobs, backend=backend)
    assert set(results.counts) == {"ok"}
    return results


def counting(results):
    return [row for row in results.rows if row["algorithm"] == "counting"]


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    return state_rows(tmp_path_factory.mktemp("state") / "one")


@pytest.mark.slow
@pytest.mark.parametrize(("jobs", "backend"), [(2, "loky"), (2, "threads")])
def test_a_stateful_plugin_gives_the_same_bytes_with_other_workers(tmp_path, alone, jobs, backend):
    found = state_rows(tmp_path / "two", jobs=jobs, backend=backend)
    assert export_text(found, "json", times=False) == export_text(alone, "json", times=False)


def test_a_stateful_plugin_does_not_see_which_cells_ran_before(tmp_path, alone):
    keys = {row["key"]: row["accuracy"] for row in alone.rows}
    found = state_rows(tmp_path / "last", algorithms=STATE_SUITE["algorithms"][2:], replicates=2)
    assert {row["key"]: row["accuracy"] for row in found.rows}.items() <= keys.items()


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="there is no /dev/shm to write to")
def test_no_task_finds_shared_memory_of_the_warm_up_or_of_another_task(tmp_path):
    changes = {"algorithms": [{"use": "sharing"}], "replicates": 3}
    accuracies = [row["accuracy"] for row in state_rows(tmp_path / "shared", **changes).rows]
    # A fit that finds the file ranks rows the other way round.
    assert min(accuracies) > 0.5


def test_hashes_of_texts_are_the_same_in_another_run(tmp_path, alone, monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    found = state_rows(tmp_path / "again", algorithms=[{"use": "hashing"}])
    expected = [row["accuracy"] for row in alone.rows if row["algorithm"] == "hashing"]
    assert [row["accuracy"] for row in found.rows] == expected


def test_tasks_of_a_package_share_a_process_if_the_suite_says_so(tmp_path, alone):
    limits = {"isolation": "package"}
    found = state_rows(tmp_path / "shared", algorithms=[{"use": "counting"}], limits=limits)
    assert [row["key"] for row in found.rows] == [row["key"] for row in counting(alone)]
    shown = ("accuracy", "roc-auc", "average-precision")
    shared, apart = ([row[name] for name in shown] for row in (found.rows[1], counting(alone)[1]))
    assert shared != apart


METRICS = """
import ctypes, time
import pubench

def hangs(y, values):
    time.sleep(3600)

def segfaults(y, values):
    ctypes.string_at(0)

@pubench.hookimpl
def pubench_metrics():
    return [pubench.Metric(name="{name}", function="{module}:{name}")]
"""


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("name", "status"), [pytest.param("hangs", "timeout", marks=pytest.mark.slow), ("segfaults", "crashed")]
)
def test_a_metric_that_hangs_or_crashes_is_its_cells_row(tmp_path, name, status, jobs):
    module = f"bad_metric_{name}_{jobs}"
    plugin = tmp_path / f"{module}.py"
    plugin.write_text(METRICS.format(name=name, module=module))
    suite = tmp_path / "metrics.toml"
    suite.write_text(toml(replicates=2, limits={"seconds": 5.0}))
    results = run_suite(suite, out=tmp_path / "run", plugins=[TOY, plugin], jobs=jobs)
    assert [row["status"] for row in results.rows] == [status] * 2
    assert all(row["error"].startswith(f"metric '{name}' ") for row in results.rows)


DESCENDANTS = """
import subprocess, sys
import numpy as np
import pubench

EAT = "import time; held = b'1' * (200 << 20); time.sleep(3600)"

class Parent:
    def fit(self, X, s):
        eaters = [subprocess.Popen([sys.executable, "-c", EAT], start_new_session=True) for _ in range(3)]
        for eater in eaters:
            eater.wait()

@pubench.hookimpl
def pubench_algorithms():
    return [pubench.Algorithm(name="parent", estimator="many_eaters:Parent")]
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="descendants are measured through /proc")
def test_the_memory_limit_holds_for_all_descendants_together(tmp_path):
    plugin = tmp_path / "many_eaters.py"
    plugin.write_text(DESCENDANTS)
    text = toml(algorithms=[{"use": "parent"}], limits={"memory_mb": 450})
    (row,) = run_text(tmp_path, text, [TOY, plugin]).rows
    assert (row["status"], row["error"]) == ("out-of-memory", "used more than its 450 MB of memory")
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert "held = b'1'" not in listed


TORCH = """
import numpy as np
import torch
from pubench import Algorithm, hookimpl

class Greedy:
    def __init__(self, rows=10):
        self.rows = rows

    def fit(self, X, s):
        self.classes_ = np.array([0, 1])
        self.held_ = torch.ones(self.rows, 100_000)
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)

@hookimpl
def pubench_algorithms():
    return [Algorithm(name="greedy", estimator="greedy_torch:Greedy")]
"""


@pytest.mark.slow
def test_an_allocation_that_torch_is_refused_is_out_of_memory(tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    plugin = tmp_path / "greedy_torch.py"
    plugin.write_text(TORCH)
    algorithms = [
        {"use": "greedy", "params": {"rows": rows}, "name": f"rows-{rows}"} for rows in (10, 100_000)
    ]
    rows = run_text(tmp_path, toml(algorithms=algorithms, limits={"memory_mb": 2000}), [TOY, plugin]).rows
    assert [row["status"] for row in rows] == ["ok", "out-of-memory"]


THIEF = """
import json, os
from pathlib import Path
import numpy as np
import pubench

class Thief:
    def __init__(self, cache="", worker=0, loot=""):
        self.cache, self.worker, self.loot = cache, worker, loot

    def fit(self, X, s):
        self.classes_ = np.array([0, 1])
        if not self.loot:
            return self
        found = {{"path": hasattr(X, "filename"), "base": type(X.base).__name__}}
        found["files"] = [str(p) for p in Path(self.cache).rglob("*") if p.is_file() and "prepared" not in p.parts]
        found["variables"] = [name for name in ("PUBENCH_CACHE", "PUBENCH_DATA") if name in os.environ]
        found["memory"] = self.memory()
        try:
            pubench.load_dataset("toy-blobs")
            found["loaded"] = "all of it"
        except Exception as error:
            found["loaded"] = f"{{type(error).__name__}}: {{error}}"
        Path(self.loot).write_text(json.dumps(found))
        return self

    def memory(self):
        try:
            open(f"/proc/{{self.worker}}/mem", "rb").close()
        except OSError as error:
            return type(error).__name__
        return "open"

    def decision_function(self, X):
        return X[:, 0]

    def predict(self, X):
        return (X[:, 0] >= 0).astype(int)

@pubench.hookimpl
def pubench_algorithms():
    return [pubench.Algorithm(name="thief", estimator="thief_{number}:Thief")]
"""


def hides_truth(folder):
    """Whether this system lets a process hide a folder from itself."""
    code = (
        "import sys; from pubench.child.confinement import confine;"
        "print(confine(sys.argv[1:], shared_memory_mb=1).hides_truth)"
    )
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", code, str(folder)]
    return (
        subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
        == "True\n"
    )


def test_a_thief_finds_no_truth(tmp_path, pubench_cache):
    (tmp_path / "probe").mkdir()
    if not hides_truth(tmp_path / "probe"):
        pytest.skip("this system allows no mount namespace")
    plugin, loot = tmp_path / "thief_1.py", tmp_path / "loot.json"
    plugin.write_text(THIEF.format(number=1))
    params = {"cache": str(pubench_cache), "worker": os.getpid(), "loot": str(loot)}
    results = run_text(tmp_path, toml(algorithms=[{"use": "thief", "params": params}]), [TOY, plugin])
    assert results.counts == {"ok": 1}
    found = json.loads(loot.read_text())
    assert list(pubench_cache.glob("truth/*.npy")), "there is something to steal"
    assert found["files"] == []
    assert found["path"] is False
    assert found["variables"] == []
    assert found["memory"] == "PermissionError"
    assert found["loaded"].startswith("DataError: a process that runs an algorithm must not load data sets")


def test_a_run_says_what_gets_a_process_of_its_own(tmp_path):
    from pubench.results.run_folder import read_provenance

    text = toml(limits={"isolation": "package"})
    run_text(tmp_path, text, [TOY])
    (entry,) = read_provenance(tmp_path / "run")
    assert entry["options"]["isolation"] == "package"
    assert read_results(tmp_path / "run").counts == {"ok": 1}


LOADING = """
import os, subprocess, sys
import pubench

class Loading:
    def fit(self, X, s):
        code = "import pubench; pubench.load_dataset('wine')"
        clean = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "PUBENCH_CACHE": %(cache)r}
        self.code_ = subprocess.run([sys.executable, "-c", code], env=clean, capture_output=True).returncode
        assert self.code_ != 0
        return self

    def decision_function(self, X):
        return X[:, 0]

    def predict(self, X):
        return (X[:, 0] >= 0).astype(int)

@pubench.hookimpl
def pubench_algorithms():
    return [pubench.Algorithm(name="loading", estimator="loading_data:Loading")]
"""


@pytest.mark.slow
def test_a_program_that_loads_data_in_an_algorithm_takes_nothing_from_other_cells(tmp_path, pubench_cache):
    (tmp_path / "probe").mkdir()
    if not hides_truth(tmp_path / "probe"):
        pytest.skip("this system allows no mount namespace")
    plugin = tmp_path / "loading_data.py"
    plugin.write_text(LOADING % {"cache": str(pubench_cache)})
    algorithms = [{"use": "loading"}, {"use": "naive-lr"}]
    text = toml(algorithms=algorithms, datasets=[{"use": "wine"}], replicates=2)
    assert run_text(tmp_path, text, [TOY, plugin]).counts == {"ok": 4}
