"""Categories as one column of codes each, for methods that split rows at thresholds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Groups", "with_codes"]

Groups = tuple[tuple[int, ...], ...]
"""For each category the places of its indicator columns, which follow each other."""


def with_codes(X: NDArray[np.float64], groups: Groups) -> NDArray[np.float64]:
    """Return rows with one column of codes in place of the indicators of each category.

    A tree that draws some columns at random rarely meets a number among dozens of indicators; among codes it does.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    groups : tuple of tuple of int
        The indicators of each category. The code is 1 for the first of them, 2 for the second, and 0 for none.

    Returns
    -------
    ndarray of shape (n, d - indicators + categories)
        The code takes the place of the first indicator.
    """
    if not groups:
        return X
    found = np.array(X)
    for group in groups:
        found[:, group[0]] = X[:, group] @ np.arange(1.0, len(group) + 1.0)
    return np.delete(found, [place for group in groups for place in group[1:]], axis=1)
