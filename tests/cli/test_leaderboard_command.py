"""The leaderboard, and the whole way of a third party's method into it: run, verify, rank."""

from __future__ import annotations

import csv
import io
import re
import shutil
from pathlib import Path

import pytest
from helpers.commands import pubench
from helpers.committed import REPORTS

from pubench.errors import PubenchError, RunFolderError
from pubench.reporting.leaderboard_file import leaderboard_rows
from pubench.results.export import rows_text

SUITE = """
name = "small"
seed = {seed}
replicates = {replicates}
[[datasets]]
use = "iris"
[[datasets]]
use = "wine"
[[labellings]]
scenario = "single-training-set"
frequency = {frequency}
{algorithms}
"""
KNOWN = """
[[algorithms]]
use = "naive-lr-prior"
[[algorithms]]
use = "wlr"
[[algorithms]]
use = "supervised-lr"
[report]
control = "wlr"
"""
OWN = '[[algorithms]]\nuse = "nearest-mean"\n'
PLUGIN = '''
import numpy as np
import pubench
from pubench.base import validate_rows


class NearestMean(pubench.PUClassifier):
    """Call positive what is nearer to the mean of the labelled rows than to that of the others."""

    def _fit(self, X, s):
        self.means_ = np.array([X[s == k].mean(axis=0) for k in (0, 1)])

    def decision_function(self, X):
        far = ((validate_rows(self, X)[:, None] - self.means_) ** 2).sum(axis=2)
        return far[:, 0] - far[:, 1]


@pubench.hookimpl
def pubench_algorithms():
    return [pubench.Algorithm(name="nearest-mean", estimator="newcomer:NearestMean")]
'''


