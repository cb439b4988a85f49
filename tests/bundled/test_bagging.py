"""Laws of PU bagging."""

from __future__ import annotations

import numpy as np
import pytest
from pubench_bagging.bagging import PUBagging
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

# Few bags of few rows are enough for laws.
pytestmark = pytest.mark.filterwarnings("ignore:.*are in every bag")

LEARNERS = [
    LogisticRegression(C=0.3),
    GaussianNB(),
    DecisionTreeClassifier(max_depth=3),
    ExtraTreesClassifier(n_estimators=5),
    SVC(),
    LinearSVC(),
    KNeighborsClassifier(3),
    make_pipeline(StandardScaler(), LogisticRegression()),
]


def make_pu(seed=0, n=60, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    s = np.arange(n) % 3 == 0
    X[s] += 0.8
    return X, s.astype(int)


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Small fits by many threads wait for each other."""
    with threadpool_limits(1):
        yield


def named(learner):
    return type(learner).__name__


@parametrize_with_checks([PUBagging(n_estimators=3)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([PUBagging(SVC(), n_estimators=2, max_samples=0.5, labeled_weight="balanced")])
def test_scikit_learns_checks_of_variants(estimator, check):
    check(estimator)


@pytest.mark.parametrize("learner", LEARNERS, ids=named)
def test_one_bag_of_everything_equals_its_base_learner(learner):
    X, s = make_pu()
    model = PUBagging(learner, n_estimators=1, max_samples=1.0, bootstrap=False, random_state=3).fit(X, s)
    (inside,) = model.estimators_
    seeds = {k: v for k, v in inside.get_params().items() if k.endswith("random_state")}
    plain = clone(learner).set_params(**seeds).fit(X, s)
    if hasattr(plain, "predict_proba"):
        np.testing.assert_array_equal(model.predict_proba(X)[:, 1], plain.predict_proba(X)[:, 1])
        np.testing.assert_array_equal(model.predict(X), plain.predict_proba(X)[:, 1] >= 0.5)
    else:
        np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))
        np.testing.assert_array_equal(model.predict(X), plain.predict(X))


def plain_loop(learner, X, s, seeds, size):
    """Bag, fit and score by hand: repeated rows, one bag after the other."""
    P, U = np.flatnonzero(s == 1), np.flatnonzero(s == 0)
    totals, counts, everywhere = np.zeros(len(U)), np.zeros(len(U)), np.zeros(len(X))
    for seed in seeds:
        drawn = np.random.default_rng(seed).choice(len(U), size)
        rows = np.concatenate([P, U[drawn]])
        fitted = clone(learner).fit(X[rows], s[rows])
        if hasattr(fitted, "predict_proba"):
            scores = fitted.predict_proba(X)[:, 1] - 0.5
        else:
            scores = fitted.decision_function(X)
        outside = ~np.isin(np.arange(len(U)), drawn)
        totals[outside] += scores[U][outside]
        counts += outside
        everywhere += scores
    return totals / counts, counts, everywhere / len(seeds)


@pytest.mark.parametrize("size", [5, 40])
@pytest.mark.parametrize(
    "learner",
    [LogisticRegression(tol=1e-10), GaussianNB(), SVC(gamma=0.3, tol=1e-10), KNeighborsClassifier(3)],
    ids=named,
)
def test_out_of_bag_scores_agree_with_a_plain_loop(learner, size):
    X, s = make_pu(1)
    model = PUBagging(learner, n_estimators=12, max_samples=size, random_state=0).fit(X, s)
    scores, counts, everywhere = plain_loop(learner, X, s, model.seeds_, size)
    np.testing.assert_array_equal(model.unlabeled_counts_, counts)
    np.testing.assert_allclose(model.unlabeled_scores_, scores, atol=1e-5)
    np.testing.assert_allclose(model.decision_function(X), everywhere, atol=1e-5)


class Diary(ClassifierMixin, BaseEstimator):
    """Keeps what it was fitted on."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.seen_ = X[:, 0].astype(int), np.asarray(y), sample_weight
        return self

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)


