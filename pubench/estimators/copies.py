"""Rows of U that are copies of labelled rows: a model that saw one has seen the other."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pubench.estimators.rows import Labels, Rows

__all__ = ["few_distinct", "units_of_copies"]

_DIGEST = 16
_WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_ROWS = 4096
Numbers = NDArray[np.int64]


def few_distinct(labelled: Rows) -> str:
    """Say how many labelled rows, shape (n, d), differ from each other if fewer than half do; empty otherwise."""
    n = labelled.shape[0]
    distinct = int(_identities(labelled).max()) + 1 if n else 0
    if 2 * distinct >= n:
        return ""
    return f"only {distinct} of {n} labelled rows {'is' if distinct == 1 else 'are'} distinct, the others are copies"


def units_of_copies(X: Rows, s: Labels) -> tuple[Numbers, int]:
    """Return a common number for each labelled row and its copy in U, so that both can go into the same fold.

    In case-control data P may have been drawn from rows that are also in U. A model that knows such a row as labelled
    knows its copy, which is not a new row. One copy in U goes with each labelled row; further equal rows are rows of
    their own, as in data with few values.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    s : ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled.

    Returns
    -------
    units : ndarray of shape (n,)
        The same number for a labelled row and its copy; -1 for unlabelled rows that are not a copy.
    n_units : int
    """
    row, which = _identities(X), s == 1
    turn = np.empty(len(s), dtype=np.int64)
    for kind in (which, ~which):
        turn[kind] = _occurrence(row[kind])
    n_rows = int(row.max()) + 1
    in_u, in_p = (np.bincount(row[kind], minlength=n_rows)[row] for kind in (~which, which))
    # P drawn with replacement may hold more copies than U: they all go with the first.
    turn[which & (in_u > 0) & (turn >= in_u)] = 0
    tied = which | (turn < in_p)
    units = np.full(len(s), -1, dtype=np.int64)
    _, first, found = np.unique(row[tied] * (len(s) + 1) + turn[tied], return_index=True, return_inverse=True)
    # Numbered as they come, not by their bits: rows rounded to single precision are dealt alike.
    units[tied] = np.argsort(np.argsort(first))[found.ravel()]
    return units, len(first)


def _occurrence(values: Numbers) -> Numbers:
    """Return how often each value stood before: 0 at first, then 1, ..."""
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    starts = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])
    lengths = np.diff(np.r_[starts, len(values)])
    turn = np.empty(len(values), dtype=np.int64)
    turn[order] = np.arange(len(values)) - np.repeat(starts, lengths)
    return turn


def _identities(X: Rows) -> Numbers:
    """Return a number for each row, shape (n,), the same for equal rows; which number it is has no meaning."""
    if not isinstance(X, np.ndarray):
        # A sparse row's product is summed in its own order: equal rows have equal bits, others do by a fluke only.
        X.sum_duplicates()
        return _numbered(X @ np.random.default_rng(0).standard_normal(X.shape[1]))[1]
    rows = np.ascontiguousarray(X)
    if rows.dtype.itemsize in _WORDS:
        bits = rows.view(_WORDS[rows.dtype.itemsize])
        first, numbers = _numbered(_mixed(bits))
        if all((bits[part] == bits[first[numbers[part]]]).all() for part in _parts(len(bits))):
            return numbers
    # Digests, since sorting wide rows takes five times as long.
    digests = (blake2b(row, digest_size=_DIGEST).digest() for row in rows)
    return _numbered(np.frombuffer(b"".join(digests), dtype=f"V{_DIGEST}"))[1]


def _numbered(keys: NDArray[Any]) -> tuple[Numbers, Numbers]:
    """Return where each distinct key stands first, and the number of each key among the distinct ones."""
    _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
    return first, numbers.ravel()


def _mixed(bits: NDArray[Any]) -> NDArray[np.uint64]:
    """Return 64 bits of each row, shape (n,), in which rows that differ agree by a fluke only."""
    result = np.zeros(len(bits), dtype=np.uint64)
    for part in _parts(len(bits)):
        mixed = result[part]
        for column in bits[part].T:
            mixed ^= column
            mixed *= _FACTOR
            mixed ^= mixed >> np.uint64(29)
    return result


def _parts(n: int) -> list[slice]:
    """Return the rows some at a time, so that what lies between them fits the processor's cache."""
    return [slice(start, start + _ROWS) for start in range(0, n, _ROWS)]
