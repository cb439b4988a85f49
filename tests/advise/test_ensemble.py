"""Laws of the ensemble: order is kept, weights are shares, members vote, and intervals hold the probability."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from pubench.advise.ensemble import Candidate, Ensemble
from pubench.estimators.out_of_fold import ranking_scores

LR = LogisticRegression(class_weight="balanced")


def some_data(n=150, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.5
    X = rng.normal(size=(n, 3)) + 1.2 * y[:, None]
    return X, (y & (rng.random(n) < 0.5)).astype(np.uint8)


def fitted(*candidates, prior=0.5, interval=None, data=None, **options):
    X, s = data or some_data()
    ensemble = Ensemble(candidates, prior=prior, interval=interval, scenario="single-training-set")
    return ensemble.fit(X, s, **options)


@pytest.mark.parametrize("n", [150, 3000])
def test_an_ensemble_of_one_orders_new_rows_as_its_member_does(n):
    X, s = some_data(n)
    ensemble = fitted(Candidate("lr", LR), data=(X, s))
    assert len(ensemble.members_[0].reference) == min(n, 1000)
    # Far beyond all out-of-fold scores too.
    new = np.random.default_rng(1).normal(size=(500, 3)) * 4
    own = LR.fit(X, s).decision_function(new)
    order = np.argsort(own)
    assert (np.diff(ensemble.blend(new).score[order]) > 0).all()
    assert ((ensemble.blend(new).score > 0) & (ensemble.blend(new).score < 1)).all()


def test_out_of_fold_scores_are_shares_with_mean_one_half():
    ensemble = fitted(Candidate("lr", LR), Candidate("nb", GaussianNB()))
    assert ensemble.out_of_fold_.score.mean() == pytest.approx(0.5)


def test_only_shares_of_weights_count():
    X, _ = some_data(seed=1)
    one = fitted(Candidate("lr", LR, 0.2), Candidate("nb", GaussianNB(), 0.6))
    other = fitted(Candidate("lr", LR, 1.0), Candidate("nb", GaussianNB(), 3.0))
    assert one.blend(X).score == pytest.approx(other.blend(X).score)
    assert sum(member.weight for member in one.members_) == pytest.approx(1.0)


def test_rows_are_positive_where_members_with_more_than_half_of_the_weight_say_so():
    X, _ = some_data(seed=1)
    ensemble = fitted(
        Candidate("lr", LR, 2.0, cut_at_prior=True),
        Candidate("nb", GaussianNB(), 1.0),
        Candidate("few", LogisticRegression(C=1e-3), 1.0),
    )
    votes = [ranking_scores(one.model, X) >= one.cut for one in ensemble.members_]
    vote = np.array([0.5, 0.25, 0.25]) @ np.array(votes)
    assert 0.5 in vote
    assert (ensemble.predict(X) == (vote > 0.5)).all()
    ensemble.cut_ = 0.8
    assert (ensemble.predict(X) == (ensemble.blend(X).score >= 0.8)).all()


def test_a_cut_at_the_prior_calls_that_share_positive():
    ensemble = fitted(Candidate("lr", LR, cut_at_prior=True), prior=0.4)
    assert (ensemble.out_of_fold_.vote > 0.5).mean() == pytest.approx(0.4, abs=0.01)


def test_the_interval_holds_the_probability_and_both_ends_of_the_prior():
    X, _ = some_data(seed=1)
    ensemble = fitted(Candidate("lr", LR), prior=0.5, interval=(0.4, 0.7))
    score = ensemble.blend(X).score
    value, low, high = ensemble.calibration_.probabilities(score).T
    assert (low <= value).all()
    assert (value <= high).all()
    assert (low < high).any()
    assert (low == ensemble.calibration_.at_low.probability(score)).mean() > 0.5
    assert ensemble.predict_proba(X)[:, 1] == pytest.approx(value)


def test_given_out_of_fold_scores_and_models_are_used():
    X, s = some_data()
    scores = np.random.default_rng(0).normal(size=(1, len(s)))
    own = clone(LR).fit(X[::2], s[::2])
    ensemble = fitted(Candidate("lr", LR), out_of_fold=scores, models=[own])
    assert (ensemble.members_[0].reference == np.sort(scores[0])).all()
    assert ensemble.members_[0].model is own


def test_an_empty_ensemble_is_refused():
    with pytest.raises(ValueError, match="give at least one"):
        fitted()
