"""Laws of the baselines and references."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pubench_baselines
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pubench_baselines.unlabeled_as_negative import UnlabeledAsNegative, naive, naive_lr
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

LEARNERS = [
    LogisticRegression(C=0.3),
    GaussianNB(),
    DecisionTreeClassifier(max_depth=3, random_state=0),
    RandomForestClassifier(n_estimators=5, random_state=0),
    LinearSVC(random_state=0),
    make_pipeline(StandardScaler(), LogisticRegression()),
]


def make_pu(seed=0, n=60, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    s = np.arange(n) % 3 == 0
    X[s] += 0.8
    return X, s.astype(int)


def spec_named(name):
    return next(spec for spec in pubench_baselines.pubench_algorithms() if spec.name == name)


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Small fits by many threads wait for each other."""
    with threadpool_limits(1):
        yield


@parametrize_with_checks([UnlabeledAsNegative()])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        UnlabeledAsNegative(RidgeClassifier()),
        naive("sklearn.ensemble:ExtraTreesClassifier", n_estimators=5),
        naive("sklearn.ensemble:HistGradientBoostingClassifier", max_iter=5),
    ]
)
def test_scikit_learns_checks_of_variants(estimator, check):
    check(estimator)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_it_equals_its_learner_fitted_on_s(learner):
    X, s = make_pu()
    model, plain = UnlabeledAsNegative(learner).fit(X, s), clone(learner).fit(X, s)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    for method in ("decision_function", "predict_proba"):
        assert hasattr(model, method) == hasattr(plain, method)
        if hasattr(plain, method):
            np.testing.assert_array_equal(getattr(model, method)(X), getattr(plain, method)(X))


def test_the_learner_given_is_left_alone():
    learner = LogisticRegression()
    UnlabeledAsNegative(learner, random_state=3).fit(*make_pu())
    assert not hasattr(learner, "coef_")
    assert learner.random_state is None


@pytest.mark.parametrize(
    ("learner", "methods"),
    [
        (None, {"decision_function", "predict_proba"}),
        (GaussianNB(), {"predict_proba"}),
        (LinearSVC(), {"decision_function"}),
        (SGDClassifier(loss="hinge"), {"decision_function"}),
    ],
)
def test_methods_are_there_when_the_learner_has_them_before_and_after_fit(learner, methods):
    model = UnlabeledAsNegative(learner)
    offered = {name for name in ("decision_function", "predict_proba") if hasattr(model, name)}
    model.fit(*make_pu())
    assert (
        offered
        == {name for name in ("decision_function", "predict_proba") if hasattr(model, name)}
        == methods
    )


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 2**31 - 1))
def test_the_random_state_reaches_the_learner(seed):
    X, s = make_pu()
    forest = RandomForestClassifier(n_estimators=3)
    model = UnlabeledAsNegative(forest, random_state=seed).fit(X, s)
    plain = clone(forest).set_params(random_state=seed).fit(X, s)
    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))


def test_the_random_state_reaches_the_parts_of_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), RandomForestClassifier(n_estimators=3, random_state=5))
    kept = UnlabeledAsNegative(pipeline).fit(*make_pu())
    replaced = UnlabeledAsNegative(pipeline, random_state=8).fit(*make_pu())
    assert kept.estimator_[-1].random_state == 5
    assert replaced.estimator_[-1].random_state == 8


@pytest.mark.parametrize(("unlabelled", "labelled"), [(-1, 1), (False, True), ("U", "p"), (1, 2)])
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_how_classes_are_written_does_not_matter(learner, unlabelled, labelled):
    X, s = make_pu(1)
    plain = UnlabeledAsNegative(learner).fit(X, s)
    other = UnlabeledAsNegative(learner).fit(X, np.where(s == 1, labelled, unlabelled))
    np.testing.assert_array_equal(other.predict(X), np.where(plain.predict(X) == 1, labelled, unlabelled))


def test_rows_reach_the_learner_as_they_are():
    X, s = make_pu()
    X[np.abs(X) < 0.5] = 0
    thin = naive_lr().fit(sparse.csr_array(X), s)
    np.testing.assert_allclose(
        thin.decision_function(sparse.csr_array(X)), naive_lr().fit(X, s).decision_function(X)
    )
    X[0, 0] = np.nan
    UnlabeledAsNegative(HistGradientBoostingClassifier()).fit(X, s).predict(X)
    with pytest.raises(ValueError, match="NaN"):
        naive_lr().fit(X, s)


def test_one_class_is_refused():
    X, _ = make_pu()
    with pytest.raises(ValueError, match="one class only"):
        naive_lr().fit(X, np.ones(len(X)))


def test_the_baseline_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Old scikit-learn with new SciPy: between the two of them.
        warnings.filterwarnings("ignore", message="scipy.optimize: The `disp`", category=DeprecationWarning)
        naive_lr().fit(*make_pu())
        LogisticRegression(**spec_named("supervised-lr").params).fit(*make_pu())


def test_importing_the_plugin_does_not_import_scikit_learn():
    code = "import sys, pubench_baselines as p; p.pubench_algorithms(); sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