@pytest.mark.parametrize("size", [1, 7, 40, 100])
def test_bags_are_all_of_p_and_rows_of_u_each_once_and_none_with_weight_zero(size):
    n = 60
    X, s = np.arange(n, dtype=float)[:, None], (np.arange(n) % 3 == 0).astype(int)
    model = PUBagging(Diary(), n_estimators=40, max_samples=size, random_state=0).fit(X, s)
    assert model.max_samples_ == size
    for rows, codes, weights in (fitted.seen_ for fitted in model.estimators_):
        np.testing.assert_array_equal(codes, s[rows])
        np.testing.assert_array_equal(rows, np.unique(rows))
        np.testing.assert_array_equal(rows[codes == 1], np.flatnonzero(s))
        total = (codes == 0).sum() if weights is None else weights[codes == 0].sum()
        assert total == size
        assert weights is None or (weights > 0).all()


def test_a_bootstrap_of_p_has_its_size():
    X, s = np.arange(60.0)[:, None], (np.arange(60) % 3 == 0).astype(int)
    model = PUBagging(Diary(), n_estimators=5, bootstrap_labeled=True, random_state=0).fit(X, s)
    for _, codes, weights in (fitted.seen_ for fitted in model.estimators_):
        assert weights[codes == 1].sum() == s.sum()
        assert (codes == 1).sum() < s.sum()


@pytest.mark.parametrize(
    ("labeled_weight", "class_weight"), [("balanced", "balanced"), (2.5, {0: 1.0, 1: 2.5}), (1, None)]
)
@pytest.mark.parametrize("bootstrap", [True, False])
def test_weights_of_labelled_rows_are_class_weights(labeled_weight, class_weight, bootstrap):
    X, s = make_pu(2)
    options = {"n_estimators": 3, "max_samples": 10, "bootstrap": bootstrap, "random_state": 1}
    model = PUBagging(LogisticRegression(tol=1e-10), labeled_weight=labeled_weight, **options).fit(X, s)
    # Repeated rows: the pipeline's scaler takes no weights.
    twin = make_pipeline(
        StandardScaler(with_mean=False, with_std=False),
        LogisticRegression(tol=1e-10, class_weight=class_weight),
    )
    np.testing.assert_allclose(
        model.decision_function(X), PUBagging(twin, **options).fit(X, s).decision_function(X), atol=1e-6
    )


class Weightless(LogisticRegression):
    """Has class_weight, and takes no sample weights."""

    def fit(self, X, y):
        return super().fit(X, y)


def test_weights_reach_pipelines_and_learners_with_class_weight_alone():
    X, s = make_pu(3)
    options = {"n_estimators": 3, "max_samples": 30, "labeled_weight": "balanced", "random_state": 1}
    plain = PUBagging(LogisticRegression(tol=1e-10), **options).fit(X, s).decision_function(X)
    for other in (
        Weightless(tol=1e-10),
        make_pipeline(StandardScaler(with_mean=False, with_std=False), LogisticRegression(tol=1e-10)),
    ):
        np.testing.assert_allclose(
            PUBagging(other, **options).fit(X, s).decision_function(X), plain, atol=1e-6
        )


@pytest.mark.slow
@pytest.mark.parametrize("learner", [LogisticRegression(), DecisionTreeClassifier()], ids=named)
def test_jobs_and_backends_change_no_bit(learner):
    X, s = make_pu(4, n=3000, d=60)
    one = PUBagging(learner, n_estimators=4, random_state=0).fit(X, s)
    for backend in ("threads", "processes"):
        two = PUBagging(learner, n_estimators=4, n_jobs=2, backend=backend, random_state=0).fit(X, s)
        np.testing.assert_array_equal(two.unlabeled_scores_, one.unlabeled_scores_)
        np.testing.assert_array_equal(two.decision_function(X), one.decision_function(X))


def test_more_bags_begin_with_the_same():
    X, s = make_pu(5)
    few = PUBagging(n_estimators=3, random_state=0).fit(X, s)
    many = PUBagging(n_estimators=6, random_state=0).fit(X, s)
    for a, b in zip(few.estimators_, many.estimators_, strict=False):
        np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(X))
    assert len({fitted.random_state for fitted in many.estimators_}) == 6


