"""Promise 4 for trials: a run that is killed in the middle of a search goes on behind the last stored trial."""

from __future__ import annotations

import random
import signal
from collections import Counter
from pathlib import Path

import pytest
from fault_tools import (
    PLUGIN,
    Gate,
    alive,
    driver,
    run,
    run_arguments,
    stable_rows,
    wait_for,
    write_suite,
)

from pubench.api import run_suite
from pubench.results.store import read_searches

TRIALS = 120


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two cells, each with a search of its own that looks at what it has found."""
    return write_suite(
        tmp_path_factory.mktemp("suite") / "suite.toml",
        replicates=2,
        algorithms=[{"use": "good", "tune": True, "search": {"shrink": {"low": 0.0, "high": 0.9}}}],
        # The default setting would be tried by both searches, and trials are told apart by their parameter.
        tuning={"criteria": ["puf"], "sampler": "tpe", "trials": TRIALS // 2, "folds": 2, "defaults": False},
    )


@pytest.fixture(scope="module")
def undisturbed(suite: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict]:
    out = tmp_path_factory.mktemp("undisturbed")
    assert run_suite(suite, out=out, plugins=[PLUGIN]).counts == {"ok": 2}
    return stable_rows(out)


def finished(out: Path) -> Counter[str]:
    """Return how often each parameter was tried, by the stored trials."""
    lines = [line for lines in read_searches(out).values() for line in lines]
    return Counter(str(line.trial.params["shrink"]) for line in lines)


def fits(gate: Gate) -> Counter[str]:
    path = gate.folder / "fits"
    return Counter(path.read_text().split() if path.exists() else [])


@pytest.mark.slow
@pytest.mark.parametrize(("jobs", "kills"), [("1", 20), ("2", 20)])
def test_kills_inside_searches_change_nothing_and_no_trial_is_run_twice(
    suite: Path, undisturbed: list[dict], tmp_path: Path, jobs: str, kills: int
) -> None:
    out, moments = tmp_path / "run", random.Random(kills)
    for number in range(kills):
        before = finished(out)
        # The gate stops the run in the middle of a trial: one has two fits.
        gate = Gate(tmp_path / f"gate-{number}", allowed=moments.randint(1, 5))
        with driver(*run_arguments(suite, out, "--jobs", jobs), gate=gate) as (process, marker):
            wait_for(lambda gate=gate: len(gate.waiting()) == int(jobs), "fits to wait at the gate")
            process.send_signal(signal.SIGKILL)
            process.wait()
            wait_for(lambda marker=marker: not alive(marker), "orphans to end")
        assert finished(out) >= before
        assert not fits(gate).keys() & before.keys()
    stored = finished(out)
    assert sum(stored.values()) < TRIALS
    assert run(suite, out, "--jobs", jobs).returncode == 0
    assert stable_rows(out) == undisturbed
    assert sum(finished(out).values()) == TRIALS
