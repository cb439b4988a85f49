"""Confidence intervals of a mean by resampling, for pairs of algorithms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["mean_interval"]

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
    from scipy.stats import bootstrap

    if values.size < 2:
        return np.nan, np.nan
    if np.ptp(values) == 0:
        # Every resample is the sample, and the acceleration would be 0 / 0.
        return float(values[0]), float(values[0])
    found = bootstrap(
        (values,),
        np.mean,
        confidence_level=confidence,
        n_resamples=resamples,
        method="BCa",
        random_state=np.random.default_rng(seed),
    ).confidence_interval
    return float(found.low), float(found.high)
