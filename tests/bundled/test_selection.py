"""The program that prices rules of selection: its rules are those of searches, and its averages are judged rightly."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers.committed import REPORTS

import pubench
from pubench.results.store import read_searches
from pubench.results.trials import trial_rows
from pubench.run.search import choose
from pubench.suite import load_suite

SUITE = """
name = "few"
replicates = 1
[[datasets]]
use = "iris"
[[labellings]]
scenario = "single-training-set"
frequency = 0.5
[[algorithms]]
use = "puet"
params = { n_estimators = 5 }
tune = true
[[algorithms]]
use = "wlr"
tune = true
[tuning]
criteria = ["puf", "nnpu-risk", "oracle-accuracy"]
sampler = "random"
trials = 4
folds = 3
rule = "best"
[store]
trials = true
predictions = true
"""


@pytest.fixture(scope="module")
def program() -> dict[str, Any]:
    return runpy.run_path(str(REPORTS / "selection.py"))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> pubench.Results:
    folder = tmp_path_factory.mktemp("few")
    (folder / "few.toml").write_text(SUITE)
    return pubench.run_suite(folder / "few.toml", out=folder / "run")


@pytest.fixture(scope="module")
def trials(run: pubench.Results) -> pd.DataFrame:
    return pd.DataFrame(trial_rows([run.folder], times=False))


def test_rules_choose_as_searches_do(
    program: dict[str, Any], run: pubench.Results, trials: pd.DataFrame
) -> None:
    searches = read_searches(run.folder)
    for _, found in trials.groupby("search", sort=False):
        stored = [line.trial for line in searches[found["search"].iloc[0]]]
        for criterion in ("puf", "nnpu-risk", "oracle-accuracy"):
            values = program["values"](found, criterion)
            for name, rule in program["RULES"].items():
                best = choose(stored, criterion, maximise=criterion != "nnpu-risk", rule=name)
                assert stored[rule(values)].params == best.params


def test_what_is_chosen_has_the_metrics_of_its_cell(
    program: dict[str, Any], run: pubench.Results, trials: pd.DataFrame
) -> None:
    chosen = program["chosen"](trials).set_index(["algorithm", "criterion", "rule"])
    for row in run.rows:
        found = chosen.loc[(row["algorithm"], row["criterion"], "best")]
        assert [float(found[name]) for name in program["METRICS"]] == pytest.approx(
            [row[name] for name in program["METRICS"]]
        )


def test_the_average_of_one_model_is_that_model(
    program: dict[str, Any], run: pubench.Results, trials: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With all the weight on the default setting the average is its model.
    first = lambda values: np.eye(len(values))[0]  # noqa: E731
    monkeypatch.setitem(program["ensembles"].__globals__, "softmax_weights", first)
    averaged = program["ensembles"](run.folder).set_index("algorithm")
    default = program["chosen"](trials)
    default = default[default["rule"] == "default"].set_index("algorithm")
    for name in ("puet", "wlr", program["POOLED"]):
        for metric in program["METRICS"]:
            assert averaged.loc[name, metric].to_numpy() == pytest.approx(default.loc[name, metric])


def test_prices_are_distances_to_the_best_setting(
    program: dict[str, Any], run: pubench.Results, trials: pd.DataFrame
) -> None:
    found = program["choices"](trials, program["ensembles"](run.folder))
    single = found[found["rule"] != "softmax"]
    for metric in program["METRICS"]:
        # No choice of one setting is better than the best one.
        assert (single[f"{metric} of hindsight"] >= single[metric] - 1e-12).all()
    assert found["accuracy of default"].notna().all()
    text = program["page"](found)
    assert text.count("| `puf` | softmax |") == 2
    assert "nan" not in text.replace("(nan)", "")


def test_the_suite_has_twenty_tables_that_decided_nothing() -> None:

    suite = load_suite("selection-study")
    ids = {entry.params["id"] for entry in suite.datasets}
    assert len(ids) == 20
    others = {entry.params["id"] for entry in load_suite("baselines").datasets}
    decided = {1464, 1480, 59, 15, 458, 11, 1467, 311}
    assert not ids & (others | decided)
    assert ids <= {entry.params["id"] for entry in load_suite("core").datasets}
