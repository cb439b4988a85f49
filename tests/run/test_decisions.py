"""Suites that take decisions from the prior, or probabilities from out-of-fold scores, for any algorithm."""

from __future__ import annotations

import json

import pytest
from helpers.suites import plan, run, run_text, toml

from pubench.errors import SuiteError

LR = {"use": "naive-lr"}
RARE = {
    "datasets": [{"use": "gaussians", "params": {"n": 800, "prior": 0.2, "separation": 2.0}}],
    "labellings": [{"scenario": "single-training-set", "frequency": 0.3}],
    "prior": {"source": "true"},
    "report": {"metrics": ["accuracy", "predicted-positive-rate", "brier"]},
}


def test_a_threshold_at_the_prior_is_what_the_wrapped_estimator_does(tmp_path):
    results = run(tmp_path, **RARE, algorithms=[LR, {**LR, "name": "cut", "threshold": "prior"}])
    own, cut = results.rows
    assert own["status"] == cut["status"] == "ok"
    assert own["roc-auc"] == pytest.approx(cut["roc-auc"])
    assert own["f1"] < cut["f1"]


def test_calibrated_probabilities_are_for_algorithms_without_any(tmp_path):
    svm = {"use": "bsvm", "name": "own", "probability": "own"}
    results = run(tmp_path, **RARE, algorithms=[svm, {"use": "bsvm"}])
    own, calibrated = results.rows
    assert own["brier"] is None
    assert 0.0 < calibrated["brier"] < 0.16  # the constant 0.2 would have 0.16
    assert own["accuracy"] == calibrated["accuracy"]


@pytest.mark.parametrize(
    ("changes", "probability"),
    [
        ({}, "calibrated"),
        ({"prior": {"source": "none"}}, "own"),
        ({"report": {"metrics": ["accuracy"]}}, "own"),
        ({"algorithms": [{"use": "bsvm", "probability": "own"}]}, "own"),
        ({"algorithms": [LR]}, "own"),
    ],
)
def test_a_report_of_probabilities_calibrates_what_has_none(changes, probability):
    job = plan(**{**RARE, "algorithms": [{"use": "bsvm"}], **changes}).jobs[0]
    assert job.algorithm.probability == probability


def test_both_thresholds_can_be_searched(tmp_path):
    tuned = {"use": "naive-lr", "tune": True, "threshold": "search", "search": {"C": [1.0, 2.0]}}
    tuning = {"criteria": ["nnpu-risk"], "sampler": "grid", "folds": 2}
    (row,) = run(tmp_path, **RARE, algorithms=[tuned], tuning=tuning).rows
    assert row["status"] == "ok"
    assert json.loads(row["params"])["threshold"] in ("own", "prior")


def test_only_what_differs_changes_the_key():
    plain, named, cut = (
        plan(**RARE, algorithms=[entry]).plan.cells[0].key
        for entry in (LR, {**LR, "threshold": "own"}, {**LR, "threshold": "prior"})
    )
    assert plain == named != cut


def test_an_algorithm_may_be_registered_with_the_cut():
    def threshold(**changes):
        return plan(**RARE, algorithms=[{"use": "upu-linear", **changes}]).jobs[0].algorithm.threshold

    assert threshold() == "prior"
    assert threshold(threshold="own") == "own"
    tuned = {"tune": True, "search": {"l2": [0.1, 1.0]}}
    assert threshold(**tuned, threshold="search") == "search"


def test_without_a_prior_such_a_cell_is_skipped():
    planned = plan(**RARE | {"prior": {"source": "none"}}, algorithms=[{**LR, "threshold": "prior"}])
    assert planned.plan.cells[0].skip.startswith("naive-lr needs a class prior")


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"use": "supervised-lr", "threshold": "prior"}, "learns from true classes; remove threshold"),
        ({**LR, "threshold": "search"}, r"cannot be \"search\" here; add tune = true"),
        ({**LR, "threshold": "half"}, "threshold"),
    ],
)
def test_what_cannot_be_is_refused(entry, problem):
    with pytest.raises(SuiteError, match=problem):
        plan(**RARE, algorithms=[entry])


def test_a_prior_fixed_in_params_serves_the_cut_and_the_probabilities(tmp_path):
    fixed = {"use": "nnpu-linear", "threshold": "prior", "probability": "calibrated"}
    entries = [{**fixed, "name": f"at {prior}", "params": {"prior": prior}} for prior in (0.1, 0.4)]
    rows = run(tmp_path, **RARE | {"prior": {"source": "none"}}, algorithms=entries).rows
    for row, prior in zip(rows, (0.1, 0.4), strict=True):
        assert row["status"] == "ok"
        assert row["predicted-positive-rate"] == pytest.approx(prior, abs=0.06)
        assert row["brier"] is not None


def test_a_fixed_prior_hides_that_of_the_suite_from_the_key():
    cut = {"use": "nnpu-linear", "threshold": "prior"}

    def key(source, **params):
        return plan(**RARE | {"prior": {"source": source}}, algorithms=[cut | params]).plan.cells[0].key

    assert key("true", params={"prior": 0.1}) == key(0.3, params={"prior": 0.1})
    assert key("true") != key(0.3)
    with pytest.raises(
        SuiteError, match=r"params.prior of 'nnpu-linear' is 1.5; give a number strictly between"
    ):
        key("true", params={"prior": 1.5})


NAMED = {"use": "nnpu-linear", "params": {"prior": "tice"}, "threshold": "prior", "probability": "calibrated"}


@pytest.mark.slow
def test_a_prior_named_as_an_estimator_serves_the_cut_and_the_probabilities(tmp_path):
    def scores(source):
        (row,) = run(tmp_path / str(source), **RARE | {"prior": {"source": source}}, algorithms=[NAMED]).rows
        assert row["status"] == "ok"
        return row["predicted-positive-rate"], row["brier"]

    # A cut at 0.9 would call nine in ten rows positive.
    assert scores("none") == scores(0.9)
    assert scores("none")[0] < 0.6


def test_a_searched_prior_serves_the_cut_of_its_trial(tmp_path):
    searched = {"use": "nnpu-linear", "tune": True, "search": {"prior": [0.1]}, "threshold": "prior"}
    tuning = {"criteria": ["pauc"], "sampler": "grid", "folds": 2, "defaults": False}
    (row,) = run(tmp_path, **RARE | {"prior": {"source": 0.6}}, algorithms=[searched], tuning=tuning).rows
    assert json.loads(row["params"]) == {"prior": 0.1}
    assert row["predicted-positive-rate"] == pytest.approx(0.1, abs=0.05)


SILENT = """
import pubench
from sklearn.linear_model import LogisticRegression

class Silent(LogisticRegression):
    def __init__(self, prior=0.5):
        super().__init__()
        self.prior = prior

@pubench.hookimpl
def pubench_algorithms():
    return [pubench.Algorithm(name="silent", estimator="silent:Silent", receives=("prior",))]
"""


def test_an_estimator_that_does_not_keep_the_prior_that_it_estimates_fails(tmp_path):
    (tmp_path / "silent.py").write_text(SILENT)
    entry = {"use": "silent", "params": {"prior": "tice"}, "threshold": "prior"}
    (row,) = run_text(tmp_path, toml(**RARE, algorithms=[entry]), [tmp_path / "silent.py"]).rows
    assert row["status"] == "failed"
    assert "prior_ is None after the fit" in row["error"]
