"""Laws of weighted logistic regression."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pubench_linear
import pytest
from helpers.samples import make_pu
from hypothesis import given, settings
from hypothesis import strategies as st
from pubench_linear.wlr import WeightedLogisticRegression
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks


def printed_cost(theta, X, s, c):
    """The paper's cost and its gradient, theta = (w, b)."""
    sign, weight = np.where(s == 1, 1, -1), np.where(s == 1, (s == 0).sum() / (s == 1).sum(), 1.0)
    rows = np.column_stack([X, np.ones(len(X))])
    margin = sign * (rows @ theta)
    gradient = rows.T @ (-weight * sign * expit(-margin)) + 2 * c * theta
    return weight @ np.logaddexp(0, -margin) + c * theta @ theta, gradient


def theta_of(model):
    return np.append(model.coef_[0], model.intercept_)


@parametrize_with_checks([WeightedLogisticRegression()])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([WeightedLogisticRegression(cost="printed", c=0.5)])
def test_scikit_learns_checks_of_variants(estimator, check):
    check(estimator)


@pytest.mark.parametrize("c", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_printed_cost_is_minimised(seed, c):
    X, s = make_pu(seed)
    best = minimize(
        printed_cost, np.zeros(X.shape[1] + 1), (X, s, c), jac=True, method="BFGS", options={"gtol": 1e-9}
    )
    theta = theta_of(WeightedLogisticRegression(c, cost="printed", tol=1e-10).fit(X, s))
    assert printed_cost(theta, X, s, c)[0] == pytest.approx(best.fun, rel=0, abs=1e-6)
    np.testing.assert_allclose(theta, best.x, rtol=0, atol=1e-6)


@pytest.mark.parametrize("cost", ["printed", "update"])
def test_the_default_tolerance_is_near_the_optimum(cost):
    X, s = make_pu(3)
    loose = theta_of(WeightedLogisticRegression(cost=cost).fit(X, s))
    tight = theta_of(WeightedLogisticRegression(cost=cost, tol=1e-12).fit(X, s))
    np.testing.assert_allclose(loose, tight, rtol=1e-4, atol=1e-5)


def test_the_update_rule_stays_where_fit_ends():
    X, s = make_pu(0)
    c, n = 0.02, len(s)
    theta = theta_of(WeightedLogisticRegression(c, cost="update", tol=1e-12).fit(X, s))
    delta = -printed_cost(theta, X, s, 0.0)[1]
    step = (1 - c) * theta + (delta + 0.99 * delta) / n
    np.testing.assert_allclose(step, theta, rtol=0, atol=1e-6)


def test_the_update_rule_run_as_the_paper_does_ends_where_fit_does():
    X, s = make_pu(1)
    X /= np.linalg.norm(X, axis=1, keepdims=True)  # as in the paper: with long rows the steps diverge
    c, n = 0.05, len(s)
    theta, before = np.zeros(X.shape[1] + 1), np.zeros(X.shape[1] + 1)
    for _ in range(3000):
        delta = -printed_cost(theta, X, s, 0.0)[1]
        theta, before = (1 - c) * theta + (delta + 0.99 * before) / n, delta
    fitted = theta_of(WeightedLogisticRegression(c, cost="update", tol=1e-12).fit(X, s))
    np.testing.assert_allclose(fitted, theta, rtol=0, atol=1e-6)


def test_a_repeated_sample_has_the_same_fit_under_the_update_cost_only():
    X, s = make_pu(2)
    twice_X, twice_s = np.tile(X, (2, 1)), np.tile(s, 2)
    fits = {
        cost: [
            theta_of(WeightedLogisticRegression(0.05, cost=cost, tol=1e-12).fit(*data))
            for data in [(X, s), (twice_X, twice_s)]
        ]
        for cost in ("update", "printed")
    }
    np.testing.assert_allclose(*fits["update"], rtol=1e-6, atol=1e-8)
    assert np.abs(np.subtract(*fits["printed"])).max() > 1e-3


@pytest.mark.parametrize(
    "container", [sparse.csr_matrix, sparse.csr_array, sparse.csc_array, sparse.coo_array]
)
def test_sparse_equals_dense(container):
    X, s = make_pu(4)
    X[np.abs(X) < 0.7] = 0
    dense, thin = (WeightedLogisticRegression(tol=1e-10).fit(rows, s) for rows in (X, container(X)))
    np.testing.assert_allclose(theta_of(thin), theta_of(dense), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(thin.decision_function(container(X)), dense.decision_function(X), atol=1e-8)
    np.testing.assert_array_equal(thin.predict(container(X)), dense.predict(X))


def test_sparse_rows_are_never_made_dense(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("made dense")

    X, s = make_pu(5)
    rows = sparse.csr_matrix(X)
    for kind in (sparse.csr_matrix, sparse.csr_array):
        monkeypatch.setattr(kind, "toarray", refuse)
        monkeypatch.setattr(kind, "todense", refuse)
    WeightedLogisticRegression().fit(rows, s).predict_proba(rows)


@pytest.mark.parametrize(("unlabelled", "labelled"), [(-1, 1), (False, True), ("U", "p"), (1, 2)])
def test_how_classes_are_written_does_not_matter(unlabelled, labelled):
    X, s = make_pu(6)
    plain = WeightedLogisticRegression().fit(X, s)
    other = WeightedLogisticRegression().fit(X, np.where(s == 1, labelled, unlabelled))
    np.testing.assert_array_equal(other.decision_function(X), plain.decision_function(X))
    np.testing.assert_array_equal(other.predict(X), np.where(plain.predict(X) == 1, labelled, unlabelled))


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 20), st.integers(2, 40))
def test_probabilities_and_decisions_agree(seed, n_labelled, n_unlabelled):
    X, s = make_pu(seed, n_labelled, n_unlabelled)
    model = WeightedLogisticRegression().fit(X, s)
    probability = model.predict_proba(X)
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    np.testing.assert_allclose(probability[:, 1], expit(model.decision_function(X)))
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X) >= 0)


