"""``pubench verify`` believes nothing: altered bytes, numbers with right digests, missing versions, other plans."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from helpers.commands import pubench_here
from helpers.suites import TOY, toml

import pubench
from pubench.errors import PubenchError
from pubench.plugins.discovery import discover
from pubench.results.checked import read_checked, write_checked
from pubench.results.lock import locked
from pubench.results.predictions import read_packed
from pubench.results.record import ModelRecord, Record
from pubench.results.run_folder import read_plan, read_provenance, write_provenance
from pubench.results.store import Store, read_predictions_index, read_records, read_searches
from pubench.results.table import read_results
from pubench.results.verification import file_digests, read_verified
from pubench.run.detail_differences import detail_differences
from pubench.run.limited_cells import limited_cells
from pubench.run.row_differences import is_exact, row_differences
from pubench.run.running_again import plan_again, read_computed, sampled_keys, software_differences
from pubench.run.software import Software
from pubench.run.verifying import Verification
from pubench.status import Status

SUITE = {
    "replicates": 2,
    "algorithms": [
        {"use": "toy"},
        {"use": "toy-seeded", "tune": True, "search": {"shift": {"low": 0.0, "high": 1.0, "points": 2}}},
    ],
    "tuning": {"criteria": ["puf", "pa"], "sampler": "grid", "folds": 2},
    "store": {"predictions": True},
}
ALL = 100


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a finished run of six cells, four of which share two searches."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "toy.toml").write_text(toml(**SUITE))
    pubench.run_suite(folder / "toy.toml", out=folder / "run", plugins=[TOY])
    return folder / "run"


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "run")
    return tmp_path / "run"


def verify(run: Path, **options: Any) -> Verification:
    return pubench.verify(run, plugins=[TOY], **options)


def forge(run: Path, algorithm: str = "toy", **fields: Any) -> Record:
    """Write a changed record of a cell, with the digest that goes with it."""
    key = next(cell.key for cell in read_plan(run).cells if cell.algorithm == algorithm)
    record = msgspec.structs.replace(read_records(run)[0][key], **fields)
    store = Store(run)
    store.append(record)
    store.close()
    return record


def test_an_honest_run_is_verified_to_the_bit_and_the_file_says_how(run: Path, capsys: Any) -> None:
    before = file_digests(run)
    options = ("--plugin", TOY, "--sample", "1", "--seed", "5", "--write")
    said, progress = pubench_here(capsys, "verify", run, *options)
    assert "toy-blobs / case-control n_p=10 / toy" in progress
    assert "verified: its files are as they were written; versions and data are stated; 6 of 6 cells" in said
    assert "run again and" in said
    assert "equal to the bit" in said
    assert file_digests(run) == before
    state = read_verified(run)
    assert state is not None
    assert state.current
    found = state.verified
    assert (found.exact, found.seed, found.files, found.cells) == (True, 5, before, 6)
    assert 1 <= len(found.rerun) <= 2


def test_an_invented_accuracy_is_found_by_running_its_cell_again(run: Path) -> None:
    true = read_results(run).rows[0]["accuracy"]
    record = read_records(run)[0][read_plan(run).cells[0].key]
    forge(run, metrics={**record.metrics, "accuracy": 0.999})
    assert verify(run, rerun=False).is_verified
    (problem,) = verify(run, sample=ALL).problems
    assert problem == (
        "toy-blobs / case-control n_p=10 / toy / replicate 0, run again, has another result: accuracy is 0.999 there "
        f"and {true} here"
    )


def differences(run: Path, made: Path, *, exact: bool = True) -> list[str]:
    """Return what would be said if the cells of a run, run again, gave the honest rows."""
    return list(row_differences(read_results(run), read_results(made), exact=exact))


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"n_p": 11}, "n_p is 11 there and 10 here"),
        ({"status": Status.FAILED, "error": "no", "metrics": {}}, "status is failed there and ok here"),
        ({"params": {"shift": 0.5}}, 'params is {"shift": 0.5} there and {} here'),
        ({"notes": ("all went well",)}, "notes is all went well there and empty here"),
    ],
)
def test_whatever_is_altered_is_found(run: Path, made: Path, fields: dict[str, Any], sentence: str) -> None:
    assert differences(run, made) == []
    forge(run, **fields)
    (problem,) = differences(run, made)
    assert sentence in problem


def test_times_are_not_compared_nor_are_messages_of_failures(run: Path, made: Path) -> None:
    failed = {"status": Status.FAILED, "metrics": {}}
    forge(run, fit_seconds=9.0, peak_memory_mb=1.0, error="in /home/a", **failed)
    other = made.parent / "other"
    shutil.copytree(made, other, dirs_exist_ok=True)
    forge(other, error="in /home/b", **failed)
    assert differences(run, other) == []


@pytest.mark.parametrize(("shift", "exact", "found"), [(1e-9, True, 1), (1e-9, False, 0), (1e-5, False, 1)])
def test_another_arithmetic_may_change_digits_behind_the_sixth(
    run: Path, made: Path, shift: float, exact: bool, found: int
) -> None:
    record = read_records(run)[0][read_plan(run).cells[0].key]
    forge(run, metrics={**record.metrics, "roc-auc": record.metrics["roc-auc"] + shift})
    assert len(differences(run, made, exact=exact)) == found


def test_rows_must_be_equal_to_the_bit_only_where_the_arithmetic_is_the_same(run: Path) -> None:
    results = read_results(run)
    keys = {row["key"] for row in results.rows}
    assert is_exact(run, results, keys)
    (entry,) = read_provenance(run)
    write_provenance(run, [entry, {**entry, "arithmetic": "another"}])  # type: ignore[dict-item]
    assert not is_exact(run, results, keys)
    write_provenance(run, [entry])
    forge(run, notes=(Software((), (), "x").note(Software((), (), "y")),))
    assert not is_exact(run, read_results(run), keys)


def test_versions_that_differ_are_named_beside_a_difference(run: Path) -> None:
    registry = discover(files=[TOY])
    assert list(software_differences(run, registry)) == []
    (entry,) = read_provenance(run)
    write_provenance(run, [{**entry, "packages": {**entry["packages"], "numpy": "1.0"}}])  # type: ignore[dict-item,index,call-overload]
    (sentence,) = software_differences(run, registry)
    assert "versions differ, which may be the cause: numpy 1.0 there, " in sentence


def alter_record(run: Path) -> str:
    text = (run / "cells.jsonl").read_bytes()
    (run / "cells.jsonl").write_bytes(text.replace(b'"accuracy":0.', b'"accuracy":1.', 1))
    return "cells.jsonl, line 1: damaged record"


def alter_plan(run: Path) -> str:
    text = (run / "plan.json").read_bytes()
    (run / "plan.json").write_bytes(text.replace(b'"toy"', b'"toi"', 1))
    return "plan.json is damaged"


def alter_suite(run: Path) -> str:
    (run / "suite.toml").write_text(toml(replicates=3))
    return "is not the suite that was run"


def alter_provenance(run: Path) -> str:
    text = (run / "provenance.json").read_bytes()
    (run / "provenance.json").write_bytes(text.replace(b"numpy", b"numpi", 1))
    return "provenance.json is damaged"


def alter_predictions(run: Path) -> str:
    text = (run / "predictions.bin").read_bytes()
    (run / "predictions.bin").write_bytes(bytes([text[0] ^ 1]) + text[1:])
    return "predictions.bin is damaged"


def remove_provenance(run: Path) -> str:
    (run / "provenance.json").unlink()
    return "has no provenance.json: it states neither versions nor data; run its suite with pubench"


def state_no_versions(run: Path) -> str:
    write_provenance(run, [{**read_provenance(run)[0], "packages": {}, "arithmetic": ""}])  # type: ignore[dict-item]
    return "provenance.json, run 1, does not state: arithmetic, packages"


def state_no_data(run: Path) -> str:
    write_provenance(run, [{**read_provenance(run)[0], "datasets": {}}])  # type: ignore[dict-item]
    return "has no fingerprint of these data sets: toy-blobs"


def drop_all(run: Path) -> str:
    (run / "cells.jsonl").write_bytes(b"")
    return "has no finished cell; run its suite first"


@pytest.mark.parametrize(
    "damage",
    [
        alter_record,
        alter_plan,
        alter_suite,
        alter_provenance,
        alter_predictions,
        remove_provenance,
        state_no_versions,
        state_no_data,
        drop_all,
    ],
)
def test_what_is_damaged_or_not_stated_is_said_in_a_sentence_and_nothing_is_run(
    run: Path, damage: Callable[[Path], str], diary: Path, capsys: Any
) -> None:
    sentence = damage(run)
    assert any(sentence in problem for problem in verify(run).problems)
    said = pubench_here(capsys, "verify", run, "--no-rerun", code=1)
    assert sentence in said.stderr
    assert f"{run}: not verified (" in said.stdout
    assert not diary.exists()


def change_plan(run: Path, change: Callable[[Any], None]) -> None:
    value: Any = read_checked(run / "plan.json", remedy="")
    change(value)
    write_checked(run / "plan.json", value)


def test_a_plan_that_does_not_follow_from_the_suite_is_named(run: Path, diary: Path) -> None:
    skip = read_checked(run / "plan.json", remedy="")["fields"].index("skip")  # type: ignore[index,call-overload]

    def skipped(plan: Any) -> None:
        plan["cells"][0][skip] = "it would have lost"

    change_plan(run, skipped)
    (problem,) = verify(run).problems
    assert (
        "1 of 6 cells is not what its suite defines here, for example toy-blobs, case-control n_p=10, 0"
        in problem
    )

    def shortened(plan: Any) -> None:
        plan["cells"][0][skip] = ""
        del plan["cells"][-1]

    change_plan(run, shortened)
    (problem,) = verify(run).problems
    assert "its plan has 5 cells and its suite defines 6" in problem
    assert not diary.exists()


def test_a_metric_of_another_version_cannot_be_checked(run: Path) -> None:
    def changed(plan: Any) -> None:
        plan["metrics"]["accuracy"]["version"] = "0"
        plan["metrics"]["mine"] = plan["metrics"]["f1"]

    change_plan(run, changed)
    first, second = verify(run).problems
    assert "metric 'accuracy' is version 0 there and" in first
    assert "metric 'mine' is unknown here" in second


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"report": {"control": "toy"}},
            "plan.json has report.control = 'toy' and its suite None; run the suite",
        ),
        ({"report": {"alpha": 0.4, "test": "t"}}, "plan.json has report.test = 't' and its suite 'wilcoxon'"),
        ({"paper": {"citation": "Me, 2020"}}, "'paper' in plan.json is not that of its suite"),
        ({"description": "the best method"}, "'description' in plan.json is not that of its suite"),
        ({"seed": 1}, "'seed' in plan.json is not that of its suite"),
    ],
)
def test_forged_rules_of_a_report_are_found_without_running_anything(
    run: Path, change: dict[str, Any], sentence: str
) -> None:
    def changed(plan: Any) -> None:
        for key, value in change.items():
            plan[key] = {**plan[key], **value} if isinstance(value, dict) else value

    change_plan(run, changed)
    problems = pubench.verify(run, rerun=False).problems
    assert sentence in problems[0]
    assert len(problems) == len(change.get("report", "1"))


def test_forged_metrics_and_splits_are_found_where_the_suite_is_planned(run: Path) -> None:
    def changed(plan: Any) -> None:
        plan["shown"] = ["f1"]
        plan["metrics"]["f1"]["greater_is_better"] = False
        del plan["metrics"]["roc-auc"]
        plan["draws"][0][-1] = "0"

    change_plan(run, changed)
    shown, absent, draws, direction = verify(run).problems
    assert "plan.json shows f1, and its suite accuracy, f1, roc-auc; run the suite again" in shown
    assert "plan.json does not have these metrics of its suite: roc-auc" in absent
    assert "plan.json has other splits than its suite draws here" in draws
    assert "metric 'f1' is not the same: lower is better there, higher is better here" in direction


def test_a_suite_that_cannot_be_planned_here_is_one_problem_with_its_remedy(run: Path) -> None:
    problem, *_ = pubench.verify(run).problems
    assert "cannot be planned here, give its plugin files with --plugin" in problem


def test_the_sample_follows_from_its_seed_and_holds_whole_searches(made: Path) -> None:
    planned = plan_again(made, discover(files=[TOY]), [TOY])
    results = read_results(made)
    drawn = [sampled_keys(results, planned, 1, seed) for seed in range(40)]
    assert drawn == [sampled_keys(results, planned, 1, seed) for seed in range(40)]
    together = [frozenset(cell.key for cell in job.cells) for job in planned.jobs]
    assert {*drawn} == {*together}
    assert sampled_keys(results, planned, ALL, 0) == {row["key"] for row in results.rows}


def test_a_sample_holds_as_many_cells_that_ended_at_a_limit(run: Path) -> None:
    key = forge(run, status=Status.TIMEOUT, error="too long", metrics={}).key
    results = read_results(run)
    planned = plan_again(run, discover(files=[TOY]), [TOY])
    assert all(key in sampled_keys(results, planned, 1, seed) for seed in range(9))
    assert sampled_keys(results, planned, ALL, 0) == {row["key"] for row in results.rows}


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (Status.TIMEOUT, "ended as ok here and as timeout there; it took "),
        (Status.CRASHED, "ended as ok here and as crashed there; run the suite with --retry-failed"),
        (Status.OUT_OF_MEMORY, "ended as ok here and as out-of-memory there; run the suite with --retry"),
    ],
)
def test_an_invented_end_at_a_limit_is_found(run: Path, made: Path, status: Status, sentence: str) -> None:
    key = forge(run, status=status, error="no", metrics={}).key
    planned = plan_again(run, discover(files=[TOY]), [TOY])
    assert differences(run, made) == []
    found = limited_cells(read_results(run), read_results(made), {key}, planned)
    assert (found.count, found.rerun, found.remarks) == (1, 1, ())
    assert sentence in found.problems[0]


@pytest.mark.parametrize(("share", "believed"), [(0.09, False), (0.11, True)])
def test_a_machine_may_be_ten_times_slower(run: Path, made: Path, share: float, believed: bool) -> None:
    planned = plan_again(run, discover(files=[TOY]), [TOY])
    other = run.parent / "other"
    shutil.copytree(made, other)
    seconds = share * planned.jobs[0].limits.seconds
    forge(other, fit_seconds=seconds, tune_seconds=None, score_seconds=None)
    key = forge(run, status=Status.TIMEOUT, error="too long", metrics={}).key
    found = limited_cells(read_results(run), read_results(other), {key}, planned)
    assert (len(found.remarks), len(found.problems)) == (believed, not believed)


def test_an_end_at_a_limit_is_run_again_and_counted(run: Path, capsys: Any) -> None:
    forge(run, status=Status.TIMEOUT, error="too long", metrics={})
    said, problems = pubench_here(capsys, "verify", run, "--plugin", TOY, "--sample", "1", code=1)
    assert "not verified (1 problem)" in said
    assert "replicate 0, run again with the same limits, ended as ok here and as timeout there" in problems
    said = pubench_here(capsys, "verify", run, "--no-rerun").stdout
    assert (
        "; 1 cell ended at a limit of time or memory or crashed, which another machine may not repeat: "
        in said
    )
    assert (
        "none of them was run again; it was not checked whether its cells and metrics follow from its suite"
        in said
    )


def other_details(run: Path, made: Path, *, exact: bool = True) -> list[str]:
    return list(detail_differences(read_computed(run), read_computed(made), exact=exact))


@pytest.mark.parametrize(("shift", "exact", "found"), [(0.5, True, 1), (1e-9, True, 1), (1e-9, False, 0)])
def test_altered_stages_of_a_model_are_found(
    run: Path, made: Path, shift: float, exact: bool, found: int
) -> None:
    honest = run.parent / "honest"
    shutil.copytree(made, honest)
    inside = ModelRecord(stages=(1, 2), metrics={"accuracy": (0.5, 0.75)})
    forge(honest, inside=inside)
    forge(run, inside=inside)
    assert other_details(run, honest) == []
    forge(run, inside=msgspec.structs.replace(inside, metrics={"accuracy": (0.5, 0.75 + shift)}))
    problems = other_details(run, honest, exact=exact)
    assert len(problems) == found
    assert all(
        "toy / replicate 0, run again, has other details: metrics (inside.jsonl)" in one for one in problems
    )


def test_invented_details_are_found_by_running_the_cell_again(run: Path) -> None:
    forge(run, inside=ModelRecord(stages=(1,), metrics={"accuracy": (1.0,)}))
    (problem,) = verify(run, sample=ALL).problems
    assert "has other details: stages (inside.jsonl), metrics (inside.jsonl)" in problem


def test_altered_trials_and_predictions_are_found(run: Path, made: Path) -> None:
    (first, *_), *_ = read_searches(run).values()
    forged = msgspec.structs.replace(first.trial, params={**first.trial.params, "shift": 0.125})
    store = Store(run)
    store.append_trial(msgspec.structs.replace(first, trial=forged))
    store.close()
    assert all("trials (trials.jsonl)" in one for one in other_details(run, made))
    assert other_details(run, made)
    index = read_predictions_index(run)[0]
    packed = read_packed(run, index[read_plan(run).cells[0].key])
    forge(run, predictions=msgspec.structs.replace(packed, data=bytes(len(packed.data))))
    assert any("predictions (predictions.bin)" in one for one in other_details(run, made))
    # Both may be left out of a folder.
    for name in ("trials.jsonl", "predictions.jsonl", "predictions.bin"):
        (run / name).unlink()
    assert other_details(run, made) == []


def test_the_file_of_a_verification_is_the_same_twice_and_notices_changes(run: Path, capsys: Any) -> None:
    options = ("--no-rerun", "--write")
    pubench_here(capsys, "verify", run, *options)
    first = (run / "verified.json").read_bytes()
    pubench_here(capsys, "verify", run, *options)
    assert (run / "verified.json").read_bytes() == first
    forge(run, n_p=11)
    state = read_verified(run)
    assert state is not None
    assert not state.current
    alter_record(run)
    said = pubench_here(capsys, "verify", run, *options, code=1).stdout
    assert "not verified (1 problem)" in said
    assert "the verified.json of an earlier check was removed" in said
    assert read_verified(run) is None


def test_a_forged_file_of_a_verification_is_not_believed(run: Path, capsys: Any) -> None:
    pubench_here(capsys, "verify", run, "--no-rerun", "--write")
    text = (run / "verified.json").read_bytes()
    (run / "verified.json").write_bytes(text.replace(b'"cells": 6', b'"cells": 9'))
    assert read_verified(run) is None


def test_bad_input_is_one_sentence(run: Path, tmp_path: Path, capsys: Any) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        assert "is not a run folder" in pubench_here(capsys, "verify", folder, code=2).stderr
    assert "'0' is not" in pubench_here(capsys, "verify", run, "--sample", "0", code=2).stderr.replace(
        "0 is", "'0' is"
    )
    with pytest.raises(PubenchError, match="draw at least one cell"):
        verify(run, sample=0)
    with locked(run):
        assert "is still in use by a run" in pubench_here(capsys, "verify", run, code=2).stderr
