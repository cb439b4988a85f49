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
from pubench.store import read_records

CELLS = 24


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two dozen cells of a twentieth of a second each, half of them tuned."""
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


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_killed_after_each_few_cells_and_resumed(
    suite: Path, undisturbed: list[dict], tmp_path: Path, jobs: str
) -> None:
    out = tmp_path / "run"
    for enough in (1, 6, 13):
        with driver(*run_arguments(suite, out, "--jobs", jobs)) as (process, marker):
            wait_for(lambda enough=enough: stored(out) >= enough, "cells to be stored")
            assert children(marker)
            process.send_signal(signal.SIGKILL)
            process.wait()
            wait_for(lambda marker=marker: not alive(marker), "orphans to end", seconds=5)
        assert enough <= stored(out) < CELLS
    result = run(suite, out, "--jobs", jobs)
    assert (result.returncode, sentences(result)) == (0, [])
    assert f"{CELLS} cells are finished already" in result.stderr
    assert stable_rows(out) == undisturbed


def test_a_killed_worker_takes_no_cell_with_it(suite: Path, undisturbed: list[dict], tmp_path: Path) -> None:
    out = tmp_path / "run"
    with driver(*run_arguments(suite, out, "--jobs", "2")) as (process, marker):
        for enough in (2, 8):
            wait_for(lambda enough=enough: stored(out) >= enough, "cells to be stored")
            wait_for(lambda: workers(marker), "a worker")[0].send_signal(signal.SIGKILL)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert "Traceback" not in err
        assert not alive(marker)
    assert stable_rows(out) == undisturbed


@pytest.mark.parametrize("jobs", ["1", "2"])
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
    assert run(suite, out).returncode == 1
    assert run(suite, out, "--retry-failed").returncode == 0
    assert stable_rows(out) == undisturbed


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("jobs", ["1", "2"])
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
    assert last == (
        f"pubench: stopped; {stored(out)} of {CELLS} cells are stored. Run the same command again to go on."
    )
    assert [line for line in err.splitlines() if not line.startswith("[")] == [last]
    assert 5 <= stored(out) < CELLS
    assert statuses(out).count("pending") == CELLS - stored(out)
    assert run(suite, out, "--jobs", jobs).returncode == 0
    assert stable_rows(out) == undisturbed


@pytest.mark.parametrize("moment", [0.25, 0.5, 0.8, 1.1])
def test_stopping_early_is_quiet_too(suite: Path, tmp_path: Path, moment: float) -> None:
    with driver(*run_arguments(suite, tmp_path / "run", "--jobs", "2")) as (process, marker):
        time.sleep(moment)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=30)
        wait_for(lambda: not alive(marker), "everything to end", seconds=5)
    assert process.returncode == 130, err
    assert "Traceback" not in err
