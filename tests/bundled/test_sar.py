"""Laws of methods for labels that are not missing at random: SAR-EM, LBE, and weighting by propensities."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pubench_sar
import pytest
from pubench_risk.classifier import PURiskClassifier
from pubench_sar.expectation import Problem, maximise
from pubench_sar.lbe import LBE, propensity_loss
from pubench_sar.likelihood import class_posterior, divergence, log_likelihood, tilted
from pubench_sar.sar_em import SAREM
from pubench_sar.weighted import PUWeighted, estimate_propensity, inverse_weights
from scipy import sparse
from scipy.special import expit
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

import pubench
from pubench.specs import SCENARIOS

CC, STS = SCENARIOS
SPECS = {spec.name: spec for spec in pubench_sar.pubench_algorithms()}


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Small fits by many threads wait for each other."""
    with threadpool_limits(1):
        yield


def logistic_data(n=4000, seed=0, slope=0.0, level=-0.85):
    """Classes by columns 0 and 1, propensities by column 2: X, y, s and the propensities."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = rng.random(n) < expit(4.0 * X[:, 0] - 3.0 * X[:, 1])
    e = expit(slope * X[:, 2] + level)
    return X, y, (y & (rng.random(n) < e)).astype(int), e


def test_these_are_the_algorithms():
    assert list(SPECS) == ["sar-em", "lbe", "pu-weighted", "oracle-propensity"]
    assert all(spec.paper and spec.summary for spec in SPECS.values())
    assert SPECS["sar-em"].scenarios == SPECS["lbe"].scenarios == (STS,)
    assert "propensity" in SPECS["oracle-propensity"].receives
    assert "propensity" not in SPECS["pu-weighted"].receives


@parametrize_with_checks([SAREM(max_iter=20)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [SAREM(0.5), LBE(epochs=30), LBE(layers=2, units=10), PUWeighted(0.5, scenario=CC, epochs=20)]
)
def test_scikit_learns_checks_of_the_others(estimator, check):
    check(estimator)


def test_the_posterior_by_bayes_rule():
    f, e = np.array([0.5, 0.5, 0.9, 0.0]), np.array([0.5, 0.5, 0.0, 0.7])
    s = np.array([1, 0, 0, 0], np.uint8)
    np.testing.assert_allclose(class_posterior(f, e, s), [1.0, 0.25 / 0.75, 0.9, 0.0])


def test_tilted_posteriors_have_the_prior_as_their_mean():
    rng = np.random.default_rng(0)
    s = (np.arange(200) < 30).astype(np.uint8)
    posterior = np.where(s == 1, 1.0, rng.random(200))
    found = tilted(posterior, s, 0.4)
    assert found.mean() == pytest.approx(0.4)
    assert (found[s == 1] == 1.0).all()
    assert (np.argsort(found[30:]) == np.argsort(posterior[30:])).all()
    np.testing.assert_allclose(tilted(posterior, s, posterior.mean()), posterior, atol=1e-6)
    assert tilted(posterior, s, 0.01)[30:].max() < 1e-6


@pytest.mark.parametrize("prior", [None, 0.3, 0.6])
def test_the_likelihood_rises_in_every_round(prior):
    X, _, s, _ = logistic_data(600, slope=2.0)
    found = maximise(Problem(X, X, s.astype(np.uint8), prior, 1e-3, 1e-2), max_iter=40, tol=0.0)
    assert len(found.curve) > 5
    assert (np.diff(found.curve) > -1e-6).all()
    assert found.curve[-1] > found.curve[0] + 1e-3


def test_relative_entropy_is_nothing_between_equals_and_finite_at_the_ends():
    q = np.array([0.0, 0.3, 1.0])
    assert divergence(q, q) == pytest.approx(0.0, abs=1e-9)
    assert divergence(np.full(2, 0.5), np.full(2, 0.25)) == pytest.approx(0.5 * np.log(4.0 / 3.0))
    assert np.isfinite(divergence(np.full(2, 0.5), np.array([0.0, 1.0])))


def test_the_mean_of_the_classes_is_the_given_prior():
    X, y, s, _ = logistic_data(1000, slope=2.0)
    for prior in (0.35, float(y.mean()), 0.6):
        assert SAREM(prior).fit(X, s).predict_proba(X)[:, 1].mean() == pytest.approx(prior, abs=1e-3)


def test_the_penalty_grows_with_the_columns_of_each_model():
    """A fixed penalty learns columns of noise by heart; the propensity has one column, and a small penalty."""
    X, y, s, _ = logistic_data(1600, slope=3.0, level=-2.0)
    wide, prior = np.hstack([X, np.random.default_rng(1).normal(size=(1600, 57))]), float(y.mean())
    seen, new = slice(0, 400), slice(400, 1600)
    by_columns, fixed, strong = (
        SAREM(prior, propensity_columns=[2], l2=l2).fit(wide[seen], s[seen])
        for l2 in ("auto", 0.0001, 60 / 3200)
    )
    assert (by_columns.predict(wide[new]) == y[new]).mean() > (
        fixed.predict(wide[new]) == y[new]
    ).mean() + 0.02
    assert by_columns.propensity_model_.theta[0] > 1.2 * strong.propensity_model_.theta[0]


def test_class_and_propensity_can_be_exchanged_without_a_change_of_the_likelihood():
    """Why the docs say that the data do not identify them."""
    rng = np.random.default_rng(0)
    f, e, s = rng.random(100), rng.random(100), rng.integers(0, 2, 100).astype(np.uint8)
    assert log_likelihood(f, e, s) == pytest.approx(log_likelihood(e, f, s))


@pytest.mark.parametrize("prior", [None, "given"])
def test_sar_em_recovers_a_constant_propensity(prior):
    X, y, s, _ = logistic_data()
    model = SAREM(float(y.mean()) if prior else None).fit(X, s)
    assert model.predict_propensity(X)[y].mean() == pytest.approx(0.3, abs=0.05)
    assert model.prior_ == pytest.approx(y.mean(), abs=0.1)
    assert (model.predict(X) == y).mean() > 0.85


def test_sar_em_beats_nnpu_where_a_feature_decides_over_labels():
    """Labels where column 2 is large: a SCAR method takes it for a sign of the class."""
    X, y, s, e = logistic_data(slope=3.0, level=-2.0)
    prior = float(y.mean())
    known = SAREM(prior, propensity_columns=[2]).fit(X, s)
    scar = PURiskClassifier(prior, scenario=STS, risk="upu", model="linear", loss="quadratic", l2=0.01).fit(
        X, s
    )
    assert (known.predict(X) == y).mean() > (scar.predict(X) == y).mean() + 0.05
    assert np.corrcoef(known.predict_propensity(X), e)[0, 1] > 0.9
    assert known.propensity_model_.theta.shape == (2,)


@pytest.mark.parametrize("columns", [[3], [-1], [], "ab", [0.5]])
def test_columns_that_do_not_exist_are_refused(columns):
    X, _, s, _ = logistic_data(100)
    with pytest.raises(ValueError, match="propensity_columns must"):
        SAREM(propensity_columns=columns).fit(X, s)


def test_sparse_rows_give_the_same_model():
    X, _, s, _ = logistic_data(300)
    X = np.abs(X)
    for model in (
        SAREM(propensity_columns=[0, 2]),
        LBE(epochs=3, warm_up=1, random_state=0, standardize=False),
    ):
        dense, thin = (model.fit(rows, s).decision_function(rows) for rows in (X, sparse.csr_array(X)))
        assert np.abs(dense - thin).max() < 0.2


def test_the_propensity_learns_from_rows_as_far_as_they_are_positive():
    """Weighting all rows alike would learn Pr(s = 1 given x) instead: certain negatives must not count."""
    scores = np.random.default_rng(0).normal(size=40)
    s, posterior = (np.arange(40) < 10).astype(float), np.repeat([1.0, 0.0], 20)
    found = propensity_loss(scores, s, posterior)
    assert (found.slopes[20:] == 0.0).all()
    step = 1e-6 * np.eye(40)
    expected = [
        (propensity_loss(scores + d, s, posterior).value - propensity_loss(scores - d, s, posterior).value)
        / 2e-6
        for d in step
    ]
    np.testing.assert_allclose(found.slopes, expected, atol=1e-8)


def test_lbe_tells_the_propensity_from_the_chance_of_a_label():
    """Three positives of ten are labelled, that is, about one row in seven."""
    rng = np.random.default_rng(0)
    y = np.arange(3000) % 2 == 0
    X = np.where(y[:, None], 2.0, -2.0) + rng.normal(size=(3000, 2))
    s = (y & (rng.random(3000) < 0.3)).astype(int)
    model = LBE(random_state=0).fit(X, s)
    found = model.predict_propensity(X)
    assert found[y].mean() == pytest.approx(0.3, abs=0.06)
    # Pr(s = 1 | x) would be near 0 there.
    assert found[~y].mean() > 0.1
    assert (model.predict(X) == y).mean() > 0.95
    assert model.likelihood_curve_[-1] > model.likelihood_curve_[0]


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("value", [0.02, 0.3, 1.0])
def test_a_constant_propensity_is_nnpu(scenario, value):
    X, _, s, _ = logistic_data(300)
    options = {"scenario": scenario, "loss": "logistic", "l2": 0.005, "epochs": 8, "random_state": 0}
    options |= {"learning_rate": 3e-3}
    weighted = PUWeighted(0.4, **options).fit(X, s, propensity=np.full(300, value))
    nnpu = PURiskClassifier(0.4, **options).fit(X, s)
    np.testing.assert_allclose(weighted.decision_function(X), nnpu.decision_function(X), rtol=1e-4, atol=1e-5)


def test_weights_make_labelled_rows_a_sample_of_all_positives():
    X, y, s, e = logistic_data(20000, slope=1.5, level=-1.0)
    weights = inverse_weights(e[s == 1])
    assert weights.mean() == pytest.approx(1.0)
    plain, weighted = X[s == 1, 2].mean(), (weights @ X[s == 1, 2]) / len(weights)
    assert plain > X[y, 2].mean() + 0.3
    assert weighted == pytest.approx(X[y, 2].mean(), abs=0.08)
    assert inverse_weights(np.array([1e-9, 1.0] + [1.0] * 98)).max() <= 100.0


def test_true_propensities_help_and_wrong_ones_are_refused():
    X, y, s, e = logistic_data(2000, slope=3.0, level=-2.0)
    options = {"scenario": STS, "epochs": 30, "random_state": 0}
    prior = float(y.mean())
    known = PUWeighted(prior, **options).fit(X, s, propensity=e)
    scar = PUWeighted(prior, **options).fit(X, s, propensity=np.ones(2000))
    assert (known.predict(X) == y).mean() > (scar.predict(X) == y).mean() + 0.03
    with pytest.raises(ValueError, match="propensity has 3 values for 2000 rows"):
        known.fit(X, s, propensity=[0.1, 0.2, 0.3])
    for wrong in (0.3, e[None], ["high"] * 2000):
        with pytest.raises(
            ValueError, match="propensity must be a list of numbers, one for each of the 2000 rows"
        ):
            known.fit(X, s, propensity=wrong)
    with pytest.raises(ValueError, match="must be a number above 0"):
        known.fit(X, s, propensity=np.zeros(2000))
    with pytest.raises(ValueError, match="must be a number above 0"):
        known.fit(X, s, propensity=np.full(2000, np.nan))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_estimated_propensities_are_right_where_classes_do_not_overlap(scenario):
    rng = np.random.default_rng(0)
    y = np.arange(6000) % 2 == 0
    X = np.column_stack([np.where(y, 8.0, -8.0) + rng.normal(size=6000), rng.normal(size=6000)])
    e = expit(1.5 * X[:, 1] - 1.0)
    s = (y & (rng.random(6000) < e)).astype(np.uint8)
    rows = X
    if scenario == CC:
        rows, e, s = (
            np.concatenate([X[s == 1], X]),
            np.concatenate([e[s == 1], e]),
            np.repeat([1, 0], [s.sum(), 6000]),
        )
    found = estimate_propensity(rows, s.astype(np.uint8), scenario, 0)
    truth, found = np.log(e[s == 1]), np.log(found[s == 1])
    assert np.corrcoef(truth, found)[0, 1] > 0.8
    # Up to a factor: in case-control data the odds of a label are, its probability is not (slope 0.7).
    assert np.polyfit(truth, found, 1)[0] == pytest.approx(1.0, abs=0.1)


def test_the_registered_ones_can_be_made_and_fitted():
    X, _, s, e = logistic_data(200)
    for name, spec in SPECS.items():
        model = pubench.make(name)
        settings = {"prior": 0.4, "scenario": STS, "random_state": 0, "epochs": 3}
        model.set_params(**{key: value for key, value in settings.items() if key in model.get_params()})
        more = {"propensity": e} if "propensity" in spec.receives else {}
        fitted = model.fit(X, s, **more)
        probability = fitted.predict_proba(X)
        np.testing.assert_array_equal(probability[:, 1] >= 0.5, fitted.predict(X) == 1)


def test_importing_the_plugin_does_not_import_scikit_learn():
    code = "import sys, pubench_sar as p; p.pubench_algorithms(); sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_weighted_says_which_propensities_it_estimated():
    """Where classes do not overlap, the probability of a label is the propensity; given ones are not estimated."""
    rng = np.random.default_rng(0)
    y = np.arange(600) % 2
    X = rng.normal(size=(600, 2)) + np.c_[8.0 * y, np.zeros(600)]
    e = expit(2.0 * X[:, 1])
    s = (y & (rng.random(600) < e)).astype(int)
    common = {"prior": 0.5, "scenario": "single-training-set", "epochs": 1, "random_state": 0}
    model = PUWeighted(**common).fit(X, s)
    assert np.corrcoef(model.predict_propensity(X[y == 1]), e[y == 1])[0, 1] > 0.9
    assert not hasattr(PUWeighted(**common).fit(X, s, propensity=e), "predict_propensity")
