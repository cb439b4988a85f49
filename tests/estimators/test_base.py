"""Laws of the base of PU classifiers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

from pubench.base import (
    Either,
    OneOf,
    PUClassifier,
    Real,
    Whole,
    check_params,
    encode_labels,
    validate_pu,
    validate_rows,
)


class Centroids(PUClassifier):
    """The smallest useful subclass: nearer to the mean of P than to the mean of U."""

    param_rules = {"shift": Real(low=-1.0, high=1.0)}  # noqa: RUF012

    def __init__(self, shift=0.0):
        self.shift = shift

    def fit(self, X, y):
        X, s = validate_pu(self, X, y)
        p, u = X[s == 1].mean(axis=0), X[s == 0].mean(axis=0)
        self.coef_, self.intercept_ = p - u, (u @ u - p @ p) / 2 + self.shift
        return self

    def decision_function(self, X):
        return validate_rows(self, X) @ self.coef_ + self.intercept_


@parametrize_with_checks([Centroids()])
def test_a_minimal_subclass_passes_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("unlabelled", "labelled"),
    [(0, 1), (-1, 1), (False, True), ("U", "positive"), (0.0, 1.0), (np.uint8(0), np.uint8(1)), (3, 70)],
)
def test_the_larger_class_is_the_labelled_one(unlabelled, labelled):
    s = np.array([0, 1, 1, 0, 1, 0])
    classes, codes = encode_labels(np.where(s == 1, labelled, unlabelled))
    assert codes.dtype == np.uint8
    np.testing.assert_array_equal(codes, s)
    assert list(classes) == [unlabelled, labelled]


@given(st.lists(st.booleans(), min_size=2, max_size=40).filter(lambda s: len(set(s)) == 2))
def test_decoding_undoes_encoding(s):
    y = np.where(s, "labelled", "a row without a label")
    classes, codes = encode_labels(y)
    np.testing.assert_array_equal(classes[codes], y)


@pytest.mark.parametrize("y", [[1, 1, 1], [0, 0, 0], ["a", "a", "a"], [True, True, True]])
def test_one_class_is_refused_in_one_sentence(y):
    with pytest.raises(ValueError, match=r"one class only.*both labelled and unlabelled rows") as caught:
        encode_labels(y)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("y", [[0, 1, 2], [-1, 0, 1], ["a", "b", "c"]])
def test_three_classes_are_refused_in_one_line(y):
    with pytest.raises(ValueError, match="Only binary classification is supported") as caught:
        encode_labels(y)
    assert "\n" not in str(caught.value)


def test_no_rows_are_refused():
    with pytest.raises(ValueError, match="y holds no class"):
        encode_labels([])


def test_a_continuous_target_is_refused():
    with pytest.raises(ValueError, match="Unknown label type"):
        encode_labels([0.5, 1.25, 3.0])


def test_a_decision_of_zero_is_positive():
    X = np.array([[-1.0], [-1.0], [1.0], [1.0]])
    model = Centroids().fit(X, ["no", "no", "yes", "yes"])
    assert model.decision_function([[0.0]])[0] == 0.0
    assert model.predict([[-1e-9], [0.0], [1e-9]]).tolist() == ["no", "yes", "yes"]


def test_rows_with_other_columns_are_refused():
    model = Centroids().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="2 features"):
        model.predict([[0.0, 1.0]])


@pytest.mark.parametrize(
    ("rule", "good", "bad"),
    [
        (
            Real(),
            [0, -1.5, np.float32(2), np.int64(3)],
            [np.nan, np.inf, -np.inf, True, "1", None, np.bool_(True)],
        ),
        (Real(low=0.0, open_low=True), [1e-300, 5], [0, 0.0, -1]),
        (Real(low=0.0, high=1.0), [0, 1, 0.5], [-1e-9, 1.1]),
        (Real(low=0.0, high=1.0, open_high=True), [0, 0.999], [1, 1.0]),
        (Whole(low=1), [1, 10**9, np.int32(4)], [0, 1.0, True, "1", None]),
        (Whole(low=1, high=3), [1, 3], [4]),
        (OneOf(("a", None, 1)), ["a", None, 1, np.str_("a")], ["b", True, 1.0, [], np.zeros(3), np.True_]),
        (OneOf((True, False)), [True, np.False_], [1, 0, "True"]),
        (Either(Whole(low=1), OneOf((None,))), [1, None], [0, "None"]),
    ],
)
def test_rules_allow_what_they_say(rule, good, bad):
    assert all(rule.allows(value) for value in good)
    assert not any(rule.allows(value) for value in bad)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (Real(low=0.0, open_low=True), "a finite number above 0.0"),
        (Real(low=0.0, high=1.0, open_high=True), "a finite number of at least 0.0 and below 1.0"),
        (Real(high=2.0), "a finite number at most 2.0"),
        (Whole(low=1), "a whole number of at least 1"),
        (OneOf(("a", None)), "one of 'a', None"),
        (Either(Whole(low=1), OneOf((None,))), "a whole number of at least 1 or None"),
    ],
)
def test_rules_say_what_they_allow(rule, text):
    assert rule.text == text


def test_a_broken_rule_names_parameter_estimator_value_and_remedy():
    check_params(Centroids(shift=1))
    message = r"shift of Centroids must be a finite number of at least -1.0 and at most 1.0; got 7"
    with pytest.raises(ValueError, match=message):
        Centroids(shift=7).fit([[0.0], [1.0]], [0, 1])


def test_sparse_entries_that_stand_twice_are_summed_in_a_copy():
    from scipy import sparse

    twice = sparse.csr_array(
        (np.array([1.0, 2.0, 3.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2)
    )
    before = twice.data.copy(), twice.indices.copy()
    for rows in (
        validate_pu(Centroids(), twice, [0, 1], accept_sparse="csr")[0],
        validate_rows(Centroids().fit(np.eye(2), [0, 1]), twice, accept_sparse="csr"),
    ):
        np.testing.assert_array_equal(rows.toarray(), [[3, 0], [0, 3]])
        assert rows.has_canonical_format
    np.testing.assert_array_equal(twice.data, before[0])
    np.testing.assert_array_equal(twice.indices, before[1])
