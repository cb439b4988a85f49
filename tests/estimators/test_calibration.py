"""Probabilities from P and U: the likelihood, what it recovers, and the estimators that use it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import pubench
from pubench import PriorCut, calibrate
from pubench.estimators.calibrated import CalibratedPU
from pubench.estimators.calibration import fit_sigmoid, share_in_unlabelled

CASE_CONTROL, SINGLE = "case-control", "single-training-set"


@pytest.mark.slow  # it shares its base class with PriorCut
@parametrize_with_checks([CalibratedPU(prior=0.5, scenario=SINGLE)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def logistic_sample(scenario, *, n=60_000, slope=1.5, offset=-1.0, c=0.4, seed=0):
    """Scores with Pr(y = 1 | f) = sigma(slope f + offset), and s in one of the scenarios."""
    rng = np.random.default_rng(seed)
    f = rng.normal(size=n)
    y = rng.random(n) < expit(slope * f + offset)
    prior = float(y.mean())
    if scenario == SINGLE:
        return f, (y & (rng.random(n) < c)).astype(np.uint8), prior
    drawn = rng.choice(np.flatnonzero(y), int(c * y.sum()))
    return np.concatenate([f[drawn], f]), np.repeat([1, 0], [len(drawn), n]).astype(np.uint8), prior


@pytest.mark.parametrize("scenario", [CASE_CONTROL, SINGLE])
def test_a_logistic_posterior_is_recovered(scenario):
    f, s, prior = logistic_sample(scenario)
    found = fit_sigmoid(f, s, prior=prior, scenario=scenario)
    assert found.slope == pytest.approx(1.5, abs=0.08)
    assert found.offset == pytest.approx(-1.0, abs=0.08)


@pytest.mark.parametrize("scenario", [CASE_CONTROL, SINGLE])
def test_the_fit_is_the_minimum_of_the_printed_loss(scenario):
    """The equations of the docstring, term by term and without gradients."""
    f, s, prior = logistic_sample(scenario, n=400)
    n_p, n_u = int(s.sum()), int((s == 0).sum())
    q = prior if scenario == CASE_CONTROL else (prior * len(s) - n_p) / n_u
    unit = (f - f.mean()) / f.std()

    def loss(parameters):
        a, b = parameters
        k = np.log(n_p / n_u) - np.log(q) + np.log(expit(a * unit + b))
        return -np.log(expit(k[s == 1])).sum() - np.log(1 - expit(k[s == 0])).sum() + 0.05 * a**2

    a, b = minimize(loss, [1.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}).x
    in_population = a * unit + b + logit(prior) - logit(q)
    found = fit_sigmoid(f, s, prior=prior, scenario=scenario)
    np.testing.assert_allclose(found.log_odds(f), in_population, atol=1e-3)


def test_probabilities_do_not_depend_on_the_unit_of_scores():
    f, s, prior = logistic_sample(SINGLE, n=500)
    plain = fit_sigmoid(f, s, prior=prior, scenario=SINGLE).probability(f)
    moved = fit_sigmoid(100 * f - 7, s, prior=prior, scenario=SINGLE).probability(100 * f - 7)
    np.testing.assert_allclose(plain, moved, atol=1e-6)


def test_scores_that_rank_backwards_get_one_probability():
    f, s, prior = logistic_sample(CASE_CONTROL, n=2000)
    found = fit_sigmoid(-f, s, prior=prior, scenario=CASE_CONTROL)
    assert found.slope == 0.0
    assert np.isfinite(found.offset)
    constant = fit_sigmoid(np.zeros(len(s)), s, prior=prior, scenario=CASE_CONTROL)
    assert constant.probability(np.zeros(1)) == pytest.approx(prior, abs=0.01)


def test_the_share_of_positives_among_unlabelled_rows():
    assert share_in_unlabelled(0.3, 10, 90, CASE_CONTROL) == 0.3
    assert share_in_unlabelled(0.3, 10, 90, SINGLE) == pytest.approx(20 / 90)
    assert share_in_unlabelled(0.05, 10, 90, SINGLE) == pytest.approx(0.5 / 90)


@pytest.mark.parametrize("scenario", [CASE_CONTROL, SINGLE])
def test_calibrated_probabilities_are_those_of_the_population(scenario):
    """The margins of an SVM are no log-odds; among rows of about one probability, that share is positive."""
    rng = np.random.default_rng(1)
    y = rng.random(6000) < 0.3
    X = rng.normal(size=(6000, 2)) + 1.5 * y[:, None]
    labelled = y & (rng.random(6000) < 0.4)
    rows = np.flatnonzero(labelled)
    if scenario == CASE_CONTROL:
        X_fit, s = np.concatenate([X[rows], X]), np.repeat([1, 0], [len(rows), 6000])
    else:
        X_fit, s = X, labelled.astype(int)
    learner = LinearSVC(class_weight="balanced")
    model = calibrate(learner, prior=0.3, scenario=scenario, random_state=0).fit(X_fit, s)
    p = model.predict_proba(X)[:, 1]
    assert p.mean() == pytest.approx(0.3, abs=0.03)
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        inside = (p >= low) & (p < low + 0.2)
        assert y[inside].mean() == pytest.approx(p[inside].mean(), abs=0.06)


def test_any_algorithm_gets_probabilities():
    f, s, _ = logistic_sample(CASE_CONTROL, n=300)
    model = pubench.make("bsvm", scenario=CASE_CONTROL)
    assert not hasattr(model, "predict_proba")
    fitted = calibrate(model, prior=0.3, scenario=CASE_CONTROL).fit(f[:, None], s)
    assert fitted.predict_proba(f[:5, None]).shape == (5, 2)


def test_a_decision_at_the_prior_and_its_probability_do_not_contradict_each_other():
    f, s, prior = logistic_sample(SINGLE, n=800)
    cut = PriorCut(LogisticRegression(), prior=prior, scenario=SINGLE, random_state=0).fit(f[:, None], s)
    free = calibrate(LogisticRegression(), prior=prior, scenario=SINGLE, random_state=0).fit(f[:, None], s)
    p, q = (model.predict_proba(f[:, None])[:, 1] for model in (cut, free))
    np.testing.assert_array_equal(p > 0.5, cut.predict(f[:, None]) == 1)
    agreed = (q > 0.5) == (p > 0.5)
    assert 0.8 < agreed.mean() < 1.0
    np.testing.assert_array_equal(p[agreed], q[agreed])
    np.testing.assert_allclose(p[~agreed], 0.5)
