"""The slopes and curvatures of NovelGB against the risks of pubench.risk, and its trees against trees by hand."""

from __future__ import annotations

import lightgbm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pubench_novelgb.novelgb import NovelGB
from pubench_novelgb.objective import Objective
from scipy.special import expit, logit

from pubench.risk import nnpu_risk, pu_risk, risk_parts
from pubench.specs import SCENARIOS

CC, STS = SCENARIOS


def make_scores(seed, n=12, spread=3.0):
    """Scores of n rows, of which the first third is labelled."""
    rng = np.random.default_rng(seed)
    return rng.normal(scale=spread, size=n), (np.arange(n) < n // 3).astype(int)


def slopes(function, scores, step=1e-5):
    """Differentiate in each score."""
    moves = np.eye(len(scores)) * step
    return np.array([(function(scores + move) - function(scores - move)) / (2 * step) for move in moves])


def curvatures(function, scores, step=1e-3):
    moves, here = np.eye(len(scores)) * step, function(scores)
    return np.array([(function(scores + m) + function(scores - m) - 2 * here) / step**2 for m in moves])


def objective_of(s, prior, scenario, **more):
    return Objective.of(s, prior=prior, scenario=scenario, **({"max_score": 15.0} | more))


@pytest.mark.parametrize("scenario", SCENARIOS)
@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6), prior=st.floats(0.02, 0.98))
def test_the_slope_is_that_of_the_unbiased_risk(scenario, seed, prior):
    scores, s = make_scores(seed)
    objective = objective_of(s, prior, scenario)
    expected = slopes(lambda f: pu_risk(f, s, prior=prior, scenario=scenario, loss="logistic"), scores)
    np.testing.assert_allclose(objective.derivatives(scores)[0], objective.scale * expected, atol=1e-6)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("seed", range(5))
def test_the_curvature_is_exact_but_for_labelled_rows_in_case_control_which_have_none(scenario, seed):
    scores, s = make_scores(seed)
    objective = objective_of(s, 0.4, scenario)
    exact = objective.scale * curvatures(
        lambda f: pu_risk(f, s, prior=0.4, scenario=scenario, loss="logistic"), scores
    )
    ours = objective.derivatives(scores)[1]
    straight = (s == 1) & (scenario == CC)
    np.testing.assert_allclose(ours[~straight], exact[~straight], atol=1e-6)
    np.testing.assert_allclose(exact[straight], 0.0, atol=1e-6)
    np.testing.assert_allclose(ours, expit(scores) * (1 - expit(scores)))


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("gamma", [1.0, 0.3])
@pytest.mark.parametrize("seed", range(5))
def test_nnpu_follows_its_risk_and_climbs_the_negative_part_when_that_is_below_zero(scenario, gamma, seed):
    scores, s = make_scores(seed)
    objective = objective_of(s, 0.6, scenario, risk="nnpu", gamma=gamma)
    known = {"prior": 0.6, "scenario": scenario, "loss": "logistic"}
    for shift, below in ((-6.0, False), (6.0, True)):
        moved = scores + np.where(s == 1, shift, -shift)
        assert (risk_parts(moved, s, **known)[1] < 0) == below
        if below:
            expected = slopes(lambda f: -gamma * risk_parts(f, s, **known)[1], moved)
        else:
            expected = slopes(lambda f: nnpu_risk(f, s, **known), moved)
        np.testing.assert_allclose(
            objective.derivatives(moved)[0], objective.scale * expected, atol=1e-5, err_msg=str(below)
        )


def test_beta_says_how_far_below_zero_is_too_far():
    scores, s = np.array([8.0, 8.0, -4.0, -4.0]), np.array([1, 1, 0, 0])
    part = risk_parts(scores, s, prior=0.5, scenario=CC, loss="logistic")[1]
    steps = {
        beta: objective_of(s, 0.5, CC, risk="nnpu", beta=beta).derivatives(scores)[0]
        for beta in (-part * 0.99, -part * 1.01)
    }
    plain = objective_of(s, 0.5, CC).derivatives(scores)[0]
    back, on = steps.values()
    assert part < 0
    np.testing.assert_array_equal(on, plain)
    assert (back * plain < 0).all()


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("risk", ["upu", "nnpu"])
def test_beyond_the_largest_score_the_risk_goes_on_in_a_straight_line(scenario, risk):
    s = np.array([1, 1, 0, 0])
    objective = objective_of(s, 0.5, scenario, max_score=4.0, risk=risk)
    bound = np.array([4.0, -4.0, 4.0, -4.0])
    for factor in (1.5, 100.0, 1e300):
        np.testing.assert_array_equal(objective.derivatives(factor * bound), objective.derivatives(bound))
    assert objective.derivatives(bound)[1].min() > 0.01


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6), prior=st.floats(0.02, 0.98))
def test_the_single_training_set_risk_is_softplus_of_all_minus_c_times_the_labelled_scores(seed, prior):
    scores, s = make_scores(seed)
    c = prior * len(s) / s.sum()
    closed = np.logaddexp(0, scores).sum() - c * scores[s == 1].sum()
    risk = pu_risk(scores, s, prior=prior, scenario=STS, loss="logistic")
    assert len(s) * risk == pytest.approx(closed)
    objective = objective_of(s, prior, STS)
    np.testing.assert_allclose(objective.derivatives(scores)[0], expit(scores) - c * s, atol=1e-12)


