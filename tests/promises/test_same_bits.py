"""Promises 2 and 4: the same bits for any number of workers, and after any number of kills."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pubench.suite import suite_text

PUBENCH = [sys.executable, "-m", "pubench"]


def run(suite: str, out: Path, *options: str) -> None:
    subprocess.run([*PUBENCH, "suite", "run", suite, "--out", str(out), "-q", *options], check=True)


def export(out: Path, form: str) -> bytes:
    command = [*PUBENCH, "export", str(out), "--format", form, "--no-times"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def exports(out: Path) -> tuple[bytes, bytes]:
    return export(out, "csv"), export(out, "json")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    out = tmp_path_factory.mktemp("undisturbed")
    run("quickstart", out, "--jobs", "1")
    found = exports(out)
    assert found[0].count(b",ok,") == 36
    return found


# tests/run has the law for a toy in each backend; here is the quickstart, as users run it.
@pytest.mark.slow
def test_two_workers_give_the_same_bytes_as_one(tmp_path: Path) -> None:
    shorter = suite_text("quickstart").replace("replicates = 3", "replicates = 1")
    (tmp_path / "once.toml").write_text(shorter.replace("trials = 10", "trials = 4"))
    found = []
    for jobs in ("1", "2"):
        run(str(tmp_path / "once.toml"), tmp_path / jobs, "--jobs", jobs)
        found.append(export(tmp_path / jobs, "csv"))
    assert found[0] == found[1]
    assert found[0].count(b",ok,") == 12


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_twenty_kills_change_nothing(tmp_path: Path, undisturbed: tuple[bytes, bytes], jobs: str) -> None:
    """Kill the driver with SIGKILL at 20 random moments; every start goes on where the last one was cut off."""
    moments = random.Random(f"kills-{jobs}")
    command = [*PUBENCH, "suite", "run", "quickstart", "--out", str(tmp_path), "-q", "--jobs", jobs]
    cut_short, seen = 0, []
    for _ in range(20):
        driver = subprocess.Popen(command, start_new_session=True)
        try:
            driver.wait(timeout=moments.uniform(0.2, 6.0))
        except subprocess.TimeoutExpired:
            cut_short += 1
        os.kill(driver.pid, signal.SIGKILL) if driver.poll() is None else None
        driver.wait()
        time.sleep(0.1)
        cells = tmp_path / "cells.jsonl"
        seen.append(cells.read_bytes().count(b"\n") if cells.exists() else 0)
    run("quickstart", tmp_path, "--jobs", jobs)
    assert cut_short >= 5
    assert seen == sorted(seen), "a finished cell was lost"
    assert exports(tmp_path) == undisturbed
