"""Folds of spatial blocks: rows that lie near each other are validated together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pubench.errors import DataError

__all__ = ["spatial_folds"]

_BLOCKS_PER_FOLD = 10
_HALVINGS = 12

Numbers = NDArray[np.int64]


def spatial_folds(
    s: NDArray[np.uint8], places: NDArray[np.float64], k: int, rng: np.random.Generator
) -> Numbers:
    """Return the fold 0..k-1 of each training row: square blocks of the map, dealt so that folds have equally many P.

    The map is cut into about ten squares for each fold. If fewer than k of them hold labelled rows, or unlabelled ones,
    their side is halved until enough do. Squares with most labelled rows are dealt first, each to the fold that has the
    fewest; squares without any go to the fold with the fewest unlabelled rows.

    Parameters
    ----------
    s : uint8 array of shape (n,)
    places : float array of shape (n, 2)
        The coordinates of each row; equal places are in one fold.
    k : int
    rng : Generator

    Returns
    -------
    int array of shape (n,)
        Each fold holds at least one P and one U row.

    Raises
    ------
    DataError
        If the rows of P, or of U, lie at fewer than k places that a square can separate.
    """
    for halving in range(_HALVINGS):
        block = _blocks(places, _BLOCKS_PER_FOLD * k * 4**halving)
        fold = _dealt(s, block, k, rng)
        counts = np.zeros((2, k), dtype=np.int64)
        np.add.at(counts, (s.astype(np.intp), fold[block]), 1)
        if counts.all():
            return fold[block]
    raise DataError(
        f"{k} spatial folds need labelled and unlabelled rows at {k} places or more; use fewer folds"
    )


def _blocks(places: NDArray[np.float64], wanted: int) -> Numbers:
    """Return the number of the square of each row, shape (n,), where the whole map has about so many squares."""
    offset = places - places.min(axis=0)
    extent = offset.max(axis=0)
    # A map that is a line is cut along it.
    side = np.sqrt(extent.prod() / wanted) if extent.min() > 0 else extent.max() / wanted
    cells = np.floor(offset / side).astype(np.int64) if side > 0 else np.zeros(places.shape, dtype=np.int64)
    numbers: Numbers = np.unique(cells, axis=0, return_inverse=True)[1].reshape(-1)
    return numbers


def _dealt(s: NDArray[np.uint8], block: Numbers, k: int, rng: np.random.Generator) -> Numbers:
    """Return the fold of each block."""
    n_p = np.bincount(block, weights=s).astype(np.int64)
    n_u = np.bincount(block) - n_p
    order = rng.permutation(n_p.size)
    order = order[np.lexsort((-n_u[order], -n_p[order]))]
    fold = np.empty(n_p.size, dtype=np.int64)
    p_rows, u_rows = np.zeros(k, dtype=np.int64), np.zeros(k, dtype=np.int64)
    for one in order:
        # Labelled rows decide; unlabelled ones break ties.
        first, second = (p_rows, u_rows) if n_p[one] else (u_rows, p_rows)
        fold[one] = np.lexsort((second, first))[0]
        p_rows[fold[one]] += n_p[one]
        u_rows[fold[one]] += n_u[one]
    return fold
