"""Samples of positives of a fixed size: with given propensities, or in proportion to weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pubench.data.labelling.mechanisms.solving import AT_MOST, race, solve

__all__ = ["Draw", "systematic_draw", "weighted_draw"]

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """The labelled rows, shape (count,), as positions in random order, and the propensity of every row, shape (n,).

    If positives are drawn with replacement, propensities are known up to a factor; the largest positive has 1.
    """

    labelled: Rows
    propensity: Floats


def systematic_draw(propensity: Floats, y: NDArray[np.uint8], count: int, rng: np.random.Generator) -> Draw:
    """Label ``count`` positives so that each is labelled with exactly its propensity.

    This is systematic sampling of the positives in random order (Madow, 1949): their propensities, which add up to
    ``count``, are laid end to end, and the rows at u, u + 1, u + 2, ... are taken. With as many labels as positives
    all are labelled; with more, each label is an independent draw in proportion to the propensities.
    """
    candidates = rng.permutation(np.flatnonzero(y))
    if count == candidates.size:
        return Draw(candidates, np.ones_like(propensity))
    if count > candidates.size:
        return _with_replacement(np.flatnonzero(y), propensity, y, count, rng)
    ends = np.cumsum(np.minimum(propensity[candidates], AT_MOST))
    points = (rng.random() + np.arange(count)) * (ends[-1] / count)
    picks = np.minimum(np.searchsorted(ends, points, side="right"), candidates.size - 1)
    return Draw(rng.permutation(candidates[picks]), propensity)


def weighted_draw(log_weight: Floats, y: NDArray[np.uint8], count: int, rng: np.random.Generator) -> Draw:
    r"""Draw ``count`` positives one after another, each in proportion to its weight among those left.

    The propensities are those of exponential clocks, :math:`1 - e^{-t w}`, stopped at the t at which ``count`` of them
    are expected to have rung. A draw of a fixed size has these to the order of 1 / count.
    """
    candidates = np.flatnonzero(y)
    own = log_weight[candidates]
    if count > candidates.size:
        return _with_replacement(candidates, np.exp(log_weight - own.max()), y, count, rng)
    # The largest sums of log weight and Gumbel noise are an exact weighted sample without replacement.
    keys = own + rng.gumbel(size=candidates.size)
    labelled = rng.permutation(candidates[np.argsort(-keys, kind="stable")[:count]])
    if count == candidates.size:
        return Draw(labelled, np.ones_like(log_weight))
    return Draw(labelled, solve(race, log_weight, y, count / candidates.size))


def _with_replacement(
    candidates: Rows, weight: Floats, y: NDArray[np.uint8], count: int, rng: np.random.Generator
) -> Draw:
    largest = weight[y == 1].max()
    cumulative = np.cumsum(weight[candidates] / largest)
    picks = np.searchsorted(cumulative, rng.random(count) * cumulative[-1], side="right")
    return Draw(candidates[np.minimum(picks, candidates.size - 1)], np.minimum(weight / largest, 1.0))
