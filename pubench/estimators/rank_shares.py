"""Scores of different classifiers on one scale: the share of reference scores below them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["rank_shares"]

Floats = NDArray[np.float64]


def rank_shares(scores: Floats, reference: Floats) -> Floats:
    """Return the rank share of scores among reference scores, shape (n,): between 0 and 1, and increasing.

    Equal reference scores share their middle rank; between two of them, and beyond the last, the share still grows
    with the score, so that the order of new rows is kept. The share of a row does not depend on the other rows.

    Parameters
    ----------
    scores : ndarray of shape (n,)
    reference : ndarray of shape (m,)
        In any order; m > 0.

    Returns
    -------
    ndarray of shape (n,)
    """
    values, counts = np.unique(reference, return_counts=True)
    middle = (np.cumsum(counts) - 0.5 * counts) / len(reference)
    unit = float(values[-1] - values[0]) or 1.0
    beyond = np.maximum(scores - values[-1], 0.0) / unit
    below = np.maximum(values[0] - scores, 0.0) / unit
    shares = np.interp(scores, values, middle)
    shares = np.where(beyond > 0, 1.0 - (1.0 - middle[-1]) / (1.0 + beyond), shares)
    return np.where(below > 0, middle[0] / (1.0 + below), shares)
