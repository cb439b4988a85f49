"""From a run folder to tidy rows: every planned cell is a row, finished ones are not run again."""

from __future__ import annotations

import csv
import io
import json
import shutil
from dataclasses import replace

import pandas as pd
import pytest
from helpers.suites import plan, read_diary, run

from pubench.errors import PubenchError, RunFolderError
from pubench.results.export import export_text, export_to
from pubench.results.record import MEASURED
from pubench.results.run_folder import write_plan
from pubench.results.run_status import read_status
from pubench.results.store import read_records
from pubench.results.table import read_results
from pubench.results.trials import read_trials

STS = {"scenario": "single-training-set", "frequency": 0.5}
CC = {"scenario": "case-control", "positives": 10}
MIXED = {
    "replicates": 2,
    "datasets": [{"use": "toy-blobs"}, {"use": "toy-sparse"}],
    "labellings": [CC, STS],
    "algorithms": [
        {"use": "toy", "tune": True},
        {"use": "toy-any", "params": {"mode": "fragile"}},
        {"use": "pn-toy"},
    ],
    "tuning": {"sampler": "grid", "folds": 2, "criteria": ["puf", "oracle-f1"]},
}
FIRST = (
    "suite",
    "dataset",
    "scenario",
    "labelling",
    "replicate",
    "algorithm",
    "criterion",
    "status",
    "error",
)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return run(tmp_path_factory.mktemp("mixed"), **MIXED)


def test_every_planned_cell_is_a_row_in_the_order_of_the_plan(results):
    cells = plan(**MIXED).plan.cells
    assert [row["key"] for row in results.rows] == [cell.key for cell in cells]
    assert len(results.rows) == 2 * 2 * 2 * 4
    # On sparse data two of the three algorithms, three of the four cells, cannot run.
    assert results.counts == {"ok": 4 * 4 + 4, "skipped": 4 * 3}
    assert results.n_failed == 0


def test_a_row_begins_with_what_it_is_and_names_every_metric(results):
    for row in results.rows:
        assert tuple(row)[: len(FIRST)] == FIRST
        assert row.keys() >= {
            "accuracy",
            "f1",
            "roc-auc",
            "log-loss",
            "params",
            "prior",
            "reference",
            *MEASURED,
        }
        assert tuple(row) == tuple(results.rows[0])


def test_rows_that_saw_true_labels_are_marked(results):
    marked = {(row["algorithm"], row["criterion"]) for row in results.rows if row["reference"]}
    assert marked == {("toy", "oracle-f1"), ("pn-toy", None)}


def test_skipped_rows_say_why_and_have_no_numbers(results):
    skipped = [row for row in results.rows if row["status"] == "skipped"]
    assert all("cannot take sparse data (toy-sparse)" in row["error"] for row in skipped)
    assert all(row["accuracy"] is None and row["fit_seconds"] is None for row in skipped)


def test_ok_rows_have_their_trials_on_record(results):
    trials = read_trials(results.folder)
    tuned = {row["key"] for row in results.rows if row["criterion"] and row["status"] == "ok"}
    assert trials.keys() == tuned
    assert all(len(found) == 5 for found in trials.values())
    assert all(seconds > 0 and not error for found in trials.values() for _, _, seconds, error, *_ in found)


def test_csv_json_and_parquet_tell_the_same(results, tmp_path):
    rows = json.loads(export_text(results, "json"))
    assert rows == [dict(row) for row in results.rows]
    read = list(csv.DictReader(io.StringIO(export_text(results, "csv"))))
    assert read == [
        {name: "" if value is None else str(value) for name, value in row.items()} for row in rows
    ]
    export_to(tmp_path / "rows.parquet", results, "parquet")
    frame = pd.read_parquet(tmp_path / "rows.parquet")
    pd.testing.assert_frame_equal(frame, results.to_pandas(), check_dtype=False)
    for form in ("csv", "json"):
        export_to(tmp_path / f"rows.{form}", results, form)
        assert (tmp_path / f"rows.{form}").read_text() == export_text(results, form)
    assert {path.name for path in tmp_path.iterdir()} == {"rows.csv", "rows.json", "rows.parquet"}


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r"])
def test_text_that_a_spreadsheet_would_run_is_escaped_in_csv_alone(results, tmp_path, begin):
    nasty = f"{begin}cmd|' /C calc'!A0"
    row = results.rows[0] | {"algorithm": nasty, "error": "a=b", "regret": -0.5, "notes": "caf\udce9"}
    altered = replace(results, rows=(row,))
    (read,) = csv.DictReader(io.StringIO(export_text(altered, "csv"), newline=""))
    assert read["algorithm"] == f"'{nasty}"
    assert (read["error"], read["regret"], read["notes"]) == ("a=b", "-0.5", "caf?")
    export_to(tmp_path / "rows.csv", altered, "csv")
    export_to(tmp_path / "rows.parquet", altered, "parquet")
    assert pd.read_parquet(tmp_path / "rows.parquet")["algorithm"][0] == nasty
    assert json.loads(export_text(altered, "json"))[0]["algorithm"] == nasty


def test_a_metric_whose_name_is_a_formula_is_escaped_too(results):
    (head, *_) = export_text(replace(results, rows=({"=1+1": 1.0},)), "csv").splitlines()
    assert head == "'=1+1"


def test_without_times_an_export_depends_on_the_results_alone(results, tmp_path):
    again = run(tmp_path, **MIXED)
    for form in ("csv", "json"):
        assert export_text(again, form, times=False) == export_text(results, form, times=False)
        assert not any(name in export_text(results, form, times=False) for name in MEASURED)
    assert export_text(again, "csv") != export_text(results, "csv")


