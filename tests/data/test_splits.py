from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pubench.data.splits import folds, given_split, held_out, train_test, validation_share
from pubench.errors import DataError

seeds = st.integers(0, 2**32 - 1)
shares = st.floats(0.01, 0.99)


def classes(n_positive: int, n_negative: int) -> NDArray[np.uint8]:
    return np.repeat(np.array([1, 0], dtype=np.uint8), [n_positive, n_negative])


@st.composite
def pu_rows(draw: st.DrawFn) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Rows as a labelling makes them: P apart from U, or P drawn from U, perhaps with replacement."""
    rng = np.random.default_rng(draw(seeds))
    n_u = draw(st.integers(1, 60))
    ids = rng.choice(draw(st.sampled_from([200, 10**12])), size=200, replace=False)
    if draw(st.booleans()):
        n_p = draw(st.integers(1, 60))
        p, u = ids[:n_p], ids[n_p : n_p + n_u]
    else:
        p = rng.choice(ids[: draw(st.integers(1, n_u))], size=draw(st.integers(1, 90)))
        u = ids[:n_u]
    s = np.repeat(np.array([1, 0], dtype=np.uint8), [p.size, u.size])
    return s, np.concatenate([p, u])


@settings(deadline=None)
@given(st.integers(0, 60), st.integers(0, 60), shares, seeds)
def test_split_is_a_partition_with_counts_fixed_by_the_class_sizes(
    n_positive: int, n_negative: int, share: float, seed: int
) -> None:
    y = classes(n_positive, n_negative)
    train, test = train_test(y, share, np.random.default_rng(seed))
    assert sorted([*train, *test]) == list(range(y.size))
    assert y[test].sum() == held_out(n_positive, share)
    assert (y[test] == 0).sum() == held_out(n_negative, share)


@settings(deadline=None)
@given(st.integers(1, 1000), shares)
@example(1, 0.9)
def test_held_out_rounds_and_leaves_a_training_row(n: int, share: float) -> None:
    assert held_out(n, share) <= n - 1
    assert abs(held_out(n, share) - share * n) <= 0.5 or held_out(n, share) == n - 1


def test_halves_round_up() -> None:
    assert [held_out(n, 0.5) for n in (2, 3, 5, 7)] == [1, 2, 3, 4]


def test_pool_restricts_the_split_and_full_pool_changes_nothing() -> None:
    y = classes(30, 50)
    pool = np.arange(80) % 3 > 0
    train, test = train_test(y, 0.3, np.random.default_rng(1), pool=pool)
    assert sorted([*train, *test]) == np.flatnonzero(pool).tolist()
    everything = train_test(y, 0.3, np.random.default_rng(1), pool=np.ones(80, dtype=bool))
    for ours, plain in zip(everything, train_test(y, 0.3, np.random.default_rng(1)), strict=True):
        np.testing.assert_array_equal(ours, plain)


def test_row_order_is_independent_of_the_class() -> None:
    y = classes(40, 60)
    splits = [train_test(y, 0.3, np.random.default_rng(seed)) for seed in range(4000)]
    for part in (0, 1):
        by_place = np.mean([y[split[part]] for split in splits], axis=0)
        assert np.abs(by_place - 0.4).max() < 5 * np.sqrt(0.24 / 4000)


def test_every_row_of_a_class_is_a_test_row_equally_often() -> None:
    y = classes(10, 20)
    tested = np.zeros(30)
    for seed in range(3000):
        tested[train_test(y, 0.3, np.random.default_rng(seed))[1]] += 1
    assert np.abs(tested / 3000 - 0.3).max() < 5 * np.sqrt(0.21 / 3000)


def test_given_split() -> None:
    train, test = given_split(np.array(["train", "test", "train"]))
    assert train.tolist() == [0, 2]
    assert test.tolist() == [1]
    with pytest.raises(DataError, match="'valid' for a row; it must be 'train' or 'test'"):
        given_split(np.array(["train", "valid"]))


@settings(deadline=None)
@given(pu_rows(), st.integers(2, 8), seeds)
def test_folds_keep_copies_together_and_contain_both_kinds_or_are_refused(
    data: tuple[NDArray[np.uint8], NDArray[np.int64]], k: int, seed: int
) -> None:
    s, rows = data
    distinct = [np.unique(rows[s == label]).size for label in (1, 0)]
    if min(distinct) < k:
        with pytest.raises(DataError, match=rf"{k} folds need .*use fewer folds"):
            folds(s, rows, k, np.random.default_rng(seed))
        return
    fold = folds(s, rows, k, np.random.default_rng(seed))
    for row in np.unique(rows):
        assert np.unique(fold[rows == row]).size == 1
    for label in (1, 0):
        per_fold = np.bincount(fold[s == label], minlength=k)
        most_copies = np.unique(rows[s == label], return_counts=True)[1].max()
        assert per_fold.min() >= 1
        assert per_fold.max() - per_fold.min() <= most_copies


@settings(deadline=None)
@given(seeds, st.integers(2, 6))
def test_folds_are_sound_if_only_some_labelled_rows_are_in_u(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    p, u = rng.choice(30, size=15, replace=False), rng.choice(30, size=k, replace=False)
    s = np.repeat(np.array([1, 0], dtype=np.uint8), [15, k])
    fold = folds(s, np.concatenate([p, u]), k, rng)
    assert set(fold[s == 1]) == set(fold[s == 0]) == set(range(k))


def test_every_row_is_in_every_fold_equally_often() -> None:
    s = np.repeat(np.array([1, 0], dtype=np.uint8), [8, 16])
    rows = np.concatenate([np.arange(8), np.arange(16)])
    seen = np.zeros((24, 4))
    for seed in range(2000):
        seen[np.arange(24), folds(s, rows, 4, np.random.default_rng(seed))] += 1
    assert np.abs(seen / 2000 - 0.25).max() < 5 * np.sqrt(0.19 / 2000)


def test_folds_do_not_depend_on_the_size_of_ids() -> None:
    s = np.repeat(np.array([1, 0], dtype=np.uint8), [20, 50])
    rows = np.concatenate([np.arange(20), np.arange(50)])
    small = folds(s, rows, 4, np.random.default_rng(3))
    for shift in (-7, 10**15):
        np.testing.assert_array_equal(small, folds(s, rows + shift, 4, np.random.default_rng(3)))


@settings(deadline=None)
@given(pu_rows(), shares, seeds)
def test_validation_share_groups_stratifies_and_leaves_both_kinds_on_both_sides(
    data: tuple[NDArray[np.uint8], NDArray[np.int64]], share: float, seed: int
) -> None:
    s, rows = data
    assume(min(np.unique(rows[s == label]).size for label in (1, 0)) >= 2)
    mask = validation_share(s, rows, share, np.random.default_rng(seed))
    assert not set(rows[mask]) & set(rows[~mask])
    for label in (1, 0):
        assert 0 < np.count_nonzero(mask & (s == label)) < np.count_nonzero(s == label)
    p_rows = np.unique(rows[s == 1])
    validating = np.isin(p_rows, rows[mask]).sum()
    assert abs(validating - share * p_rows.size) <= 0.5 or validating in (1, p_rows.size - 1)


def test_lee_and_liu_shares() -> None:
    y = classes(300, 700)
    train, test = train_test(y, 0.3, np.random.default_rng(0))
    s = y[train]
    mask = validation_share(s, train, 2 / 7, np.random.default_rng(1))
    assert [(~mask).sum(), mask.sum(), test.size] == [500, 200, 300]


def test_too_few_rows_for_validation() -> None:
    s = np.array([1, 1, 0, 0, 0], dtype=np.uint8)
    with pytest.raises(DataError, match="needs at least 2 distinct labelled rows"):
        validation_share(s, np.array([7, 7, 1, 2, 3]), 0.3, np.random.default_rng(0))


def test_splitting_is_fast() -> None:
    rng = np.random.default_rng(0)
    y = classes(200, 300)
    rows = np.arange(500)

    def best_of(repeats: int) -> float:
        times = []
        for _ in range(repeats):
            start = time.process_time()
            train_test(y, 0.3, rng)
            folds(y, rows, 4, rng)
            times.append(time.process_time() - start)
        return min(times)

    # Some 100 microseconds for the two on a quiet machine; scikit-learn's splitters take over a thousand.
    assert best_of(200) < 1e-3
