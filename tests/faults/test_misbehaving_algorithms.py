"""Every misbehaviour ends as a row with its reason, and no other cell notices."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fault_tools import (
    PATIENCE,
    PLUGIN,
    alive,
    driver,
    pubench,
    run_arguments,
    stable_rows,
    wait_for,
    write_suite,
)
from misbehaving import ALGORITHMS

from pubench.api import run_suite
from pubench.results.record import Record
from pubench.results.store import read_records
from pubench.results.table import read_results

MEMORY = 400
WRITES = ("failed", "ValueError: assignment destination is read-only")
ENDS: dict[str, tuple[str, str]] = {
    "raise-in-fit": ("failed", "ValueError: fit does not want to"),
    "raise-in-predict": ("failed", "ValueError: predict does not want to"),
    "segfault": ("crashed", "was ended by signal SIGSEGV"),
    "hard-exit": ("crashed", "ended its process with exit code 3"),
    "soft-exit": ("failed", "SystemExit: fit leaves"),
    "interrupt": ("failed", "KeyboardInterrupt: "),
    "eat-slowly": ("out-of-memory", "memory"),
    "eat-shared": ("out-of-memory", f"used more than its {MEMORY} MB of memory"),
    "eat-at-once": ("out-of-memory", "ran out of memory: Unable to allocate"),
    "not-a-number": ("failed", "decision_function returned NaN or infinity for 30 of 30 rows"),
    "nan-decision": ("failed", "predict returned NaN or infinity for 1 of 30 rows"),
    "too-short": ("failed", "predict returned shape (29,) for 30 rows; expected (30,)"),
    "too-long": ("failed", "decision_function returned shape (31,) for 30 rows; expected (30,)"),
    "narrow-probability": ("failed", "predict_proba returned shape (30, 1) for 30 rows; expected (30, 2)"),
    "above-one": ("failed", "predict_proba returned values outside [0, 1]"),
    "write-features": WRITES,
    "write-labels": WRITES,
    "write-test": WRITES,
    "unknown-parameter": ("failed", "nonsense"),
}
FINE = ("flood", "leave-behind", "pollute")
"""Bad manners that cost nobody a result."""

ELSEWHERE = {
    *(
        "hang-in-python",
        "hang-in-c",
        "write-sparse",
        "speak-out-of-turn",
        "some-trials",
        "all-trials",
        "final-fit",
    ),
}
"""What has tests of its own, in test_misbehaving_limits."""


@dataclass(frozen=True)
class Run:
    folder: Path
    result: subprocess.CompletedProcess[str]

    def row(self, name: str) -> dict[str, Any]:
        return next(row for row in read_results(self.folder).rows if row["algorithm"] == name)

    def record(self, name: str) -> Record:
        return read_records(self.folder)[0][self.row(name)["key"]]


def entries(*, bad: bool) -> list[dict[str, Any]]:
    """Put a sensitive neighbour behind every algorithm that misbehaves."""
    listed: list[dict[str, Any]] = []
    for number, name in enumerate([*ENDS, *FINE]):
        if bad and name == "unknown-parameter":
            listed.append({"use": "good", "name": name, "params": {"nonsense": 1}})
        elif bad:
            listed.append({"use": name})
        listed.append({"use": "sensitive", "name": f"after {name}", "params": {"shrink": number / 100}})
    return listed


@pytest.fixture(scope="module")
def among_bad(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("bad")
    limits = {"seconds": PATIENCE, "memory_mb": MEMORY}
    suite = write_suite(folder / "suite.toml", algorithms=entries(bad=True), limits=limits)
    with driver(*run_arguments(suite, folder / "run")) as (process, marker):
        out, err = process.communicate(timeout=PATIENCE)
        result = subprocess.CompletedProcess(process.args, process.returncode, out, err)
        # Processes end after the driver, at once or when the machine gets to them.
        wait_for(lambda: not alive(marker), "processes of the run to end")
        return Run(folder / "run", result)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("good")
    run_suite(
        write_suite(folder / "suite.toml", algorithms=entries(bad=False)),
        out=folder / "run",
        plugins=[PLUGIN],
    )
    return folder / "run"


def test_every_misbehaviour_has_a_test() -> None:
    assert {*ENDS, *FINE} - {"unknown-parameter"} | ELSEWHERE | {"good", "sensitive"} == set(ALGORITHMS)


@pytest.mark.parametrize("name", ENDS)
def test_each_misbehaviour_ends_as_the_expected_row(among_bad: Run, name: str) -> None:
    status, reason = ENDS[name]
    row = among_bad.row(name)
    assert (row["status"], reason in row["error"]) == (status, True), row["error"]
    assert len(row["error"].splitlines()) == 1
    assert row["accuracy"] is None


@pytest.mark.parametrize("name", [name for name, (status, _) in ENDS.items() if status == "failed"])
def test_a_failure_keeps_its_traceback(among_bad: Run, name: str) -> None:
    trace = among_bad.record(name).traceback
    assert trace.startswith("Traceback (most recent call last):")
    assert ENDS[name][1].removesuffix(": ") in trace


@pytest.mark.parametrize("name", FINE)
def test_bad_manners_alone_do_not_fail_a_cell(among_bad: Run, name: str) -> None:
    assert among_bad.row(name)["status"] == "ok"


@pytest.mark.slow
@pytest.mark.parametrize("name", [*ENDS, *FINE])
def test_the_next_cell_is_the_same_as_without_it(among_bad: Run, alone: Path, name: str) -> None:
    there = next(row for row in stable_rows(among_bad.folder) if row["algorithm"] == f"after {name}")
    here = next(row for row in stable_rows(alone) if row["algorithm"] == f"after {name}")
    assert there["status"] == "ok"
    assert there == here


def test_only_the_end_of_a_flood_is_kept(among_bad: Run) -> None:
    output = among_bad.record("flood").output
    assert output.endswith("the end of the flood\n")
    assert len(output) < 10_000
    assert (among_bad.folder / "cells.jsonl").stat().st_size < 1_000_000


def test_the_command_exits_with_1_and_prints_no_traceback(among_bad: Run) -> None:
    result = among_bad.result
    assert result.returncode == 1
    assert "Traceback" not in result.stderr + result.stdout
    lines = result.stderr.splitlines()
    assert len(lines) == len(entries(bad=True)), result.stderr
    for name, (status, reason) in ENDS.items():
        told = next(line for line in lines if f" | {name} | " in line)
        assert f"] {status} " in told
        assert reason.strip() in told


@pytest.mark.slow
def test_status_shows_every_failure_with_its_traceback(among_bad: Run) -> None:
    plain = pubench("suite", "status", str(among_bad.folder))
    full = pubench("suite", "status", str(among_bad.folder), "--errors")
    assert (plain.returncode, full.returncode) == (1, 1)
    assert "Traceback" not in plain.stdout
    for name, (status, reason) in ENDS.items():
        told = next(line for line in plain.stdout.splitlines() if f", {name}, " in line)
        assert told.startswith(f"  {status}: ")
        assert reason.strip() in told
        assert told in full.stdout.splitlines()
    assert full.stdout.count("Traceback (most recent call last)") >= sum(
        status == "failed" for status, _ in ENDS.values()
    )
    counts = json.loads(pubench("suite", "status", str(among_bad.folder), "--json").stdout)
    assert counts["ok"] == len(ENDS) + 2 * len(FINE)


def test_the_report_is_written_despite_failures(among_bad: Run) -> None:
    assert "after segfault" in (among_bad.folder / "report.md").read_text()


@pytest.mark.slow
def test_resuming_does_not_retry_failures_unless_asked(among_bad: Run) -> None:
    before = (among_bad.folder / "cells.jsonl").read_bytes()
    again = pubench(*run_arguments(among_bad.folder / "suite.toml", among_bad.folder))
    assert again.returncode == 1
    assert (among_bad.folder / "cells.jsonl").read_bytes() == before


def test_this_process_is_unaffected() -> None:
    assert "LEFT_BEHIND" not in os.environ
