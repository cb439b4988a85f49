"""Laws of the base class of PU classifiers."""

from __future__ import annotations

import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from pubench.base import (
    Either,
    OneOf,
    PUClassifier,
    Real,
    RowRules,
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

    def _fit(self, X, s):
        p, u = (np.asarray(X[s == kind].mean(axis=0)).ravel() for kind in (1, 0))
        self.coef_, self.intercept_ = p - u, (u @ u - p @ p) / 2 + self.shift

    def decision_function(self, X):
        return validate_rows(self, X) @ self.coef_ + self.intercept_


class SparseCentroids(Centroids):
    """Takes sparse rows, by one declaration."""

    row_rules = RowRules(sparse="csr", dtype=np.float64)


class OwnFit(PUClassifier):
    """As plugins were written before ``_fit``: a ``fit`` of its own that validates with options."""

    def fit(self, X, y):
        X, s = validate_pu(self, X, y, accept_sparse="csr", dtype=np.float64)
        self.coef_ = np.asarray(X[s == 1].mean(axis=0) - X[s == 0].mean(axis=0)).ravel()
        self.intercept_ = -float(np.mean(X @ self.coef_))
        return self

    def decision_function(self, X):
        return validate_rows(self, X, accept_sparse="csr", dtype=np.float64) @ self.coef_ + self.intercept_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@parametrize_with_checks([Centroids(), SparseCentroids(), OwnFit()])
def test_a_minimal_subclass_passes_scikit_learns_checks(estimator, check):
    check(estimator)


class Spy(PUClassifier):
    """Keeps what ``_fit`` is given, and checks that nothing else refers to the rows."""

    row_rules = RowRules(dtype=np.float32, order="F")

    def _fit(self, X, s):
        self.given_ = (
            X.dtype,
            X.flags.f_contiguous,
            s.dtype,
            s.tolist(),
            self.classes_.tolist(),
            self.n_features_in_,
        )
        rows = weakref.ref(X)
        del X
        self.freed_ = rows() is None


def test_fit_hands_checked_rows_and_codes_to_the_subclass_and_returns_the_classifier():
    model = Spy()
    assert model.fit([[0, 1], [2, 3], [4, 5]], ["yes", "no", "yes"]) is model
    assert model.given_ == (np.float32, True, np.uint8, [1, 0, 1], ["no", "yes"], 2)


def test_a_subclass_can_free_the_checked_rows():
    assert Spy().fit(np.zeros((3, 2)), [0, 1, 1]).freed_


def test_parameters_are_checked_before_rows():
    with pytest.raises(ValueError, match="shift of Centroids"):
        Centroids(shift=7).fit("no rows", [0, 1])


def test_a_subclass_without_mathematics_is_refused_in_one_sentence():
    with pytest.raises(NotImplementedError, match=r"^PUClassifier has no _fit\(X, s\); write it"):
        PUClassifier().fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    ("rules", "sparse_tag", "nan_tag"),
    [
        (RowRules(), False, False),
        (RowRules(sparse="csc"), True, False),
        (RowRules(sparse="csr", missing=True), True, True),
    ],
)
def test_tags_follow_from_the_row_rules(rules, sparse_tag, nan_tag):
    tags = type("Taker", (Centroids,), {"row_rules": rules})().__sklearn_tags__().input_tags
    assert (tags.sparse, tags.allow_nan) == (sparse_tag, nan_tag)


def test_row_rules_hold_in_fit_and_in_predictions():
    dense, rows = np.eye(4), sparse.csr_array(np.eye(4))
    y = [0, 1, 0, 1]
    for X in (dense, rows):
        np.testing.assert_array_equal(SparseCentroids().fit(X, y).predict(rows), y)
    with pytest.raises(TypeError, match="Sparse data was passed"):
        Centroids().fit(rows, y)
    with pytest.raises(TypeError, match="Sparse data was passed"):
        Centroids().fit(dense, y).predict(rows)
    taker = type("Taker", (Centroids,), {"row_rules": RowRules(missing=True)})
    gaps = np.where(dense == 1, np.nan, dense)
    assert np.isnan(taker().fit(dense, y).decision_function(gaps)).any()
    with pytest.raises(ValueError, match="contains NaN"):
        Centroids().fit(dense, y).decision_function(gaps)


def test_narrow_rules_give_32_bit_indices():
    taker = type("Taker", (SparseCentroids,), {"row_rules": RowRules(sparse="csr", narrow=True)})
    wide = sparse.csr_array(np.eye(2))
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    model = taker().fit(wide, [0, 1])
    for rows in (validate_rows(model, wide), validate_pu(model, wide, [0, 1])[0]):
        assert (rows.indices.dtype, rows.indptr.dtype) == (np.int32, np.int32)
    assert wide.indices.dtype == np.int64


def test_unfitted_classifiers_say_so():
    with pytest.raises(NotFittedError):
        Centroids().predict([[0.0]])


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
