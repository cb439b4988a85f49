"""Confidence intervals by resampling: of a mean difference, and of average ranks."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["mean_interval", "rank_intervals", "small_draws"]

Floats = NDArray[np.float64]


def mean_interval(
    values: Floats, confidence: float, resamples: int = 2000, seed: int = 0
) -> tuple[float, float]:
    """Bias-corrected and accelerated bootstrap interval of a mean (Efron, 1987).

    Parameters
    ----------
    values : array of shape (n,)
    confidence : float
        Such as 0.95.
    resamples : int
    seed : int
        Random seed; fixed, so that the interval depends on the values alone.

    Returns
    -------
    low, high : float
        NaN for fewer than two values.
    """
    if values.size < 2:
        return np.nan, np.nan
    if np.ptp(values) == 0:
        # Every resample is the sample, and the acceleration would be 0 / 0.
        return float(values[0]), float(values[0])
    means = values[_resamples(resamples, values.size, seed)].mean(axis=-1)
    low, high = _levels(values, means, (1 - confidence) / 2)
    if np.isnan(low):
        return np.nan, np.nan
    means.sort()
    return _quantile(means, low), _quantile(means, high)


def rank_intervals(
    ranks: Floats, confidence: float, resamples: int = 2000, seed: int = 0
) -> tuple[Floats, Floats]:
    """Percentile bootstrap intervals of average ranks: units are resampled, with all their ranks.

    Parameters
    ----------
    ranks : array of shape (n, k)
        The ranks of k algorithms within each of n units.
    confidence : float
        Such as 0.95.
    resamples : int
    seed : int
        Random seed; fixed, so that intervals depend on the ranks alone.

    Returns
    -------
    low, high : arrays of shape (k,)
    """
    n = len(ranks)
    # How often each unit is drawn: one matrix product instead of copies of the ranks.
    times = np.apply_along_axis(np.bincount, 1, small_draws(resamples, n, seed), minlength=n)
    # Sums of ranks are whole or half numbers, so they are exact in any order.
    means = np.sort(times @ ranks / n, axis=0)
    outside = (1 - confidence) / 2
    return _between(means, outside), _between(means, 1 - outside)


@lru_cache(maxsize=8)
def small_draws(resamples: int, size: int, seed: int) -> NDArray[np.int64]:
    """Return the places that are drawn for each resample, by a generator that a page can repeat exactly.

    It is mulberry32 (T. Ettinger, 2017; public domain): a counter of 32 bits, mixed by two multiplications.
    """
    state = (np.arange(1, resamples * size + 1, dtype=np.uint64) * 0x6D2B79F5 + seed).astype(np.uint32)
    mixed = (state ^ (state >> 15)) * (state | np.uint32(1))
    mixed ^= mixed + (mixed ^ (mixed >> 7)) * (mixed | np.uint32(61))
    drawn = (mixed ^ (mixed >> 14)).astype(np.int64) * size >> 32
    return np.asarray(drawn, dtype=np.int64).reshape(resamples, size)


def _between(ordered: Floats, level: float) -> Floats:
    """Interpolate between the two values of each column, in increasing order, that are next to a quantile."""
    place = level * (len(ordered) - 1)
    first = int(place)
    low, high = ordered[first], ordered[min(first + 1, len(ordered) - 1)]
    return np.asarray(low + (high - low) * (place - first), dtype=np.float64)


def _quantile(ordered: Floats, level: float) -> float:
    """Interpolate between two values in increasing order; the same to the bit as ``scipy.stats.quantile``."""
    place = level * ordered.size + (1 - level)
    after, share = divmod(place, 1)
    last = ordered.size - 1
    left, right = ordered[min(max(int(after) - 1, 0), last)], ordered[min(int(after), last)]
    return float((1 - share) * left + share * right)


@lru_cache(maxsize=8)
def _resamples(resamples: int, size: int, seed: int) -> NDArray[np.int64]:
    """Return the places that are drawn for each resample; values of the same number share them."""
    return np.random.default_rng(seed).integers(0, size, (resamples, size))


def _levels(values: Floats, means: Floats, alpha: float) -> tuple[float, float]:
    """Return which quantiles of the resampled means bound the interval, as in Efron and Tibshirani (1993), 14.3."""
    from scipy.special import ndtr, ndtri

    n, mean = values.size, values.mean()
    below = np.count_nonzero(means < mean) + np.count_nonzero(means <= mean)
    bias = ndtri(below / (2 * means.size))
    left_out = np.tile(values, n)[~np.eye(n, dtype=np.bool_).ravel()].reshape(n, n - 1).mean(axis=-1)
    influence = (n - 1) * (left_out.mean() - left_out)
    acceleration = 1 / 6 * ((influence**3).sum() / n**3) / ((influence**2).sum() / n**2) ** (3 / 2)
    ends = bias + np.array([1.0, -1.0]) * ndtri(alpha)
    low, high = ndtr(bias + ends / (1 - acceleration * ends))
    return float(low), float(high)
