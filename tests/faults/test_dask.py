"""dask workers that share no disk with the driver: the same bits, and faults of the cluster are never rows."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path

import pytest
from fault_tools import (
    CASE_CONTROL,
    PLUGIN,
    Gate,
    driver,
    fill,
    named,
    pubench,
    run_arguments,
    wait_for,
    write_suite,
)

pytest.importorskip("distributed", reason="dask's distributed is not installed")

from dask_cluster import PATH_NOW, can_hide, dask_cluster

pytestmark = pytest.mark.slow
TUNED = {
    "replicates": 2,
    "labellings": [CASE_CONTROL, {"scenario": "single-training-set", "frequency": 0.5}],
    "datasets": [{"use": "blobs"}, {"use": "wine"}],
    "algorithms": [
        {"use": "wlr", "tune": True},
        {"use": "naive-lr"},
        {"use": "good"},
        {"use": "supervised-lr"},
    ],
    "tuning": {"sampler": "tpe", "trials": 4, "folds": 2, "criteria": ["puf", "oracle-f1"]},
}


@pytest.fixture
def cluster(tmp_path):
    with dask_cluster(tmp_path / "cluster") as found:
        yield found


def exported(out: Path) -> str:
    done = pubench("export", str(out), "--no-times", "--format", "csv")
    assert done.returncode == 0, done.stderr
    return done.stdout


def on(cluster, suite, out, *more):
    return run_arguments(suite, out, "--backend", "dask", "--address", cluster.address, *more)


def test_blind_workers_give_the_bits_of_a_local_run(tmp_path, cluster, monkeypatch):
    if not can_hide():
        pytest.skip("this user may not have a mount namespace")
    home = tmp_path / "driver"
    home.mkdir()
    plugin = shutil.copy(PLUGIN, home)
    monkeypatch.setenv("PUBENCH_CACHE", str(home / "cache"))
    suite = write_suite(home / "suite.toml", **TUNED)
    for name in ("one", "two"):
        cluster.worker(name, hidden=home)
    arguments = ["suite", "run", str(suite), "--plugin", str(plugin), "--out"]
    done = pubench(*arguments, str(home / "far"), "--backend", "dask", "--address", cluster.address)
    assert done.returncode == 0, done.stderr
    for jobs in ("1", "2"):
        assert pubench(*arguments, str(home / f"near{jobs}"), "--jobs", jobs).returncode == 0
        assert exported(home / "far") == exported(home / f"near{jobs}")
    threads = ("--jobs", "2", "--backend", "threads")
    assert pubench(*arguments, str(home / "threads"), *threads).returncode == 0
    assert exported(home / "far") == exported(home / "threads")
    # True classes came, and were written nowhere.
    assert not [
        path for name in ("one", "two") for path in (cluster.folder / name / "cache").rglob("truth/*")
    ]


def test_a_worker_that_is_killed_in_a_trial_costs_nothing(tmp_path, cluster, monkeypatch):
    suite = write_suite(tmp_path / "suite.toml", algorithms=[{"use": "good"}], replicates=4)
    gate = Gate(cluster.folder / "gate")
    monkeypatch.setenv("FITS_GATE", str(gate.folder))
    victim = cluster.worker("victim")
    cluster.worker("other")
    with driver(*on(cluster, suite, tmp_path / "run")) as (process, _):
        wait_for(lambda: len(gate.waiting()) >= 2, "a fit on each worker")
        victim.send_signal(signal.SIGKILL)
        gate.open()
        out, error = process.communicate()
    assert process.returncode == 0, out + error
    assert exported(tmp_path / "run").count(",ok,") == 4


def test_a_scheduler_that_is_killed_ends_the_run_with_a_sentence_and_keeps_what_is_finished(
    tmp_path, cluster, monkeypatch
):
    suite = write_suite(tmp_path / "suite.toml", replicates=3)
    gate = Gate(cluster.folder / "gate", allowed=1)
    monkeypatch.setenv("FITS_GATE", str(gate.folder))
    cluster.worker("one")
    with driver(*on(cluster, suite, tmp_path / "run")) as (process, _):
        wait_for(lambda: stored(tmp_path / "run") and gate.waiting(), "a finished cell")
        cluster.scheduler.send_signal(signal.SIGKILL)
        _, error = process.communicate()
    assert process.returncode == 2
    assert "the dask scheduler at tcp://" in error
    assert "Traceback" not in error
    assert len(stored(tmp_path / "run")) == 1
    gate.open()
    done = pubench(*run_arguments(suite, tmp_path / "run"))
    assert done.returncode == 0


def stored(run: Path) -> list[str]:
    file = run / "cells.jsonl"
    return file.read_text().splitlines() if file.exists() else []


def altered(folder: Path) -> str:
    """Copy pubench with another accuracy, and return a path of modules that finds it first."""
    import pubench as original

    shutil.copytree(Path(original.__file__).parent, folder / "pubench")
    (folder / "pubench" / "metrics.py").open("a").write("\n# another version\n")
    return os.pathsep.join([str(folder), PATH_NOW])


def test_a_worker_with_another_pubench_is_refused_and_the_others_do_the_work(tmp_path, cluster):
    suite = write_suite(tmp_path / "suite.toml", replicates=4)
    cluster.worker("other", path=altered(tmp_path / "altered"))
    cluster.worker("same")
    done = pubench(*on(cluster, suite, tmp_path / "run"))
    assert done.returncode == 0, done.stderr
    assert "is not used: its package 'pubench' is another version" in done.stdout + done.stderr
    assert exported(tmp_path / "run").count(",ok,") == 4


def test_a_worker_without_a_plugin_is_refused_and_the_others_do_the_work(tmp_path, cluster):
    site = tmp_path / "site"
    information = site / "north-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: north\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[pubench]\nnorth = north\n")
    (site / "north.py").write_text(
        "import pubench\nfrom pubench_linear.wlr import WeightedLogisticRegression as North\n\n\n"
        "@pubench.hookimpl\ndef pubench_algorithms():\n"
        '    return [pubench.Algorithm(name="north", estimator="north:North")]\n'
    )
    path = os.pathsep.join([str(site), PATH_NOW])
    suite = write_suite(tmp_path / "suite.toml", algorithms=named("north"), replicates=4)
    cluster.worker("bare")
    cluster.worker("complete", path=path)
    done = pubench(*on(cluster, suite, tmp_path / "run"), env=os.environ | {"PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    assert "is not used: the package 'north' is not installed there" in done.stdout + done.stderr
    assert exported(tmp_path / "run").count(",ok,") == 4


def test_a_worker_whose_disk_is_full_is_dropped_and_the_others_do_the_work(tmp_path, cluster, small_disk):
    fill(small_disk)
    suite = write_suite(tmp_path / "suite.toml", replicates=8)
    cluster.worker("full", cache=small_disk / "cache")
    cluster.worker("other")
    done = pubench(*on(cluster, suite, tmp_path / "run"))
    assert done.returncode == 0, done.stderr
    assert "is not used: No space left on device" in done.stdout + done.stderr
    assert exported(tmp_path / "run").count(",ok,") == 8


def test_a_run_that_no_worker_may_serve_ends_with_a_sentence(tmp_path, cluster):
    suite = write_suite(tmp_path / "suite.toml")
    cluster.worker("other", path=altered(tmp_path / "altered"))
    done = pubench(*on(cluster, suite, tmp_path / "run"))
    assert done.returncode == 2
    assert "no worker of the cluster can be used" in done.stderr
    assert not stored(tmp_path / "run")


def test_a_plugin_that_hangs_or_a_metric_that_crashes_on_a_worker_is_its_cells_row(
    tmp_path, cluster, monkeypatch
):
    monkeypatch.setenv("HANGS", str(tmp_path / "hangs"))
    cluster.worker("one")
    limits = {"seconds": 5, "memory_mb": 900}
    suite = write_suite(tmp_path / "suite.toml", algorithms=named("good", "hang-in-c"), limits=limits)
    done = pubench(*on(cluster, suite, tmp_path / "run"))
    text = exported(tmp_path / "run")
    assert (text.count(",ok,"), text.count(",timeout,")) == (1, 1), done.stdout + done.stderr
    metric = tmp_path / "crashing.py"
    metric.write_text(
        "import os\nimport pubench\n\n\ndef crash(y, values):\n    os.kill(os.getpid(), 11)\n\n\n"
        "@pubench.hookimpl\ndef pubench_metrics():\n"
        '    return [pubench.Metric(name="crash", function="crashing:crash")]\n'
    )
    suite = write_suite(tmp_path / "suite.toml", report={"metrics": ["crash"]})
    pubench(*on(cluster, suite, tmp_path / "crashed", "--plugin", str(metric)))
    assert exported(tmp_path / "crashed").count(",crashed,") == 1


def test_ctrl_c_ends_the_run_and_its_processes_on_workers(tmp_path, cluster, monkeypatch):
    suite = write_suite(tmp_path / "suite.toml")
    gate = Gate(cluster.folder / "gate")
    monkeypatch.setenv("FITS_GATE", str(gate.folder))
    cluster.worker("one")
    with driver(*on(cluster, suite, tmp_path / "run")) as (process, _):
        wait_for(gate.waiting, "a fit")
        (pid,) = gate.waiting()
        process.send_signal(signal.SIGINT)
        _, error = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in error
    wait_for(lambda: not Path(f"/proc/{pid}").exists(), "the end of the fit")


def test_the_plan_of_a_run_on_a_cluster_names_no_other_thing(tmp_path, cluster):
    suite = write_suite(tmp_path / "suite.toml")
    cluster.worker("one")
    assert pubench(*on(cluster, suite, tmp_path / "run")).returncode == 0
    provenance = json.loads((tmp_path / "run" / "provenance.json").read_text())
    assert "dask" in json.dumps(provenance)
