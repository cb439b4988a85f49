"""Laws of the two-step methods and of the one-class support vector machine."""

from __future__ import annotations

import numpy as np
import pytest
from pubench_classics.one_class import OneClass
from pubench_classics.two_step import TwoStepRocchio, TwoStepSpies
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC, OneClassSVM
from sklearn.utils.estimator_checks import parametrize_with_checks


@pytest.mark.filterwarnings("ignore:none of the")
@parametrize_with_checks([TwoStepRocchio(), TwoStepSpies(), OneClass()])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:none of the")
@parametrize_with_checks([TwoStepRocchio(LinearSVC(random_state=0))])
def test_scikit_learns_checks_of_variants(estimator, check):
    check(estimator)


def make_pu(seed=0, n=300, d=3, apart=1.5):
    """A single training set: half of the rows positive, a third of these labelled."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2 == 0
    X = rng.normal(np.where(y[:, None], apart, -apart), size=(n, d))
    return X, (y & (np.arange(n) % 3 == 0)).astype(int), y


@pytest.mark.parametrize("form", [TwoStepRocchio, TwoStepSpies])
def test_classes_that_are_apart_are_found(form):
    X, s, y = make_pu()
    model = form(random_state=0)
    assert (model.fit(X, s).predict(X) == y).mean() > 0.95
    assert model.n_likely_negative_ > 100


def test_rocchio_by_hand():
    """P along (1, 0), U half of it and half along (0, 1): means (1, 0) and (1/2, 1/2).

    The prototypes are (14, -2) and (4, 8), so that (1, 1) is nearer to the second: 12 / sqrt(200) < 12 / sqrt(80).
    """
    X = np.array([[2.0, 0], [3, 0], [1, 0], [0, 5], [1, 1], [4, 0.5]])
    model = TwoStepRocchio(max_iter=1)
    negative = model._likely_negative(X[:4], np.array([1, 1, 0, 0], dtype=bool))
    np.testing.assert_array_equal(negative, [False, False, False, True])
    rows = X / np.linalg.norm(X, axis=1, keepdims=True)
    P, U = rows[:2].mean(axis=0), rows[2:].mean(axis=0)
    plus, minus = 16 * P - 4 * U, 16 * U - 4 * P
    expected = rows @ minus / np.linalg.norm(minus) >= rows @ plus / np.linalg.norm(plus)
    found = model._likely_negative(X, np.arange(6) < 2)
    np.testing.assert_array_equal(found, expected & (np.arange(6) >= 2))


def second_step(X, s, negative, max_iter, max_missed):
    """The second step, plainly."""
    labelled, models = s == 1, []
    while True:
        rows = labelled | negative
        models.append(LogisticRegression(max_iter=1000, class_weight="balanced").fit(X[rows], s[rows]))
        called = models[-1].predict_proba(X)[:, 1] >= 0.5
        more = ~labelled & ~negative & ~called
        if not more.any() or len(models) == max_iter:
            break
        negative = negative | more
    return models[0 if (~called[labelled]).mean() > max_missed else -1], len(models)


@pytest.mark.parametrize("max_iter", [1, 2, 20])
@pytest.mark.parametrize("max_missed", [0.0, 0.08, 1.0])
def test_the_second_step_agrees_with_a_plain_loop(max_iter, max_missed):
    X, s, _ = make_pu(1, apart=0.5)
    model = TwoStepRocchio(max_iter=max_iter, max_missed=max_missed).fit(X, s)
    twin, n_iter = second_step(X, s, model._likely_negative(X, s == 1), max_iter, max_missed)
    np.testing.assert_array_equal(model.predict_proba(X)[:, 1], twin.predict_proba(X)[:, 1])
    assert model.n_iter_ == n_iter


@pytest.mark.parametrize("form", [TwoStepRocchio, TwoStepSpies])
def test_any_classifier_serves_and_sparse_rows_stay_sparse(form):
    X, s, y = make_pu(2)
    for learner in (GaussianNB(), LinearSVC(random_state=0)):
        assert (form(learner, random_state=0).fit(X, s).predict(X) == y).mean() > 0.9
    X[np.abs(X) < 0.5] = 0
    thin, dense = (form(random_state=0).fit(rows, s) for rows in (sparse.csr_array(X), X))
    np.testing.assert_allclose(
        thin.decision_function(sparse.csr_array(X)), dense.decision_function(X), atol=1e-5
    )


def test_if_no_row_looks_negative_all_are_taken():
    X, s = np.ones((20, 2)), (np.arange(20) < 5).astype(int)
    with pytest.warns(
        UserWarning, match="none of the 15 unlabelled rows looks negative compared with the labelled"
    ):
        model = TwoStepSpies(LogisticRegression(), random_state=0).fit(X, s)
    assert model.n_likely_negative_ == 0
    np.testing.assert_array_equal(model.predict(X), 0)


class Mute(ClassifierMixin, BaseEstimator):
    """Has neither probabilities nor a decision function."""


@pytest.mark.parametrize(
    ("model", "labelled", "told"),
    [
        (TwoStepRocchio(Mute()), 9, r"^Mute has neither predict_proba nor decision_function"),
        (TwoStepSpies(), 1, r"^y has 1 labelled row, but spies need at least 2"),
        (TwoStepSpies(noise=1.0), 9, r"^noise of TwoStepSpies must be"),
        (TwoStepRocchio(max_iter=0), 9, r"^max_iter of TwoStepRocchio must be"),
        (OneClass(nu=0.0), 9, r"^nu of OneClass must be"),
        (OneClass(kernel="precomputed"), 9, r"^kernel of OneClass must be one of 'rbf'"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(model, labelled, told):
    with pytest.raises(ValueError, match=told) as caught:
        model.fit(np.eye(30), (np.arange(30) < labelled).astype(int))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("n_labelled", [1, 40])
def test_the_one_class_machine_is_scikit_learns_on_p_alone(n_labelled):
    X, _, _ = make_pu(3)
    s = (np.arange(len(X)) < n_labelled).astype(int)
    model = OneClass(nu=0.3, gamma=0.5, border="fitted").fit(X, s)
    plain = OneClassSVM(nu=0.3, gamma=0.5).fit(X[:n_labelled])
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))
    other = X.copy()
    other[n_labelled:] += 100.0
    np.testing.assert_array_equal(
        OneClass(nu=0.3, gamma=0.5, border="fitted").fit(other, s).decision_function(X),
        model.decision_function(X),
    )
    outside = (model.predict(X[:n_labelled]) == 0).mean()
    assert outside <= 0.3 + 2 / n_labelled


def test_the_held_out_border_leaves_a_share_nu_of_new_positives_outside():
    # In 200 dimensions the machine's own border has most new rows outside.
    rng = np.random.default_rng(0)
    P, new = rng.normal(size=(60, 200)), rng.normal(size=(1000, 200))
    X, s = np.r_[P, new[:50] + 3.0], np.repeat([1, 0], [60, 50])
    own, held_out = (OneClass(nu=0.3, border=border).fit(X, s) for border in ("fitted", "held-out"))
    assert own.predict(new).mean() < 0.2
    assert held_out.predict(new).mean() == pytest.approx(0.7, abs=0.12)
    np.testing.assert_allclose(held_out.decision_function(new), own.decision_function(new) - held_out.border_)


def test_a_single_labelled_row_has_the_machines_own_border():
    X, s = np.eye(6), np.array([1, 0, 0, 0, 0, 0])
    assert OneClass().fit(X, s).border_ == 0.0
