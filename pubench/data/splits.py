"""Training, validation and test rows of a cell: stratified, shuffled, with copies of a row in the same part."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pubench.data.values import Array
from pubench.errors import DataError, be

__all__ = ["folds", "given_split", "held_out", "rounded", "train_test", "validation_share"]

Rows = NDArray[np.int64]


def rounded(value: float) -> int:
    """Return the nearest whole number, halves rounded up; Python's ``round`` rounds 0.5 and 2.5 down."""
    return math.floor(value + 0.5)


def held_out(n: int, share: float) -> int:
    """Return how many of a class's n rows are test rows: the share, rounded, leaving at least one training row."""
    return max(0, min(rounded(share * n), n - 1))


def train_test(
    y: NDArray[np.uint8], share: float, rng: np.random.Generator, *, pool: NDArray[np.bool_] | None = None
) -> tuple[Rows, Rows]:
    """Split rows at random, stratified on y; the counts of each part depend only on the class sizes.

    Parameters
    ----------
    y : uint8 array of shape (n,)
        True classes, 1 = positive.
    share : float in (0, 1)
        The share of test rows in each class; see :func:`held_out`.
    rng : Generator
        The number of draws does not depend on the pool, so that a smaller pool keeps most of a larger one's split.
    pool : bool array of shape (n,), optional
        The rows to split; default: all.

    Returns
    -------
    train, test : int arrays
        Positions in y, in random order, which is independent of y.
    """
    order = rng.permutation(y.size)
    if pool is not None:
        order = order[pool[order]]
    is_positive = y[order] == 1
    classes = (order[is_positive], order[~is_positive])
    cuts = [held_out(rows.size, share) for rows in classes]
    test = np.concatenate([rows[:cut] for rows, cut in zip(classes, cuts, strict=True)])
    train = np.concatenate([rows[cut:] for rows, cut in zip(classes, cuts, strict=True)])
    return rng.permutation(train), rng.permutation(test)


def given_split(split: Array) -> tuple[Rows, Rows]:
    """Return the train and test positions, in ascending order, of an array of ``"train"`` and ``"test"``."""
    split = np.asarray(split)
    is_train, is_test = split == "train", split == "test"
    invalid = split[~(is_train | is_test)]
    if invalid.size:
        raise DataError(
            f"the data set's split is {str(invalid[0])!r} for a row; it must be 'train' or 'test'"
        )
    return np.flatnonzero(is_train), np.flatnonzero(is_test)


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """The distinct row ids, g of them, each in random order within its kind.

    ``member`` (n,) is the group of each row; ``labelled`` holds the groups with at least one P row, those
    that also hold a U row first; ``unlabelled`` the groups of U rows only; ``u_count`` (g,) counts U rows.
    """

    member: Rows
    labelled: Rows
    unlabelled: Rows
    u_count: Rows


def _members(rows: Rows) -> Rows:
    """Return the rank 0..g-1 of each row's id among the g distinct ids."""
    if rows.min() >= 0 and rows.max() < 16 * rows.size:
        # Ids are mostly positions in a data set: counting beats sorting, and the ranks are the same.
        present = np.zeros(int(rows.max()) + 1, dtype=np.int64)
        present[rows] = 1
        return (present.cumsum() - 1)[rows]
    return np.unique(rows, return_inverse=True)[1]


def _grouped(s: NDArray[np.uint8], rows: Rows, rng: np.random.Generator) -> _Groups:
    member = _members(rows)
    p_count = np.bincount(member, weights=s).astype(np.int64)
    u_count = np.bincount(member) - p_count
    order = rng.permutation(p_count.size)
    has_p = p_count[order] > 0
    labelled = order[has_p]
    # Rows drawn often come first, so that assigning them in turn balances the folds' numbers of P rows.
    ranked = np.lexsort((-p_count[labelled], u_count[labelled] == 0))
    return _Groups(member, labelled[ranked], order[~has_p], u_count)


def folds(s: NDArray[np.uint8], rows: Rows, k: int, rng: np.random.Generator) -> Rows:
    """Return the fold 0..k-1 of each training row, stratified on s, all copies of a row in one fold.

    In case-control data a row may be in both P and U, and in P more than once. If its copies were in two folds,
    validation rows would also be training rows.

    Parameters
    ----------
    s : uint8 array of shape (n,)
    rows : int array of shape (n,)
        The identity of each row.
    k : int
    rng : Generator

    Returns
    -------
    int array of shape (n,)
        Each fold holds at least one P and one U row.

    Raises
    ------
    DataError
        If there are fewer than k distinct P or U rows.
    """
    groups = _grouped(s, rows, rng)
    fold = np.empty(groups.u_count.size, dtype=np.int64)
    fold[groups.labelled] = np.arange(groups.labelled.size) % k
    u_rows = np.bincount(fold[groups.labelled], weights=groups.u_count[groups.labelled], minlength=k)
    # Starting with the folds that have the fewest U rows balances them, and leaves none empty.
    turn = np.argsort(u_rows, kind="stable")
    fold[groups.unlabelled] = turn[np.arange(groups.unlabelled.size) % k]
    distinct_u = int(np.count_nonzero(groups.u_count))
    for kind, distinct in (("labelled", groups.labelled.size), ("unlabelled", distinct_u)):
        if distinct < k:
            raise DataError(
                f"{k} folds need at least {k} distinct {kind} rows, but there {be(distinct)} only {distinct}; "
                "use fewer folds"
            )
    return fold[groups.member]


def validation_share(
    s: NDArray[np.uint8], rows: Rows, share: float, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Return a mask of the validation rows: a fixed share of the training rows, stratified and grouped as in `folds`.

    Lee and Liu (2003), section 5, train on 50 %, validate on 20 % and test on 30 % of the rows: a test share of 0.3
    and a validation share of 2/7 of the training rows.

    Parameters
    ----------
    s : uint8 array of shape (n,)
    rows : int array of shape (n,)
    share : float in (0, 1)
        The share of the distinct labelled rows and of the unlabelled ones; each part has at least one of each kind.
    rng : Generator

    Returns
    -------
    bool array of shape (n,)

    Raises
    ------
    DataError
        If P or U would be missing in one part.
    """
    groups = _grouped(s, rows, rng)
    chosen = np.zeros(groups.u_count.size, dtype=bool)
    for kind in (rng.permutation(groups.labelled), groups.unlabelled):
        chosen[kind[: min(max(rounded(share * kind.size), 1), kind.size - 1)]] = True
    mask = chosen[groups.member]
    for name, label in (("labelled", 1), ("unlabelled", 0)):
        n_validation = np.count_nonzero(mask & (s == label))
        if not 0 < n_validation < np.count_nonzero(s == label):
            raise DataError(
                f"a validation share of {share:g} needs at least 2 distinct {name} rows; use more rows"
            )
    return mask