def test_with_all_positives_labelled_and_the_true_prior_it_is_supervised_boosting():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4))
    y = (X[:, 0] + rng.normal(size=600) > 0.7).astype(int)
    model = NovelGB(y.mean(), scenario=STS, l2=3.0, n_estimators=30).fit(X, y)
    options = {
        "objective": "binary",
        "num_leaves": 8,
        "max_depth": 3,
        "min_data_in_leaf": 10,
        "lambda_l2": 3.0,
        "num_threads": 1,
        "verbosity": -1,
    }
    supervised = lightgbm.train(options, lightgbm.Dataset(X, label=y), 30)
    np.testing.assert_allclose(model.decision_function(X), supervised.predict(X, raw_score=True), atol=1e-4)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize(("l2", "rate"), [(50.0, 0.1), (0.0, 1.0)])
def test_the_leaves_of_the_first_tree_are_newton_steps(scenario, l2, rate):
    rng = np.random.default_rng(1)
    X, s = rng.normal(size=(300, 3)), (np.arange(300) < 60).astype(int)
    X[s == 1] += 1.0
    prior, population = 0.3, 300 if scenario == STS else 240
    model = NovelGB(prior, scenario=scenario, l2=l2, learning_rate=rate, n_estimators=1).fit(X, s)
    leaf = model.booster_.predict(X, pred_leaf=True).ravel()
    decision = model.decision_function(X)
    assert len(np.unique(leaf)) > 4
    c = prior * population / 60
    # At the start the share of positives is the prior everywhere; labelled rows have no softplus in case-control.
    slope = np.where(s == 1, (prior if scenario == STS else 0.0) - c, prior)
    for number in np.unique(leaf):
        inside = leaf == number
        step = -slope[inside].sum() / (inside.sum() * prior * (1 - prior) + l2)
        expected = logit(prior) + rate * np.clip(step, -10, 10)
        np.testing.assert_allclose(decision[inside], np.clip(expected, -10, 10), rtol=1e-5)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("seed", range(3))
def test_the_first_split_is_the_best_of_all(scenario, seed):
    """A NumPy twin of one stump: every threshold of every column."""
    rng = np.random.default_rng(seed)
    X, s = rng.integers(0, 8, size=(400, 3)).astype(float), (np.arange(400) < 80).astype(int)
    X[s == 1, 1] += rng.integers(0, 3, size=80)
    model = NovelGB(0.35, scenario=scenario, max_depth=1, n_estimators=1, l2=20.0).fit(X, s)
    slope, curvature = objective_of(s, 0.35, scenario).derivatives(np.full(400, logit(0.35)))

    def gain(left):
        return sum(slope[side].sum() ** 2 / (curvature[side].sum() + 20.0) for side in (left, ~left))

    splits = [(column, cut) for column in range(3) for cut in np.unique(X[:, column])[:-1] + 0.5]
    column, cut = max(splits, key=lambda split: gain(X[:, split[0]] < split[1]))
    leaf = model.booster_.predict(X, pred_leaf=True).ravel()
    assert len(np.unique(leaf)) == 2
    np.testing.assert_array_equal(leaf == leaf[X[:, column] < cut][0], X[:, column] < cut)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_each_tree_lowers_the_risk_of_the_rows_it_was_fitted_on(scenario):
    rng = np.random.default_rng(2)
    X, s = rng.normal(size=(500, 3)), (np.arange(500) < 100).astype(int)
    X[s == 1] += 0.5
    model = NovelGB(0.4, scenario=scenario).fit(X, s)
    risks = [
        pu_risk(scores, s, prior=0.4, scenario=scenario, loss="logistic")
        for scores in model.staged_decision_function(X)
    ]
    assert (np.diff(risks) < 0).all()
