"""Trials that are judged on test rows: after the search, once each, and without any effect on the results."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from helpers.suites import TOY, plan, run

from pubench import verify
from pubench.cli.output import export
from pubench.errors import PubenchError
from pubench.results.export import export_text, rows_text
from pubench.results.merged_folder import merge_folders
from pubench.results.predictions import read_predictions
from pubench.results.record import EvaluatedTrial, Record
from pubench.results.store import Store, read_evaluated, read_predictions_index, read_searches
from pubench.results.trials import trial_rows
from pubench.run.job_state import JobState
from pubench.run.tasks import FitTask, Outcome, TrialTask
from pubench.run.trial_fits import TrialFits
from pubench.status import Problem, Status

SUITE = {
    "algorithms": [{"use": "toy-seeded", "tune": True}, {"use": "toy"}],
    "tuning": {"sampler": "random", "trials": 4, "folds": 2, "criteria": ["puf", "pa", "oracle-accuracy"]},
}
JUDGED = SUITE | {"store": {"trials": True, "predictions": True}}


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return run(tmp_path_factory.mktemp("plain"), **SUITE)


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    return run(tmp_path_factory.mktemp("judged"), **JUDGED)


def searches(folder):
    """Return what a folder holds of its trials, times aside."""
    lines = [line for found in read_searches(folder).values() for line in found]
    return {line.key: (dict(line.trial.params), dict(line.trial.folds), line.trial.error) for line in lines}


def test_results_trials_and_keys_are_those_without_it(plain, judged):
    assert export_text(judged, "csv", times=False) == export_text(plain, "csv", times=False)
    assert searches(judged.folder) == searches(plain.folder)
    assert not read_evaluated(plain.folder)


def test_the_metrics_of_a_chosen_trial_are_those_of_its_cell(judged):
    rows = trial_rows([judged.folder])
    assert [row["trial"] for row in rows] == [0, 1, 2, 3]
    tuned = [row for row in judged.rows if row["criterion"]]
    for cell in tuned:
        (chosen,) = (row for row in rows if cell["criterion"] in (row["chosen_by"] or "").split(";"))
        assert chosen["params"] == cell["params"]
        assert all(chosen[f"metric:{name}"] == cell[name] for name in judged.plan.metrics)
    # Others are judged too, and differ.
    assert len({row["metric:accuracy"] for row in rows}) > 1


def test_the_table_has_every_criterion_on_every_fold(plain, judged):
    rows, without = trial_rows([judged.folder]), trial_rows([plain.folder], times=False)
    for row in rows:
        for name in ("puf", "pa", "oracle-accuracy"):
            folds = [row[f"criterion:{name}:{fold}"] for fold in (1, 2)]
            assert row[f"criterion:{name}"] == pytest.approx(sum(folds) / 2)
    assert "metric:accuracy" in rows[0]
    assert "seconds" in rows[0]
    assert "metric:accuracy" not in without[0]
    assert "seconds" not in without[0]
    read = list(csv.DictReader(io.StringIO(rows_text(rows, "csv"))))
    assert [json.loads(row["params"]) for row in read] == [json.loads(row["params"]) for row in rows]


def test_predictions_of_each_trial_are_kept(judged):
    index = read_predictions_index(judged.folder)[0]
    (found,) = read_evaluated(judged.folder).values()
    for trial in found:
        predictions = read_predictions(judged.folder, index[trial.prediction_key])
        assert bool(predictions.decision.min() == predictions.decision.max()) is trial.collapsed


def test_two_workers_judge_in_the_same_way(tmp_path, judged):
    again = run(tmp_path, jobs=2, **JUDGED)
    assert trial_rows([again.folder], times=False) == trial_rows([judged.folder], times=False)


def test_a_run_that_was_cut_off_judges_only_what_is_missing(tmp_path, judged):
    first = run(tmp_path, **JUDGED)
    expected = trial_rows([first.folder], times=False)
    lines = (first.folder / "evaluated.jsonl").read_bytes().splitlines(keepends=True)
    (first.folder / "evaluated.jsonl").write_bytes(b"".join(lines[:1]))
    (first.folder / "cells.jsonl").write_bytes(b"")
    trials = (first.folder / "trials.jsonl").read_bytes()
    again = run(tmp_path, **JUDGED)
    assert again.counts == first.counts
    assert (first.folder / "trials.jsonl").read_bytes() == trials
    assert (first.folder / "evaluated.jsonl").read_bytes().startswith(lines[0])
    assert len((first.folder / "evaluated.jsonl").read_bytes().splitlines()) == len(lines)
    assert trial_rows([first.folder], times=False) == expected


def test_a_merged_folder_has_them_with_their_predictions(tmp_path, judged):
    merge_folders([judged.folder], tmp_path / "merged")
    assert trial_rows([tmp_path / "merged"]) == trial_rows([judged.folder])
    index = read_predictions_index(tmp_path / "merged")[0]
    before = read_predictions_index(judged.folder)[0]
    assert {key: line.digest for key, line in index.items()} == {
        key: line.digest for key, line in before.items()
    }


def test_a_run_without_searches_has_no_trials(tmp_path):
    found = run(tmp_path, algorithms=[{"use": "toy"}])
    with pytest.raises(PubenchError, match="no search has ended there"):
        export.callback((found.folder,), "csv", None, False, True)


def finish(state, answer):
    """Give each task its outcome; return the settings that were fitted, in order, and what is stored of them."""
    fitted, stored = [], []
    while not state.is_done:
        task = state.take()
        if isinstance(task, FitTask):
            fitted.append(dict(task.params))
        state.accept(task, answer(task))
        state.take_trials()
        stored += state.take_evaluated()
        # A cell on record is not run again, so it may not come before a trial.
        assert not state.records or len(stored) == 5
    return fitted, stored


def answer(task):
    from test_job_state import outcome_of

    if isinstance(task, FitTask):
        record = Record(key="", status=Status.OK, params=task.params, metrics={"accuracy": 0.5})
        return Outcome(None, record)
    assert isinstance(task, TrialTask)
    return outcome_of(task)


def job():
    (found,) = plan(
        algorithms=[{"use": "toy", "tune": True}],
        tuning={"sampler": "grid", "folds": 2, "criteria": ["puf", "pauc"]},
        store={"trials": True},
    ).jobs
    return found


def test_cells_end_when_every_trial_is_judged():
    fitted, stored = finish(JobState(job()), answer)
    # Criteria agree on a shift of 1, which is fitted last and once.
    assert [params["shift"] for params in fitted] == [-2.0, -1.0, 0.0, 2.0, 1.0]
    assert sorted(one.number for one in stored) == [0, 1, 2, 3, 4]


def test_a_trial_that_cannot_be_fitted_says_why():
    def fails(task):
        if isinstance(task, FitTask) and task.params["shift"] == 2.0:
            return Outcome(None, Problem(Status.CRASHED, "killed by signal 9"))
        return answer(task)

    state = JobState(job())
    _, stored = finish(state, fails)
    assert {one.number: one.error for one in stored if one.error} == {4: "killed by signal 9"}
    assert {record.status for record in state.records} == {Status.OK}


def test_without_the_key_only_choices_are_fitted():
    state = JobState(replace(job(), evaluate_trials=False))
    fitted = []
    while not state.is_done:
        task = state.take()
        fitted += [task.params] if isinstance(task, FitTask) else []
        state.accept(task, answer(task))
    assert fitted == [{"shift": 1.0}]
    assert state.take_evaluated() == []


def test_a_setting_that_was_proposed_twice_is_fitted_once():
    from pubench.protocol.replies import Trial

    proposed = [{"a": 1}, {"a": 2}, {"a": 1}, {"a": 3}]
    trials = [Trial(params=params, error="no" if params["a"] == 3 else "") for params in proposed]
    fits = TrialFits("s", [EvaluatedTrial(search="s", number=1)])
    assert fits.begin(trials) == [{"a": 1}]
    fits.accept({"a": 1}, Record(key="", status=Status.OK))
    assert fits.are_done
    assert [one.number for one in fits.new] == [0]


def test_every_column_is_described(judged):
    text = (Path(__file__).parents[2] / "docs" / "run-folder.md").read_text(encoding="utf-8")
    section = text.partition("## The columns of a trial")[2].partition("\n## ")[0]
    described = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", section, re.MULTILINE))))
    assert described == {name for name in trial_rows([judged.folder])[0] if ":" not in name}


def test_invented_metrics_of_a_trial_are_found_by_running_its_search_again(tmp_path, judged):
    shutil.copytree(judged.folder, tmp_path / "run")
    found = verify(tmp_path / "run", plugins=[TOY], sample=100)
    assert found.is_verified, found.problems
    trial = read_evaluated(judged.folder).popitem()[1][0]
    store = Store(tmp_path / "run", files=())
    store.append_evaluated(msgspec.structs.replace(trial, metrics={**trial.metrics, "accuracy": 2.0}))
    store.close()
    problems = verify(tmp_path / "run", plugins=[TOY], sample=100).problems
    assert len(problems) == 3
    assert all(problem.endswith("trials on test rows (evaluated.jsonl)") for problem in problems)
