"""What in the data speaks against an estimate of the prior, in sentences that reports can tell once for many cells."""

from __future__ import annotations

import math

import numpy as np

from pubench.learners import few_distinct
from pubench_priors.problem import Floats, Labels, Problem

__all__ = ["CLEAR", "doubts_of", "separation"]

_FEW = 50
# A difference of so many standard errors is no chance.
CLEAR = 3.0


def doubts_of(scores: Floats, problem: Problem) -> list[str]:
    """Return sentences about labelled rows that are few or copies, or whose scores are those of unlabelled rows."""
    doubts = [f"fewer than {_FEW} labelled rows"] if problem.n_labelled < _FEW else []
    doubts += filter(None, [few_distinct(problem.X[problem.s == 1])])
    if separation(scores, problem.s) < CLEAR:
        doubts.append(
            "labelled rows cannot be distinguished from unlabelled ones: all may be positive, or the rows say nothing"
        )
    return doubts


def separation(scores: Floats, s: Labels) -> float:
    """Return by how many standard errors P's mean rank exceeds U's (the statistic of Mann and Whitney)."""
    _, place, count = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2.0)[place.ravel()]
    n_p, n = int(s.sum()), len(s)
    n_u = n - n_p
    ties = float(np.sum(count.astype(float) ** 3 - count))
    variance = n_p * n_u / 12.0 * (n + 1.0 - ties / (n * (n - 1.0)))
    excess = ranks[s == 1].sum() - n_p * (n + 1) / 2.0
    return float(excess / math.sqrt(variance)) if variance > 0 else 0.0
