"""Class priors through the toolkit: sources and factors in suites, and what rows, tables and plans say of them."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from helpers.suites import TOY, plan, run, toml

from pubench import run_suite
from pubench.errors import PriorError, SuiteError
from pubench.priors import PriorEstimate, checked
from pubench.reporting import build_report
from pubench.suite import bundled_suites, parse_suite

STS = {"scenario": "single-training-set", "frequency": 0.5}
CC = {"scenario": "case-control", "positives": 20}
BOTH = [{"use": "toy-prior"}, {"use": "toy"}]


def cells(**changes):
    return plan(**changes).plan.cells


def test_an_estimate_is_a_number_with_doubts():
    found = PriorEstimate(0.3, 0.2, 0.4, doubts=("few rows",))
    assert float(found) == 0.3
    assert checked(found, "x") == found
    assert checked(0.25, "x") == PriorEstimate(0.25, 0.0, 1.0, 1.0)
    for value in (0.0, 1.0, 1.5, math.nan):
        with pytest.raises(PriorError, match=r"prior estimator 'x' returned .* which is not inside \(0, 1\)"):
            checked(value, "x")


def test_each_factor_makes_cells_of_its_own_with_a_label_of_its_own():
    made = cells(algorithms=BOTH, prior={"source": "true", "factors": [0.5, 1, 2]})
    assert [(cell.algorithm, cell.prior_factor) for cell in made] == [
        (name, factor) for factor in (0.5, 1.0, 2.0) for name in ("toy-prior", "toy")
    ]
    assert {cell.labelling for cell in made} == {
        f"case-control n_p=10, prior x {factor}" for factor in ("0.5", "1", "2")
    }
    keys = {name: [cell.key for cell in made if cell.algorithm == name] for name in ("toy-prior", "toy")}
    assert len(set(keys["toy-prior"])) == 3
    assert len(set(keys["toy"])) == 1


def test_a_factor_of_1_is_no_new_cell():
    without, varied = (
        cells(algorithms=BOTH),
        cells(algorithms=BOTH, prior={"source": "true", "factors": [2, 1]}),
    )
    assert without[0].key == varied[2].key
    assert without[0].prior_factor is None
    assert {cell.key for cell in without} <= {cell.key for cell in varied}


def test_the_prior_handed_on_is_the_factors_times_the_truth(tmp_path):
    results = run(tmp_path, algorithms=BOTH, prior={"source": "true", "factors": [0.5, 2]}, labellings=[STS])
    rows = [row for row in results.rows if row["algorithm"] == "toy-prior"]
    assert [row["prior"] for row in rows] == pytest.approx(
        [row["true_prior"] * f for row, f in zip(rows, (0.5, 2), strict=True)]
    )
    assert [row["prior_factor"] for row in results.rows] == [0.5, 0.5, 2.0, 2.0]
    others = [row for row in results.rows if row["algorithm"] == "toy"]
    assert [row["prior"] for row in others] == [None, None]
    assert others[0]["accuracy"] == others[1]["accuracy"]
    # Tables keep the factors apart, and what uses no prior stands beside each.
    (table,) = build_report(results.rows, "toy", {"accuracy": True}).tables
    assert len(table.blocks) == 2
    assert (table.ok == 1).all()


def test_what_no_prior_can_be_is_skipped_or_refused():
    made = cells(algorithms=BOTH, prior={"source": "true", "factors": [1, 3]})
    assert [bool(cell.skip) for cell in made] == [False, False, True, False]
    assert made[2].skip == "3 times the prior 0.333 (toy-blobs) is not a valid prior; reduce prior.factors"
    refused = {
        "0.6\nfactors = [0.5, 2]": "prior.factors = [0.5, 2]: 2 times 0.6 is not a valid prior; reduce the factors",
        '"none"\nfactors = [1]': 'prior.factors = [1]: have no effect with source = "none"',
        '"true"\nfactors = [0.0]': "prior.factors = [0.0]: must be above 0 and at most 1000",
        '"true"\nfactors = [2, 2.0]': "prior.factors = [2, 2.0]: lists 2.0 twice",
        '"true"\nfactors = []': "prior.factors = []: must not be empty",
    }
    for text, message in refused.items():
        with pytest.raises(SuiteError, match=re.escape(message)):
            parse_suite(toml() + f"[prior]\nsource = {text}\n", "toy.toml")


def test_an_estimated_prior_times_its_factor_may_be_too_much_at_run_time(tmp_path):
    prior = {"source": "toy-guess", "params": {"value": 0.6}, "factors": [1, 2]}
    rows = run(tmp_path, algorithms=[{"use": "toy-prior"}], prior=prior).rows
    assert [row["status"] for row in rows] == ["ok", "failed"]
    assert "2 times the prior 0.6 is not inside (0, 1); reduce prior.factors" in rows[1]["error"]


@pytest.mark.slow
@pytest.mark.parametrize("source", ["bbe", "estimate"])
def test_rows_tell_the_estimate_its_interval_and_its_doubts(tmp_path, source):
    prior = {"source": source, "params": {"classifier": "logistic", "n_resamples": 20}}
    rows = run(tmp_path, algorithms=BOTH, prior=prior, labellings=[STS]).rows
    assert [row["status"] for row in rows] == ["ok", "ok"]
    assert rows[0]["prior_low"] <= rows[0]["prior"] <= rows[0]["prior_high"]
    assert "prior by bbe: " in rows[0]["notes"]
    assert "fewer than 50 labelled rows" in rows[0]["notes"]
    assert [rows[1][name] for name in ("prior", "prior_low", "prior_high", "notes")] == [None] * 4


def test_the_default_estimates_point_is_that_of_bbe_and_its_interval_holds_more():
    from pubench.estimators.prior_statement import state_prior, stated_estimate
    from pubench.priors import estimate_prior

    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.4
    X = rng.normal(2.0 * y[:, None], 1.0, (400, 2))
    s = (y & (rng.random(400) < 0.5)).astype(int)
    asked = {"scenario": "single-training-set", "random_state": 0, "n_resamples": 20}
    found, bbe = stated_estimate(X, s, **asked), estimate_prior(X, s, estimator="bbe", **asked)
    stated = state_prior(X, s, **asked)
    assert found.value == bbe.value
    assert (found.low, found.high, found.upper) == (stated.low, stated.high, stated.upper)
    assert found.low <= bbe.low
    assert found.doubts == stated.all_doubts


COUNTED = """
from pathlib import Path
import pubench

