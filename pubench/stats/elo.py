"""Elo ratings: strengths of the Bradley-Terry model by maximum likelihood, from wins of algorithms over each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["ITERATIONS", "LEAST_UNITS", "elo_ratings"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

ITERATIONS = 1000
"""A fixed number, so that the page, which computes ratings of filtered results, finds the same ones."""
LEAST_UNITS = 15
"""With fewer data sets ratings say less than ranks and are not shown."""


def elo_ratings(points: Floats, anchor: int | None) -> Floats:
    r"""Return the ratings of k algorithms.

    The model is :math:`\Pr(i \text{ beats } j) = p_i / (p_i + p_j)`, with :math:`400 \log_{10} p_i` as the rating. The
    strengths are found by Hunter's (2004) iteration :math:`p_i \leftarrow w_i / \sum_j n_{ij} / (p_i + p_j)`.

    Parameters
    ----------
    points : array of shape (k, k)
        How often the algorithm of a row beats that of a column; a tie is half a point for both.
    anchor : int or None
        The algorithm whose rating is 1000; without one, the mean rating is 1000.

    Returns
    -------
    array of shape (k,)
        Ratings are finite only within a set in which nobody beats, or loses to, all others without exception (Ford,
        1957). That of the anchor, or the largest one, is rated; others are NaN.
    """
    rated = _rated(points, anchor)
    inner = points[np.ix_(rated, rated)]
    games, won = inner + inner.T, np.cumsum(inner, axis=1)[:, -1]
    first = int(np.searchsorted(rated, anchor)) if anchor is not None else 0
    strength = np.ones(rated.size)
    for _ in range(ITERATIONS if rated.size > 1 else 0):
        # Sums by cumsum are made from left to right, as the page makes them.
        strength = won / np.cumsum(games / (strength[:, None] + strength[None, :]), axis=1)[:, -1]
        strength = strength / strength[first]
    rating = 400 * np.log10(strength)
    found = np.full(len(points), np.nan)
    found[rated] = 1000 + rating - (0.0 if anchor is not None else rating.mean())
    return found


def _rated(points: Floats, anchor: int | None) -> NDArray[np.intp]:
    """Return the places of those that reach each other by chains of points won."""
    reach: Bools = (points > 0) | np.eye(len(points), dtype=np.bool_)
    for middle in range(len(points)):
        reach = reach | (reach[:, [middle]] & reach[[middle], :])
    mutual = reach & reach.T
    centre = int(mutual.sum(axis=1).argmax()) if anchor is None else anchor
    return np.flatnonzero(mutual[centre])
