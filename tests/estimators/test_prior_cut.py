"""Decisions whose share of positives is the prior: on out-of-fold scores, in both scenarios, for any learner."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import pubench
from pubench import PriorCut
from pubench.estimators.out_of_fold import as_unseen, out_of_fold_scores
from pubench.estimators.prior_cut import cut_at

CASE_CONTROL, SINGLE = "case-control", "single-training-set"


def clouds(n_p=60, n_u=240, share=0.3, seed=0):
    """Two clouds in the plane; a share of U is positive."""
    rng = np.random.default_rng(seed)
    y = np.r_[np.ones(n_p), np.arange(n_u) < share * n_u]
    X = rng.normal(size=(n_p + n_u, 2)) + 2.0 * y[:, None]
    return X, np.r_[np.ones(n_p, int), np.zeros(n_u, int)], y.astype(int)


@parametrize_with_checks([PriorCut(prior=0.5, scenario=SINGLE)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        PriorCut(ExtraTreesClassifier(20), prior=0.5, scenario=SINGLE),
        PriorCut(SVC(), prior=0.3, scenario=CASE_CONTROL),
    ]
)
def test_scikit_learns_checks_of_variants(estimator, check):
    check(estimator)


@given(
    scores=st.lists(st.integers(0, 8), min_size=1, max_size=40),
    share=st.floats(0.0, 1.0),
)
def test_the_cut_has_the_nearest_share_of_all_cuts(scores, share):
    values = np.array(scores, dtype=float)
    found = np.sum(values >= cut_at(values, share))
    cuts = [*values, np.inf]
    best = min(abs(np.sum(values >= cut) - share * len(values)) for cut in cuts)
    assert abs(found - share * len(values)) == best


def out_of_fold(model, X, s):
    """The scores by which a fitted model found its cut, made by hand."""
    seed = np.random.RandomState(model.random_state).randint(2**31 - 1)
    scores = np.empty(len(s))
    for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, s):
        scores[test] = (
            LogisticRegression(class_weight="balanced").fit(X[train], s[train]).decision_function(X[test])
        )
    return scores


@pytest.mark.parametrize("scenario", [CASE_CONTROL, SINGLE])
def test_the_share_on_out_of_fold_scores_is_the_prior(scenario):
    X, s, _ = clouds()
    prior = 0.3 if scenario == CASE_CONTROL else 0.44
    learner = LogisticRegression(class_weight="balanced")
    model = PriorCut(learner, prior=prior, scenario=scenario, random_state=3).fit(X, s)
    scores = out_of_fold(model, X, s)
    population = scores[s == 0] if scenario == CASE_CONTROL else scores
    assert np.mean(population >= model.cut_) == pytest.approx(prior, abs=0.5 / len(population))
    np.testing.assert_allclose(
        model.decision_function(X), learner.fit(X, s).decision_function(X) - model.cut_, atol=1e-6
    )


class Stretched(ClassifierMixin, BaseEstimator):
    """Logistic regression whose scores went through an increasing function."""

    def fit(self, X, y):
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def decision_function(self, X):
        return np.exp(3.0 * self.model_.decision_function(X)) - 7.0

    def predict(self, X):
        return self.model_.predict(X)


def test_an_increasing_function_of_the_scores_changes_no_decision():
    X, s, _ = clouds()
    plain, stretched = (
        PriorCut(learner, prior=0.3, scenario=CASE_CONTROL, random_state=0).fit(X, s).predict(X)
        for learner in (LogisticRegression(), Stretched())
    )
    np.testing.assert_array_equal(plain, stretched)


def test_it_decides_where_the_cut_at_one_half_calls_all_rows_negative():
    X, s, y = clouds(n_p=30, n_u=600)
    naive = pubench.make("naive-lr").fit(X, s)
    cut = pubench.make("naive-lr-prior", prior=0.3, scenario=CASE_CONTROL).fit(X, s)
    unlabelled = s == 0
    assert naive.predict(X[unlabelled]).mean() < 0.03
    assert np.mean(cut.predict(X[unlabelled]) == y[unlabelled]) > 0.9


def test_a_pu_classifier_can_be_cut_too():
    X, s, _ = clouds()
    bagging = pubench.make("pu-bagging-tree", n_estimators=20, random_state=0)
    model = PriorCut(bagging, prior=0.3, scenario=CASE_CONTROL, random_state=0).fit(X, s)
    X, s, y = clouds(n_p=1, n_u=1000, seed=1)
    assert model.predict(X).mean() == pytest.approx(0.3, abs=0.08)
    assert np.mean(model.predict(X) == y) > 0.85


def test_there_is_no_silent_scenario():
    with pytest.raises(
        ValueError,
        match=r"must be 'case-control' \(the unlabelled rows are .*; got None",
    ):
        PriorCut(prior=0.3).fit(*clouds()[:2])


def test_a_prior_that_is_not_given_is_estimated():
    X, s, _ = clouds(n_p=200, n_u=600)
    with pytest.warns(
        UserWarning,
        match=r"the prior was estimated as 0\.\d+, plausible 0\.\d+ to 0.* at most 0.* fair sample",
    ) as caught:
        model = PriorCut(scenario=CASE_CONTROL, random_state=0).fit(X, s)
    assert len(caught) == 1
    assert model.prior_ == pytest.approx(0.3, abs=0.1)
    assert model.prior_interval_[0] < model.prior_ < model.prior_interval_[1]
    assert PriorCut(prior=0.3, scenario=CASE_CONTROL).fit(X, s).prior_interval_ == (0.3, 0.3)


def test_a_single_labelled_row_leaves_no_fold_and_is_told():
    X, s, _ = clouds(n_p=1)
    with pytest.warns(UserWarning, match="fewer than two distinct labelled rows"):
        PriorCut(prior=0.3, scenario=CASE_CONTROL).fit(X, s)


def test_seeds_say_it_all():
    X, s, _ = clouds()
    forests = [
        pubench.make("naive-et-prior", prior=0.3, scenario=CASE_CONTROL, random_state=seed, n_estimators=10)
        .fit(X, s)
        .decision_function(X)
        for seed in (1, 1, 2)
    ]
    np.testing.assert_array_equal(forests[0], forests[1])
    assert np.any(forests[0] != forests[2])


class Memory(ClassifierMixin, BaseEstimator):
    """Scores a row by whether it was seen with the label 1; a new row has the score of its first column."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen_ = {row.tobytes() for row in X[y == 1]}
        return self

    def decision_function(self, X):
        return np.array([9.0 if row.tobytes() in self.seen_ else row[0] for row in X])

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)


