"""What a paired test can show: its least p-value, the differences it detects, and how many units it needs."""

from __future__ import annotations

from functools import lru_cache
from itertools import count
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pubench.stats.paired import EXACT, sign_sums

__all__ = ["POWER", "PairedTest", "detectable", "least_p", "power", "units_needed"]

Floats = NDArray[np.float64]
PairedTest = Literal["wilcoxon", "t"]

POWER = 0.8
"""The probability with which a detectable difference is detected."""
DRAWS = 2000
EFFICIENCY = 3 / np.pi
"""Units of a t-test that are worth one of the signed-rank test, for many normal differences."""


def least_p(test: PairedTest, n: int) -> float:
    r"""Return the smallest two-sided p-value that n differences can give.

    For the signed-rank test it is :math:`2^{1-n}`, the probability that all signs agree. For the t-test it is 0 from
    two differences on. Below two differences there is no test, and it is 1.
    """
    if n < 2:
        return 1.0
    return 2.0 ** (1 - n) if test == "wilcoxon" else 0.0


def units_needed(test: PairedTest, level: float) -> int:
    """Return from how many differences on a test can reject at a level."""
    return next(n for n in count(2) if least_p(test, n) < level)


def detectable(test: PairedTest, n: int, level: float, overlap: float = 0.0) -> float:
    r"""Return the mean difference that a two-sided test detects with power 0.8, in standard deviations.

    Differences are taken to be normal. The t-test detects :math:`\lambda \sqrt{1/n + o}`, where :math:`\lambda` is the
    noncentrality at which t exceeds its critical value with probability 0.8. The signed-rank test rejects once c of
    the :math:`n (n + 1) / 2` averages of two differences are positive, so each sample of noise has a smallest shift
    at which it rejects; the result is the quantile 0.8 of these shifts over 2,000 samples with a fixed seed. Above 50
    differences it is the t-test's with :math:`3 n / \pi` differences.

    Parameters
    ----------
    test : "wilcoxon" or "t"
    n : int
        How many differences are tested.
    level : float
        The level of this test: alpha over the number of tests of its family.
    overlap : float
        ``n_test / n_train`` of :func:`pubench.stats.paired.t_test`; ignored by the signed-rank test.

    Returns
    -------
    float
        Infinite where the test cannot reject. Rejections on the wrong side are not counted.
    """
    if not least_p(test, n) < level:
        return np.inf
    if test == "wilcoxon" and n <= EXACT:
        return float(np.quantile(_shifts(n, level), POWER))
    return _noncentrality(n, level) * _error(test, n, overlap)


def power(test: PairedTest, n: int, level: float, effect: float) -> float:
    """Return the probability that a test detects a mean difference of ``effect`` standard deviations."""
    from scipy.stats import nct
    from scipy.stats import t as student

    if not least_p(test, n) < level:
        return 0.0
    if test == "wilcoxon" and n <= EXACT:
        return float((_shifts(n, level) < effect).mean())
    return float(nct.sf(student.isf(level / 2, n - 1), n - 1, effect / _error(test, n, 0.0)))


@lru_cache(maxsize=256)
def _noncentrality(n: int, level: float) -> float:
    from scipy.special import nctdtrinc
    from scipy.stats import t as student

    return float(nctdtrinc(n - 1, 1 - POWER, student.isf(level / 2, n - 1)))


def _error(test: PairedTest, n: int, overlap: float) -> float:
    """Return the standard error of the mean difference, in standard deviations of the differences."""
    return float(np.sqrt(1 / (n * EFFICIENCY)) if test == "wilcoxon" else np.sqrt(1 / n + overlap))


@lru_cache(maxsize=256)
def _shifts(n: int, level: float) -> Floats:
    """Return, for samples of n standard normal variables, the least shift at which the signed-rank test rejects."""
    chance = sign_sums(tuple(range(1, n + 1)))
    at_least = np.cumsum(chance[::-1])[::-1]
    critical = int(np.flatnonzero(2 * at_least < level)[0])
    z = np.random.default_rng(0).standard_normal((DRAWS, n))
    first, second = np.triu_indices(n)
    averages = (z[:, first] + z[:, second]) / 2
    # The sum of positive ranks is the number of positive averages (Tukey).
    place = averages.shape[1] - critical
    shifts: Floats = -np.partition(averages, place, axis=1)[:, place]
    shifts.setflags(write=False)
    return shifts
