"""Laws of the estimator AdaPU: what it accepts, what it keeps, and when it stops."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pubench_adapu
import pytest
from pubench_adapu.adapu import AdaPU
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks


def make_pu(seed, n_labelled=50, n_unlabelled=120, d=5):
    """Gaussian P around 1, U half around 1 and half around -1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_labelled + n_unlabelled, d))
    X += np.where(np.arange(len(X)) < n_labelled + n_unlabelled // 2, 1.0, -1.0)[:, None]
    return X, (np.arange(len(X)) < n_labelled).astype(int)


@parametrize_with_checks([AdaPU(prior=0.5, scenario="case-control")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        AdaPU(scenario="single-training-set", thresholds="all", max_bins=8, prior=0.5),
        AdaPU(scenario="case-control", normalize="sets", guard=None, prior=0.5),
    ]
)
def test_scikit_learns_checks_of_variants(estimator, check):
    check(estimator)


@pytest.mark.parametrize("thresholds", ["all", 3])
def test_the_last_stage_is_the_end_and_each_stage_a_shorter_fit(thresholds):
    X, s = make_pu(0)
    model = AdaPU(
        12, thresholds=thresholds, guard=None, random_state=4, prior=0.5, scenario="case-control"
    ).fit(X, s)
    decisions, predictions = list(model.staged_decision_function(X)), list(model.staged_predict(X))
    assert len(decisions) == len(predictions) == model.n_estimators_ == 12
    np.testing.assert_array_equal(decisions[-1], model.decision_function(X))
    np.testing.assert_array_equal(predictions[-1], model.predict(X))
    shorter = clone(model).set_params(n_estimators=7).fit(X, s)
    np.testing.assert_array_equal(decisions[6], shorter.decision_function(X))
    np.testing.assert_array_equal(predictions[6], shorter.predict(X))


def test_decisions_are_the_votes_of_the_stumps():
    X, s = make_pu(1)
    model = AdaPU(random_state=0, prior=0.5, scenario="case-control").fit(X, s)
    stumps = model.stumps_
    above = X[:, stumps["feature"]] > stumps["threshold"]
    votes = np.where(above, 1, -1) * stumps["polarity"] * stumps["alpha"]
    np.testing.assert_allclose(model.decision_function(X), votes.sum(axis=1), rtol=0, atol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expit(2 * model.decision_function(X)))
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    shares = [stumps["alpha"][stumps["feature"] == j].sum() for j in range(5)] / stumps["alpha"].sum()
    np.testing.assert_allclose(model.feature_importances_, shares)


def test_the_seed_decides_what_is_drawn():
    X, s = make_pu(2)
    first, again, other, state = (
        AdaPU(random_state=seed, prior=0.5, scenario="case-control").fit(X, s).stumps_
        for seed in (5, 5, 6, np.random.RandomState(5))
    )
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(first, state)
    assert not np.array_equal(first, other)
    everything = [
        AdaPU(thresholds="all", random_state=seed, prior=0.5, scenario="case-control").fit(X, s).stumps_
        for seed in (5, 6)
    ]
    np.testing.assert_array_equal(*everything)


def test_many_draws_find_what_all_thresholds_find():
    X, s = make_pu(3)
    X = X.round()
    drawn, everything = (
        AdaPU(5, thresholds=S, random_state=0, prior=0.5, scenario="case-control").fit(X, s).stumps_
        for S in (500, "all")
    )
    np.testing.assert_allclose(drawn["error"], everything["error"], atol=1e-12)


def test_all_thresholds_are_tried_where_those_drawn_do_not_qualify():
    """Nearly all of the range is a gap, where a cut makes all of P and fewer of U than the prior says positive."""
    rng = np.random.default_rng(0)
    X = np.concatenate([1e6 + rng.uniform(size=30), 1e6 + rng.uniform(size=20), rng.uniform(size=30)])[
        :, None
    ]
    model = AdaPU(1, thresholds=1, random_state=0, prior=0.5, scenario="case-control").fit(
        X, np.arange(80) < 30
    )
    assert model.stumps_["threshold"][0] < 1
    assert model.stumps_["error"][0] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("max_bins", [7, 256])
def test_only_the_order_of_values_matters(max_bins):
    X, s = make_pu(4)
    plain, bent = (
        AdaPU(20, thresholds="all", max_bins=max_bins, prior=0.5, scenario="case-control")
        .fit(rows, s)
        .decision_function(rows)
        for rows in (X, np.exp(3 * X))
    )
    np.testing.assert_array_equal(plain, bent)


@pytest.mark.parametrize("thresholds", ["all", 4])
def test_single_precision_is_as_good_and_constant_columns_are_nothing(thresholds):
    X, s = make_pu(5)
    X32 = X.astype(np.float32)
    model = AdaPU(15, thresholds=thresholds, random_state=1, prior=0.5, scenario="case-control")
    ones = np.ones((len(X), 1))
    single, double = clone(model).fit(X32, s), clone(model).fit(X32.astype(float), s)
    np.testing.assert_array_equal(single.stumps_, double.stumps_)
    np.testing.assert_array_equal(single.decision_function(X32), double.decision_function(X32.astype(float)))
    if thresholds == "all":
        wider = clone(model).fit(np.hstack([X32, ones, 0 * ones]), s)
        np.testing.assert_array_equal(wider.stumps_, double.stumps_)
        assert (wider.feature_importances_[5:] == 0).all()


@pytest.mark.parametrize("prior", [0.3, 0.8])
@pytest.mark.parametrize("thresholds", ["all", 4])
def test_without_a_stump_the_best_constant_is_left(prior, thresholds):
    X, s = np.full((20, 2), 3.0), np.arange(20) < 5
    model = AdaPU(prior=prior, thresholds=thresholds, scenario="case-control").fit(X, s)
    assert (model.n_estimators_, model.stopped_) == (0, "no stump")
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], prior)
    np.testing.assert_array_equal(model.predict(X), np.full(20, prior > 0.5))
    np.testing.assert_array_equal(list(model.staged_predict(X)), [model.predict(X)])
    np.testing.assert_array_equal(model.feature_importances_, [0, 0])


