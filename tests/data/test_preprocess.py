from __future__ import annotations

import warnings
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from helpers.marks import slow
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
)

from pubench.data.preprocess import Preprocess, fit_preprocess
from pubench.errors import DataError

IMPUTES = ("mean", "median", "most-frequent", "none")
SCALERS: dict[str, Any] = {
    "standard": StandardScaler,
    "minmax": MinMaxScaler,
    "maxabs": MaxAbsScaler,
    "robust": RobustScaler,
    "none": FunctionTransformer,
}
seeds = st.integers(0, 2**32 - 1)


def fitted(config: Preprocess, X: Any, categorical: dict[int, int], *, missing: bool = True) -> Any:
    return fit_preprocess(config, X, categorical, missing=missing)


def numbers(seed: int, n: int, holes: float = 0.2) -> NDArray[np.float64]:
    """Columns of many sizes and shapes, one of few distinct values, the first row always complete."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)) * 10.0 ** rng.integers(-3, 4, size=5) + rng.normal(size=5) * 100
    X[:, 4] = rng.integers(0, 3, size=n)
    X[rng.random((n, 5)) < holes] = np.nan
    X[:2] = rng.normal(size=(2, 5))
    return X


def reference(impute: str, scale: str) -> Any:
    imputer = (
        FunctionTransformer()
        if impute == "none"
        else SimpleImputer(strategy=impute.replace("-", "_"), keep_empty_features=True)
    )
    return make_pipeline(imputer, SCALERS[scale]())


@pytest.mark.parametrize("impute", IMPUTES)
@pytest.mark.parametrize("scale", SCALERS)
@pytest.mark.parametrize("holes", [*slow(0.0), 0.2])
@settings(max_examples=5, deadline=None)
@given(seed=seeds, n=st.integers(4, 40))
def test_dense_numbers_agree_with_scikit_learn(
    impute: Any, scale: Any, holes: float, seed: int, n: int
) -> None:
    train, test = numbers(seed, n, holes), numbers(seed + 1, 7, 0.2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours = fitted(Preprocess(impute, scale), train, {})
    theirs = reference(impute, scale).fit(train)
    for rows in (train, test):
        np.testing.assert_allclose(ours.transform(rows), theirs.transform(rows), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("scale", ["standard", "maxabs"])
@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_sparse_numbers_agree_with_scikit_learn_and_stay_sparse(scale: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    dense = rng.normal(size=(30, 6)) * (rng.random((30, 6)) < 0.4)
    dense[0] = 1.5
    theirs = (StandardScaler(with_mean=False) if scale == "standard" else MaxAbsScaler()).fit(dense)
    Z = fitted(Preprocess(scale=scale), csr_array(dense), {}).transform(csr_array(dense))
    assert Z.format == "csr"
    assert Z.nnz == np.count_nonzero(dense)
    np.testing.assert_allclose(Z.toarray(), theirs.transform(dense), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("scale", ["minmax", "robust"])
def test_shifting_scales_mean_maxabs_on_sparse_rows(scale: Any) -> None:
    X = csr_array(np.array([[0.0, 4.0], [3.0, 0.0], [-6.0, 1.0]]))
    Z = fitted(Preprocess(scale=scale), X, {}).transform(X)
    np.testing.assert_allclose(Z.toarray(), np.array([[0, 1], [0.5, 0], [-1, 0.25]]))


def test_sparse_rows_with_split_entries_count_as_their_sum() -> None:
    split = csr_array((np.array([1.0, 2.0, 5.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    whole = csr_array(split.toarray())
    for scale in ("standard", "maxabs"):
        config = Preprocess(scale=scale)
        np.testing.assert_allclose(
            fitted(config, split, {}).transform(whole).toarray(),
            fitted(config, whole, {}).transform(whole).toarray(),
        )


@pytest.mark.parametrize("scale", ["none", "standard"])
def test_sparse_rows_have_32_bit_indices_for_trees(scale: Any) -> None:
    rows = csr_array(np.eye(6))
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    Z: Any = fit_preprocess(Preprocess(scale=scale, norm="l2"), rows, {}).transform(rows)
    assert (Z.indices.dtype, Z.indptr.dtype) == (np.int32, np.int32)
    assert (Z.toarray() == np.eye(6)).all()
    assert rows.indices.dtype == np.int64


def test_sparse_bias_column_is_kept_and_unseen_columns_are_zero() -> None:
    train = csr_array(np.array([[1.0, 0.0, 2.0], [1.0, 0.0, 0.0]]))
    for scale in ("standard", "maxabs"):
        Z = fitted(Preprocess(scale=scale), train, {}).transform(csr_array(np.array([[1.0, 9.0, 0.0]])))
        np.testing.assert_array_equal(Z.toarray(), [[1, 0, 0]])


def test_sparse_refusals_are_one_sentence() -> None:
    with pytest.raises(DataError, match="missing values, which cannot be filled; load the data as a dense"):
        fitted(Preprocess(), csr_array(np.array([[np.nan, 1.0]])), {})
    clean = csr_array(np.array([[1.0, 2.0], [0.0, 1.0]]))
    with pytest.raises(DataError, match="set categorical = 'codes'"):
        fitted(Preprocess(), clean, {0: 2})
    kept = fitted(Preprocess(categorical="codes"), clean, {0: 2}).transform(clean)
    np.testing.assert_array_equal(kept.toarray()[:, 0], [1, 0])


@settings(max_examples=15, deadline=None)
@given(seed=seeds, dtype=st.sampled_from([np.float64, np.float32, np.uint8]), order=st.sampled_from("CF"))
def test_output_is_float64_in_c_order_and_the_input_is_unchanged(seed: int, dtype: Any, order: Any) -> None:
    X = np.asarray(np.abs(np.random.default_rng(seed).integers(0, 4, (12, 3))), dtype=dtype, order=order)
    before = X.copy()
    X.flags.writeable = False
    for config in (Preprocess(), Preprocess("none", "none"), Preprocess(scale="minmax")):
        for categorical in ({}, {1: 4}):
            Z = fitted(config, X, categorical).transform(X)
            assert Z.dtype == np.float64
            assert Z.flags.c_contiguous
            assert not np.shares_memory(Z, X)
    np.testing.assert_array_equal(X, before)


@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_one_hot_agrees_with_scikit_learn_and_has_a_fixed_width(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [rng.normal(size=20), rng.integers(0, 3, 20), rng.normal(size=20), rng.integers(0, 2, 20)]
    )
    X[rng.random(20) < 0.3, 1] = np.nan
    encoder = OneHotEncoder(
        categories=[[0, 1, 2, 3], [0, 1]], handle_unknown="ignore", sparse_output=False
    ).fit(np.zeros((1, 2)))
    blocks = encoder.transform(X[:, [1, 3]])
    scaled = StandardScaler().fit_transform(X[:, [0, 2]])
    Z = fitted(Preprocess(), X, {3: 2, 1: 4}).transform(X)
    expected = np.column_stack([scaled[:, 0], blocks[:, :4], scaled[:, 1], blocks[:, 4:]])
    np.testing.assert_allclose(Z, expected, atol=1e-12)
    assert not Z[np.isnan(X[:, 1]), 1:5].any()


@pytest.mark.parametrize("impute", IMPUTES)
@pytest.mark.parametrize("scale", SCALERS)
def test_codes_stay_as_they_are(impute: Any, scale: Any) -> None:
    X = np.column_stack([[0, 3, np.nan, 1.0], [1.0, np.nan, 3, 4]])
    Z = fitted(Preprocess(impute, scale, "codes"), X, {0: 4}).transform(X)
    np.testing.assert_array_equal(Z[:, 0], X[:, 0])


@pytest.mark.parametrize("value", [0.0, 0.1, 1e9, -3.3])
@pytest.mark.parametrize("scale", ["standard", "minmax", "robust"])
@pytest.mark.parametrize("n", [1, 7, 1001])
def test_columns_that_do_not_vary_in_training_are_zero_everywhere(scale: Any, value: float, n: int) -> None:
    train = np.column_stack([np.full(n, value), np.full(n, np.nan)])
    fitting = fitted(Preprocess(scale=scale), train, {})
    np.testing.assert_array_equal(fitting.transform(train), 0)
    np.testing.assert_array_equal(fitting.transform(np.array([[value + 5.0, 3.0], [np.nan, np.nan]])), 0)


def test_a_large_mean_does_not_hide_variation() -> None:
    X = 1e9 + np.random.default_rng(0).normal(size=(2000, 1))
    Z = fitted(Preprocess(), X, {}).transform(X)
    assert Z.std() == pytest.approx(1, rel=1e-6)


def test_robust_scaling_keeps_rare_values() -> None:
    X = np.zeros((20, 1))
    X[3] = 1.0
    assert fitted(Preprocess(scale="robust"), X, {}).transform(X)[3, 0] == 1.0


def test_without_imputation_missing_stays_missing() -> None:
    X = np.array([[1.0, np.nan], [3.0, np.nan], [np.nan, np.nan]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for scale in SCALERS:
            Z = fitted(Preprocess("none", scale), X, {}).transform(X)  # type: ignore[arg-type]
            np.testing.assert_array_equal(np.isnan(Z), np.isnan(X))


@pytest.mark.parametrize("impute", IMPUTES)
@pytest.mark.parametrize("scale", SCALERS)
@pytest.mark.parametrize("sparse", [False, True])
@settings(max_examples=5, deadline=None)
@given(seed=seeds)
def test_the_transform_of_a_row_does_not_depend_on_other_rows(
    impute: Any, scale: Any, sparse: bool, seed: int
) -> None:
    """No leak: a row is transformed by the training rows and itself, not by the rows beside it."""
    train, test = numbers(seed, 12, 0.0 if sparse else 0.2), numbers(seed + 1, 6, 0.0 if sparse else 0.2)
    wrap: Any = csr_array if sparse else np.asarray
    fitting = fitted(Preprocess(impute, scale), wrap(train), {})

    def rows(X: NDArray[np.float64]) -> Any:
        Z = fitting.transform(wrap(X))
        return Z.toarray() if sparse else Z

    alone = rows(train)
    np.testing.assert_array_equal(alone, rows(np.vstack([train, test]))[:12])
    np.testing.assert_array_equal(alone, rows(np.vstack([train, test * 1e3]))[:12])
    np.testing.assert_array_equal(alone, rows(train))


@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_declaring_no_missing_values_changes_nothing_else(seed: int) -> None:
    X = numbers(seed, 20, 0.0)
    for scale in SCALERS:
        config = Preprocess(scale=scale)  # type: ignore[arg-type]
        plain, promised = (fitted(config, X, {4: 3}, missing=m) for m in (True, False))
        np.testing.assert_array_equal(plain.transform(X), promised.transform(X))


def test_values_are_frozen_and_checked() -> None:
    with pytest.raises(ValueError, match="impute = 'medain' is unknown; did you mean 'median'"):
        Preprocess(impute="medain")  # type: ignore[arg-type]
    with pytest.raises(FrozenInstanceError):
        Preprocess().scale = "none"  # type: ignore[misc]
    assert Preprocess() == Preprocess("median", "standard", "one-hot")


COUNTS = np.array([[3.0, 0, 1, 0], [4, 0, 0, 0], [0, 1, 1, 0], [0, 0, 5, 9]])


@pytest.mark.parametrize("make", [np.array, csr_array])
def test_rare_columns_are_dropped_by_training_rows_and_rows_are_normalised(make):
    config = Preprocess(scale="none", min_count=2, norm="l2")
    fitted = fit_preprocess(config, make(COUNTS[:3]), {})
    found = fitted.transform(make(COUNTS))
    dense = found if isinstance(found, np.ndarray) else found.toarray()
    # Column 3 is frequent in a test row only, column 1 occurs once: both go.
    expected = COUNTS[:, [0, 2]] / np.linalg.norm(COUNTS[:, [0, 2]], axis=1, keepdims=True)
    np.testing.assert_allclose(dense, expected)
    assert isinstance(found, np.ndarray) == (make is np.array)


def test_a_row_of_zeros_stays_zero():
    fitted = fit_preprocess(Preprocess(scale="none", norm="l1"), csr_array(COUNTS), {})
    np.testing.assert_array_equal(fitted.transform(csr_array((1, 4))).toarray(), np.zeros((1, 4)))
    np.testing.assert_allclose(abs(fitted.transform(csr_array(COUNTS))).sum(axis=1), 1.0)


def test_a_min_count_that_drops_all_columns_is_refused():
    with pytest.raises(DataError, match="min_count = 99 leaves no column"):
        fit_preprocess(Preprocess(min_count=99), COUNTS, {})
    with pytest.raises(DataError, match="not for categorical"):
        fit_preprocess(Preprocess(min_count=1), COUNTS, {0: 2})
    with pytest.raises(ValueError, match="min_count"):
        Preprocess(min_count=-1)
