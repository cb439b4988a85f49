"""``pubench compare``: only the same cells on the same splits are compared, and all else is counted and named."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from helpers.commands import pubench_here
from helpers.reports import details
from helpers.runs import write_run

import pubench
from pubench.errors import RunFolderError
from pubench.plan.jobs import PlannedMetric
from pubench.reporting.comparing import compare_runs
from pubench.results.run_folder import read_plan, write_plan
from pubench.results.store import Store, read_records
from pubench.results.table import Results, read_results
from pubench.status import Status


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run")


def copy(run: Path, name: str, *changes: tuple[str, dict[str, Any]]) -> Path:
    """Copy a run and change some of its records by key."""
    folder = run.parent / name
    shutil.copytree(run, folder)
    records, store = read_records(folder)[0], Store(folder)
    for key, fields in changes:
        store.append(msgspec.structs.replace(records[key], **fields))
    store.close()
    return folder


def test_a_run_is_identical_to_itself(run: Path, capsys: Any) -> None:
    found = pubench.compare(run, copy(run, "again", ("k0", {"fit_seconds": 99.0})))
    assert (found.paired, found.identical, found.irreproducible, found.redefined) == (72, 72, 0, 0)
    assert {change.verdict for change in found.changes} == {"identical"}
    assert (found.only_first.cells, found.only_second.cells, found.statuses) == (0, 0, ())
    said = pubench_here(capsys, "compare", run, run).stdout
    assert "All 72 cells in common have identical rows, times aside." in said


def test_an_algorithm_that_changed_everywhere_changed_beyond_noise(run: Path, capsys: Any) -> None:
    records, plan = read_records(run)[0], read_plan(run)
    better = [
        (cell.key, {"metrics": {"accuracy": records[cell.key].metrics["accuracy"] + 0.01 + 0.001 * n}})
        for n, cell in enumerate(plan.cells)
        if cell.algorithm == "a"
    ]
    other = copy(run, "other", *better)
    found = pubench.compare(run, other)
    changes = {change.algorithm: change for change in found.changes}
    assert {name: change.verdict for name, change in changes.items()} == {
        "a": "beyond noise",
        "b<i>&_%": "identical",
        "😀" * 9: "identical",
    }
    assert changes["a"].difference > 0
    assert (found.identical, found.irreproducible) == (48, 24)
    assert "beyond noise, better" in pubench_here(capsys, "compare", run, other).stdout
    back = pubench_here(capsys, "compare", other, run).stdout
    assert "beyond noise, worse" in back
    assert "24 cells have the same definition and different results" in back


def test_status_changes_and_cells_of_one_run_are_named(run: Path, capsys: Any) -> None:
    failed = {"status": Status.FAILED, "error": "it [broke]", "metrics": {}}
    other = copy(run, "other", ("k0", failed), ("k3", failed))
    plan = read_plan(other)
    kept = tuple(
        replace(cell, algorithm="new") if cell.algorithm == "a" and cell.dataset != "d0" else cell
        for cell in plan.cells
    )
    write_plan(other, replace(plan, cells=kept), 'name = "s"\n')
    said = " ".join(pubench_here(capsys, "compare", run, other).stdout.split())
    assert "ok -> failed: 2 cells, for example d0 / l / a / replicate 0: it [broke]" in said
    assert f"Only in {other}, 21 cells: algorithm new." in said
    assert f"Only in {run}, 21 cells." in said


def as_drawn(results: Results, seed: int | None, draw: str | None, prefix: str = "") -> Results:
    """Return results whose plan says what was drawn, with other keys."""
    places = {(cell.dataset, cell.labelling) for cell in results.plan.cells}
    draws = {} if draw is None else dict.fromkeys(places, draw)
    rows = tuple({**row, "key": prefix + row["key"]} for row in results.rows)
    return replace(results, plan=replace(results.plan, seed=seed, draws=draws), rows=rows)


@pytest.mark.parametrize(
    ("seed", "draw", "counts"),
    [(0, "x", (72, 0, 0)), (3, "y", (0, 72, 0)), (3, None, (0, 72, 0)), (None, None, (0, 0, 72))],
)
def test_cells_of_other_splits_are_never_paired(
    run: Path, seed: int | None, draw: str | None, counts: tuple[int, int, int]
) -> None:
    results = read_results(run)
    found = compare_runs(as_drawn(results, 0, "x"), as_drawn(results, seed, draw, "other-"))
    assert (found.paired, found.other_splits, found.unknown_splits) == counts
    assert found.redefined == counts[0]
    assert bool(found.changes) == bool(counts[0])
    assert found.irreproducible == 0


def test_one_cell_is_spoken_of_in_the_singular(run: Path, tmp_path: Path, capsys: Any) -> None:
    plan = read_plan(run)
    write_plan(run, replace(plan, cells=plan.cells[:1]), 'name = "s"\n')
    said = pubench_here(capsys, "compare", run, run).stdout
    assert "The only cell in common has an identical row, times aside." in said
    write_plan(run, replace(plan, cells=plan.cells[:2]), 'name = "s"\n')
    other = copy(run, "other", ("k0", {"metrics": {"accuracy": 0.125}}))
    said = pubench_here(capsys, "compare", run, other).stdout
    assert "2 cells in common; 1 of them has identical rows, times aside." in said
    assert "1 cell has the same definition and different results" in said


def test_a_metric_of_the_same_version_and_another_direction_is_named_so(run: Path) -> None:
    results = read_results(run)
    metric = results.plan.metrics["accuracy"]
    turned = replace(results.plan, metrics={"accuracy": replace(metric, greater_is_better=False)})
    assert compare_runs(results, replace(results, plan=turned)).problems == (
        "metric 'accuracy' is not the same in both runs (higher is better and lower is better); it is not compared",
    )


def test_metrics_that_are_not_the_same_are_left_out(run: Path) -> None:
    results = read_results(run)
    newer = replace(results.plan, metrics={"accuracy": PlannedMetric(True, "2")})
    found = compare_runs(results, replace(results, plan=newer))
    assert (found.changes, found.blocks, dict(found.greater_is_better)) == ((), (), {})
    assert found.problems == (
        "metric 'accuracy' is not the same in both runs (version 1 and 2); it is not compared",
    )


def test_versions_that_differ_are_named(run: Path) -> None:
    results = read_results(run)
    sides = [details(provenance=[{"python": "3.11", "packages": {"numpy": one}}]) for one in ("2.0", "2.1")]
    assert compare_runs(results, results, *sides).software == ("numpy: 2.0 and 2.1",)


def test_json_has_everything_and_no_number_that_is_none(run: Path, capsys: Any) -> None:
    other = copy(run, "other", ("k0", {"metrics": {"accuracy": 0.5}}))
    found = json.loads(
        pubench_here(capsys, "compare", run, other, "--json").stdout, parse_constant=pytest.fail
    )
    assert (found["paired"], found["identical"]) == (72, 71)
    assert len(found["changes"]) == 3
    assert len(found["blocks"]) == 24
    (block,) = [one for one in found["blocks"] if one["verdict"] != "identical"]
    assert block["block"] == {"dataset": "d0", "labelling": "l", "criterion": None}


def test_bad_input_is_one_sentence(run: Path, tmp_path: Path, capsys: Any) -> None:
    for folders in ((run, tmp_path / "nowhere"), (tmp_path, run)):
        said = pubench_here(capsys, "compare", *folders, code=2).stderr
        assert said.count("\n") == 1
        assert "is not a run folder" in said
    with pytest.raises(RunFolderError):
        pubench.compare(run, tmp_path)
