"""The driver, its workers and their children killed or stopped: nothing is left, nothing finished is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from fault_tools import (
    PATIENCE,
    PLUGIN,
    Gate,
    alive,
    children,
    driver,
    run,
    run_arguments,
    sentences,
    stable_rows,
    statuses,
    stored,
    wait_for,
    workers,
    write_suite,
)

from pubench.api import run_suite
from pubench.results.store import read_records

CELLS = 20
SLOW_JOBS = ["2", pytest.param("1", marks=pytest.mark.slow)]


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty cells, half of them with one fit, half of them tuned with seven."""
    folder = tmp_path_factory.mktemp("suite")
    return write_suite(
        folder / "suite.toml",
        replicates=CELLS // 2,
        algorithms=[{"use": "good"}, {"use": "good", "name": "tuned", "tune": True}],
        tuning={"criteria": ["puf"], "sampler": "grid", "folds": 2},
    )


@pytest.fixture(scope="module")
def undisturbed(suite: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict]:
    out = tmp_path_factory.mktemp("undisturbed")
    assert run_suite(suite, out=out, plugins=[PLUGIN]).counts == {"ok": CELLS}
    return stable_rows(out)


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    """Let fits of at least five cells through, and not those of all cells."""
    return Gate(tmp_path / "gate", allowed=40)


def all_ended(marker: str) -> bool:
    return not alive(marker)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_run_killed_at_any_moment_can_be_resumed(
    suite: Path, undisturbed: list[dict], tmp_path: Path, jobs: str
) -> None:
    out = tmp_path / "run"
    # The early moments hit imports and starting workers, the later ones cells under way.
    for number, moment in enumerate((0.3, 0.7, 1.1, 1.5, 2.0)):
        gate = Gate(tmp_path / f"gate-{number}", allowed=10)
        with driver(*run_arguments(suite, out, "--jobs", jobs), gate=gate) as (process, marker):
            time.sleep(moment)
            process.send_signal(signal.SIGKILL)
            process.wait()
            wait_for(lambda marker=marker: all_ended(marker), "orphans to end")
    finished = {key: record for key, record in read_records(out)[0].items() if record.status == "ok"}
    assert run(suite, out, "--jobs", jobs).returncode == 0
    assert stable_rows(out) == undisturbed
    after = read_records(out)[0]
    assert {key: after[key] for key in finished} == finished


@pytest.mark.slow
@pytest.mark.parametrize("jobs", SLOW_JOBS)
def test_a_run_killed_after_some_cells_can_be_resumed(
    suite: Path, undisturbed: list[dict], tmp_path: Path, jobs: str
) -> None:
    out = tmp_path / "run"
    for enough, allowed in ((1, 16), (9, 56)):
        gate = Gate(tmp_path / f"gate-{enough}", allowed)
        with driver(*run_arguments(suite, out, "--jobs", jobs), gate=gate) as (process, marker):
            wait_for(lambda enough=enough: stored(out) >= enough, "cells to be stored")
            assert children(marker)
            process.send_signal(signal.SIGKILL)
            process.wait()
            wait_for(lambda marker=marker: all_ended(marker), "orphans to end")
        assert enough <= stored(out) < CELLS
    result = run(suite, out, "--jobs", jobs)
    assert (result.returncode, sentences(result)) == (0, [])
    assert f" of {CELLS} cells are already finished" in result.stderr
    assert stable_rows(out) == undisturbed


@pytest.mark.slow
def test_no_cell_is_lost_when_a_worker_is_killed(
    suite: Path, undisturbed: list[dict], tmp_path: Path, gate: Gate
) -> None:
    out = tmp_path / "run"
    with driver(*run_arguments(suite, out, "--jobs", "2"), gate=gate) as (process, marker):
        wait_for(lambda: stored(out) >= 5, "cells to be stored")
        workers(marker)[0].send_signal(signal.SIGKILL)
        gate.open()
        _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, err
        assert "Traceback" not in err
        assert all_ended(marker)
    assert stable_rows(out) == undisturbed


@pytest.mark.slow
@pytest.mark.parametrize("jobs", SLOW_JOBS)
def test_a_killed_child_crashes_only_its_cell(
    suite: Path, undisturbed: list[dict], tmp_path: Path, gate: Gate, jobs: str
) -> None:
    out = tmp_path / "run"
    with driver(*run_arguments(suite, out, "--jobs", jobs), gate=gate) as (process, _):
        os.kill(wait_for(gate.waiting, "a child inside a fit")[0], signal.SIGKILL)
        gate.open()
        _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 1, err
        assert "Traceback" not in err
    rows = stable_rows(out)
    crashed = [number for number, row in enumerate(rows) if row["status"] == "crashed"]
    assert [rows[number]["error"] for number in crashed] == [
        "was ended by signal SIGKILL; the system's out-of-memory killer may have ended it"
    ]
    assert all(row == undisturbed[n] for n, row in enumerate(rows) if n not in crashed)
    assert run_suite(suite, out=out, plugins=[PLUGIN]).n_failed == 1
    assert run(suite, out, "--retry-failed").returncode == 0
    assert stable_rows(out) == undisturbed


