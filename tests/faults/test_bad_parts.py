"""Data sets, criteria, priors and metrics that go wrong; and what is skipped at plan time, with its reason."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fault_tools import CASE_CONTROL, PLUGIN, named, pubench, run, sentences, stable_rows, write_suite

from pubench.api import run_suite
from pubench.data.truth import record_path
from pubench.results.store import read_records
from pubench.results.table import Results, read_results
from pubench.results.trials import read_trials

BAD = Path(__file__).with_name("bad_parts.py")
PLUGINS = (PLUGIN, BAD)
BROKEN = {
    "raises": "data set 'raises' could not be loaded: OSError: the server is on holiday",
    "crashes": "data set 'crashes': its loader was ended by signal SIGSEGV",
    "wrong-type": "the loader of 'wrong-type' returned list, not pubench.data.Data",
    "texts": "'texts': X must be a matrix of numbers",
    "short-target": "'short-target': target has shape (3,), X has 4 rows",
    "nothing": "'nothing' is empty: 0 rows, 2 features",
    "infinite": "'infinite' contains infinite values",
}


def run_here(folder: Path, **keys: Any) -> Results:
    return run_suite(write_suite(folder / "suite.toml", **keys), out=folder / "run", plugins=PLUGINS)


@pytest.fixture(scope="module")
def broken_data(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    folder = tmp_path_factory.mktemp("broken")
    datasets = [{"use": "blobs"}, *({"use": name} for name in BROKEN)]
    suite = write_suite(folder / "s.toml", datasets=datasets)
    return folder / "run", run(suite, folder / "run", plugins=PLUGINS)


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_a_loader_failure_affects_only_its_cells(broken_data: tuple[Path, Any], name: str) -> None:
    rows = {row["dataset"]: row for row in read_results(broken_data[0]).rows}
    assert rows[name]["status"] == "failed"
    assert BROKEN[name] in rows[name]["error"]
    assert rows["blobs"]["status"] == "ok"


@pytest.mark.slow
def test_the_command_exits_with_1_if_data_are_broken(broken_data: tuple[Path, Any], tmp_path: Path) -> None:
    out, result = broken_data
    assert (result.returncode, sentences(result)) == (1, [])
    status = pubench("suite", "status", str(out), "--errors")
    assert all(reason in status.stdout for reason in BROKEN.values())
    assert stable_rows(out)[0] == {**stable_rows(run_here(tmp_path).folder)[0]}


def test_a_single_class_is_refused_before_anything_runs(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "s.toml", datasets=[{"use": "one-class"}])
    result = run(suite, tmp_path / "run", plugins=PLUGINS)
    assert result.returncode == 2
    assert len(sentences(result)) == 1
    assert "has only one class" in sentences(result)[0]
    assert not (tmp_path / "run").exists()


def test_a_criterion_that_raises_fails_every_trial(tmp_path: Path) -> None:
    results = run_here(
        tmp_path,
        algorithms=[{"use": "good", "tune": True}],
        tuning={"criteria": ["puf", "bad-criterion"], "sampler": "tpe", "trials": 2, "folds": 2},
    )
    good, bad = results.rows
    assert good["status"] == "ok"
    assert (bad["status"], bad["error"]) == (
        "failed",
        "none of 2 trials succeeded; the first error: ValueError: no opinion",
    )
    assert [trial[3] for trial in read_trials(results.folder)[bad["key"]]] == ["ValueError: no opinion"] * 2


def test_a_metric_that_raises_leaves_a_note_and_no_value(tmp_path: Path) -> None:
    row = run_here(tmp_path).rows[0]
    assert (row["status"], row["bad-metric"]) == ("ok", None)
    assert row["accuracy"] is not None
    assert "metric 'bad-metric' raised ValueError: no number for this" in row["notes"]


def test_a_prior_outside_its_range_fails_the_cells_that_use_it(tmp_path: Path) -> None:
    results = run_here(tmp_path, algorithms=named("needs-prior", "good"), prior={"source": "bad-prior"})
    first, second = results.rows
    assert first["status"] == "failed"
    assert first["error"] == "prior estimator 'bad-prior' returned 1.5, which is not inside (0, 1)"
    assert read_records(results.folder)[0][first["key"]].traceback.startswith("Traceback")
    assert second["status"] == "ok"


SKIPS: dict[str, tuple[dict[str, Any], str]] = {
    "scenario": (
        {"algorithms": named("single-only", "good")},
        "single-only does not support case-control data",
    ),
    "sparse": (
        {
            "algorithms": named("dense-only", "good"),
            "datasets": [{"use": "blobs", "params": {"sparse": True}}],
        },
        "dense-only cannot take sparse data (blobs)",
    ),
    "prior": (
        {"algorithms": named("needs-prior", "good"), "prior": {"source": "none"}},
        'needs-prior needs a class prior; set [prior] source, to "estimate" for example',
    ),
    "criterion": (
        {
            "algorithms": [{"use": "good", "tune": True}, {"use": "good", "name": "untuned"}],
            "tuning": {"criteria": ["case-control-only"]},
            "labellings": [{**CASE_CONTROL, "scenario": "single-training-set"}],
        },
        "criterion 'case-control-only' does not support single-training-set data",
    ),
}


# test_plan_refusals has the same reasons without running anything.
@pytest.mark.slow
@pytest.mark.parametrize("need", SKIPS)
def test_what_cannot_be_run_is_skipped_with_its_reason(tmp_path: Path, need: str) -> None:
    keys, reason = SKIPS[need]
    result = run(write_suite(tmp_path / "s.toml", **keys), tmp_path / "run", plugins=PLUGINS)
    skipped, good = read_results(tmp_path / "run").rows
    assert (result.returncode, sentences(result)) == (
        0,
        [f"1 cell on {skipped['dataset']} is skipped: {reason}"],
    )
    assert (skipped["status"], skipped["error"]) == ("skipped", reason)
    assert good["status"] == "ok"


def test_missing_values_are_skipped_only_where_nothing_fills_them(tmp_path: Path) -> None:
    data = [
        {"use": "holes"},
        {"use": "holes", "name": "bare", "preprocess": {"impute": "none"}},
    ]
    rows = run_here(tmp_path, datasets=data).rows
    assert [row["status"] for row in rows] == ["ok", "skipped"]
    assert rows[1]["error"] == "good cannot take missing values (bare has 5); set [preprocess]"


SLOW = pytest.mark.slow
DAMAGES = [
    ("X", "truncated"),
    pytest.param("meta", "garbage", marks=SLOW),
    *(pytest.param(part, "deleted", marks=SLOW) for part in ("X", "truth", "meta", "sizes", "folder")),
    *(pytest.param(part, "truncated", marks=SLOW) for part in ("truth", "meta", "sizes", "folder")),
    *(pytest.param(part, "garbage", marks=SLOW) for part in ("X", "truth", "sizes", "folder")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("part", "damage"), DAMAGES)
def test_a_damaged_cache_is_rebuilt_silently(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, damage: str
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("PUBENCH_CACHE", str(cache))
    first = run_here(tmp_path).rows
    folder = next((cache / "prepared").iterdir())
    truth = next((cache / "truth").glob("*.npy"))
    path = {"X": folder / "X.npy", "truth": truth, "meta": record_path(folder), "sizes": folder / "sizes"}
    for file in path.values() if part == "folder" else [path[part]]:
        if damage == "deleted":
            file.unlink()
        elif damage == "truncated":
            os.truncate(file, file.stat().st_size // 2)
        else:
            file.write_bytes(np.random.default_rng(0).bytes(999))
    out = tmp_path / "again"
    again = run(tmp_path / "suite.toml", out, plugins=PLUGINS)
    assert (again.returncode, sentences(again)) == (0, [])
    times = ("fit_seconds", "score_seconds", "tune_seconds", "peak_memory_mb")
    assert stable_rows(out) == [{k: v for k, v in row.items() if k not in times} for row in first]
