"""Time limits, searches that go wrong, sparse input, and garbage in pubench's own channel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fault_tools import PLUGIN, hurry_at_hangs, named, stable_rows, write_suite

from pubench.api import run_suite
from pubench.results.store import read_records
from pubench.results.table import Results
from pubench.results.trials import read_trials

TUNING = {"criteria": ["puf", "fp-fn"], "sampler": "grid", "folds": 2, "defaults": False}


def run_here(folder: Path, **keys: Any) -> Results:
    return run_suite(write_suite(folder / "suite.toml", **keys), out=folder / "run", plugins=[PLUGIN])


def tuned(*names: str) -> list[dict[str, Any]]:
    return [{"use": name, "tune": True} for name in names]


def by_name(results: Results) -> dict[tuple[str, str | None], dict[str, Any]]:
    return {(row["algorithm"], row["criterion"]): row for row in results.rows}


@pytest.mark.parametrize("name", ["hang-in-python", "hang-in-c"])
def test_a_hanging_cell_times_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for folder in ("alone", "beside"):
        (tmp_path / folder).mkdir()
    run_here(tmp_path / "alone", algorithms=named("sensitive"))
    hurry_at_hangs(monkeypatch, tmp_path / "hangs")
    run_here(tmp_path / "beside", algorithms=named(name, "sensitive"))
    hung, good = stable_rows(tmp_path / "beside" / "run")
    assert (hung["status"], hung["error"]) == ("timeout", "did not finish within 600 seconds")
    assert good == stable_rows(tmp_path / "alone" / "run")[0]
    assert good["status"] == "ok"


def test_sparse_input_is_read_only(tmp_path: Path) -> None:
    data = [{"use": "blobs", "params": {"sparse": True}}]
    rows = run_here(tmp_path, datasets=data, algorithms=named("write-sparse", "good")).rows
    assert [row["status"] for row in rows] == ["failed", "ok"]
    assert "read-only" in rows[0]["error"]


def test_garbage_in_the_channel_crashes_only_that_cell(tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    rows = run_here(tmp_path, algorithms=named("speak-out-of-turn", "sensitive")).rows
    assert (rows[0]["status"], rows[0]["error"]) == (
        "crashed",
        "sent an unreadable message: something else wrote into the channel",
    )
    run_here(tmp_path / "alone", algorithms=named("sensitive"))
    assert stable_rows(tmp_path / "run")[1] == stable_rows(tmp_path / "alone" / "run")[0]


def test_a_trial_that_raises_is_kept_and_the_search_goes_on(tmp_path: Path) -> None:
    results = run_here(tmp_path, algorithms=tuned("some-trials", "good"), tuning=TUNING)
    assert results.counts == {"ok": 4}
    trials = read_trials(results.folder)[by_name(results)["some-trials", "puf"]["key"]]
    assert [(params["shrink"], error) for params, _, _, error, *_ in trials] == [
        (0.0, ""),
        (0.25, ""),
        (0.75, "ValueError: shrink above a half"),
    ]
    assert [value is None for _, value, *_ in trials] == [False, False, True]


def test_a_search_without_a_good_trial_fails_with_the_first_reason(tmp_path: Path) -> None:
    results = run_here(tmp_path, algorithms=tuned("all-trials", "good"), tuning=TUNING)
    rows = by_name(results)
    for criterion in TUNING["criteria"]:
        row = rows["all-trials", criterion]
        assert row["status"] == "failed"
        assert row["error"] == (
            "none of 3 trials succeeded; the first error: ValueError: no setting is good enough"
        )
        assert [trial[3] for trial in read_trials(results.folder)[row["key"]]] == [
            "ValueError: no setting is good enough"
        ] * 3
        assert rows["good", criterion]["status"] == "ok"


@pytest.mark.parametrize("sampler", ["grid", "tpe"])
def test_a_crash_in_the_final_fit_keeps_the_search(tmp_path: Path, sampler: str) -> None:
    tuning = TUNING | {"sampler": sampler, "trials": 3}
    results = run_here(tmp_path, algorithms=tuned("final-fit", "good"), tuning=tuning)
    rows = by_name(results)
    for criterion in TUNING["criteria"]:
        row = rows["final-fit", criterion]
        assert (row["status"], row["error"]) == ("crashed", "was ended by signal SIGSEGV")
        assert len(read_trials(results.folder)[row["key"]]) == 3
        assert rows["good", criterion]["status"] == "ok"


def test_a_crash_in_a_trial_crashes_the_cells_that_share_it(tmp_path: Path) -> None:
    results = run_here(tmp_path, algorithms=tuned("segfault", "good"), tuning=TUNING)
    assert [row["status"] for row in results.rows] == ["crashed", "crashed", "ok", "ok"]
    assert read_trials(results.folder).keys() == {row["key"] for row in results.rows[2:]}


def test_an_out_of_memory_trial_ends_the_cell_not_the_run(tmp_path: Path) -> None:
    results = run_here(tmp_path, algorithms=tuned("eat-at-once", "good"), tuning=TUNING)
    assert [row["status"] for row in results.rows] == ["out-of-memory", "out-of-memory", "ok", "ok"]
    records = read_records(results.folder)[0]
    assert "Unable to allocate" in records[results.rows[0]["key"]].traceback
