"""Corrections of p-values for multiple tests, used by every family of tests here."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["holm"]

Floats = NDArray[np.float64]


def holm(p: Floats) -> Floats:
    r"""Adjust p-values so that the probability of any false rejection is at most alpha.

    .. math:: \tilde{p}_{(i)} = \min\left(1, \max_{j \le i} (m - j + 1)\, p_{(j)}\right)

    over the m p-values in increasing order (Holm, 1979).

    Parameters
    ----------
    p : array of shape (n,)
        NaN is a test that was not made: it is not counted and stays NaN.

    Returns
    -------
    array of shape (n,)
    """
    adjusted = np.full(p.shape, np.nan)
    made = np.flatnonzero(~np.isnan(p))
    order = made[np.argsort(p[made], kind="stable")]
    steps = p[order] * np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
