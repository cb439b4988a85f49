"""Laws of the choice: weights, the single method, and what is claimed about them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pubench.advise.choosing import (
    decision_share,
    expected_loss,
    one_se,
    softmax_weights,
    standard_error,
    within,
)
from pubench.advise.gathering import Comparison
from pubench.estimators.prior_statement import PriorStatement

seeds = st.integers(0, 2**31 - 1)


def some_values(seed, methods=5, folds=10):
    return 0.7 + 0.05 * np.random.default_rng(seed).normal(size=(methods, folds))


@given(seeds)
def test_weights_are_shares_that_follow_the_means(seed):
    values = some_values(seed)
    weights = softmax_weights(values)
    assert weights.sum() == pytest.approx(1.0)
    assert (weights > 0).all()
    assert (np.argsort(weights) == np.argsort(values.mean(axis=1))).all()


@given(seeds, st.floats(0.1, 10), st.floats(-1, 1))
def test_weights_do_not_depend_on_the_scale_of_the_values(seed, factor, shift):
    values = some_values(seed)
    assert softmax_weights(factor * values + shift) == pytest.approx(softmax_weights(values))


def test_a_method_worse_by_one_standard_error_has_e_times_less_weight():
    values = np.array([[0.7, 0.8], [0.6, 0.7]])
    values[1] = values[0] - standard_error(values)
    first, second = softmax_weights(values)
    assert first / second == pytest.approx(np.e)


def test_without_noise_only_the_best_methods_count():
    assert softmax_weights(np.array([[0.8, 0.8], [0.8, 0.8], [0.7, 0.7]])).tolist() == [0.5, 0.5, 0.0]
    assert softmax_weights(np.array([[0.8], [0.7]])).tolist() == [1.0, 0.0]


def test_the_single_method_is_the_preferred_one_within_a_standard_error():
    values = np.array([[0.70, 0.80], [0.69, 0.79], [0.30, 0.40]])
    names = ("best", "near", "far")
    assert one_se(values, names, preferred=("far", "near", "best")) == "near"
    assert one_se(values, names, preferred=("far",)) == "best"


@given(seeds)
def test_claims_grow_with_the_margin_and_losses_are_not_negative(seed):
    values = some_values(seed)
    chosen = values[0]
    claims = [within(values, chosen, margin=margin) for margin in (0.0, 0.02, 0.1, 1.0)]
    assert claims == sorted(claims)
    assert claims[-1] == 1.0
    loss = expected_loss(values, chosen)
    assert loss.mean >= 0.0
    assert loss.bound >= 0.0


def test_what_beats_every_method_by_the_same_on_each_fold_loses_nothing():
    values = some_values(3, methods=1) - np.array([[0.0], [0.02], [0.1]])
    chosen = values[0] + 0.001
    assert within(values, chosen, margin=0.0) == 1.0
    assert expected_loss(values, chosen).bound == 0.0


def test_few_folds_make_less_sure():
    values = some_values(4, methods=2, folds=10)
    sure, unsure = (within(v, v.mean(axis=0), margin=0.01) for v in (np.tile(values, 4), values))
    assert unsure < sure


def test_a_choice_that_loses_the_same_on_each_fold_loses_that():
    values = np.vstack([some_values(1, methods=1), some_values(1, methods=1) - 0.05])
    loss = expected_loss(values, values[1])
    assert (loss.mean, loss.bound) == pytest.approx((0.05, 0.05))
    assert within(values, values[1], margin=0.04) == 0.0


def compared(decisions, names=("puet", "pu-bagging-tree", "pu-bagging-svm")):
    """Return a comparison of which only the decisions matter, shape (methods, n)."""
    m, n = np.shape(decisions)
    folds = np.arange(n)[None] % 2
    shares = np.full((1, m, n), 0.5)
    return Comparison(
        names=names,
        values=np.full((m, 2), 0.7),
        shares=shares,
        margins=shares[0],
        decisions=np.array(decisions, dtype=np.uint8),
        cuts=np.full(m, np.nan),
        seconds=np.ones(m),
        failures=(),
        folds=folds,
    )


def prior_in(low, high):
    return PriorStatement((low + high) / 2, low, high, 0.9, 1.0, True)


def test_the_share_of_positives_is_that_of_methods_without_prior_within_the_priors_range():
    found = compared([[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 0, 0]])
    s, weights = np.array([1, 0, 0, 0], dtype=np.uint8), np.array([0.5, 0.4, 0.1])

    def share(low, high, scenario="single-training-set"):
        return decision_share(found, weights, s, prior=prior_in(low, high), scenario=scenario)

    assert share(0.1, 0.9) == pytest.approx((0.4 * 0.5 + 0.1 * 0.25) / 0.5)
    assert share(0.6, 0.9) == 0.6
    assert share(0.1, 0.2) == 0.2
    # P was drawn apart: only U stands for the population.
    assert share(0.1, 0.9, "case-control") == pytest.approx(0.4 / 0.5 / 3)


def test_without_such_a_method_the_prior_is_the_share():
    found = compared([[1, 1, 0, 0]], names=("puet",))
    s = np.array([1, 0, 0, 0], dtype=np.uint8)
    share = decision_share(found, np.ones(1), s, prior=prior_in(0.2, 0.4), scenario="single-training-set")
    assert share == pytest.approx(0.3)


def test_without_weight_such_methods_decide_alike():
    found = compared([[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 0, 0]])
    s = np.array([1, 0, 0, 0], dtype=np.uint8)
    weights = np.array([1.0, 0.0, 0.0])
    share = decision_share(found, weights, s, prior=prior_in(0.1, 0.9), scenario="single-training-set")
    assert share == pytest.approx(0.375)


@given(seeds, st.floats(0.0, 0.7))
def test_more_positives_in_u_make_the_same_difference_weigh_more(seed, share):
    values = some_values(seed)
    none, some = (expected_loss(values, values[0], share=q) for q in (0.0, share))
    assert some.mean == pytest.approx(none.mean / (1 - share))
    assert some.bound == pytest.approx(none.bound / (1 - share))
