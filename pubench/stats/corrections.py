"""Corrections of p-values for making many tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["holm"]

Floats = NDArray[np.float64]


def holm(p: Floats) -> Floats:
    r"""Adjust p-values so that rejecting those below alpha keeps the chance of any false rejection below alpha.

    .. math:: \tilde{p}_{(i)} = \min\left(1, \max_{j \le i} (m - j + 1)\, p_{(j)}\right)

    over the m p-values in increasing order (Holm, 1979).

    Parameters
    ----------
    p : array of shape (n,)
        NaN stands for a test that was not made: it is not counted and stays NaN.

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