def test_rows_in_every_bag_are_flagged_and_never_nan():
    X, s = make_pu(6)
    model = PUBagging(n_estimators=2, max_samples=60, random_state=0)
    with pytest.warns(UserWarning, match=r"^\d+ of 40 unlabelled rows are in every bag.*more bags"):
        model.fit(X, s)
    never = model.unlabeled_counts_ == 0
    assert never.any()
    assert np.isfinite(model.unlabeled_scores_).all()
    np.testing.assert_array_equal(model.unlabeled_scores_[never], model.decision_function(X[s == 0][never]))


def test_scores_can_be_left_out():
    X, s = make_pu(6)
    model = PUBagging(n_estimators=2, oob_scores=False, random_state=0).fit(X, s)
    assert not hasattr(model, "unlabeled_scores_")
    with_scores = PUBagging(n_estimators=2, random_state=0).fit(X, s)
    np.testing.assert_array_equal(model.decision_function(X), with_scores.decision_function(X))


def test_sparse_rows_stay_sparse_and_missing_values_pass_to_learners_that_take_them():
    X, s = make_pu(7)
    X[np.abs(X) < 0.5] = 0
    options = {"n_estimators": 3, "random_state": 0}
    thin, dense = (
        PUBagging(LogisticRegression(), **options).fit(rows, s) for rows in (sparse.csr_array(X), X)
    )
    np.testing.assert_allclose(
        thin.decision_function(sparse.coo_array(X)), dense.decision_function(X), atol=1e-6
    )
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        PUBagging(GaussianNB(), **options).fit(sparse.csr_array(X), s)
    X[0, 0] = np.nan
    assert np.isfinite(PUBagging(ExtraTreeClassifier(), **options).fit(X, s).decision_function(X)).all()
    with pytest.raises(ValueError, match="NaN"):
        PUBagging(LogisticRegression(), **options).fit(X, s)


def test_the_learner_given_is_left_alone():
    learner = make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=5))
    model = PUBagging(learner, n_estimators=2, random_state=0).fit(*make_pu())
    assert learner[-1].random_state == 5
    assert not hasattr(learner[-1], "tree_")
    assert model.estimators_[0][-1].random_state != model.estimators_[1][-1].random_state


def test_one_labelled_row_is_enough():
    X, s = make_pu(8)
    s[1:] = 0
    model = PUBagging(n_estimators=20, random_state=0).fit(X, s)
    assert model.max_samples_ == 1
    assert model.predict(X)[0] == 1


class Mute(ClassifierMixin, BaseEstimator):
    """Has neither probabilities nor a decision function."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X))


class Broken(GaussianNB):
    def predict_proba(self, X):
        return np.full((len(X), 2), np.nan)


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (
            PUBagging(Mute()),
            r"^Mute has neither predict_proba nor decision_function.*choose a classifier that",
        ),
        (PUBagging(Broken()), r"^predict_proba of Broken returned NaN or infinity; scale"),
        (
            PUBagging(KNeighborsClassifier(), labeled_weight="balanced"),
            r"^labeled_weight = 'balanced' needs a learner that takes sample weights.*KNeighborsClassifier does",
        ),
        (
            PUBagging(max_samples=41, bootstrap=False),
            r"^max_samples = 41 rows cannot be drawn without replacement from 40 unlabelled ones; use at most 40",
        ),
        (PUBagging(max_samples=0), r"^max_samples of PUBagging must be a whole number of at least 1 or a"),
        (PUBagging(max_samples=1.5), r"^max_samples of PUBagging must be .*; got 1.5"),
        (PUBagging(labeled_weight=0), r"^labeled_weight of PUBagging must be .*; got 0"),
        (PUBagging(n_estimators=0), r"^n_estimators of PUBagging must be"),
        (PUBagging(n_jobs=0), r"^n_jobs of PUBagging must be"),
        (PUBagging(backend="dask"), r"^backend of PUBagging must be one of 'processes', 'threads'; got"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(model, told):
    with pytest.raises(ValueError, match=told) as caught:
        model.fit(*make_pu())
    assert "\n" not in str(caught.value)