def test_an_export_that_cannot_be_written_is_one_sentence(results, tmp_path):
    for form in ("csv", "parquet"):
        (tmp_path / form).mkdir()
        with pytest.raises(PubenchError, match=r"cannot write .*directory"):
            export_to(tmp_path / form, results, form)


def test_an_empty_plan_exports_to_nothing(results, tmp_path):
    write_plan(tmp_path, replace(results.plan, cells=()), "")
    assert read_results(tmp_path).rows == ()
    assert export_text(read_results(tmp_path), "json") == "[]\n"
    assert export_text(read_results(tmp_path), "csv").strip() == ""


def test_what_has_not_run_is_pending(results, tmp_path):
    write_plan(tmp_path, results.plan, "")
    found = read_results(tmp_path)
    assert found.counts == {"pending": 20, "skipped": 12}
    assert found.n_failed == 0
    with pytest.raises(RunFolderError):
        read_results(tmp_path / "nowhere")


def test_a_finished_run_runs_nothing_and_more_replicates_only_the_new_ones(tmp_path, diary):
    first = run(tmp_path, replicates=2)
    assert len(read_diary(diary)) == 2
    before = (first.folder / "cells.jsonl").read_bytes()
    again = run(tmp_path, replicates=2)
    assert len(read_diary(diary)) == 2
    assert again.rows == first.rows
    assert (first.folder / "cells.jsonl").read_bytes() == before
    more = run(tmp_path, replicates=3)
    assert len(read_diary(diary)) == 3
    assert more.rows[:2] == first.rows


def test_a_further_criterion_costs_its_own_search_only_and_keeps_the_others(tmp_path):
    tuned = {"algorithms": [{"use": "toy", "tune": True}]}
    one = run(tmp_path, **tuned, tuning={"sampler": "grid", "criteria": ["puf"]})
    two = run(tmp_path, **tuned, tuning={"sampler": "grid", "criteria": ["pauc", "puf"]})
    assert two.rows[1] == one.rows[0]


def test_failed_cells_stay_until_they_are_retried(tmp_path, diary, monkeypatch):
    changes = {"algorithms": [{"use": "toy"}, {"use": "toy-any", "params": {"mode": "fragile"}}]}
    monkeypatch.setenv("TOY_FAIL", "1")
    assert [row["status"] for row in run(tmp_path, **changes).rows] == ["ok", "failed"]
    monkeypatch.delenv("TOY_FAIL")
    failed = run(tmp_path, **changes)
    assert failed.n_failed == 1
    assert failed.rows[1]["error"] == "RuntimeError: fragile as told"
    assert "in fit" in read_records(failed.folder)[0][failed.rows[1]["key"]].traceback
    mended = run(tmp_path, retry_failed=True, **changes)
    assert mended.counts == {"ok": 2}
    assert mended.rows[0] == failed.rows[0]
    assert len(read_diary(diary)) == 2


def test_force_runs_all_again_and_sets_the_old_records_aside(tmp_path, diary):
    first = run(tmp_path)
    again = run(tmp_path, force=True)
    assert len(read_diary(diary)) == 2
    assert (again.folder / "cells.jsonl.old-1").exists()
    assert export_text(again, "csv", times=False) == export_text(first, "csv", times=False)


def test_a_changed_parameter_reruns_its_own_cells_and_a_step_back_none(tmp_path, diary):
    def fits(shift):
        run(tmp_path, algorithms=[{"use": "toy", "params": {"shift": shift}}, {"use": "toy-cc"}])
        return len(read_diary(diary))

    assert [fits(0.5), fits(0.7), fits(0.5)] == [2, 3, 3]


def test_an_altered_record_is_run_again_alone(tmp_path, diary):
    first = run(tmp_path, replicates=3)
    path = first.folder / "cells.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"accuracy":0', b'"accuracy":1', 1))
    damaged = read_results(first.folder)
    assert damaged.counts == {"ok": 2, "pending": 1}
    assert "damaged record" in damaged.problems[0]
    mended = run(tmp_path, replicates=3)
    assert len(read_diary(diary)) == 4
    assert export_text(mended, "csv", times=False) == export_text(first, "csv", times=False)


def test_two_labels_for_the_same_cell_are_computed_once(tmp_path, diary):
    seen = []

    class Watch:
        def begin(self, total, finished):
            seen.append((total, finished))

        def note(self, text):
            pass

        def done(self, cell, record):
            seen.append(cell.algorithm)

    twice = [{"use": "toy", "name": "one"}, {"use": "toy", "name": "two"}]
    one, two = run(tmp_path, algorithms=twice, progress=Watch()).rows
    assert len(read_diary(diary)) == 1
    assert one["status"] == two["status"] == "ok"
    assert {**one, "algorithm": ""} == {**two, "algorithm": ""}
    # Progress counts what is computed, so that it ends at its total.
    assert seen[0] == (len(seen) - 1, 0)


def test_values_of_another_version_of_a_metric_are_not_shown(results, tmp_path):
    metrics = results.plan.metrics | {"f1": replace(results.plan.metrics["f1"], version="next")}
    shutil.copytree(results.folder, tmp_path / "copy")
    write_plan(tmp_path / "copy", replace(results.plan, metrics=metrics), "")
    for old, new in zip(results.rows, read_results(tmp_path / "copy").rows, strict=True):
        assert new["f1"] is None
        assert new["accuracy"] == old["accuracy"]
        assert ("metric 'f1' has changed since" in (new["notes"] or "")) == (new["status"] == "ok")


def test_a_status_counts_what_rows_say(results):
    found = read_status(results.folder)
    assert (found.cells, found.counts) == (len(results.rows), results.counts)
    failed = [(row["key"], row["status"], row["error"]) for row in results.rows if row["status"] == "failed"]
    assert [(one.cell.key, one.status, one.error) for one in found.failed] == failed
