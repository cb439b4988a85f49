"""The intercept that maximises PUF, Pr[f = 1 | P]^2 / Pr[f = 1], on the rows of a fit, and when there is none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pubench.specs import Scenario
from pubench_pual.losses import Goal

__all__ = ["enough_labelled", "least_difference", "puf_intercept"]

Floats = NDArray[np.float64]

# Scores that differ by less than so many tolerances (by less than rounding, if nothing was iterated) differ by chance.
_TOLERANCES, _ROUNDING = 10.0, 1e-12
# With fewer labelled rows, or fewer for each column, PUF on the rows of a fit is highest where hardly one of U passes.
_LABELLED, _PER_COLUMN = 30, 5


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


def least_difference(goal: Goal, size: float, ridge: float, tol: float) -> float:
    """Return how much the scores of a fit must differ to mean anything.

    Scores cannot differ by more than the sum of the weights times ``size``, the largest squared length of a row in
    the space of the features or of the kernel, over the ridge, up to a factor; where that is small next to 1, what ADMM
    leaves over is as small.
    """
    if not goal.hinge.any():
        return _ROUNDING
    reach = min(1.0, float(goal.weight.sum()) * size / ridge)
    return max(_ROUNDING, _TOLERANCES * tol * reach)


def enough_labelled(s: NDArray[np.uint8], d: int) -> bool:
    """Whether linear scores of d columns tell as much of new labelled rows as of those of the fit, s = 1."""
    return int(np.count_nonzero(s)) >= max(_LABELLED, _PER_COLUMN * d)
