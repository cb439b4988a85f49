"""What in the data speaks against an estimate of the prior, in sentences that reports can tell once for many cells."""

from __future__ import annotations

import math

import numpy as np

from pubench_priors.problem import Floats, Labels

__all__ = ["CLEAR", "doubts_of", "separation"]

_FEW = 50
# A difference of so many standard errors is no chance.
CLEAR = 3.0
_BEST, _HALVES = (0.2, 0.6), (0.5, 0.75)
# A quarter more rows of U just below P's median than above it: overlap so near has not ended there.
_STEEP = math.log(1.25)


def doubts_of(scores: Floats, s: Labels) -> list[str]:
    """Return sentences about labelled rows that are few, alike to the others, or nowhere alone.

    Where some region holds positives only, the share of labelled rows among the highest scores has reached its
    maximum: the best 20 % of P do not stand out from the 40 % that follow, nor the best half far from the quarter that
    follows. If they still do, purer rows may lie beyond what the scores can tell, and the prior may be less.
    """
    doubts = []
    if s.sum() < _FEW:
        doubts.append(f"fewer than {_FEW} labelled rows")
    if separation(scores, s) < CLEAR:
        doubts.append(
            "labelled rows cannot be told from unlabelled ones: all may be positive, or the rows say nothing"
        )
    elif _impure(scores, s):
        doubts.append(
            "no pure region is seen, the best scores still differ: the prior may be less than estimated"
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


def _impure(scores: Floats, s: Labels) -> bool:
    """Whether purity is not reached among the best scores, or, by what lies just below P's median, hardly above it."""
    best, error = _drop(scores, s, *_BEST)
    half, error_of_half = _drop(scores, s, *_HALVES)
    return best > CLEAR * error or half > max(CLEAR * error_of_half, _STEEP)


def _drop(scores: Floats, s: Labels, top: float, following: float) -> tuple[float, float]:
    """Return by how much log(U rows per labelled row) is less among the best share of P's scores, and its error.

    They are compared with the scores between the best shares ``top`` and ``following`` of P.
    """
    labelled, unlabelled = np.sort(scores[s == 1])[::-1], scores[s == 0]
    first, second = (
        labelled[min(int(share * len(labelled)), len(labelled) - 1)] for share in (top, following)
    )
    counts = [
        (np.count_nonzero(part > first), np.count_nonzero((part <= first) & (part > second)))
        for part in (labelled, unlabelled)
    ]
    # Half a row each, so that an empty part is no proof.
    (p_top, p_next), (u_top, u_next) = [[number + 0.5 for number in pair] for pair in counts]
    error = math.sqrt(sum(1.0 / number for number in (p_top, p_next, u_top, u_next)))
    return math.log((u_next / p_next) / (u_top / p_top)), error