def suite(
    folder: Path, name: str, algorithms: str, seed: int = 5, replicates: int = 2, frequency: float = 0.5
):
    text = SUITE.format(seed=seed, replicates=replicates, frequency=frequency, algorithms=algorithms)
    (folder / name).write_text(text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with the kept report of known methods, and a newcomer's run on the same splits."""
    found = tmp_path_factory.mktemp("repository")
    suite(found, "small.toml", KNOWN)
    suite(found, "mine.toml", OWN)
    (found / "newcomer.py").write_text(PLUGIN)
    pubench(found, "suite", "run", "small.toml", "--quiet")
    pubench(found, "report", "runs/small", "--format", "html,markdown", "--out", "reports/small")
    pubench(found, "export", "runs/small", "--no-times", "--out", "reports/small/cells.csv")
    options = "--plugin", "newcomer.py"
    pubench(found, "suite", "run", "mine.toml", *options, "--out", "submissions/newcomer", "--quiet")
    verify = "verify", "submissions/newcomer", *options, "--sample", "4", "--seed", "11", "--write"
    assert "4 of them were run again and their rows are equal to the bit" in pubench(found, *verify).stdout
    return found


def read(text: str) -> dict[tuple[str, str], dict[str, str]]:
    return {(row["metric"], row["method"]): row for row in csv.DictReader(io.StringIO(text))}


@pytest.mark.slow
def test_a_new_method_is_ranked_among_those_of_the_kept_report(folder: Path) -> None:
    pubench(folder, "leaderboard", "reports/small", "submissions/newcomer", "--out", "leaderboard.csv")
    rows = read((folder / "leaderboard.csv").read_text())
    ranked = {
        method: float(row["rank"]) for (metric, method), row in rows.items() if metric == "f1" and row["rank"]
    }
    assert ranked.keys() == {"naive-lr-prior", "wlr", "nearest-mean"}
    assert sum(ranked.values()) == 6
    mine, known = rows["f1", "nearest-mean"], rows["f1", "wlr"]
    assert mine["verified"].startswith("verified: 4 of 4 cells run again, equal to the bit")
    assert (mine["seed"], mine["suite"], mine["data_sets"], mine["replicates"]) == ("5", "small", "2", "2")
    assert mine["version"] == known["version"] != ""
    assert rows["f1", "supervised-lr"]["reference"] == "True"
    assert rows["f1", "supervised-lr"]["rank"] == ""


@pytest.mark.slow
def test_the_order_of_folders_does_not_matter_for_ranks(folder: Path) -> None:
    places = [folder / "reports" / "small", folder / "submissions" / "newcomer"]
    one, other = (
        {(row["metric"], row["method"]): row["rank"] for row in leaderboard_rows(found)}
        for found in (places, places[::-1])
    )
    assert one == other


@pytest.mark.slow
def test_a_run_and_its_kept_report_have_the_same_ranks(folder: Path) -> None:
    kept, run = (leaderboard_rows([folder / place / "small"]) for place in ("reports", "runs"))
    assert {row["compared_with"] for row in kept} == {"wlr"}
    names = "metric", "method", "mean", "rank", "data_sets", "compared_with", "detectable"
    assert [[row[name] for name in names] for row in kept] == [[row[name] for name in names] for row in run]


@pytest.mark.slow
def test_an_invented_number_is_not_verified(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "submissions" / "newcomer", tmp_path / "forged")
    shutil.copy(folder / "newcomer.py", tmp_path)
    path = tmp_path / "forged" / "cells.jsonl"
    text = path.read_text()
    path.write_text(text.replace('"accuracy":0.', '"accuracy":1.', 1))
    said = pubench(tmp_path, "verify", "forged", "--plugin", "newcomer.py", code=1)
    assert "damaged record" in said.stdout + said.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "reason"),
    [({"seed": 6}, "have different seeds"), ({"frequency": 0.4}, "draw different rows for iris")],
)
def test_other_splits_and_labels_are_refused(
    folder: Path, tmp_path: Path, changes: dict[str, float], reason: str
) -> None:
    suite(tmp_path, "other.toml", OWN, **{"replicates": 1, **changes})  # type: ignore[arg-type]
    text = (
        (tmp_path / "other.toml")
        .read_text()
        .replace("[[labellings]]", '[[labellings]]\nname = "single-training-set c=0.5"')
    )
    (tmp_path / "other.toml").write_text(text)
    shutil.copy(folder / "newcomer.py", tmp_path)
    pubench(tmp_path, "suite", "run", "other.toml", "--plugin", "newcomer.py", "--out", "other", "--quiet")
    with pytest.raises(PubenchError, match=reason):
        leaderboard_rows([folder / "runs" / "small", tmp_path / "other"])


@pytest.mark.slow
def test_a_cell_with_two_results_is_refused(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "reports" / "small", tmp_path / "small")
    path = tmp_path / "small" / "cells.csv"
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    rows[0]["accuracy"] = str(float(rows[0]["accuracy"]) / 2)
    path.write_text(rows_text(rows, "csv"))
    with pytest.raises(PubenchError, match="have different results of iris"):
        leaderboard_rows([folder / "reports" / "small", tmp_path / "small"])


def test_a_folder_without_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="holds no run"):
        leaderboard_rows([tmp_path])


def test_species_of_a_kept_report_count_as_on_its_page() -> None:
    text = (REPORTS / "presence-only" / "report.md").read_text(encoding="utf-8")
    board = text.partition("### Methods by roc-auc\n")[2].partition("###")[0]
    on_page = dict(re.findall(r"^\| ([\w-]+) \| ([\d.]+) \(", board, re.MULTILINE))
    rows = [row for row in leaderboard_rows([REPORTS / "presence-only"]) if row["metric"] == "roc-auc"]
    assert {row["method"]: f"{row['rank']:.2f}" for row in rows} == on_page
    assert {(row["data_sets"], row["compared_with"]) for row in rows} == {(225, "maxent")}


def test_the_committed_leaderboard_is_that_of_the_committed_rows() -> None:
    names = ["core-lite", "core-small", "core-sar-lite", "presence-only"]
    again = rows_text(leaderboard_rows([REPORTS / name for name in names]), "csv")
    assert (REPORTS / "leaderboard.csv").read_text(encoding="utf-8") == again, "run: make leaderboard"
