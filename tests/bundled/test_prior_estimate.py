"""``prior="estimate"`` in every classifier that takes a prior: what it uses, and that it uses nothing else."""

from __future__ import annotations

import importlib.util
import re
import warnings

import numpy as np
import pytest
from helpers.suites import run_text
from pubench_baselines.positive_negative import PositiveNegativeSample
from scipy.sparse import csr_array
from sklearn.utils.estimator_checks import estimator_checks_generator

import pubench
from pubench.base import PRIOR
from pubench.plugins.discovery import discover
from pubench.priors import estimate_prior

# VPU needs no prior unless it is cut there.
SMALL = {
    "vpu": {"cut": "prior"},
    "puet": {"n_estimators": 5},
    "purf": {"n_estimators": 5},
    "adapu": {"n_estimators": 5},
}
SCENARIOS = ("case-control", "single-training-set")
WITHOUT_TORCH = importlib.util.find_spec("torch") is None
TAKERS = {
    name: entry.spec.receives
    for name, entry in sorted(discover(third_party=False).all("algorithms").items())
    if "prior" in entry.spec.receives
    and entry.spec.labels == "pu"
    and not (WITHOUT_TORCH and entry.spec.requires)
}


def rows(n_p=150, n_u=450, alpha=0.3, seed=1):
    rng = np.random.default_rng(seed)
    y = np.r_[np.ones(n_p), np.arange(n_u) < alpha * n_u]
    return rng.standard_normal((n_p + n_u, 3)) + [6, 0, 0] * y[:, None], (np.arange(n_p + n_u) < n_p).astype(
        int
    )


def make(name, **params):
    return pubench.make(name, **(SMALL.get(name, {}) | params))


def test_there_are_classifiers_that_take_a_prior():
    assert {"adapu", "novelgb", "puet", "purf", "putree"} <= set(TAKERS)


# What fits classifiers: one of each kind, the others with the slow tests.
FITTED = [
    name if name in {"adapu", "novelgb", "putree", "upu"} else pytest.param(name, marks=pytest.mark.slow)
    for name in TAKERS
]


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("name", FITTED)
def test_the_estimate_is_used_as_if_it_had_been_given(name, scenario):
    X, s = rows()
    asked = {"scenario": scenario, "random_state": 3}
    estimated = make(name, prior="estimate", **asked).fit(X, s)
    assert estimated.prior_ == pytest.approx(0.3 if scenario == "case-control" else 285 / 600, abs=0.06)
    given = make(name, prior=estimated.prior_, **asked).fit(X, s)
    assert given.prior_ == estimated.prior_
    assert (given.decision_function(X) == estimated.decision_function(X)).all()
    assert estimated.get_params()["prior"] == "estimate"


@pytest.mark.slow
@pytest.mark.parametrize("name", FITTED)
def test_an_estimator_may_be_named(name):
    X, s = rows()
    model = make(name, prior="dedpul", scenario="case-control", random_state=3).fit(X, s)
    found = estimate_prior(X, s, scenario="case-control", estimator="dedpul", random_state=3)
    # Trees read rows as float32.
    assert model.prior_ == pytest.approx(found.value, abs=0.01)


