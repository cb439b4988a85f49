"""Corrections of p-values for multiple tests, used by every family of tests here."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["holm"]

Floats = NDArray[np.float64]


def holm(p: Floats, least: float = 1.0) -> Floats:
    r"""Adjust p-values so that the probability of any false rejection is at most alpha.

    .. math:: \tilde{p}_{(i)} = \min\left(1, \max_{j \le i} \max(m - j + 1, f)\, p_{(j)}\right)

    over the m p-values in increasing order (Holm, 1979); f is ``least``.

    Parameters
    ----------
    p : array of shape (n,)
        NaN is a test that was not made: it is not counted and stays NaN.
    least : float
        The least factor. Of k algorithms tested against the one that looks best, (k - 1) / 2 keeps two-sided tests
        valid: see :func:`pubench.stats.pairs.make_pairs`.

    Returns
    -------
    array of shape (n,)
    """
    adjusted = np.full(p.shape, np.nan)
    made = np.flatnonzero(~np.isnan(p))
    order = made[np.argsort(p[made], kind="stable")]
    steps = p[order] * np.maximum(np.arange(order.size, 0, -1), least)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