def counted(X, s, *, scenario, random_state, log):
    with Path(log).open("a") as file:
        file.write(f"{scenario} {random_state}\\n")
    return pubench.PriorEstimate(0.4, 0.3, 0.5)

@pubench.hookimpl
def pubench_priors():
    return [pubench.PriorEstimator(name="counted", function=f"{__name__}:counted")]
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_algorithms_on_the_same_rows_share_one_estimate(tmp_path, jobs):
    # A process loads plugin files of different names only.
    plugin = tmp_path / f"counted_{jobs}.py"
    plugin.write_text(COUNTED)
    suite = toml(
        algorithms=[{"use": "toy-prior", "name": name} for name in ("a", "b", "c")],
        labellings=[CC, STS],
        replicates=2,
        prior={"source": "counted", "params": {"log": str(tmp_path / "log")}},
    )
    (tmp_path / "s.toml").write_text(suite)
    found = run_suite(tmp_path / "s.toml", out=tmp_path / "run", jobs=jobs, plugins=[TOY, plugin])
    assert {(row["status"], row["prior"], row["prior_low"]) for row in found.rows} == {("ok", 0.4, 0.3)}
    assert len(found.rows) == 12
    asked = (tmp_path / "log").read_text().splitlines()
    assert len(asked) == len(set(asked)) == 4


def test_a_given_prior_has_no_interval(tmp_path):
    (row,) = run(tmp_path, algorithms=[{"use": "toy-prior"}], prior={"source": 0.3}).rows
    assert (row["prior"], row["prior_low"], row["prior_high"], row["prior_factor"]) == (0.3, None, None, None)