@pytest.mark.parametrize(
    ("jobs", "number"),
    [
        pytest.param("1", signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param("2", signal.SIGINT, marks=pytest.mark.slow),
        pytest.param("1", signal.SIGINT, marks=pytest.mark.slow),
        pytest.param("2", signal.SIGHUP, marks=pytest.mark.slow),
        pytest.param("2", signal.SIGTERM, marks=pytest.mark.slow),
    ],
)
def test_a_stopped_run_says_how_to_resume(
    suite: Path, undisturbed: list[dict], tmp_path: Path, gate: Gate, jobs: str, number: signal.Signals
) -> None:
    out = tmp_path / "run"
    with driver(*run_arguments(suite, out, "--jobs", jobs), gate=gate) as (process, marker):
        wait_for(lambda: stored(out) >= 5, "cells to be stored")
        # A terminal sends Ctrl-C to the whole group, kill sends SIGTERM to one process.
        (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
        _, err = process.communicate(timeout=PATIENCE)
        wait_for(lambda: all_ended(marker), "everything to end")
    assert process.returncode == 128 + number, err
    assert "Traceback" not in err
    last = err.splitlines()[-1]
    # The signal may come when a cell is stored and not yet counted.
    assert last in {
        f"pubench: stopped by {number.name}; {cells} of {CELLS} cells are stored. "
        "Run the same command again to continue."
        for cells in (stored(out), stored(out) - 1)
    }
    assert [line for line in err.splitlines() if not line.startswith("[")] == [last]
    assert 5 <= stored(out) < CELLS
    assert statuses(out).count("pending") == CELLS - stored(out)
    run_suite(suite, out=out, plugins=[PLUGIN])
    assert stable_rows(out) == undisturbed


def assert_stops_quietly(process: subprocess.Popen[str], marker: str) -> None:
    """Send what a terminal sends for Ctrl-C; one sentence is said, and nothing is left."""
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    wait_for(lambda: all_ended(marker), "everything to end")
    assert process.returncode == 130, err
    assert [line for line in err.splitlines() if not line.startswith("[")] == err.splitlines()[-1:]


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["plan", "workers", "children", "fits"])
def test_stopping_early_prints_one_sentence(suite: Path, tmp_path: Path, moment: str) -> None:
    out, gate = tmp_path / "run", Gate(tmp_path / "gate")
    with driver(*run_arguments(suite, out, "--jobs", "2"), gate=gate) as (process, marker):
        reached = {
            "plan": (out / "plan.json").exists,
            "workers": lambda: workers(marker),
            "children": lambda: children(marker),
            "fits": lambda: len(gate.waiting()) == 2,
        }
        wait_for((out / "plan.json").exists, "the plan")
        wait_for(reached[moment], f"the {moment}")
        assert_stops_quietly(process, marker)


@pytest.mark.slow
@pytest.mark.parametrize("moment", [0.1 * number for number in range(20)])
def test_stopping_at_any_moment_prints_one_sentence(
    suite: Path, tmp_path: Path, gate: Gate, moment: float
) -> None:
    out = tmp_path / "run"
    with driver(*run_arguments(suite, out, "--jobs", "2"), gate=gate) as (process, marker):
        wait_for((out / "plan.json").exists, "the plan")
        time.sleep(moment)
        assert_stops_quietly(process, marker)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", SLOW_JOBS)
def test_stopping_does_not_wait_for_cells_under_way(suite: Path, tmp_path: Path, jobs: str) -> None:
    # The gate stays closed: a driver that waited would wait for longer than this test does.
    gate = Gate(tmp_path / "gate")
    with driver(*run_arguments(suite, tmp_path / "run", "--jobs", jobs), gate=gate) as (process, marker):
        wait_for(lambda: len(gate.waiting()) == int(jobs), "fits to begin")
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE / 2)
        wait_for(lambda: all_ended(marker), "everything to end")
    assert process.returncode == 130, err
    assert err.splitlines()[-1].startswith(f"pubench: stopped by SIGINT; 0 of {CELLS} cells are stored.")


@pytest.mark.slow
def test_more_signals_while_a_run_stops_change_nothing(suite: Path, tmp_path: Path) -> None:
    gate = Gate(tmp_path / "gate")
    with driver(*run_arguments(suite, tmp_path / "run", "--jobs", "2"), gate=gate) as (process, marker):
        wait_for(lambda: len(gate.waiting()) == 2, "fits to begin")
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGHUP)
        _, err = process.communicate(timeout=PATIENCE)
        wait_for(lambda: all_ended(marker), "everything to end")
    # Which of the two is handled first is up to the system.
    first = signal.Signals(process.returncode - 128)
    assert first in {signal.SIGTERM, signal.SIGHUP}
    told = f"pubench: stopped by {first.name}; 0 of {CELLS} cells are stored. Run the same command again to continue."
    assert err.splitlines() == [told]


@pytest.mark.slow
def test_a_run_in_the_background_ignores_ctrl_c_and_obeys_kill(suite: Path, tmp_path: Path) -> None:
    """Scripts start background jobs with SIGINT ignored, so that Ctrl-C ends only what is in the foreground.

    ``nohup`` does the same with SIGHUP, which a terminal sends when it is closed.
    """
    gate = Gate(tmp_path / "gate")
    arguments = run_arguments(suite, tmp_path / "run")
    with driver(*arguments, gate=gate, ignored=[signal.SIGINT, signal.SIGHUP]) as (process, marker):
        wait_for(gate.waiting, "a fit to begin")
        os.killpg(process.pid, signal.SIGINT)
        os.killpg(process.pid, signal.SIGHUP)
        gate.allow(1)
        wait_for(lambda: stored(tmp_path / "run"), "the run to go on")
        process.terminate()
        _, err = process.communicate(timeout=PATIENCE)
        wait_for(lambda: all_ended(marker), "everything to end")
    assert process.returncode == 143, err
    # The signal may come when the cell is stored and not yet counted.
    assert err.splitlines()[-1].startswith(
        ("pubench: stopped by SIGTERM; 1 of", "pubench: stopped by SIGTERM; 0 of")
    )
