"""Weighted logistic regression where input is bad: the optimum, a warning or one clear error, and never NaN."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from helpers.samples import make_pu
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pubench_linear.newton import minimise
from pubench_linear.wlr import WeightedLogisticRegression
from scipy import sparse
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning


def cost(theta, X, s, penalty):
    margin = np.where(s == 1, 1, -1) * (X @ theta[:-1] + theta[-1])
    loss = np.logaddexp(0, -margin)
    return (loss[s == 1].mean() + loss[s == 0].mean()) / 2 + penalty / 2 * theta @ theta


def twin(X, s, penalty):
    """The same minimum by plain Newton steps, each solved densely in columns of length 1."""
    rows = np.column_stack([X, np.ones(len(X))])
    length = np.linalg.norm(rows, axis=0)
    size = 1 / np.where(length == 0, 1, length)
    rows *= size
    sign, weight = np.where(s == 1, 1, -1), np.where(s == 1, 0.5 / s.sum(), 0.5 / (s == 0).sum())
    theta, first = np.zeros(rows.shape[1]), 0.0
    for _ in range(400):
        wrong = expit(-sign * (rows @ theta))
        gradient = rows.T @ (-weight * sign * wrong) + penalty * size**2 * theta
        hessian = (rows.T * (weight * wrong * (1 - wrong))) @ rows + np.diag(penalty * size**2)
        step = np.linalg.lstsq(hessian, gradient, rcond=1e-15)[0]
        while cost(size * (theta - step), X, s, penalty) > cost(size * theta, X, s, penalty) * (1 + 1e-15):
            step /= 2
        theta = theta - step
        first = first or gradient @ step
        if gradient @ step <= 1e-20 * min(first, cost(size * theta, X, s, penalty)):
            break
    return size * theta


def fit_quietly(X, s, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = WeightedLogisticRegression(**params).fit(X, s)
    theta = np.append(model.coef_[0], model.intercept_)
    assert np.isfinite(theta).all()
    return model, theta


def assert_minimum(X, s, c=0.1, within=1e-6):
    """Under both meanings of c, decisions are those of the twin."""
    n_unlabelled = (s == 0).sum()
    for name, penalty in {"printed": c / n_unlabelled, "update": c * len(s) / (3.98 * n_unlabelled)}.items():
        model, theta = fit_quietly(X, s, c=c, cost=name)
        best = twin(X, s, penalty)
        assert cost(theta, X, s, penalty) <= cost(best, X, s, penalty) * (1 + 1e-7)
        expected = X @ best[:-1] + best[-1]
        np.testing.assert_allclose(
            model.decision_function(X), expected, rtol=0, atol=within * np.abs(expected).max()
        )


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1e3, 1e6, 1e12, 1e100])
def test_features_on_any_scale(scale):
    X, s = make_pu()
    assert_minimum(scale * X, s, within=1e-5)


@pytest.mark.parametrize("c", [1e-8, 1e-3, 0.1, 10])
def test_columns_on_scales_from_a_millionth_to_a_million(c):
    X, s = make_pu(1, 50, 450, 13)
    assert_minimum(X * 10.0 ** np.arange(-6, 7), s, c)


def test_far_from_the_origin_columns_are_nearly_the_bias():
    X, s = make_pu()
    assert_minimum(X + 1e6, s, within=1e-3)


@pytest.mark.parametrize("c", [1e-100, 1e-15, 1e-5, 10, 1e5, 1e15, 1e100])
def test_any_penalty_on_rows_that_overlap(c):
    assert_minimum(*make_pu(), c)


@pytest.mark.parametrize("c", [1e-100, 1e-15, 1e-5, 0.1, 1e5])
def test_any_penalty_on_rows_that_a_plane_separates(c):
    assert_minimum(*make_pu(2, 5, 20, 60), c)


@pytest.mark.parametrize("counts", [(1, 60), (20, 1), (1, 1)])
def test_one_row_of_a_class(counts):
    assert_minimum(*make_pu(3, *counts))


@pytest.mark.parametrize("c", [1e-15, 0.1])
def test_collinear_columns_share_their_weight(c):
    X, s = make_pu(4)
    twice = np.column_stack([X, X[:, 0]])
    assert_minimum(twice, s, c)
    theta = fit_quietly(twice, s, c=c)[1]
    assert theta[0] == pytest.approx(theta[4], rel=1e-9)


@pytest.mark.parametrize("c", [1e-15, 0.1])
@pytest.mark.parametrize("value", [0.0, 3.3, -1e6])
def test_constant_features_say_nothing(value, c):
    s = make_pu()[1]
    model, theta = fit_quietly(np.full((75, 2), value), s, c=c)
    assert not theta.any()
    assert (model.predict_proba([[value, value]]) == 0.5).all()


def test_a_constant_feature_is_a_second_bias():
    X, s = make_pu(5)
    assert_minimum(np.column_stack([X, np.full(75, 3.0)]), s)


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    counts=st.tuples(st.integers(1, 30), st.integers(1, 30), st.integers(1, 40)),
    log_c=st.floats(-10, 6),
    log_scales=st.tuples(st.floats(-6, 6), st.floats(-6, 6)),
)
@example(seed=0, counts=(20, 30, 40), log_c=-5.0, log_scales=(-6.0, 6.0))
def test_any_sample_is_fitted(seed, counts, log_c, log_scales):
    X, s = make_pu(seed, *counts)
    X *= np.geomspace(*10.0 ** np.array(log_scales), X.shape[1])
    penalty = 10.0**log_c
    found = minimise(X, s, penalty, tol=1e-6, max_iter=1000)
    assert found.reached
    assert cost(found.theta, X, s, penalty) <= cost(twin(X, s, penalty), X, s, penalty) * (1 + 1e-9)


def test_many_columns_of_many_scales_end_soon():
    """liblinear does not return from these."""
    X, s = make_pu(6, 200, 1800, 300)
    X *= 10.0 ** np.random.default_rng(0).uniform(-6, 6, 300)
    assert fit_quietly(X, s, c=1e-5)[0].n_iter_ < 30


def test_the_tolerance_is_kept():
    X, s = make_pu(7)
    exact = twin(X, s, 0.01)
    errors = [np.abs(minimise(X, s, 0.01, tol=tol, max_iter=99).theta - exact).max() for tol in (1e-2, 1e-6)]
    assert errors[1] < 1e-6 < errors[0] < 1e-1
    assert minimise(X, s, 0.01, tol=1e-300, max_iter=99).reached  # down to rounding


def test_values_too_large_to_square_are_refused():
    X, s = make_pu()
    X[3, 2] = 1e160
    for rows in (X, sparse.csr_array(X)):
        with pytest.raises(ValueError, match="values of column 2 are too large to square; scale the columns"):
            WeightedLogisticRegression().fit(rows, s)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_missing_and_infinite_values_are_refused(bad):
    X, s = make_pu()
    X[0, 0] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        WeightedLogisticRegression().fit(X, s)


@pytest.mark.parametrize("s", [np.zeros(75), np.ones(75)])
def test_one_class_is_refused(s):
    with pytest.raises(ValueError, match=r"one class only.*give both labelled and unlabelled rows"):
        WeightedLogisticRegression().fit(make_pu()[0], s)


@pytest.mark.parametrize("c", [1e-101, 1e101, np.inf, np.nan])
def test_penalties_out_of_range_are_refused(c):
    with pytest.raises(
        ValueError, match="c of WeightedLogisticRegression must be a finite number of at least"
    ):
        WeightedLogisticRegression(c).fit(*make_pu())


def test_too_few_steps_are_told_in_one_sentence():
    X, s = make_pu()
    with pytest.warns(
        ConvergenceWarning, match="stopped after 2 Newton steps short of tol=1e-06; raise max_iter"
    ):
        model = WeightedLogisticRegression(max_iter=2).fit(X, s)
    assert model.n_iter_ == 2


def test_64_bit_indices_and_32_bit_numbers_give_the_same():
    X, s = make_pu(8)
    X = X.astype(np.float32).astype(np.float64)
    rows = sparse.csr_array(X)
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    expected = fit_quietly(X, s)[1]
    np.testing.assert_allclose(fit_quietly(rows, s)[1], expected, rtol=1e-9)
    np.testing.assert_array_equal(fit_quietly(X.astype(np.float32), s)[1], expected)
