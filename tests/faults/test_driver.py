"""The driver, its workers and their children killed or stopped: nothing is left, nothing finished is lost."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from fault_tools import (
    PLUGIN,
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
    """Twenty cells of a tenth of a second each, half of them tuned."""
    folder = tmp_path_factory.mktemp("suite")
    return write_suite(
        folder / "suite.toml",
        replicates=CELLS // 2,
        algorithms=[
            {"use": "good", "params": {"pause": 0.1}},
            {"use": "good", "name": "tuned", "params": {"pause": 0.02}, "tune": True},
        ],
        tuning={"criteria": ["puf"], "sampler": "grid", "folds": 2},
    )


@pytest.fixture(scope="module")
def undisturbed(suite: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict]:
    out = tmp_path_factory.mktemp("undisturbed")
    assert run_suite(suite, out=out, plugins=[PLUGIN]).counts == {"ok": CELLS}
    return stable_rows(out)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_killed_at_any_moment_and_resumed(
    suite: Path, undisturbed: list[dict], tmp_path: Path, jobs: str
) -> None:
    out = tmp_path / "run"
    arguments = run_arguments(suite, out, "--jobs", jobs)
    # The early moments hit imports and starting workers, the later ones cells under way.
    for moment in (0.3, 0.7, 1.1, 1.5, 2.0):
        with driver(*arguments) as (process, marker):
            time.sleep(moment)
            process.send_signal(signal.SIGKILL)
            process.wait()
            wait_for(lambda marker=marker: not alive(marker), "orphans to end", seconds=5)
    finished = {key: record for key, record in read_records(out)[0].items() if record["status"] == "ok"}
    assert run(suite, out, "--jobs", jobs).returncode == 0
    assert stable_rows(out) == undisturbed
    after = read_records(out)[0]
    assert {key: after[key] for key in finished} == finished


@pytest.mark.parametrize("jobs", SLOW_JOBS)
def test_killed_after_each_few_cells_and_resumed(
    suite: Path, undisturbed: list[dict], tmp_path: Path, jobs: str
) -> None:
    out = tmp_path / "run"
    for enough in (1, 9):
        with driver(*run_arguments(suite, out, "--jobs", jobs)) as (process, marker):
            wait_for(lambda enough=enough: stored(out) >= enough, "cells to be stored")
            assert children(marker)
            process.send_signal(signal.SIGKILL)
            process.wait()
            wait_for(lambda marker=marker: not alive(marker), "orphans to end", seconds=5)
        assert enough <= stored(out) < CELLS
    result = run(suite, out, "--jobs", jobs)
    assert (result.returncode, sentences(result)) == (0, [])
    assert f" of {CELLS} cells are already finished" in result.stderr
    assert stable_rows(out) == undisturbed


def test_a_killed_worker_takes_no_cell_with_it(suite: Path, undisturbed: list[dict], tmp_path: Path) -> None:
    out = tmp_path / "run"
    with driver(*run_arguments(suite, out, "--jobs", "2")) as (process, marker):
        wait_for(lambda: stored(out) >= 5, "cells to be stored")
        workers(marker)[0].send_signal(signal.SIGKILL)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert "Traceback" not in err
        assert not alive(marker)
    assert stable_rows(out) == undisturbed


@pytest.mark.parametrize("jobs", SLOW_JOBS)
def test_a_killed_child_is_a_crash_of_its_cell_alone(
    suite: Path, undisturbed: list[dict], tmp_path: Path, jobs: str
) -> None:
    out = tmp_path / "run"
    with driver(*run_arguments(suite, out, "--jobs", jobs)) as (process, marker):
        wait_for(lambda: stored(out) >= 4, "cells to be stored")
        time.sleep(0.03)
        wait_for(lambda: children(marker), "a child")[0].send_signal(signal.SIGKILL)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 1, err
        assert "Traceback" not in err
    rows = stable_rows(out)
    crashed = [number for number, row in enumerate(rows) if row["status"] == "crashed"]
    assert [rows[number]["error"] for number in crashed] == ["was ended by signal SIGKILL"]
    assert all(row == undisturbed[n] for n, row in enumerate(rows) if n not in crashed)
    assert run_suite(suite, out=out, plugins=[PLUGIN]).n_failed == 1
    assert run(suite, out, "--retry-failed").returncode == 0
    assert stable_rows(out) == undisturbed


@pytest.mark.parametrize(
    ("jobs", "number"),
    [
        ("1", signal.SIGTERM),
        ("2", signal.SIGINT),
        pytest.param("1", signal.SIGINT, marks=pytest.mark.slow),
        pytest.param("2", signal.SIGTERM, marks=pytest.mark.slow),
    ],
)
def test_stopping_says_how_to_go_on(
    suite: Path, undisturbed: list[dict], tmp_path: Path, jobs: str, number: signal.Signals
) -> None:
    out = tmp_path / "run"
    with driver(*run_arguments(suite, out, "--jobs", jobs)) as (process, marker):
        wait_for(lambda: stored(out) >= 5, "cells to be stored")
        # A terminal sends Ctrl-C to the whole group, kill sends SIGTERM to one process.
        (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
        _, err = process.communicate(timeout=30)
        wait_for(lambda: not alive(marker), "everything to end", seconds=5)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    last = err.splitlines()[-1]
    # The signal may come when a cell is stored and not yet counted.
    assert last in {
        f"pubench: stopped; {number} of {CELLS} cells are stored. Run the same command again to go on."
        for number in (stored(out), stored(out) - 1)
    }
    assert [line for line in err.splitlines() if not line.startswith("[")] == [last]
    assert 5 <= stored(out) < CELLS
    assert statuses(out).count("pending") == CELLS - stored(out)
    run_suite(suite, out=out, plugins=[PLUGIN])
    assert stable_rows(out) == undisturbed


@pytest.mark.parametrize("moment", [0.0, 0.1, 0.2, 0.3, 0.5])
def test_stopping_early_is_quiet_too(suite: Path, tmp_path: Path, moment: float) -> None:
    with driver(*run_arguments(suite, tmp_path / "run", "--jobs", "2")) as (process, marker):
        wait_for((tmp_path / "run" / "plan.json").exists, "the plan")
        time.sleep(moment)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=30)
        wait_for(lambda: not alive(marker), "everything to end", seconds=5)
    # CPython ends by the signal itself, which shells show as 130 too, when it came during an exec() of text.
    assert process.returncode in (130, -signal.SIGINT), err
    assert [line for line in err.splitlines() if not line.startswith("[")] == err.splitlines()[-1:]


@pytest.mark.parametrize("jobs", SLOW_JOBS)
def test_stopping_does_not_wait_for_cells_under_way(tmp_path: Path, jobs: str) -> None:
    slow = write_suite(
        tmp_path / "s.toml", algorithms=[{"use": "good", "params": {"pause": 15}}], replicates=3
    )
    with driver(*run_arguments(slow, tmp_path / "run", "--jobs", jobs)) as (process, marker):
        wait_for(lambda: len(children(marker)) == int(jobs), "the children")
        time.sleep(1.0)
        os.killpg(process.pid, signal.SIGINT)
        started = time.monotonic()
        _, err = process.communicate(timeout=30)
        assert time.monotonic() - started < 8
        wait_for(lambda: not alive(marker), "everything to end", seconds=5)
    assert process.returncode == 130, err
    assert err.splitlines()[-1].startswith("pubench: stopped; 0 of 3 cells are stored.")