def test_a_copy_of_a_labelled_row_does_not_raise_the_cut():
    # All 60 rows of P are in U too. A model that has seen them as labelled would score their copies with 9.
    X, _, _ = clouds()
    U = X[60:]
    rows, s = np.r_[U[:60], U], np.repeat([1, 0], [60, len(U)])
    scores = out_of_fold_scores(Memory().fit, rows, s, seed=0)
    np.testing.assert_array_equal(scores, rows[:, 0])


@pytest.mark.parametrize("sparse", [False, True])
def test_a_column_that_a_fit_saw_constant_does_not_score_the_rows_left_out(sparse):
    seen, rows = np.array([[0.0, 1.0], [0.0, 2.0]]), np.array([[5.0, 3.0], [0.0, 4.0]])
    made = as_unseen(csr_array(rows), csr_array(seen)).toarray() if sparse else as_unseen(rows, seen)
    np.testing.assert_array_equal(made, [[0.0, 3.0], [0.0, 4.0]])
    np.testing.assert_array_equal(rows[0], [5.0, 3.0])


class Shifted(Memory):
    """The more rows a fit has, the lower are its scores: no two fits have the same scale."""

    def fit(self, X, y):
        self.shift_ = 1000.0 * len(X)
        return super().fit(X, y)

    def decision_function(self, X):
        return X[:, 0] - self.shift_


@pytest.mark.parametrize("scenario", [CASE_CONTROL, SINGLE])
def test_a_cut_that_does_not_separate_the_rows_of_the_last_fit_is_taken_from_these(scenario):
    X, s, _ = clouds()
    prior = 0.3 if scenario == CASE_CONTROL else 0.44
    model = PriorCut(Shifted(), prior=prior, scenario=scenario, random_state=0).fit(X, s)
    population = X[s == 0] if scenario == CASE_CONTROL else X
    assert model.predict(population).mean() == pytest.approx(prior, abs=0.5 / len(population))


def test_folds_need_two_labelled_rows_that_differ():
    X, s = np.r_[np.zeros((5, 2)), np.random.default_rng(0).normal(size=(20, 2))], np.repeat([1, 0], [5, 20])
    X[5] = X[0]
    with pytest.warns(UserWarning, match="out-of-fold scores cannot be made"):
        PriorCut(prior=0.3, scenario=CASE_CONTROL, random_state=0).fit(X, s)


def test_the_prior_is_estimated_once_for_the_cut_and_its_learner():
    X, s, _ = clouds()
    with pytest.warns(UserWarning, match="estimated") as caught:
        model = PriorCut(pubench.make("pu-nb"), scenario=CASE_CONTROL, random_state=0).fit(X, s)
    assert len([one for one in caught if "estimated" in str(one.message)]) == 1
    assert model.estimator_.prior == model.prior_
    assert model.estimator_.scenario == CASE_CONTROL


class Moved(Memory):
    """Its own decisions are moved by a shift that is another one in every fit."""

    def fit(self, X, y):
        self.shift_ = float(np.sin(X.sum()))
        return super().fit(X, y)

    def decision_function(self, X):
        return self.ranking_score(X) - self.shift_

    def ranking_score(self, X):
        return X[:, 0]


@pytest.mark.parametrize("learner", [Moved(), make_pipeline(StandardScaler(), Moved())])
def test_the_cut_does_not_depend_on_how_a_learner_moved_its_own_decisions(learner):
    X, s, _ = clouds()
    model = PriorCut(learner, prior=0.3, scenario=CASE_CONTROL, random_state=0).fit(X, s)
    assert model.predict(X[s == 0]).mean() == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize("name", ["blssvm", "bsvm", "gllc", "one-class-svm", "pual"])
@pytest.mark.parametrize("n_p", [30, 37])
def test_few_labelled_rows_do_not_move_the_share(name, n_p):
    # With 30 labelled rows "auto" chooses another intercept for all rows than for four fifths of them.
    X, s, _ = clouds(n_p=n_p, n_u=400)
    learner = pubench.make(name) if name == "one-class-svm" else pubench.make(name, scenario=CASE_CONTROL)
    model = PriorCut(learner, prior=0.3, scenario=CASE_CONTROL, random_state=0).fit(X, s)
    assert model.predict(clouds(n_p=1, n_u=2000, seed=1)[0]).mean() == pytest.approx(0.3, abs=0.06)


def test_scores_that_are_tied_far_from_the_prior_are_warned_of():
    X, s, _ = clouds()
    with pytest.warns(
        UserWarning,
        match=r"tied: the cut calls 0\.000 of the rows positive, and the prior is 0\.3",
    ):
        PriorCut(DummyClassifier(), prior=0.3, scenario=CASE_CONTROL, random_state=0).fit(X, s)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PriorCut(prior=0.3, scenario=CASE_CONTROL, random_state=0).fit(X, s)
