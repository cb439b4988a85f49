"""The two ways in which Ada-PU normalises its weights: a hand-worked round, a NumPy twin, and what each promises."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from pubench_adapu.adapu import AdaPU

from pubench.risk import signed_weights

SCENARIOS = ("case-control", "single-training-set")


def make_pu(seed, n_labelled=40, n_unlabelled=80, d=4):
    """P around 1 in the first two features, U half around 1 and half around -1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_labelled + n_unlabelled, d))
    X[:, :2] += np.where(np.arange(len(X)) < n_labelled + n_unlabelled // 2, 1.0, -1.0)[:, None]
    return X, (np.arange(len(X)) < n_labelled).astype(int)


def share_wrong(weights, wrong):
    """The share of a set's weight that is on wrong rows; the set may have no weight."""
    return weights[wrong].sum() / weights.sum() if weights.sum() else 0.0


def errors(h, weights, s, first, normalize):
    """The errors of Eq. 15, all and of negatives, and E of Eq. 14 of outputs h under weights that nobody normalised."""
    positive, negative = weights
    P, U = s == 1, s == 0
    estimation = positive @ h - negative @ h
    if normalize == "signed":
        total = positive.sum() + negative.sum()
        of_negatives = negative[h == 1].sum() / total
        return positive[h == -1].sum() / total + of_negatives, of_negatives, estimation
    of_negatives = first[1] * share_wrong(negative[P], h[P] == 1)
    of_negatives += first[2] * share_wrong(negative[U], h[U] == 1)
    return first[0] * share_wrong(positive[P], h[P] == -1) + of_negatives, of_negatives, estimation


def candidates(X):
    """Yield the outputs of all stumps."""
    for column in X.T:
        values = np.unique(column)
        for threshold in (values[1:] + values[:-1]) / 2:
            h = np.where(column > threshold, 1, -1)
            yield from (h, -h)


@pytest.mark.parametrize("normalize", ["signed", "sets"])
def test_two_rounds_worked_by_hand(normalize):
    """pi = 1/2, P = {1, 3}, U = {0, 1, 2, 3}: each row of P weighs 1/4 and -1/4, each of U 1/4.

    Round 1, both: "positive above 0.5" misses none of P and gets 3/4 - 2/4 wrong in negatives: 1/4, the least, so
    alpha = ln(3) / 2. Weights of rows above 0.5 then change by sqrt(3): P as positives 1/sqrt(48), P as negatives
    -3/sqrt(48), U at 0 1/sqrt(48), U above it 3/sqrt(48).

    Round 2: "positive above 2.5" has the largest E. Signed: the sum of all weights is (2 - 6 + 10) / sqrt(48), so the
    error is 1/6 + 3/6 - 3/6 = 1/6. Sets: it misses half of P (1/2 * 1/2), has 3 of the 10 parts of U wrong, and half
    of P as negatives (-1/2 * 1/2): 0.3.
    """
    X, s = np.array([[1.0], [3.0], [0.0], [1.0], [2.0], [3.0]]), np.array([1, 1, 0, 0, 0, 0])
    model = AdaPU(
        2, beta=1.0, thresholds="all", normalize=normalize, guard=None, prior=0.5, scenario="case-control"
    ).fit(X, s)
    second = {"signed": 1 / 6, "sets": 0.3}[normalize]
    np.testing.assert_array_equal(model.stumps_["threshold"], [0.5, 2.5])
    np.testing.assert_array_equal(model.stumps_["polarity"], [1, 1])
    np.testing.assert_allclose(model.stumps_["error"], [1 / 4, second])
    np.testing.assert_allclose(model.stumps_["alpha"], [log(3) / 2, log((1 - second) / second) / 2])


@pytest.mark.parametrize("normalize", ["signed", "sets"])
@pytest.mark.parametrize("scenario", SCENARIOS)
# 1/3 of all rows are labelled: with that prior in a single training set, P as negatives has no weight at all.
@pytest.mark.parametrize(
    "prior", [1 / 3, *(pytest.param(prior, marks=pytest.mark.slow) for prior in (0.2, 0.5, 0.7))]
)
def test_each_round_is_that_of_a_few_lines_of_numpy(normalize, scenario, prior):
    X, s = make_pu(1)
    model = AdaPU(
        12, beta=0.3, thresholds="all", normalize=normalize, guard=None, prior=prior, scenario=scenario
    ).fit(X, s)
    assert model.n_estimators_ == 12
    weights = signed_weights(s, prior, scenario).rows(s)
    first = weights[0].sum(), weights[1][s == 1].sum(), weights[1][s == 0].sum()
    for stump in model.stumps_:
        h = np.where(X[:, stump["feature"]] > stump["threshold"], 1, -1) * int(stump["polarity"])
        error, of_negatives, estimation = errors(h, weights, s, first, normalize)
        assert of_negatives >= -1e-10
        assert stump["error"] == pytest.approx(error, abs=1e-10)
        counted = max(error, 0.5 / len(s))
        assert stump["alpha"] == pytest.approx(0.15 * log((1 - counted) / counted))
        tried = [errors(other, weights, s, first, normalize) for other in candidates(X)]
        largest = max(E for all_, negatives, E in tried if negatives >= 0 and all_ < 0.5)
        assert estimation == pytest.approx(largest)
        weights = weights[0] * np.exp(-stump["alpha"] * h), weights[1] * np.exp(stump["alpha"] * h)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_first_round_does_not_depend_on_it(scenario):
    X, s = make_pu(2)
    sets, signed = (
        AdaPU(1, thresholds="all", normalize=normalize, prior=0.5, scenario=scenario).fit(X, s).stumps_
        for normalize in ("sets", "signed")
    )
    np.testing.assert_allclose(sets["error"], signed["error"], atol=1e-12)
    np.testing.assert_array_equal(sets["threshold"], signed["threshold"])


def test_sets_need_no_guard():
    """With a large beta, weights that cancel end in one class for nearly all rows; only the signed sum cancels."""
    X, s = make_pu(3, 200, 400)
    truth = np.arange(600) < 400
    accuracy = {
        normalize: np.mean(
            AdaPU(
                100,
                beta=0.9,
                normalize=normalize,
                guard=None,
                prior=0.5,
                scenario="case-control",
                random_state=0,
            )
            .fit(X, s)
            .predict(X)[200:]
            == truth[200:]
        )
        for normalize in ("sets", "signed")
    }
    assert accuracy["sets"] > 0.85
    assert accuracy["sets"] > accuracy["signed"] + 0.1


def test_sets_stay_finite_over_many_large_steps():
    X, s = make_pu(4)
    model = AdaPU(
        3000, beta=1.0, thresholds="all", normalize="sets", guard=None, prior=0.5, scenario="case-control"
    ).fit(X, s)
    assert model.stopped_ in ("n_estimators", "no stump")
    assert model.n_estimators_ > 20
    assert np.isfinite(model.stumps_["alpha"]).all()
    assert np.isfinite(model.decision_function(X)).all()


def test_the_guard_works_with_sets():
    X, s = make_pu(5)
    free, guarded = (
        AdaPU(
            200, beta=0.3, thresholds="all", normalize="sets", guard=guard, prior=0.5, scenario="case-control"
        ).fit(X, s)
        for guard in (None, 1.5)
    )
    assert guarded.stopped_ == "guard"
    assert 1 <= guarded.n_estimators_ < free.n_estimators_
    np.testing.assert_array_equal(guarded.stumps_, free.stumps_[: guarded.n_estimators_])
