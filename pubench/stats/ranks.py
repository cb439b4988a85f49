"""Average ranks over blocks: the Friedman test, and Nemenyi's test that follows it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Friedman", "can_reject", "critical_difference", "friedman", "nemenyi", "rank_rows"]

Floats = NDArray[np.float64]


class Friedman(NamedTuple):
    """Friedman's statistic with its p-value, and Iman and Davenport's F with its own.

    ``ties`` is the factor that the statistic was divided by for tied ranks; 1 if there are none.
    """

    statistic: float
    p: float
    f: float
    f_p: float
    ties: float


def rank_rows(scores: Floats) -> Floats:
    """Rank the algorithms of each block: 1 is the greatest score, equal scores share the average of their ranks.

    Parameters
    ----------
    scores : array of shape (B, A)
        Greater is better. Minus infinity is the worst.

    Returns
    -------
    array of shape (B, A)
    """
    from scipy.stats import rankdata

    return np.asarray(rankdata(-scores, axis=1), dtype=np.float64).reshape(scores.shape)


def friedman(ranks: Floats) -> Friedman:
    r"""Test whether k algorithms have the same expected rank over N blocks.

    .. math::

        \chi^2_F = \frac{12 N}{k (k + 1)} \left[\sum_j R_j^2 - \frac{k (k + 1)^2}{4}\right] \Big/ C, \qquad
        F_F = \frac{(N - 1) \chi^2_F}{N (k - 1) - \chi^2_F}

    (Demsar, 2006, section 3.2.2) with :math:`C = 1 - \sum (t^3 - t) / (N (k^3 - k))` over all groups of t tied ranks,
    as scipy has it. :math:`\chi^2_F` has k - 1 degrees of freedom, :math:`F_F` k - 1 and (k - 1)(N - 1).

    Parameters
    ----------
    ranks : array of shape (N, k)
        As :func:`rank_rows` makes them, N and k at least 2.

    Returns
    -------
    Friedman
        Where all ranks are tied the statistics are 0 and the p-values 1.
    """
    from scipy.stats import chi2
    from scipy.stats import f as snedecor

    n, k = ranks.shape
    # The variance of untied ranks is (k^2 - 1) / 12 in each block; ties make it smaller, by the factor C.
    ties = float(ranks.var(axis=1).mean() * 12 / (k * k - 1))
    if ties == 0:
        return Friedman(0.0, 1.0, 0.0, 1.0, 0.0)
    spread = float(((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum())
    statistic = 12 * n / (k * (k + 1)) * spread / ties
    left = n * (k - 1) - statistic
    # All blocks agree: nothing is left to be explained by chance. Rounding may leave a trace of it.
    f = (n - 1) * statistic / left if left > 1e-9 else np.inf
    return Friedman(
        statistic,
        float(chi2.sf(statistic, k - 1)),
        float(f),
        float(snedecor.sf(f, k - 1, (k - 1) * (n - 1))),
        ties,
    )


def can_reject(k: int, n: int, alpha: float) -> bool:
    r"""Tell whether Friedman's test of k algorithms over n blocks can reject.

    It cannot if its statistic is not significant where all blocks agree, :math:`\chi^2_F = N (k - 1)`, or if that
    happens by chance with probability :math:`(k!)^{1 - N} \ge \alpha`. With two algorithms, a paired test replaces it.
    """
    from scipy.stats import chi2

    if k < 3 or n < 2:
        return False
    agreement = math.exp((1 - n) * math.lgamma(k + 1))
    return bool(agreement < alpha and chi2.sf(n * (k - 1), k - 1) < alpha)


def critical_difference(k: int, n: int, alpha: float) -> float:
    r"""Return the difference of average ranks from which on two of k algorithms differ over n blocks (Nemenyi, 1963).

    .. math:: \mathrm{CD} = q_\alpha \sqrt{\frac{k (k + 1)}{6 N}}

    where :math:`q_\alpha` is the quantile of the studentised range for k means and infinite degrees of freedom,
    divided by :math:`\sqrt{2}` (Demsar, 2006, Table 5).
    """
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(1 - alpha, k, np.inf)) * _unit(k, n)


def nemenyi(average_ranks: Floats, n: int) -> Floats:
    """Return the p-values of Nemenyi's test, which allow for all pairs being compared.

    Parameters
    ----------
    average_ranks : array of shape (k,)
    n : int
        The blocks that the ranks are averages over.

    Returns
    -------
    array of shape (k, k)
        Symmetric with ones on its diagonal.
    """
    from scipy.stats import studentized_range

    k = average_ranks.size
    gaps = np.abs(average_ranks[:, None] - average_ranks[None, :])
    p = np.ones((k, k))
    upper = np.triu_indices(k, 1)
    # The range is integrated numerically, which is slow and may end a little outside of [0, 1].
    found = studentized_range.sf(gaps[upper] / _unit(k, n), k, np.inf)
    p[upper] = np.clip(np.asarray(found, dtype=np.float64), 0.0, 1.0)
    p.T[upper] = p[upper]
    return p


def _unit(k: int, n: int) -> float:
    """Return the standard error of a difference of average ranks, over the square root of 2."""
    return float(np.sqrt(k * (k + 1) / (12 * n)))