def test_both_classes_weigh_the_same():
    """Without features, the best g is 0: one half, however few rows are labelled."""
    s = np.array([1] * 3 + [0] * 97)
    model = WeightedLogisticRegression(1e-6, tol=1e-12).fit(np.zeros((100, 1)), s)
    assert model.predict_proba([[0.0]])[0, 1] == pytest.approx(0.5, abs=1e-6)


def test_too_few_steps_warn_and_enough_do_not():
    X, s = make_pu(8)
    with pytest.warns(ConvergenceWarning):
        WeightedLogisticRegression(1e-6, max_iter=1, tol=1e-12).fit(X, s)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = WeightedLogisticRegression().fit(X, s)
        model.predict(X)
    assert model.n_iter_ < model.max_iter


@pytest.mark.parametrize(
    "wrong",
    [{"c": 0}, {"c": -1.0}, {"c": "x"}, {"cost": "other"}, {"tol": 0.0}, {"max_iter": 0}, {"max_iter": 1.5}],
)
def test_wrong_parameters_are_named(wrong):
    X, s = make_pu(9)
    (name,) = wrong
    with pytest.raises(ValueError, match=f"^{name} of WeightedLogisticRegression must be .*; got"):
        clone(WeightedLogisticRegression()).set_params(**wrong).fit(X, s)


def test_the_spec_names_a_constructible_estimator():
    (spec,) = pubench_linear.pubench_algorithms()
    assert (spec.name, spec.estimator) == ("wlr", "pubench_linear.wlr:WeightedLogisticRegression")
    parameters = WeightedLogisticRegression(**spec.params).get_params()
    assert set(spec.space) | set(spec.receives) <= set(parameters)
    assert spec.space["c"].low <= parameters["c"] <= spec.space["c"].high


def test_importing_the_plugin_does_not_import_scikit_learn():
    code = (
        "import sys, pubench_linear; pubench_linear.pubench_algorithms(); sys.exit('sklearn' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
