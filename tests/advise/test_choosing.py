"""Laws of the choice: weights, the single method, and what is claimed about them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pubench.advise.choosing import expected_loss, one_se, softmax_weights, standard_error, within

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


def test_what_beats_every_method_on_every_fold_loses_nothing():
    values = some_values(3)
    chosen = values.max(axis=0) + 0.001
    assert within(values, chosen, margin=0.0) == 1.0
    assert expected_loss(values, chosen) == expected_loss(values, chosen + 1)
    assert expected_loss(values, chosen).bound == 0.0


def test_a_choice_that_loses_the_same_on_each_fold_loses_that():
    values = np.vstack([some_values(1, methods=1), some_values(1, methods=1) - 0.05])
    loss = expected_loss(values, values[1])
    assert (loss.mean, loss.bound) == pytest.approx((0.05, 0.05))
    assert within(values, values[1], margin=0.04) == 0.0
