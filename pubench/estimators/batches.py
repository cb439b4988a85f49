"""Minibatches for learners of P and U: every batch holds rows of both."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pubench.estimators.rows import Labels

__all__ = ["mixed_batches"]


def mixed_batches(s: Labels, size: int, rng: np.random.Generator) -> Iterator[tuple[NDArray[np.intp], int]]:
    """Yield the batches of an epoch: rows, the labelled ones first, and how many of these there are.

    Every unlabelled and every labelled row is in a batch, and each batch holds some of both in the same proportion;
    if there are fewer labelled rows than batches, they come again.

    Parameters
    ----------
    s : uint8 array of shape (n,)
        1 = labelled positive, 0 = unlabelled; at least one of each.
    size : int
        The number of rows in a batch, about.
    rng : Generator
        Shuffles P and U, each by itself.
    """
    labelled, unlabelled = np.flatnonzero(s == 1), np.flatnonzero(s == 0)
    count = min(max(1, math.ceil(len(s) / size)), len(unlabelled))
    times = math.ceil(count / len(labelled))
    P = np.concatenate([rng.permutation(labelled) for _ in range(times)])[: max(count, len(labelled))]
    U = rng.permutation(unlabelled)
    for some_p, some_u in zip(np.array_split(P, count), np.array_split(U, count), strict=True):
        yield np.concatenate([some_p, some_u]), len(some_p)
