"""Laws of the references that are shown few true negatives."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pubench_baselines.positive_negative import PositiveNegativeSample, n_negatives, positive_negative
from scipy import sparse
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from pubench import make

PN = ("pn-adaboost", "pn-gbdt", "pn-xgb")


def make_pn(n=200, d=3, positive=0.5):
    rng = np.random.default_rng(0)
    y = (np.arange(n) < positive * n).astype(int)
    return rng.normal(size=(n, d)) + y[:, None], y


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Small fits by many threads wait for each other."""
    with threadpool_limits(1):
        yield


@parametrize_with_checks([PositiveNegativeSample()])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [make("pn-adaboost", n_estimators=5), make("pn-xgb", max_iter=5, min_samples_leaf=1)]
)
def test_scikit_learns_checks_of_variants(estimator, check):
    check(estimator)


@settings(deadline=None, max_examples=50)
@given(
    n_labelled=st.integers(1, 300),
    prior=st.floats(0.01, 0.99),
    positive=st.sampled_from([0.05, 0.5, 0.9]),
    seed=st.integers(0, 100),
)
def test_it_is_shown_n_p_positives_and_the_papers_number_of_negatives(n_labelled, prior, positive, seed):
    X, y = make_pn(positive=positive)
    model = PositiveNegativeSample(prior=prior, n_labelled=n_labelled, random_state=seed).fit(X, y)
    shown = y[model.sample_]
    n_p = min(n_labelled, y.sum())
    assert shown.sum() == n_p
    wanted = ((1 - prior) / (2 * prior)) ** 2 * n_p
    n_n = len(shown) - n_p
    assert 1 <= n_n <= (y == 0).sum()
    assert n_n in (1, (y == 0).sum()) or abs(n_n - wanted) <= 0.5
    assert (np.diff(model.sample_) > 0).all()


def test_the_papers_numbers():
    # Zhao et al.: 1,000 positives; priors of their four data sets.
    assert [n_negatives(1000, prior) for prior in (0.4, 0.5, 0.5912)] == [562, 250, 120]
    assert n_negatives(1, 0.99) == 1


def test_the_learner_is_fitted_on_the_sample_and_nothing_else():
    X, y = make_pn()
    model = PositiveNegativeSample(
        GradientBoostingClassifier(), prior=0.4, n_labelled=30, random_state=5
    ).fit(X, y)
    plain = GradientBoostingClassifier(random_state=5).fit(X[model.sample_], y[model.sample_])
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))
    elsewhere = np.setdiff1d(np.arange(len(y)), model.sample_)
    X[elsewhere] = 99.0
    again = PositiveNegativeSample(GradientBoostingClassifier(), prior=0.4, n_labelled=30, random_state=5)
    np.testing.assert_array_equal(again.fit(X, y).sample_, model.sample_)
    np.testing.assert_array_equal(again.predict(X[model.sample_]), model.predict(X[model.sample_]))


def test_all_positives_and_a_prior_of_a_third_is_plain_supervision_of_balanced_data():
    """(2/3 / (2/3))^2 = 1: as many negatives as positives."""
    X, y = make_pn()
    model = PositiveNegativeSample(prior=1 / 3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.sample_, np.arange(len(y)))


def test_seeds_say_it_all():
    X, y = make_pn()
    forest = RandomForestClassifier(n_estimators=3)
    one, same, other = (
        PositiveNegativeSample(forest, n_labelled=20, random_state=seed).fit(X, y) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one.sample_, same.sample_)
    np.testing.assert_array_equal(one.predict_proba(X), same.predict_proba(X))
    assert not np.array_equal(one.sample_, other.sample_)


def test_sparse_rows_stay_sparse_and_tables_are_taken():
    import pandas as pd

    X, y = make_pn()
    X[np.abs(X) < 0.5] = 0
    dense = PositiveNegativeSample(AdaBoostClassifier(), random_state=0).fit(X, y).decision_function(X)
    thin = PositiveNegativeSample(AdaBoostClassifier(), random_state=0).fit(sparse.csc_array(X), y)
    np.testing.assert_array_equal(thin.decision_function(sparse.csr_array(X)), dense)
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    named = PositiveNegativeSample(AdaBoostClassifier(), random_state=0).fit(table, y)
    assert named.feature_names_in_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("wrong", [{"prior": 0.0}, {"prior": 1}, {"n_labelled": 0}, {"n_labelled": 2.5}])
def test_wrong_parameters_are_named(wrong):
    (name,) = wrong
    with pytest.raises(ValueError, match=f"^{name} of PositiveNegativeSample must be .*; got"):
        PositiveNegativeSample(**wrong).fit(*make_pn())


def test_the_three_learners_have_100_rounds():
    for name in PN:
        learner = make(name).estimator
        assert getattr(learner, "n_estimators", None) == 100 or learner.max_iter == 100
    assert positive_negative().estimator is not None


def test_the_names_of_a_tables_columns_reach_the_learner():
    X, y = make_pn()
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answers = positive_negative(random_state=0).fit(table, y).predict(table)
    np.testing.assert_array_equal(answers, positive_negative(random_state=0).fit(X, y).predict(X))


@pytest.mark.parametrize("name", PN)
def test_boosting_tells_its_scores_after_each_round(name):
    X, y = make_pn()
    model = make(name, random_state=0).fit(X, y)
    stages = list(model.staged_decision_function(X))
    assert 1 < len(stages) <= 100
    assert {stage.shape for stage in stages} == {(200,)}
    np.testing.assert_allclose(stages[-1], model.decision_function(X))
    assert not np.allclose(stages[0], stages[-1])


def test_a_learner_without_stages_tells_none():
    assert not hasattr(PositiveNegativeSample(RandomForestClassifier()), "staged_decision_function")


def test_what_is_not_a_number_is_refused_whichever_rows_are_drawn():
    X, y = np.arange(40, dtype=float).reshape(20, 2).astype(object), np.repeat([0, 1], 10)
    X[0, 0] = {}
    for seed in range(8):
        with pytest.raises(TypeError, match="float"):
            PositiveNegativeSample(n_labelled=2, random_state=seed).fit(X, y)
