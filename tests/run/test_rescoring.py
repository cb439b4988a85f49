"""Metrics added to a finished run: the values that the run would have computed, from stored predictions alone."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
from helpers.commands import pubench_here
from helpers.suites import TOY, keys_of, plan, run, run_text

import pubench
from pubench.errors import PubenchError, RunFolderError, SuiteError, UnknownNameError
from pubench.protocol import Predictions
from pubench.results.lock import locked
from pubench.results.merged_folder import merge_folders
from pubench.results.predictions import PackedPredictions
from pubench.results.record import Record, RescoredValue
from pubench.results.run_folder import read_suite
from pubench.results.store import Store, read_predictions_index
from pubench.results.table import read_results
from pubench.status import Status

LATER = TOY.with_name("later_metrics.py")
SUITE = {
    "algorithms": [{"use": "toy", "tune": True}, {"use": "wlr"}],
    "replicates": 2,
    "tuning": {"criteria": ["toy-high", "toy-low"], "sampler": "grid", "folds": 2},
    "limits": {"seconds": 5},
    "store": {"predictions": True},
}
CELLS = 6


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = run(tmp_path_factory.mktemp("finished"), **SUITE)
    assert results.counts == {"ok": CELLS}
    return results.folder


@pytest.fixture
def folder(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "run"))


def rescore(folder: Path, *metrics: str) -> pubench.api.Rescoring:
    return pubench.rescore(folder, metrics, plugins=[TOY, LATER])


def column(folder: Path, name: str) -> list[float | None]:
    return [row[name] for row in read_results(folder).rows]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_suite_that_keeps_predictions_has_the_same_keys() -> None:
    assert keys_of(plan(store={"predictions": True})) == keys_of(plan())


def test_predictions_travel_from_a_worker_to_the_driver() -> None:
    found = Predictions(np.ones(3), np.ones(3, np.uint8), None)
    record = Record(key="", status=Status.OK, predictions=PackedPredictions.of(found, np.ones(3, np.uint8)))
    assert pickle.loads(pickle.dumps(record)) == record


def test_a_rescored_metric_is_what_the_run_computed_to_32_bits(
    folder: Path, diary: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = {
        "later-accuracy": "accuracy",
        "later-roc-auc": "roc-auc",
        "later-average-precision": "average-precision",
        "later-log-loss": "log-loss",
    }
    found = rescore(folder, *known)
    assert found.problems == ()
    assert found.added == dict.fromkeys(known, CELLS)
    # The toy has no probabilities: undefined, as in a run.
    assert found.undefined == dict.fromkeys(known, 0) | {"later-log-loss": 4}
    assert not diary.exists(), "something was fitted"
    for later, name in known.items():
        before, after = column(folder, name), column(folder, later)
        assert [value is None for value in before] == [value is None for value in after]
        assert [v for v in after if v is not None] == pytest.approx(
            [v for v in before if v is not None], rel=1e-6
        )
    assert column(folder, "later-accuracy") == column(folder, "accuracy")

    # It is shown, and a second time changes nothing.
    assert "later-roc-auc (higher is better)" in pubench_here(capsys, "report", folder).stdout
    assert "later-roc-auc" in pubench_here(capsys, "export", folder).stdout
    assert (
        "added by rescore: later-accuracy, later-roc-auc"
        in pubench_here(capsys, "suite", "status", folder).stdout
    )
    before_again = files(folder)
    assert rescore(folder, *known).added == dict.fromkeys(known, 0)
    assert files(folder) == before_again

    # What a kill cut off is computed again; the rest stands.
    path, rows = folder / "rescored.jsonl", read_results(folder).rows
    path.write_bytes(path.read_bytes()[:-9])
    assert "rescored.jsonl: the last record is torn" in read_results(folder).problems[0]
    found = rescore(folder, *known)
    assert sum(found.added.values()) == 1
    assert read_results(folder).rows == rows
    assert read_results(folder).problems == ()


def test_a_later_run_with_the_metric_takes_its_values_over(folder: Path, tmp_path: Path) -> None:
    rescore(folder, "later-accuracy")
    values, suite = column(folder, "later-accuracy"), tmp_path / "asked.toml"
    suite.write_text((folder / "suite.toml").read_text())
    results = pubench.run_suite(suite, out=folder, plugins=[TOY, LATER])
    assert results.plan.metrics["later-accuracy"].version.startswith("1+")
    assert [row["later-accuracy"] for row in results.rows] == values
    # Metrics that are registered and not asked for are as empty as before.
    assert {row["later-roc-auc"] for row in results.rows} == {None}


def test_what_every_cell_has_is_left_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = pubench_here(
        capsys, "rescore", folder, "--metrics", "accuracy,recall", "--plugin", TOY, "--plugin", LATER
    )
    assert "accuracy: every finished cell has it already\n" in said.stdout
    assert "recall: every finished cell has it already; name it in report.metrics" in said.stdout
    assert not (folder / "rescored.jsonl").exists()


@pytest.mark.slow
def test_a_metric_that_misbehaves_harms_no_other(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = "later-raises,later-crashes,later-accuracy"
    said = pubench_here(
        capsys, "rescore", folder, "--metrics", names, "--plugin", TOY, "--plugin", LATER, code=1
    )
    assert f"later-raises: added to {CELLS} cells, undefined in {CELLS}" in said.stdout
    assert f"later-crashes: added to 0 cells, missing in {CELLS}" in said.stdout
    assert f"later-accuracy: added to {CELLS} cells\n" in said.stdout
    (sentence,) = said.stderr.splitlines()
    assert "metric 'later-crashes' ended its process with exit code 3 (toy-blobs" in sentence
    results = read_results(folder)
    assert all("metric 'later-raises' raised ValueError: not for me" in row["notes"] for row in results.rows)
    # No table for a metric without a value; and none for one that never ended.
    assert [name for name in results.plan.shown if name.startswith("later")] == ["later-accuracy"]
    assert "later-crashes" not in results.plan.metrics
    assert results.counts == {"ok": CELLS}


@pytest.mark.slow
def test_a_metric_that_hangs_is_ended_by_the_limit_of_the_cell(folder: Path) -> None:
    found = rescore(folder, "later-hangs")
    assert found.missing == {"later-hangs": CELLS}
    (sentence,) = found.problems
    assert "metric 'later-hangs' did not finish within 5 seconds (toy-blobs" in sentence


def test_an_interruption_keeps_what_was_computed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored: list[RescoredValue] = []
    append = Store.append_rescored

    def interrupted(self: Store, value: RescoredValue) -> None:
        if len(stored) == 2:
            raise KeyboardInterrupt
        stored.append(value)
        append(self, value)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "append_rescored", interrupted)
        with pytest.raises(KeyboardInterrupt):
            rescore(folder, "later-accuracy")
    assert sum(value is not None for value in column(folder, "later-accuracy")) == 2
    assert rescore(folder, "later-accuracy").added == {"later-accuracy": CELLS - 2}
    assert column(folder, "later-accuracy") == column(folder, "accuracy")


def test_cells_without_usable_predictions_are_named_and_the_others_rescored(folder: Path) -> None:
    index, binary = folder / "predictions.jsonl", folder / "predictions.bin"
    index.write_bytes(index.read_bytes().partition(b"\n")[2])
    data = bytearray(binary.read_bytes())
    data[-1] ^= 1
    binary.write_bytes(data)
    found = rescore(folder, "later-accuracy")
    assert found.added == {"later-accuracy": CELLS - 2}
    assert found.missing == {"later-accuracy": 2}
    damaged, absent = found.problems
    assert "predictions.bin is damaged" in damaged
    assert "1 cell (toy-blobs" in absent
    assert "has no stored predictions ([store] predictions = true was not set" in absent
    assert "--force" in absent
    values = column(folder, "later-accuracy")
    assert values.count(None) == 2
    assert all(a == b for a, b in zip(values, column(folder, "accuracy"), strict=True) if a is not None)


def test_predictions_are_not_scored_against_other_labels(folder: Path) -> None:
    suite = (folder / "suite.toml").read_text()
    # The same cells by name, drawn by another seed.
    other = read_suite(folder).model_copy(update={"seed": 1})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pubench.api, "read_suite", lambda folder: other)
        found = rescore(folder, "later-accuracy")
    assert suite == (folder / "suite.toml").read_text()
    assert found.added == {"later-accuracy": 0}
    (sentence,) = found.problems
    assert f"{CELLS} cells (toy-blobs" in sentence
    assert "have other test labels than when they were run" in sentence


def test_a_value_of_another_version_is_not_shown(folder: Path) -> None:
    rescore(folder, "later-accuracy")
    row = read_results(folder).rows[0]
    line = {"cell": row["key"], "metric": "later-accuracy", "greater_is_better": True, "value": 0.25}
    store = Store(folder, files=())
    store.append_rescored(RescoredValue(version="2", **line))
    store.close()
    values = column(folder, "later-accuracy")
    assert values == [0.25, *[None] * (CELLS - 1)]
    assert (
        "metric 'later-accuracy' has changed since; rescore it again" in read_results(folder).rows[1]["notes"]
    )
    assert rescore(folder, "later-accuracy").added == {"later-accuracy": 1}
    assert column(folder, "later-accuracy") == column(folder, "accuracy")


def test_what_cannot_be_rescored_is_refused_and_changes_nothing(folder: Path, tmp_path: Path) -> None:
    before = files(folder)
    with pytest.raises(UnknownNameError, match="metric 'later-acuracy' is not registered; did you mean"):
        rescore(folder, "later-acuracy")
    with pytest.raises(PubenchError, match="'puf' is a criterion and judges PU data only; name a metric"):
        rescore(folder, "puf")
    with pytest.raises(PubenchError, match="no metric to add"):
        rescore(folder)
    with pytest.raises(RunFolderError, match="is not a run folder"):
        rescore(tmp_path / "nowhere", "later-accuracy")
    with pytest.raises(
        SuiteError, match=r"algorithm 'toy' is not registered(.|\n)*plugin files with --plugin"
    ):
        pubench.rescore(folder, "later-accuracy", plugins=[LATER])
    with locked(folder), pytest.raises(RunFolderError, match="is in use by process"):
        rescore(folder, "later-accuracy")
    assert not (tmp_path / "nowhere").exists()
    assert files(folder) == before


def test_a_run_without_predictions_says_how_to_get_them(tmp_path: Path) -> None:
    results = run(tmp_path)
    assert not list(results.folder.glob("predictions*"))
    (sentence,) = rescore(results.folder, "later-accuracy").problems
    assert "1 cell (toy-blobs" in sentence
    # Setting the key runs nothing again; --force does.
    kept = {"store": {"predictions": True}}
    assert run(tmp_path, **kept).rows == results.rows
    assert rescore(results.folder, "later-accuracy").problems
    run(tmp_path, force=True, **kept)
    found = rescore(results.folder, "later-accuracy")
    assert (found.added, found.problems) == ({"later-accuracy": 1}, ())
    # Forced again, the added metric goes with the predictions that it was computed from.
    assert "later-accuracy" not in run(tmp_path, force=True, **kept).rows[0]


PU = """
name = "pu"
replicates = 1
[[datasets]]
use = "csv"
params = { path = "mine.csv", labelled = "s" }
[[labellings]]
scenario = "single-training-set"
positives = "given"
[[algorithms]]
use = "toy"
[store]
predictions = true
"""


def test_data_without_true_classes_are_rescored_by_criteria(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    lines = [f"{x:.6f},{int(x > 0.5)}" for x in rng.normal(size=80)]
    (tmp_path / "mine.csv").write_text("\n".join(["x,s", *lines]) + "\n")
    results = run_text(tmp_path, PU, [TOY])
    # Data files are relative to the suite, wherever the command is run.
    monkeypatch.chdir("/")
    with pytest.raises(PubenchError, match="metric 'later-accuracy' needs true classes, which are unknown"):
        rescore(results.folder, "later-accuracy")
    assert rescore(results.folder, "puf").added == {"puf": 0}
    found = rescore(results.folder, "toy-high", "pauc")
    assert (found.added, found.problems) == ({"toy-high": 1, "pauc": 1}, ())
    again = read_results(results.folder)
    assert again.plan.shown == ("puf", "toy-high", "pauc")
    assert again.rows[0]["pauc"] == 1.0


def test_a_merge_keeps_predictions_and_what_was_rescored(folder: Path, tmp_path: Path) -> None:
    suite = folder / "suite.toml"
    for number in (1, 2):
        part = tmp_path / f"part{number}"
        pubench.run_suite(suite, out=part, plugins=[TOY], shard=f"{number}/2")
    rescore(tmp_path / "part1", "later-accuracy")
    merged = merge_folders([tmp_path / "part1", tmp_path / "part2"], tmp_path / "merged")
    assert merged.notes == ()
    values = column(tmp_path / "merged", "later-accuracy")
    assert 0 < sum(value is not None for value in values) < CELLS
    # What the second part lacks is computed from its predictions.
    rescore(tmp_path / "merged", "later-accuracy")
    rescore(folder, "later-accuracy")
    assert column(tmp_path / "merged", "later-accuracy") == column(folder, "later-accuracy")


def test_a_merge_names_predictions_that_are_damaged(folder: Path, tmp_path: Path) -> None:
    binary = folder / "predictions.bin"
    content = bytearray(binary.read_bytes())
    content[0] ^= 1
    binary.write_bytes(content)
    merged = merge_folders([folder], tmp_path / "merged")
    assert [note for note in merged.notes if "predictions.bin is damaged" in note]
    assert len(read_predictions_index(tmp_path / "merged")[0]) < CELLS
