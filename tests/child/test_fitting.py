"""An estimator's answers are believed only after they have been checked."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy.sparse import csr_array

from pubench.child.fitting import MisbehaviourError, Recipe, fit, predict, protect, take_rows
from pubench.data.stored import read_features
from pubench.protocol.parts import Features

X = np.arange(12.0).reshape(6, 2)
S = np.array([1, 1, 0, 0, 0, 0], dtype=np.uint8)


class Answers:
    """An estimator that gives fixed answers to whatever is asked."""

    def __init__(self, predict=None, classes=(0, 1), **answers):
        self._predict, self.classes_ = predict, np.array(classes)
        for name, answer in answers.items():
            setattr(self, name, lambda X, answer=answer: answer)

    def predict(self, X):
        return np.zeros(len(X)) if self._predict is None else self._predict


def refused(estimator):
    with pytest.raises(MisbehaviourError) as caught:
        predict(estimator, X.copy())
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_decisions_are_1_for_the_last_class_whatever_classes_are_called():
    for classes in [(0, 1), (-1, 1), ("no", "yes"), (False, True)]:
        answer = np.array(classes)[[0, 1, 1, 0, 0, 1]]
        found = predict(Answers(answer, classes), X.copy())
        np.testing.assert_array_equal(found.decision, [0, 1, 1, 0, 0, 1])
        assert found.decision.dtype == np.uint8


def test_scores_are_the_decision_function_else_log_odds_else_the_decision():
    answer, proba = np.array([0, 1, 0, 1, 0, 1]), np.array([0.5, 0.9, 0.1, 1.0, 0.0, 0.6])
    both = np.column_stack([1 - proba, proba])
    margin = np.arange(6.0)
    found = predict(Answers(answer, predict_proba=both, decision_function=margin), X.copy())
    np.testing.assert_array_equal(found.score, margin)
    np.testing.assert_array_equal(found.probability, proba)
    found = predict(Answers(answer, predict_proba=both), X.copy())
    inner = proba[[0, 1, 2, 5]]
    np.testing.assert_allclose(found.score[[0, 1, 2, 5]], np.log(inner / (1 - inner)), atol=1e-9)
    assert np.isfinite(found.score).all()
    found = predict(Answers(answer), X.copy())
    np.testing.assert_array_equal(found.score, answer - 0.5)
    assert found.probability is None


def test_decisions_outside_the_two_classes_are_refused():
    assert "none of its classes" in refused(Answers(np.array([0, 1, 2, 0, 1, 0])))
    assert "none of its classes" in refused(Answers(np.array([0, 1, -1, 0, 1, 0])))
    assert "learned 1 class;" in refused(Answers(np.ones(6), classes=(1,)))


def test_a_column_of_scores_is_taken_as_a_vector():
    assert predict(Answers(decision_function=np.ones((6, 1))), X.copy()).score.shape == (6,)


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (Answers(np.zeros(5)), "predict returned shape (5,) for 6 rows; expected (6,)"),
        (Answers(np.zeros((6, 2))), "predict returned shape (6, 2)"),
        (Answers(np.array([0, 1, np.nan, 0, np.inf, 1])), "predict returned NaN or infinity for 2 of 6 rows"),
        (
            Answers(decision_function=np.full(6, np.nan)),
            "decision_function returned NaN or infinity for 6 of 6",
        ),
        (Answers(decision_function=np.zeros(7)), "decision_function returned shape (7,) for 6 rows"),
        (
            Answers(predict_proba=np.full(6, 0.5)),
            "predict_proba returned shape (6,) for 6 rows; expected (6, 2)",
        ),
        (Answers(predict_proba=np.full((6, 3), 0.3)), "expected (6, 2)"),
        (Answers(predict_proba=np.full((6, 2), np.nan)), "predict_proba returned NaN or infinity"),
        (Answers(predict_proba=np.full((6, 2), 1.5)), "predict_proba returned values outside [0, 1]"),
        (Answers(predict_proba=np.full((6, 2), -0.5)), "outside [0, 1]"),
    ],
)
def test_unusable_answers_are_refused_in_one_sentence(estimator, words):
    assert words in refused(estimator)


def test_probabilities_a_rounding_error_outside_are_clipped():
    answer = np.column_stack([np.zeros(6), np.full(6, 1 + 1e-12)])
    assert predict(Answers(predict_proba=answer), X.copy()).probability.max() == 1.0


class Writes:
    """Writes into what it is given."""

    def __init__(self, where="X"):
        self.where = where

    def fit(self, X, s):
        part = {"X": getattr(X, "data", X) if not isinstance(X, np.ndarray) else X, "s": s}[self.where]
        part[0] = 9

    def predict(self, X):
        X[0] = 9


@pytest.mark.parametrize("where", ["X", "s"])
@pytest.mark.parametrize("make", [np.array, csr_array])
def test_an_estimator_cannot_write_into_its_input(where, make):
    with pytest.raises(ValueError, match="read-only"):
        fit(Recipe(Writes, {"where": where}, {}), {}, make(X), S, 0)
    with pytest.raises(ValueError, match="read-only"):
        Writes().predict(protect(X.copy()))


class Draws:
    """Draws from the global generators and returns nothing from fit."""

    def fit(self, X, s):
        self.drawn = (random.random(), np.random.random())  # noqa: NPY002
        self.s = s


def test_global_generators_depend_on_the_seed_alone():
    recipe = Recipe(Draws, {}, {})
    first = fit(recipe, {}, X.copy(), S, 3).drawn
    np.random.random(5)  # noqa: NPY002
    random.random()
    assert fit(recipe, {}, X.copy(), S, 3).drawn == first
    assert fit(recipe, {}, X.copy(), S, 4).drawn != first


def test_labels_arrive_as_signed_integers_and_fit_may_return_nothing():
    fitted = fit(Recipe(Draws, {}, {}), {}, X.copy(), S, 0)
    assert fitted.s.dtype == np.int64
    np.testing.assert_array_equal(fitted.s, S)


def test_what_is_chosen_outranks_what_is_fixed_outranks_what_is_filled_in():
    recipe = Recipe(dict, {"a": "fixed", "b": "fixed"}, {"a": "filled", "b": "filled", "c": "filled"})
    assert recipe.make({"a": "chosen"}) == {"a": "chosen", "b": "fixed", "c": "filled"}


def test_rows_taken_from_a_map_are_a_copy_in_memory(tmp_path):
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    taken = take_rows(mapped, np.array([3, 3, 0]))
    assert type(taken) is np.ndarray
    np.testing.assert_array_equal(taken, X[[3, 3, 0]])
    taken[0] = 1.0


@pytest.mark.parametrize("rows", [[], [3, 3, 0], range(len(X))], ids=len)
@pytest.mark.parametrize("sparse", [False, True])
def test_rows_that_plugins_are_given_name_no_file(tmp_path, sparse, rows):
    stored = csr_array(X)
    parts = {name: getattr(stored, name) for name in ("data", "indices", "indptr")} if sparse else {"X": X}
    for name, array in parts.items():
        np.save(tmp_path / f"{name}.npy", array)
    features = Features(
        folder=str(tmp_path), sparse=sparse, n_features=X.shape[1], categorical=(), missing=0, image_shape=()
    )
    taken = take_rows(read_features(features), np.array(rows, dtype=np.int64))
    todo = [getattr(taken, name) for name in parts] if sparse else [taken]
    for array in todo:
        assert getattr(array, "filename", None) is None
        if isinstance(array.base, np.ndarray):
            todo.append(array.base)
