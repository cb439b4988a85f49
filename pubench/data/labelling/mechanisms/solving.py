"""From scores to propensities: the shift of all scores at which the positives' mean propensity is the one asked for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["AT_MOST", "capped", "logistic", "race", "solve"]

AT_MOST = 1.0 - 1e-9
"""The largest propensity: a row that were labelled with certainty would say nothing about labelling."""
_AT_LEAST = 1e-9

Floats = NDArray[np.float64]


def logistic(score: Floats) -> Floats:
    r"""Return :math:`1 / (1 + e^{-t})`."""
    propensity: Floats = np.exp(-np.logaddexp(0.0, -score))
    return propensity


def capped(score: Floats) -> Floats:
    r"""Return :math:`\min(1, e^t)`: propensities in proportion to weights, as far as that is possible."""
    propensity: Floats = np.exp(np.minimum(score, 0.0))
    return propensity


def race(score: Floats) -> Floats:
    r"""Return :math:`1 - e^{-e^t}`, the probability that a clock of rate :math:`e^t` has rung at time 1."""
    propensity: Floats = -np.expm1(-np.exp(np.minimum(score, 700.0)))
    return propensity


def solve(link: Callable[[Floats], Floats], score: Floats, y: NDArray[np.uint8], frequency: float) -> Floats:
    """Return ``link(score + b)`` of all rows, b such that the mean over the positives is the frequency.

    Parameters
    ----------
    link : callable
        Increasing, elementwise, from the real line to (0, 1].
    score : array of shape (n,)
    y : uint8 array of shape (n,)
    frequency : float in (0, 1)

    Returns
    -------
    array of shape (n,)
        Clipped to [1e-9, 1 - 1e-9]. The mean over the positives equals the frequency to 1e-8.
    """
    if score.min() == score.max():
        return np.full(score.shape, frequency)
    # Not before: most labellings are SCAR, and the import delays the first task of every worker.
    from scipy.optimize import brentq

    own = score[y == 1]
    spread = float(np.ptp(own))

    def propensity(shift: float, rows: Floats) -> Floats:
        return np.clip(link(rows - own.max() + shift), _AT_LEAST, AT_MOST)

    def excess(shift: float) -> float:
        return float(propensity(shift, own).mean()) - frequency

    # With the largest score at -40 every propensity is tiny, with the smallest one at 40 every propensity is 1.
    shift = brentq(excess, -40.0, spread + 40.0, xtol=1e-12, rtol=1e-15, maxiter=500)
    return propensity(shift, score)
