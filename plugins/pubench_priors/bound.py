"""An upper bound on the share of positives in U that needs no region of pure positives."""

from __future__ import annotations

import numpy as np
from scipy.stats import beta

from pubench_priors.problem import Floats

__all__ = ["PLACES", "upper_bound"]

PLACES = tuple(tenth / 10.0 for tenth in range(1, 10))
"""The quantiles of P's scores at which the tails of P and U are compared."""


def upper_bound(labelled: Floats, unlabelled: Floats, level: float = 0.95) -> float:
    r"""Return an upper confidence bound on the share q of positives in U.

    A share q of U is distributed as P. Above any threshold t, U therefore has at least q times the share of P:
    :math:`U(t) \ge q P(t)`, whatever the negatives do. So

    .. math::

        q \le \min_t \frac{\overline U(t)}{\underline P(t)}

    with upper and lower limits of Clopper and Pearson at the nine thresholds that are P's quantiles .1 to .9. Each of
    the 18 tails has probability :math:`(1 - level) / 18`, so that all limits hold together with probability
    ``level`` (Bonferroni).

    Only the labels must be at random. Thresholds are quantiles of the same scores that are counted, which makes the
    bound approximate; where no threshold holds fewer rows of U than of P the bound is 1.

    Parameters
    ----------
    labelled : array of shape (n_p,)
        Scores of P.
    unlabelled : array of shape (n_u,)
        Scores of U.
    level : float, default=0.95

    Returns
    -------
    float
        At most 1.
    """
    thresholds = np.quantile(labelled, PLACES, method="inverted_cdf")
    tail = (1.0 - level) / (2 * len(PLACES))
    least = _limit(_above(labelled, thresholds), len(labelled), tail)
    most = _limit(_above(unlabelled, thresholds), len(unlabelled), 1.0 - tail)
    return min(1.0, float(np.min(most / least)))


def _above(scores: Floats, thresholds: Floats) -> Floats:
    """Return how many scores are at least each threshold."""
    counts: Floats = (len(scores) - np.searchsorted(np.sort(scores), thresholds)).astype(np.float64)
    return counts


def _limit(counts: Floats, n: int, probability: float) -> Floats:
    """Return Clopper and Pearson's limits of the share behind ``counts`` of n: lower ones below probability 1/2."""
    upper = probability > 0.5
    a, b = (counts + 1.0, n - counts) if upper else (counts, n - counts + 1.0)
    # A beta distribution needs positive parameters: all of n have an upper limit of 1.
    limits: Floats = np.where(b > 0, beta.ppf(probability, np.maximum(a, 1e-12), np.maximum(b, 1e-12)), 1.0)
    return limits
