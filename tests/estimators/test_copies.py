"""Laws of copies: which rows are equal, bit by bit, whatever their type."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import pytest

from pubench.estimators import copies
from pubench.estimators.copies import few_distinct, units_of_copies

TYPES = (np.float64, np.float32, np.int64, np.int8, np.bool_, np.longdouble)


def rows(kind: type) -> np.ndarray:
    """Return 400 rows of few values: many are equal, and many differ in one bit or in order alone."""
    return np.random.default_rng(0).integers(0, 3, (400, 4)).astype(kind)


def units_by_digests(X: np.ndarray, s: np.ndarray) -> list[int]:
    """Return the units: labelled rows numbered as they come with, for each, one equal row of U."""
    keys = [blake2b(row.tobytes()).digest() for row in X]
    waiting: dict[bytes, list[int]] = {}
    for row in np.flatnonzero(s == 0):
        waiting.setdefault(keys[row], []).append(int(row))
    partners = {key: list(found) for key, found in waiting.items()}
    groups: list[list[int]] = []
    first: dict[bytes, int] = {}
    for row in np.flatnonzero(s == 1):
        key = keys[row]
        if partners.get(key):
            first.setdefault(key, len(groups))
            groups.append([int(row), partners[key].pop(0)])
        elif key in first:
            groups[first[key]].append(int(row))
        else:
            groups.append([int(row)])
    units = np.full(len(s), -1)
    for number, group in enumerate(sorted(groups, key=min)):
        units[group] = number
    return units.tolist()


@pytest.mark.parametrize("kind", TYPES)
def test_each_labelled_row_goes_with_one_copy_in_u(kind: type) -> None:
    X = rows(kind)
    s = (np.random.default_rng(1).random(len(X)) < 0.4).astype(int)
    units, n_units = units_of_copies(X, s)
    assert units.tolist() == units_by_digests(X, s)
    assert n_units == units.max() + 1


def test_rows_are_equal_by_their_bits() -> None:
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, 1.0], [np.nan, 1.0], [np.nan, 1.0], [1.0, 0.0]])
    numbers = copies._identities(X)
    assert [numbers[0] == numbers[row] for row in range(6)] == [True, False, True, False, False, False]
    assert numbers[3] == numbers[4]
    assert few_distinct(X[[0, 2, 2, 0, 0]]) == "only 1 of 5 labelled rows is distinct, the others are copies"


def test_rows_that_agree_by_a_fluke_are_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    X = rows(np.float64)
    usual = copies._identities(X)
    monkeypatch.setattr(copies, "_mixed", lambda bits: np.zeros(len(bits), dtype=np.uint64))
    pairs = np.unique(np.column_stack([usual, copies._identities(X)]), axis=0)
    assert len(pairs) == len(np.unique(usual)) == len(np.unique(pairs[:, 1]))
