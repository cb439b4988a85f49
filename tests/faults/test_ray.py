"""ray with a local head: the same bits as elsewhere, and faults are rows or sentences.

ray replaces 127.0.0.1 by the machine's own address, so it runs in a network that has nothing but loopback.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import psutil
import pytest
from fault_tools import CASE_CONTROL, Gate, driver, named, pubench, run_arguments, wait_for, write_suite

pytest.importorskip("ray", reason="ray is not installed")

pytestmark = pytest.mark.slow
ALONE = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
TUNED = {
    "replicates": 2,
    "labellings": [CASE_CONTROL, {"scenario": "single-training-set", "frequency": 0.5}],
    "algorithms": [{"use": "wlr", "tune": True}, {"use": "good"}, {"use": "supervised-lr"}],
    "tuning": {"sampler": "tpe", "trials": 4, "folds": 2, "criteria": ["puf", "oracle-f1"]},
}


@pytest.fixture(autouse=True, scope="module")
def loopback_only():
    """Skip where this user may not have a network of its own."""
    able = shutil.which("unshare") and shutil.which("ip")
    if not able or subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this user may not have a network that has only loopback")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        yield


def on_ray(suite: Path, out: Path, *more: str) -> list[str]:
    return run_arguments(suite, out, "--backend", "ray", "--jobs", "2", *more)


def exported(out: Path) -> str:
    done = pubench("export", str(out), "--no-times", "--format", "csv")
    assert done.returncode == 0, done.stderr
    return done.stdout


def finished(*arguments: str) -> tuple[int, str]:
    """Run a command in a network of its own; return its exit code and what it said."""
    with driver(*arguments, within=ALONE) as (process, _):
        out, error = process.communicate()
    assert "Traceback" not in error
    return process.returncode, out + error


def test_rays_workers_and_merged_shards_give_the_bits_of_a_local_run(tmp_path):
    suite = write_suite(tmp_path / "suite.toml", **TUNED)
    code, said = finished(*on_ray(suite, tmp_path / "ray"))
    assert code == 0, said
    assert pubench(*run_arguments(suite, tmp_path / "local")).returncode == 0
    assert exported(tmp_path / "ray") == exported(tmp_path / "local")
    shards = [tmp_path / f"shard{number}" for number in range(1, 5)]
    for number, folder in enumerate(shards, 1):
        assert pubench(*run_arguments(suite, folder, "--shard", f"{number}/4")).returncode == 0
    assert pubench("merge", *map(str, shards), "--out", str(tmp_path / "merged")).returncode == 0
    assert exported(tmp_path / "merged") == exported(tmp_path / "local")


def test_a_plugin_that_hangs_or_a_metric_that_crashes_is_its_cells_row(tmp_path, monkeypatch):
    monkeypatch.setenv("HANGS", str(tmp_path / "hangs"))
    metric = tmp_path / "crashing.py"
    metric.write_text(
        "import os\nimport pubench\n\n\ndef crash(y, values):\n    os.kill(os.getpid(), 11)\n\n\n"
        "@pubench.hookimpl\ndef pubench_metrics():\n"
        '    return [pubench.Metric(name="crash", function="crashing:crash")]\n'
    )
    suite = write_suite(
        tmp_path / "suite.toml",
        algorithms=named("good", "hang-in-c"),
        limits={"seconds": 5, "memory_mb": 900},
        report={"metrics": ["accuracy", "crash"]},
    )
    _, said = finished(*on_ray(suite, tmp_path / "run", "--plugin", str(metric)))
    text = exported(tmp_path / "run")
    assert (text.count(",crashed,"), text.count(",timeout,")) == (1, 1), said


def rays_worker(pid: int) -> psutil.Process:
    """Return the worker of ray above a process."""
    return next(one for one in psutil.Process(pid).parents() if one.name().startswith("ray::"))


def test_a_worker_that_is_killed_in_a_fit_costs_nothing(tmp_path):
    suite = write_suite(tmp_path / "suite.toml", replicates=4)
    gate = Gate(tmp_path / "gate")
    with driver(*on_ray(suite, tmp_path / "run"), gate=gate, within=ALONE) as (process, _):
        wait_for(lambda: len(gate.waiting()) >= 2, "fits on both workers")
        rays_worker(gate.waiting()[0]).kill()
        gate.open()
        out, error = process.communicate()
    assert process.returncode == 0, out + error
    assert exported(tmp_path / "run").count(",ok,") == 4


def test_ctrl_c_ends_the_run_and_all_its_processes(tmp_path):
    suite = write_suite(tmp_path / "suite.toml", replicates=4)
    gate = Gate(tmp_path / "gate")
    with driver(*on_ray(suite, tmp_path / "run"), gate=gate, within=ALONE) as (process, _):
        wait_for(gate.waiting, "a fit")
        fits = gate.waiting()
        process.send_signal(signal.SIGINT)
        _, error = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in error
    wait_for(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in fits), "the end of the fits")