@pytest.mark.parametrize("beta", [0.1, 1.0])
def test_a_perfect_stump_ends_it_with_a_finite_vote(beta):
    X = np.concatenate([np.full(10, 2.0), np.full(15, 2.5), np.full(15, -1.0)])[:, None]
    model = AdaPU(beta=beta, thresholds="all", prior=0.5, scenario="case-control").fit(X, np.arange(40) < 10)
    assert (model.n_estimators_, model.stopped_) == (1, "perfect stump")
    assert model.stumps_["threshold"][0] == 0.5
    assert model.stumps_["alpha"][0] == pytest.approx(beta / 2 * np.log(2 * 40 - 1))
    np.testing.assert_array_equal(model.predict([[0.4], [0.6]]), [False, True])


@pytest.mark.filterwarnings(
    "ignore:invalid value encountered:RuntimeWarning"
)  # scikit-learn's check adds up X
def test_values_at_the_ends_of_the_range_are_no_harm():
    X, s = make_pu(6)
    X *= 1.7e308 / np.abs(X).max()
    for thresholds in ("all", 10):
        model = AdaPU(thresholds=thresholds, random_state=0, prior=0.5, scenario="case-control").fit(X, s)
        assert np.isfinite(model.stumps_["threshold"]).all()
        assert np.mean(model.predict(X[50:]) == (np.arange(120) < 60)) > 0.8


@pytest.mark.parametrize(("unlabelled", "labelled"), [(-1, 1), (False, True), ("U", "p"), (1, 2)])
def test_how_classes_are_written_does_not_matter(unlabelled, labelled):
    X, s = make_pu(7)
    plain = AdaPU(random_state=0, prior=0.5, scenario="case-control").fit(X, s)
    other = AdaPU(random_state=0, prior=0.5, scenario="case-control").fit(
        X, np.where(s == 1, labelled, unlabelled)
    )
    np.testing.assert_array_equal(other.decision_function(X), plain.decision_function(X))
    np.testing.assert_array_equal(other.predict(X), np.where(plain.predict(X) == 1, labelled, unlabelled))


def test_a_fitted_model_pickles():
    X, s = make_pu(8)
    model = AdaPU(random_state=0, prior=0.5, scenario="case-control").fit(X, s)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(copy.stumps_, model.stumps_)


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_estimators": 0},
        {"beta": 0.0},
        {"beta": 1.1},
        {"thresholds": 0},
        {"thresholds": "some"},
        {"guard": 0.9},
        {"guard": "on"},
        {"normalize": "both"},
        {"max_bins": 257},
        {"max_bins": 1},
        {"prior": 1.0},
        {"scenario": "other"},
    ],
)
def test_wrong_parameters_are_named(wrong):
    X, s = make_pu(9)
    (name,) = wrong
    with pytest.raises(ValueError, match=f"^{name} of AdaPU must be .*; got"):
        clone(AdaPU(prior=0.5, scenario="case-control")).set_params(**wrong).fit(X, s)


def test_the_spec_names_a_constructible_estimator():
    (spec,) = pubench_adapu.pubench_algorithms()
    assert (spec.name, spec.estimator) == ("adapu", "pubench_adapu.adapu:AdaPU")
    defaults = AdaPU(**{"prior": 0.5, "scenario": "case-control"} | spec.params).get_params()
    assert set(spec.space) | set(spec.receives) <= set(defaults)
    for name in ("beta", "n_estimators"):
        assert spec.space[name].low <= defaults[name] <= spec.space[name].high
    assert defaults["thresholds"] in spec.space["thresholds"].values
    X, s = make_pu(10)
    for thresholds in spec.space["thresholds"].values:
        AdaPU(thresholds=thresholds, beta=spec.space["beta"].low, prior=0.5, scenario="case-control").fit(
            X, s
        )
        AdaPU(thresholds=thresholds, beta=spec.space["beta"].high, prior=0.5, scenario="case-control").fit(
            X, s
        )


def test_importing_the_plugin_does_not_import_scikit_learn():
    code = "import sys, pubench_adapu; pubench_adapu.pubench_algorithms(); sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
