"""Places of scores in their order: what most statistics use is counted from them, without sorting each resample."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Places", "places", "tally"]

Places = NDArray[np.intp]


class Tally(NamedTuple):
    """P and U by distinct score, in rising order.

    Attributes
    ----------
    p, u : int arrays of shape (n_p,) and (n_u,)
        The place of each row's score.
    of_p, of_u : int arrays of shape (k,)
        How many rows of P and of U have that score.
    below_p, below_u : int arrays of shape (k,)
        How many have a smaller one.
    """

    p: Places
    u: Places
    of_p: Places
    of_u: Places
    below_p: Places
    below_u: Places


def places(scores: NDArray[Any]) -> Places:
    """Return the place of each score among the distinct ones, shape (n,); whole numbers are places already."""
    if scores.dtype.kind == "i":
        return scores.astype(np.intp, copy=False)
    found: Places = np.unique(scores, return_inverse=True)[1].ravel()
    return found


def tally(labelled: NDArray[Any], unlabelled: NDArray[Any]) -> Tally:
    """Count the scores, or places, of P and of U, shapes (n_p,) and (n_u,)."""
    if labelled.dtype.kind != "i":
        joint = places(np.concatenate([labelled, unlabelled]))
        labelled, unlabelled = joint[: len(labelled)], joint[len(labelled) :]
    p, u = labelled, unlabelled
    size = 1 + max(int(p.max()), int(u.max()))
    of_p, of_u = (np.bincount(part, minlength=size) for part in (p, u))
    return Tally(p, u, of_p, of_u, np.cumsum(of_p) - of_p, np.cumsum(of_u) - of_u)
