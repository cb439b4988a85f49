"""The rows that methods draw batches from: P, and what stands for the population."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pubench_risk.matrices import is_sparse
from scipy import sparse

from pubench.specs import Scenario

__all__ = ["Sample", "cycled", "stacked"]

Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Scaled rows, and which of them are labelled.

    Attributes
    ----------
    X : array or CSR matrix of shape (n, d)
    s : uint8 array of shape (n,)
    scenario : {"case-control", "single-training-set"}
    """

    X: Any
    s: NDArray[np.uint8]
    scenario: Scenario

    def against_population(self) -> Self:
        """Return a case-control sample: P, and U or, in a single training set, P and U together.

        Every mean over unlabelled rows of a case-control sample is a mean over the population.
        """
        if self.scenario == "case-control":
            return self
        X = stacked([self.X[self.s == 1], self.X])
        s = np.repeat(np.array([1, 0], np.uint8), [int(self.s.sum()), len(self.s)])
        return type(self)(X, s, "case-control")

    def split(self, held: NDArray[np.bool_]) -> tuple[Self, Self]:
        """Return the rows to learn from, and those that are held out."""
        kept = ~held
        return (
            type(self)(self.X[kept], self.s[kept], self.scenario),
            type(self)(self.X[held], self.s[held], self.scenario),
        )

    def share_of_positives(self, prior: float) -> float:
        """Return the share of positives among unlabelled rows, within [0, 1]."""
        if self.scenario == "case-control":
            return prior
        n, n_p = len(self.s), int(self.s.sum())
        return min(1.0, max(0.0, (prior * n - n_p) / (n - n_p)))

    def prior_of_share(self, share: float) -> float:
        """Return the prior that a share of positives among unlabelled rows means."""
        if self.scenario == "case-control":
            return share
        n, n_p = len(self.s), int(self.s.sum())
        return (share * (n - n_p) + n_p) / n


def stacked(parts: list[Any]) -> Any:
    """Return the rows of all parts, one below the other; sparse if they are."""
    return sparse.vstack(parts, format="csr") if is_sparse(parts[0]) else np.concatenate(parts)


def cycled(P: Rows, N: Rows, size: int, rng: np.random.Generator) -> Iterator[tuple[Rows, int]]:
    """Yield the batches of an epoch over N, half of each from P, which comes again as often as needed.

    Parameters
    ----------
    P, N : arrays of row numbers
    size : int
        The number of rows in a batch.
    rng : Generator
    """
    half = max(1, size // 2)
    count = max(1, -(-len(N) // half))
    order, again = rng.permutation(N), -(-max(len(N), count) // len(P))
    again_p = np.concatenate([rng.permutation(P) for _ in range(again)])[: max(len(N), count)]
    for some_p, some_n in zip(np.array_split(again_p, count), np.array_split(order, count), strict=True):
        yield np.concatenate([some_p, some_n]), len(some_p)
