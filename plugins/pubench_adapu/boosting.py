"""The rounds of Ada-PU: choose a stump, weigh its vote, reweight the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.risk import SignedWeights
from pubench_adapu._stumps import best_stump, reweight, running_sums, snap
from pubench_adapu.binning import MOST_BINS, Bins

__all__ = ["MOST_GROWTH", "STUMP", "Settings", "Stopped", "Thresholds", "boost"]

Thresholds = Literal["all"] | int
Stopped = Literal["n_estimators", "no stump", "perfect stump", "guard", "cancellation"]

STUMP = np.dtype(
    [
        ("feature", np.intp),
        ("threshold", np.float64),
        ("polarity", np.int8),
        ("alpha", np.float64),
        ("error", np.float64),
    ]
)
# What rounding may do to a sum of weights, relative to the masses in it.
_ROUNDING = 1e-12
# Beyond, the masses of U and P- cancel so far that rounding decides which stump is best.
MOST_GROWTH = 1e6


@dataclass(frozen=True, slots=True)
class Settings:
    """How to boost; the fields are parameters of the estimator."""

    n_estimators: int
    beta: float
    thresholds: Thresholds
    guard: float | None


class _Found(NamedTuple):
    """A stump on bins, and its error under the current weights."""

    feature: int
    cut: int
    polarity: int
    error: float


@dataclass(slots=True)
class _Rows:
    """The three distributions (Eq. 7 and 13), labelled rows first; all weights add up to 1.

    ``masses`` are the sums of the weights of P as positives, of P as negatives (usually below 0), and of U.
    """

    positive: NDArray[np.float64]
    negative: NDArray[np.float64]
    masses: tuple[float, float, float]

    @classmethod
    def start(cls, weights: SignedWeights, n_labelled: int, n: int) -> _Rows:
        """Return the weights before the first round."""
        negative = np.full(n, weights.negative_U)
        negative[:n_labelled] = weights.negative_P
        of_labelled = n_labelled * weights.positive_P, n_labelled * weights.negative_P
        masses = (*of_labelled, (n - n_labelled) * weights.negative_U)
        return cls(np.full(n_labelled, weights.positive_P), negative, masses)

    @property
    def inflation(self) -> float:
        """U mass / N mass, N being what is left of U when P as negatives is taken away."""
        _, labelled, unlabelled = self.masses
        left = labelled + unlabelled
        return unlabelled / left if left > 0.0 else math.inf

    @property
    def rounding(self) -> float:
        """How far rounding may move a sum of these weights."""
        _, labelled, unlabelled = self.masses
        return _ROUNDING * (unlabelled + abs(labelled))

    def update(self, codes: NDArray[np.uint8], stump: _Found, alpha: float) -> None:
        """Multiply each weight by exp(-alpha y h(x)) (Eq. 13), and divide by what the sum then is."""
        total = (1.0 - stump.error) * math.exp(-alpha) + stump.error * math.exp(alpha)
        up, down = math.exp(stump.polarity * alpha) / total, math.exp(-stump.polarity * alpha) / total
        self.masses = reweight(codes[stump.feature], stump.cut, up, down, self.positive, self.negative)


class _Search:
    """Algorithm 1: the best stump under the current weights."""

    def __init__(self, bins: Bins, thresholds: Thresholds, rng: np.random.RandomState) -> None:
        d = len(bins.counts)
        self._bins, self._rng = bins, rng
        self._positive, self._negative = np.empty((2, d, MOST_BINS))
        self._all = np.empty((d, 0), dtype=np.int32)
        self._drawn = np.empty((d, 0 if thresholds == "all" else thresholds), dtype=np.int32)

    def best(self, rows: _Rows) -> _Found | None:
        """Return the stump of least error, which by Eq. 14 and 15 is that of largest E; None if none qualifies.

        All cuts are tried where those drawn do not qualify.
        """
        running_sums(self._bins.codes, rows.positive, self._positive)
        running_sums(self._bins.codes, rows.negative, self._negative)
        found = self._best_of(self._draw(), rows) if self._drawn.size else None
        return self._best_of(self._all, rows) if found is None else found

    def _draw(self) -> NDArray[np.int32]:
        draws = self._rng.uniform(size=self._drawn.shape)
        snap(draws, self._bins.uppers, self._bins.lowest, self._bins.counts, self._drawn)
        return self._drawn

    def _best_of(self, cuts: NDArray[np.int32], rows: _Rows) -> _Found | None:
        positive, labelled, unlabelled = rows.masses
        masses = positive, labelled + unlabelled
        sums = self._positive, self._negative
        found = _Found(*best_stump(*sums, self._bins.counts, cuts, *masses, rows.rounding))
        # Rounding, within its tolerance, may leave an error a little below 0.
        return found._replace(error=max(found.error, 0.0)) if found.feature >= 0 else None


def boost(
    bins: Bins, weights: SignedWeights, n_labelled: int, settings: Settings, rng: np.random.RandomState
) -> tuple[NDArray[np.void], Stopped]:
    """Run Algorithm 2, with beta inside the update of the weights.

    Parameters
    ----------
    bins : Bins
        Labelled rows first.
    weights : SignedWeights
    n_labelled : int
    settings : Settings
    rng : RandomState
        Used only where thresholds are drawn.

    Returns
    -------
    stumps : structured array of shape (T,), of dtype STUMP
    stopped : str
        Why there are no more of them.
    """
    n = bins.codes.shape[1]
    rows, search = _Rows.start(weights, n_labelled, n), _Search(bins, settings.thresholds, rng)
    limit = rows.inflation * (MOST_GROWTH if settings.guard is None else settings.guard)
    stumps: list[tuple[int, float, int, float, float]] = []
    while len(stumps) < settings.n_estimators:
        found = search.best(rows)
        if found is None:
            return _table(stumps), "no stump"
        # An error below half a row's share counts as that: the vote of a perfect stump is finite.
        error = max(found.error, 0.5 / n)
        alpha = settings.beta * 0.5 * math.log((1.0 - error) / error)
        threshold = float(bins.cuts[found.feature, found.cut])
        stump = found.feature, threshold, found.polarity, alpha, found.error
        if found.error <= rows.rounding:
            return _table([*stumps, stump]), "perfect stump"
        rows.update(bins.codes, found, alpha)
        if rows.inflation > limit:
            # The stump that goes too far is dropped; a lone one is better than none.
            return _table(stumps or [stump]), "cancellation" if settings.guard is None else "guard"
        stumps.append(stump)
    return _table(stumps), "n_estimators"


def _table(stumps: list[tuple[int, float, int, float, float]]) -> NDArray[np.void]:
    return np.array(stumps, dtype=STUMP)
