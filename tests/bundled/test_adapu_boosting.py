"""Ada-PU's rounds replayed from their definition: errors, weights, the exponential risk, and the supervised limit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pubench_adapu.adapu import AdaPU
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from pubench.risk import pu_risk, signed_weights

SCENARIOS = ("case-control", "single-training-set")
# Prior 0.2 is below the share of labelled rows: in a single training set, P then counts as negative with weight > 0.
PRIORS = (0.2, 0.4, 0.7)


def make_pu(seed, n_labelled=40, n_unlabelled=80, d=4, shift=1.0):
    """P around +shift in the first two features, U half of each class, some features whole numbers."""
    rng = np.random.default_rng(seed)
    n = n_labelled + n_unlabelled
    X = rng.normal(size=(n, d))
    positive = np.arange(n) < n_labelled + n_unlabelled // 2
    X[:, :2] += np.where(positive, shift, -shift)[:, None]
    X[:, -1] = X[:, -1].round()
    order = rng.permutation(n)
    return X[order], (np.arange(n) < n_labelled)[order].astype(int)


def outputs(stump, X):
    return np.where(X[:, stump["feature"]] > stump["threshold"], 1, -1) * int(stump["polarity"])


def replay(model, X, s):
    """Yield each stump with its outputs and the weights it was chosen under, from Eq. 7 and 13."""
    positive, negative = signed_weights(s, model.prior, model.scenario).rows(s)
    for stump in model.stumps_:
        h = outputs(stump, X)
        yield stump, h, positive, negative
        positive, negative = positive * np.exp(-stump["alpha"] * h), negative * np.exp(stump["alpha"] * h)
        total = positive.sum() + negative.sum()
        positive, negative = positive / total, negative / total


def candidate_errors(X, positive, negative):
    """The errors (Eq. 15) of all stumps that do not look better than perfect."""
    for column in X.T:
        values = np.unique(column)
        for threshold in (values[1:] + values[:-1]) / 2:
            above = column > threshold
            for side in (above, ~above):
                if negative[side].sum() >= 0:
                    yield positive[~side].sum() + negative[side].sum()


def exponential_risk(scores, s, model):
    positive, negative = signed_weights(s, model.prior, model.scenario).rows(s)
    return positive @ np.exp(-scores) + negative @ np.exp(scores)


def inflation(negative, s):
    """U mass over N mass."""
    return negative[s == 0].sum() / negative.sum()


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("prior", PRIORS)
def test_each_stump_is_the_best_under_the_replayed_weights(scenario, prior):
    X, s = make_pu(0)
    model = AdaPU(12, thresholds="all", beta=0.3, guard=None, prior=prior, scenario=scenario).fit(X, s)
    assert model.n_estimators_ == 12
    for stump, h, positive, negative in replay(model, X, s):
        error = positive[h == -1].sum() + negative[h == 1].sum()
        assert negative[h == 1].sum() >= -1e-10
        assert stump["error"] == pytest.approx(error, abs=1e-10)
        assert stump["error"] == pytest.approx(min(candidate_errors(X, positive, negative)), abs=1e-10)
        assert stump["error"] < 0.5
        error = max(error, 0.5 / len(s))
        assert stump["alpha"] == pytest.approx(0.15 * np.log((1 - error) / error))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_first_error_is_the_zero_one_pu_risk(scenario):
    X, s = make_pu(1)
    for prior in PRIORS:
        model = AdaPU(1, thresholds="all", prior=prior, scenario=scenario).fit(X, s)
        risk = pu_risk(model.decision_function(X), s, prior=prior, scenario=scenario)
        assert model.stumps_["error"][0] == pytest.approx(risk, abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 10**6),
    st.sampled_from(SCENARIOS),
    st.sampled_from(PRIORS),
    st.floats(0.001, 1.0),
    st.booleans(),
)
def test_no_round_raises_the_exponential_risk_which_is_the_product_of_the_sums(
    seed, scenario, prior, beta, draw
):
    X, s = make_pu(seed)
    model = AdaPU(
        25, thresholds=5 if draw else "all", beta=beta, prior=prior, scenario=scenario, random_state=0
    )
    model.fit(X, s)
    if not model.n_estimators_:
        return
    risks = [exponential_risk(scores, s, model) for scores in model.staged_decision_function(X)]
    errors, alphas = model.stumps_["error"], model.stumps_["alpha"]
    sums = (1 - errors) * np.exp(-alphas) + errors * np.exp(alphas)
    np.testing.assert_allclose(risks, np.cumprod(sums), rtol=1e-9)
    assert (np.diff([1.0, *risks]) <= 1e-12).all()


@pytest.mark.parametrize("n", [100, 128, 151, 300])
@pytest.mark.parametrize("beta", [1.0, 0.4])
def test_with_every_positive_labelled_it_is_adaboost(n, beta):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 3))
    y = (X @ [1.0, -0.5, 0.2] + rng.normal(size=n) > 0.3).astype(int)
    model = AdaPU(
        30, thresholds="all", beta=beta, prior=y.mean(), scenario="single-training-set", max_bins=256
    ).fit(X, y)
    dealt = iter(model.stumps_)

    class Dealt(ClassifierMixin, BaseEstimator):
        """Our stumps, one for each fit: AdaBoost then weighs them by the true labels."""

        def fit(self, X, y, sample_weight):
            self.stump_, self.classes_ = next(dealt), np.unique(y)
            tree = DecisionTreeClassifier(max_depth=1).fit(X, y, sample_weight)
            wrong = sample_weight @ (tree.predict(X) != y)
            assert sample_weight @ (self.predict(X) != y) <= wrong + 1e-12
            return self

        def predict(self, X):
            return (outputs(self.stump_, X) > 0).astype(int)

    peer = AdaBoostClassifier(Dealt(), n_estimators=30, learning_rate=beta).fit(X, y)
    assert model.n_estimators_ == 30
    np.testing.assert_allclose(model.stumps_["error"], peer.estimator_errors_, rtol=1e-9)
    np.testing.assert_allclose(2 * model.stumps_["alpha"], peer.estimator_weights_, rtol=1e-9)
    np.testing.assert_array_equal(model.predict(X), peer.predict(X))


def test_the_first_supervised_stump_is_scikit_learns():
    """Where one cut is best by error as by impurity, as with two normal classes in one feature, both find it."""
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], 100)
    X = rng.normal(size=(200, 3))
    X[:, 1] += 4 * y
    X = X.astype(np.float32)  # as scikit-learn's trees do
    model = AdaPU(1, thresholds="all", prior=0.5, scenario="single-training-set").fit(X, y)
    tree = DecisionTreeClassifier(max_depth=1).fit(X, y).tree_
    assert (model.stumps_["feature"][0], model.stumps_["threshold"][0]) == (
        tree.feature[0],
        tree.threshold[0],
    )


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("guard", [1.5, 4.0])
def test_the_guard_bounds_growth_and_leaves_the_rounds_before_as_they_are(scenario, guard):
    X, s = make_pu(3)
    free, guarded = (
        AdaPU(400, thresholds="all", beta=0.2, guard=g, prior=0.5, scenario=scenario).fit(X, s)
        for g in (None, guard)
    )
    T = guarded.n_estimators_
    assert guarded.stopped_ == "guard"
    assert 1 < T < free.n_estimators_
    np.testing.assert_array_equal(guarded.stumps_, free.stumps_[:T])
    growths = [inflation(negative, s) for *_, negative in replay(free, X, s)]
    assert max(growths[: T + 1]) <= guard * growths[0] < growths[T + 1]


def test_no_guard_stops_where_nothing_cancels():
    """With more rows labelled than the prior says are positive, a labelled row counts above 0 as a negative."""
    X, s = make_pu(2)
    model = AdaPU(50, thresholds="all", guard=1.0, prior=0.1, scenario="single-training-set").fit(X, s)
    assert (model.n_estimators_, model.stopped_) == (50, "n_estimators")


def test_without_a_guard_rounding_sets_a_bound():
    X, s = make_pu(0)
    model = AdaPU(1000, thresholds="all", beta=1.0, guard=None, prior=0.5, scenario="case-control").fit(X, s)
    assert model.stopped_ == "cancellation"
    assert np.isfinite(model.decision_function(X)).all()
