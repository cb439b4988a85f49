"""Where names next to curves go so that none covers another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["spread"]


def spread(values: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Spread values until neighbours are ``gap`` from each other, each as little as possible.

    Parameters
    ----------
    values : sequence of float
    gap : float
        Reduced if there is no room for all.
    low, high : float
        The values stay between these.

    Returns
    -------
    list of float
        In the order of ``values``.
    """
    from scipy.optimize import isotonic_regression

    wished = np.asarray(values, dtype=np.float64)
    order = np.argsort(wished, kind="stable")
    steps = min(gap, (high - low) / max(wished.size - 1, 1)) * np.arange(wished.size)
    # Less their steps, values with room between them are in order: the nearest such values are a regression.
    moved = isotonic_regression(wished[order] - steps).x.clip(low, high - steps[-1]) + steps
    return [float(moved[place]) for place in np.argsort(order)]
