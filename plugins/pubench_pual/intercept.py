"""The intercept that maximises PUF, Pr[f = 1 | P]^2 / Pr[f = 1], on the rows of a fit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pubench.specs import Scenario

__all__ = ["puf_intercept"]

Floats = NDArray[np.float64]


def puf_intercept(scores: Floats, s: NDArray[np.uint8], scenario: Scenario) -> float:
    """Return the intercept with the highest PUF score (equation 31), as :func:`pubench.criteria.puf` has it.

    Every way of cutting the sorted scores in two is tried, in one pass. The cut lies half-way between two scores; of
    cuts that score the same, the one that calls the fewest rows positive is taken.

    Parameters
    ----------
    scores : array of shape (n,)
        Without intercept.
    s : array of shape (n,)
    scenario : {"case-control", "single-training-set"}
        Pr[f = 1] is taken over U in the first, over P and U in the second.
    """
    order = np.argsort(-scores, kind="stable")
    falling, labelled = scores[order], s[order] == 1
    recall = np.cumsum(labelled) / np.count_nonzero(labelled)
    counted = ~labelled if scenario == "case-control" else np.ones_like(labelled)
    rate = np.cumsum(counted) / np.count_nonzero(counted)
    puf = np.divide(recall**2, rate, out=np.zeros_like(recall), where=rate > 0)
    # Rows with equal scores fall on one side together.
    puf[:-1][falling[:-1] == falling[1:]] = -1.0
    best = int(np.argmax(puf))
    below = falling[best + 1] if best + 1 < len(falling) else falling[best] - 1.0
    return -float((falling[best] + below) / 2.0)
