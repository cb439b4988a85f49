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

__all__ = ["MOST_GROWTH", "STUMP", "Normalize", "Settings", "Stopped", "Thresholds", "boost"]

Normalize = Literal["sets", "signed"]
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
Masses = tuple[float, float, float]
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
    normalize: Normalize


class _Found(NamedTuple):
    """A stump on bins, and its error under the current weights."""

    feature: int
    cut: int
    polarity: int
    error: float


@dataclass(slots=True)
class _Rows:
    """The three distributions (Eq. 7 and 13), labelled rows first.

    ``masses`` are the sums of the weights of P as positives, of P as negatives (usually below 0), and of U. They add
    up to 1: all weights are divided by their sum (``"signed"``), or each set keeps its first mass (``"sets"``).
    ``growths`` are what the second divided each set by, up to a common factor.
    """

    positive: NDArray[np.float64]
    negative: NDArray[np.float64]
    masses: Masses
    normalize: Normalize
    growths: Masses = (1.0, 1.0, 1.0)

    @classmethod
    def start(cls, weights: SignedWeights, n_labelled: int, n: int, normalize: Normalize) -> _Rows:
        """Return the weights before the first round."""
        negative = np.full(n, weights.negative_U)
        negative[:n_labelled] = weights.negative_P
        of_labelled = n_labelled * weights.positive_P, n_labelled * weights.negative_P
        masses = (*of_labelled, (n - n_labelled) * weights.negative_U)
        return cls(np.full(n_labelled, weights.positive_P), negative, masses, normalize)

    @property
    def inflation(self) -> float:
        """U mass / N mass, N being what is left of U when P as negatives is taken away."""
        _, labelled, unlabelled = (
            mass * growth for mass, growth in zip(self.masses, self.growths, strict=True)
        )
        left = labelled + unlabelled
        return unlabelled / left if left > 0.0 else math.inf

    @property
    def rounding(self) -> float:
        """How far rounding may move a sum of these weights."""
        _, labelled, unlabelled = self.masses
        return _ROUNDING * (unlabelled + abs(labelled))

    def update(self, codes: NDArray[np.uint8], stump: _Found, alpha: float) -> None:
        """Multiply each weight by exp(-alpha y h(x)) (Eq. 13), and normalise."""
        total = (1.0 - stump.error) * math.exp(-alpha) + stump.error * math.exp(alpha)
        up, down = math.exp(stump.polarity * alpha) / total, math.exp(-stump.polarity * alpha) / total
        masses = reweight(codes[stump.feature], stump.cut, up, down, self.positive, self.negative)
        if self.normalize == "signed":
            self.masses = masses
        else:
            self._divide_sets(masses)

    def _divide_sets(self, masses: Masses) -> None:
        """Give each set its first mass again, and keep what it was divided by."""
        n_labelled = len(self.positive)
        sets = self.positive, self.negative[:n_labelled], self.negative[n_labelled:]
        growths = []
        for weights, mass, first, growth in zip(sets, masses, self.masses, self.growths, strict=True):
            # A set without mass, as P as negatives where all positives are labelled, has nothing to divide.
            grown = mass / first if first else 1.0
            np.divide(weights, grown, out=weights)
            growths.append(growth * grown)
        largest = max(growths)
        self.growths = growths[0] / largest, growths[1] / largest, growths[2] / largest


class _Search:
    """Algorithm 1: the best stump under the current weights."""

    def __init__(self, bins: Bins, settings: Settings, rng: np.random.RandomState) -> None:
        d = len(bins.counts)
        self._bins, self._rng = bins, rng
        self._positive, self._negative = np.empty((2, d, MOST_BINS))
        self._labelled = np.empty((d, MOST_BINS if settings.normalize == "sets" else 0))
        self._all = np.empty((d, 0), dtype=np.int32)
        self._drawn = np.empty(
            (d, 0 if settings.thresholds == "all" else settings.thresholds), dtype=np.int32
        )

    def best(self, rows: _Rows) -> _Found | None:
        """Return the stump of largest E (Eq. 14), with its error (Eq. 15); None if none qualifies.

        All cuts are tried where those drawn do not qualify.
        """
        running_sums(self._bins.codes, rows.positive, self._positive)
        running_sums(self._bins.codes, rows.negative, self._negative)
        if self._labelled.size:
            running_sums(self._bins.codes, rows.negative[: len(rows.positive)], self._labelled)
        found = self._best_of(self._draw(), rows) if self._drawn.size else None
        return self._best_of(self._all, rows) if found is None else found

    def _draw(self) -> NDArray[np.int32]:
        draws = self._rng.uniform(size=self._drawn.shape)
        snap(draws, self._bins.uppers, self._bins.lowest, self._bins.counts, self._drawn)
        return self._drawn

    def _best_of(self, cuts: NDArray[np.int32], rows: _Rows) -> _Found | None:
        sums = self._positive, self._labelled, self._negative
        found = _Found(*best_stump(*sums, self._bins.counts, cuts, rows.masses, rows.growths, rows.rounding))
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
    rows = _Rows.start(weights, n_labelled, n, settings.normalize)
    search = _Search(bins, settings, rng)
    limit = rows.inflation * _most_growth(settings)
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


def _most_growth(settings: Settings) -> float:
    if settings.guard is not None:
        return settings.guard
    # Sets that are normalised separately do not cancel.
    return MOST_GROWTH if settings.normalize == "signed" else math.inf


def _table(stumps: list[tuple[int, float, int, float, float]]) -> NDArray[np.void]:
    return np.array(stumps, dtype=STUMP)
