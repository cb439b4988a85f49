"""Tests of paired differences: the signed-rank test, and t-tests with and without overlapping splits."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["EXACT", "SignedRank", "paired_differences", "sign_sums", "signed_rank", "t_margin", "t_test"]

Floats = NDArray[np.float64]

EXACT = 50
"""Up to this number of pairs the signed-rank distribution is exact, above it is approximated."""
DIGITS = 12


class SignedRank(NamedTuple):
    """Sums of the ranks of positive and negative differences, the two-sided p-value, and the effect in [-1, 1]."""

    plus: float
    minus: float
    p: float
    effect: float


def paired_differences(first: Floats, second: Floats) -> Floats:
    """Return ``first - second`` with rounding noise removed.

    Differences of decimal scores such as 0.768 - 0.763 and 0.936 - 0.931 are not equal in binary. They are rounded to
    twelve digits of the largest score, so that ties are ties. Two infinities of one sign are equal.

    Parameters
    ----------
    first, second : arrays of shape (..., n)
        NaN where a score is missing.

    Returns
    -------
    array of shape (..., n)
        NaN where either score is missing.
    """
    sizes = np.maximum(np.abs(first), np.abs(second))
    largest = sizes.max(axis=-1, keepdims=True, initial=0.0, where=np.isfinite(sizes))
    # A power of ten: rounding then leaves decimal numbers as they are.
    scale = 10.0 ** np.ceil(np.log10(np.where(largest > 0, largest, 1.0)))
    with np.errstate(invalid="ignore"):
        difference = np.where(first == second, 0.0, first - second)
    rounded: Floats = np.round(difference / scale, DIGITS) * scale
    return rounded


def signed_rank(differences: Floats) -> SignedRank:
    r"""Wilcoxon's signed-rank test that differences are symmetric about zero.

    Sizes are ranked with zeros among them (Pratt, 1959) and equal ones sharing their average rank. The rank of a zero
    is split evenly between both sums, as Demsar (2006, section 3.1.3) does:

    .. math:: R^\pm = \sum_{\pm d_i > 0} r_i + \tfrac{1}{2} \sum_{d_i = 0} r_i

    The p-value is exact given the ranks: every pattern of signs of the differences that are not zero is equally
    likely. Above 50 pairs it is that of a normal distribution with variance :math:`\sum r_i^2 / 4`.

    Parameters
    ----------
    differences : array of shape (n,)
        Infinite values count as larger than all others, NaN as no pair. See :func:`paired_differences`.

    Returns
    -------
    SignedRank
        Its effect is the matched-pairs rank-biserial correlation, :math:`(R^+ - R^-) / \sum r_i` over differences that
        are not zero (Kerby, 2014). With no difference at all p is 1 and the effect 0.
    """
    differences = differences[~np.isnan(differences)]
    ranks = _ranks(np.abs(differences))
    used = ranks[differences != 0]
    positive, negative = float(ranks[differences > 0].sum()), float(ranks[differences < 0].sum())
    shared = float(ranks[differences == 0].sum()) / 2
    effect = (positive - negative) / used.sum() if used.size else 0.0
    p = _exact(used, positive) if used.size <= EXACT else _normal(used, positive)
    return SignedRank(positive + shared, negative + shared, p, float(effect))


def _exact(ranks: Floats, positive: float) -> float:
    """Return the two-sided p-value over all patterns of signs; ranks are halves, so twice a rank is whole."""
    chance = sign_sums(tuple(np.sort(np.rint(2 * ranks).astype(np.int64)).tolist()))
    at = round(2 * positive)
    return float(min(1.0, 2 * min(chance[: at + 1].sum(), chance[at:].sum())))


@lru_cache(maxsize=64)
def sign_sums(ranks: tuple[int, ...]) -> Floats:
    """Return the probability of each sum of positive ranks, from 0, if every pattern of signs is equally likely.

    It is exact, whatever the order of the ranks: probabilities are multiples of 2 to the power of -50 at most.
    """
    chance = np.ones(1)
    for rank in ranks:
        longer = np.zeros(chance.size + rank)
        longer[: chance.size] += chance / 2
        longer[rank:] += chance / 2
        chance = longer
    return chance


def _ranks(sizes: Floats) -> Floats:
    """Return ranks from 1; equal sizes share their average rank."""
    _, group, count = np.unique(sizes, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    ranks: Floats = (last - (count - 1) / 2)[group]
    return ranks


def _normal(ranks: Floats, positive: float) -> float:
    from scipy.stats import norm

    z = (positive - ranks.sum() / 2) / np.sqrt((ranks**2).sum() / 4)
    return float(2 * norm.sf(abs(z)))


def t_test(differences: Floats, overlap: Floats | float = 0.0) -> tuple[Floats, Floats]:
    r"""Paired t-test that the mean difference is zero, corrected for training sets that overlap.

    .. math:: t = \bar{d} \Big/ \sqrt{\left(\tfrac{1}{n} + \tfrac{n_\mathrm{test}}{n_\mathrm{train}}\right) s^2}

    with n - 1 degrees of freedom (Nadeau and Bengio, 2003, section 4). Without overlap it is Student's test.

    Parameters
    ----------
    differences : array of shape (..., n)
        NaN where there is no pair.
    overlap : array of shape (...) or float
        ``n_test / n_train`` of the random splits behind the differences; 0 for independent ones.

    Returns
    -------
    t, p : arrays of shape (...)
        NaN for fewer than two finite differences. Differences that are all equal give an infinite t and p = 0, or
        t = 0 and p = 1 if they are zero.
    """
    from scipy.stats import t as student

    known = np.isfinite(differences)
    values, n = np.where(known, differences, 0.0), known.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = values.sum(axis=-1) / n
        squares = (np.where(known, values - mean[..., None], 0.0) ** 2).sum(axis=-1)
        low = values.min(axis=-1, where=known, initial=np.inf)
        high = values.max(axis=-1, where=known, initial=-np.inf)
        # Equal differences have no variance, though rounding may find a trace of one.
        error = np.where(low == high, 0.0, np.sqrt((1 / n + overlap) * squares / (n - 1)))
        t = np.where((low == high) & (mean == 0), 0.0, mean / error)
    t = np.where(n < 2, np.nan, t)
    return t, np.asarray(2 * student.sf(np.abs(t), n - 1), dtype=np.float64)


def t_margin(sd: Floats, count: NDArray[np.int64], confidence: float = 0.95) -> Floats:
    """Return half the width of the t-interval of a mean, by the standard deviation and number of its values.

    NaN for fewer than two values.
    """
    from scipy.special import stdtrit

    free = np.maximum(count - 1, 1).astype(np.float64)
    half = stdtrit(free, (1 + confidence) / 2) * sd / np.sqrt(np.maximum(count, 1))
    return np.where(count > 1, half, np.nan)