@pytest.mark.parametrize(
    ("source", "changes", "reason"),
    [
        (
            "elkan-noto-e1",
            {"labellings": [CC]},
            "prior estimator 'elkan-noto-e1' does not support case-control data",
        ),
        ("tice", {"labellings": [CC]}, "prior estimator 'tice' does not support case-control data"),
        (
            "tice",
            {
                "labellings": [STS],
                "datasets": [{"use": "toy-sparse"}],
                "algorithms": [{"use": "wlr", "tune": True}],
            },
            "prior estimator 'tice' cannot take sparse data (toy-sparse)",
        ),
        (
            "tice",
            {
                "labellings": [STS],
                "datasets": [{"use": "toy-holed", "preprocess": {"impute": "none"}}],
                "algorithms": [{"use": "novelgb"}],
            },
            "prior estimator 'tice' cannot take missing values (toy-holed has 13); set [preprocess]",
        ),
    ],
)
def test_estimators_are_refused_where_they_do_not_fit(source, changes, reason):
    asked = {
        "algorithms": [{"use": "toy-prior"}],
        "tuning": {"sampler": "grid", "folds": 2, "criteria": ["pa"]},
    }
    (cell,) = cells(**(asked | changes), prior={"source": source})
    assert cell.skip == reason


def test_an_algorithms_own_estimator_counts_as_part_of_it():
    def made(**params):
        return cells(
            algorithms=[{"use": "puet", "params": params}], labellings=[CC], prior={"source": "none"}
        )[0]

    assert made(prior="bbe").skip == ""
    assert made(prior="bbe").key == made(prior="bbe").key != made(prior="dedpul").key
    assert made(prior="tice").skip == "prior estimator 'tice' does not support case-control data"
    with pytest.raises(
        SuiteError, match=r"algorithms\[0\]: prior estimator 'bbee' is not registered; did you mean"
    ):
        made(prior="bbee")


def test_an_estimators_version_moves_the_cells_that_name_it():
    from dataclasses import replace

    from pubench.plugins.discovery import discover
    from pubench.plugins.registry import Registry

    registry = discover()
    (old,) = registry.entries["priors"]["bbe"]
    priors = {**registry.entries["priors"], "bbe": (replace(old, spec=replace(old.spec, version="99")),)}
    later = Registry({**registry.entries, "priors": priors}, registry.plugins)
    changes = {
        "datasets": [{"use": "iris"}],
        "algorithms": [{"use": "puet", "params": {"prior": "estimate"}}, {"use": "puet", "name": "given"}],
        "prior": {"source": "true"},
    }
    before, after = (cells(registry=one, **changes) for one in (registry, later))
    assert before[0].key != after[0].key
    assert before[1].key == after[1].key


@pytest.mark.slow
def test_the_sensitivity_suites_are_bundled_and_can_run_whole():
    from pubench.plan.planning import plan_suite
    from pubench.plugins.discovery import discover
    from pubench.suite import load_suite

    assert {"prior-sensitivity", "label-frequency"} <= set(bundled_suites())
    for name, n_cells in (("prior-sensitivity", 300), ("label-frequency", 150)):
        planned = plan_suite(load_suite(name), discover(third_party=False), source=name)
        assert len(planned.plan.cells) == n_cells
        assert not any(cell.skip for cell in planned.plan.cells)
    factors = {
        cell.prior_factor
        for cell in plan_suite(
            load_suite("prior-sensitivity"), discover(third_party=False), source="prior-sensitivity"
        ).plan.cells
    }
    assert (min(factors), max(factors)) == (0.5, 2.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["prior-sensitivity", "label-frequency"])
def test_the_sensitivity_suites_show_what_they_are_for(tmp_path, name):
    results = run_suite(name, out=tmp_path / "run", third_party=False)
    assert results.n_failed == 0
    frame = results.to_pandas()
    puet = frame[frame.algorithm == "puet"]
    if name == "label-frequency":
        means = puet.groupby("labelling").accuracy.mean()
        assert means["single-training-set c=0.9"] > means["single-training-set c=0.1"] + 0.03
        return
    means = puet.groupby("prior_factor").accuracy.mean()
    assert means[1.0] > means[0.5] + 0.05
    assert means[1.0] > means[2.0] + 0.05
    assert (puet.prior / puet.true_prior).round(6).equals(puet.prior_factor.round(6))
    without = frame[frame.algorithm == "wlr"].groupby("prior_factor").accuracy.mean()
    assert without.nunique() == 1


@pytest.mark.parametrize("key", [{"threshold": "prior"}, {"probability": "calibrated"}])
def test_a_prior_that_serves_the_cut_or_the_probabilities_alone_is_recorded(tmp_path, key):
    (row,) = run(tmp_path, algorithms=[{"use": "toy"} | key], prior={"source": 0.3}).rows
    assert (row["status"], row["prior"]) == ("ok", 0.3)