def test_a_random_state_serves_both_and_is_not_moved_on():
    X, s = rows()
    asked = {"n_estimators": 5, "scenario": "case-control"}
    estimated = pubench.make("puet", prior="estimate", random_state=np.random.RandomState(1), **asked).fit(
        X, s
    )
    given = pubench.make("puet", prior=estimated.prior_, random_state=np.random.RandomState(1), **asked).fit(
        X, s
    )
    assert (given.decision_function(X) == estimated.decision_function(X)).all()


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ("bbee", "prior estimator 'bbee' is not registered; did you mean 'bbe'?"),
        ("0.3", "or 'estimate' or the name of a prior estimator; got '0.3'"),
        (None, "or 'estimate' or the name of a prior estimator; got None"),
        (1.0, "prior of"),
        ("tice", "prior estimator 'tice' does not support case-control data"),
    ],
)
def test_what_is_no_prior_is_refused(prior, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make("adapu", prior=prior, scenario="case-control").fit(*rows())


@pytest.mark.parametrize("name", TAKERS)
def test_a_misspelt_estimator_is_named_with_the_right_one(name):
    given = {"scenario": "case-control"} if "scenario" in TAKERS[name] else {}
    with pytest.raises(ValueError, match="'bbee' is not registered; did you mean 'bbe'"):
        make(name, prior="bbee", **given).fit(*rows())


def test_the_rule_says_what_a_prior_may_be():
    assert [PRIOR.allows(value) for value in (0.5, "estimate", "pen-l1")] == [True] * 3
    assert [PRIOR.allows(value) for value in (0, 1, "", "Estimate", "a b", "0.5", True, None)] == [False] * 8


def test_doubts_become_a_warning():
    X, s = rows(10, 60)
    with pytest.warns(
        UserWarning, match=r"the prior 0\.\d+ \(.*\) is an estimate in doubt: fewer than 50 labelled rows"
    ):
        make("putree", prior="bbe", scenario="case-control", random_state=0).fit(X, s)


def test_sparse_rows_and_missing_values_are_taken_where_the_classifier_takes_them():
    X, s = rows()
    puet = make("puet", prior="estimate", scenario="case-control", random_state=0).fit(csr_array(X), s)
    assert 0.15 < puet.prior_ < 0.45
    X[::9, 1] = np.nan
    novelgb = make("novelgb", prior="estimate", scenario="case-control", random_state=0).fit(X, s)
    assert 0.2 < novelgb.prior_ < 0.4


def test_a_reference_counts_the_classes_that_it_knows():
    X, y = rows()
    assert PositiveNegativeSample(prior="estimate", random_state=0).fit(X, y).prior_ == pytest.approx(0.25)
    with pytest.raises(ValueError, match="or 'estimate'; got 'bbe'"):
        PositiveNegativeSample(prior="bbe").fit(X, y)


CHECKS = (
    "check_fit_idempotent",
    "check_dict_unchanged",
    "check_estimators_pickle",
    "check_classifiers_one_label",
)


@pytest.mark.filterwarnings("ignore:the prior")
@pytest.mark.parametrize("check", CHECKS)
def test_scikit_learns_checks_pass_with_an_estimated_prior(check):
    model = make("putree", prior="estimate", scenario="single-training-set", random_state=0)
    found = [(one, part) for one, part in estimator_checks_generator(model) if part.func.__name__ == check]
    assert found
    for one, part in found:
        part(one)


SUITE = """
name = "own"
replicates = 1
[[datasets]]
use = "breast-cancer"
[[labellings]]
scenario = "single-training-set"
frequency = 0.5
[[algorithms]]
use = "putree"
params = { prior = "estimate" }
[[algorithms]]
use = "putree"
name = "by-source"
[prior]
source = "estimate"
"""


@pytest.mark.slow
def test_suites_take_it_as_a_parameter_and_as_a_source(tmp_path):
    results = run_text(tmp_path, SUITE)
    assert [row["status"] for row in results.rows] == ["ok", "ok"]
    assert results.rows[0]["prior"] is None
    assert results.rows[1]["prior"] == pytest.approx(results.rows[1]["true_prior"], abs=0.1)


@pytest.mark.parametrize("name", FITTED)
def test_a_prior_below_the_share_of_labelled_rows_is_warned_of(name):
    X, s = rows(150, 150)
    with pytest.warns(UserWarning, match=r"the prior 0.4 is below 0.5, the share of labelled rows"):
        make(name, prior=0.4, scenario="single-training-set", random_state=0).fit(X, s)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="the prior .* is below")
        make(name, prior=0.4, scenario="case-control", random_state=0).fit(X, s)
        make(name, prior=0.5, scenario="single-training-set", random_state=0).fit(X, s)
