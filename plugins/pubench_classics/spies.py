"""Spies: labelled rows hidden among the unlabelled ones, which show how unlabelled positives score."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

__all__ = ["below_spies", "or_all", "send_spies"]

Mask = NDArray[np.bool_]


def send_spies(labelled: Mask, share: float, rng: np.random.RandomState) -> Mask:
    """Choose the labelled rows that become spies: the given share, but at least one and not all.

    Parameters
    ----------
    labelled : bool array of shape (n,)
    share : float
    rng : RandomState

    Returns
    -------
    bool array of shape (n,)

    Raises
    ------
    ValueError
        If there is only one labelled row.
    """
    rows = np.flatnonzero(labelled)
    if len(rows) < 2:
        raise ValueError(
            "y has 1 labelled row, but spies need at least 2: one to be hidden, one to learn from; label more rows"
        )
    n_spies = min(max(1, round(share * len(rows))), len(rows) - 1)
    spies = np.zeros(len(labelled), dtype=np.bool_)
    spies[rng.choice(rows, size=n_spies, replace=False)] = True
    return spies


def below_spies(scores: NDArray[np.float64], labelled: Mask, spies: Mask, noise: float) -> Mask:
    """Return the unlabelled rows that score below all spies except a share of them, the noise.

    Parameters
    ----------
    scores : float array of shape (n,)
        Scores by a model for which the spies were unlabelled.
    labelled, spies : bool arrays of shape (n,)
    noise : float
        The share of spies that may score lower, since they may be outliers.

    Returns
    -------
    bool array of shape (n,)
    """
    ordered = np.sort(scores[spies])
    threshold = ordered[min(int(noise * len(ordered)), len(ordered) - 1)]
    below: Mask = ~labelled & (scores < threshold)
    return below


def or_all(negative: Mask, labelled: Mask) -> Mask:
    """Return the likely negatives or, with a warning, all unlabelled rows if there are none."""
    if negative.any():
        return negative
    warnings.warn(
        f"none of the {int((~labelled).sum())} unlabelled rows looks negative compared with the labelled ones, so all "
        "are treated as negative at first; try other features or parameters for the first step",
        stacklevel=4,
    )
    return ~labelled
