"""Difference of estimated densities (DEDPUL; Ivanov, 2020)."""

from __future__ import annotations

import math

import numpy as np
from scipy.ndimage import gaussian_filter1d
from sklearn.isotonic import isotonic_regression

from pubench_priors.estimating import mixture_estimator
from pubench_priors.places import Tally, tally
from pubench_priors.problem import Floats

__all__ = ["dedpul", "density_ratio", "expected_share", "share_of_positives"]

_CELLS = 1000
_TOLERANCE = 0.6
_BANDWIDTH = 0.6


def share_of_positives(labelled: Floats, unlabelled: Floats) -> float:
    r"""Estimate the prior by the ratio r of the densities of scores on P and on U.

    A share :math:`\alpha` of positives in U makes :math:`\Pr(y = 1 | u) = \alpha r(u)`, which is at most 1. EM starts
    from :math:`\alpha = 1` and repeats :math:`\alpha \leftarrow \mathrm{mean}_U \min(1, \alpha r)`, which falls until
    no row has a probability above 1 any more. Sampling noise in r would lead it on to the highest peak; it ends when a
    step is below :math:`0.6 \alpha / \sqrt{n_p}`.

    r is estimated on U's scale of ranks, on which U's density is 1: a histogram of P with 1,000 cells, smoothed by a
    Gaussian kernel (reflected at the ends), made non-decreasing, and of mean 1.
    """
    return expected_share(density_ratio(labelled, unlabelled), _TOLERANCE / math.sqrt(len(labelled)))


dedpul = mixture_estimator("dedpul", share_of_positives)


def expected_share(ratio: Floats, tolerance: float) -> float:
    """Return EM's share of positives, given r of rows (or of equal shares of rows) of U, shape (m,).

    It ends when a step takes less than ``tolerance`` of the share itself.
    """
    share = 1.0
    while True:
        following = float(np.minimum(1.0, share * ratio).mean())
        if share - following < tolerance * share:
            return share
        share = following


def density_ratio(labelled: Floats, unlabelled: Floats) -> Floats:
    """Return P's density on U's scale of ranks at 1,000 evenly spaced ranks, non-decreasing and of mean 1."""
    edges = np.linspace(0.0, 1.0, _CELLS + 1)
    mass = np.diff(_distribution(tally(labelled, unlabelled), edges))
    middle = (edges[1:] + edges[:-1]) / 2.0
    mean = np.average(middle, weights=mass)
    deviation = math.sqrt(np.average((middle - mean) ** 2, weights=mass))
    width = _BANDWIDTH * deviation * len(labelled) ** -0.2 * _CELLS
    smooth = gaussian_filter1d(mass, max(width, 1.0), mode="reflect")
    ratio: Floats = isotonic_regression(smooth)
    ratio /= ratio.mean()
    return ratio


def _distribution(found: Tally, ranks: Floats) -> Floats:
    """Return P's share below each of U's ranks; a score is spread evenly over the ranks that it may have."""
    n_u = len(found.u)
    low = np.maximum(found.below_u[found.p] - 0.5, 0.0) / n_u
    high = np.minimum((found.below_u + found.of_u)[found.p] + 0.5, n_u) / n_u
    slope = 1.0 / (len(found.p) * (high - low))
    return _ramps(low, slope, ranks) - _ramps(high, slope, ranks)


def _ramps(starts: Floats, slopes: Floats, at: Floats) -> Floats:
    """Return the sum of max(0, slope (at - start)) over all starts."""
    order = np.argsort(starts)
    sums = [np.concatenate([[0.0], np.cumsum(part[order])]) for part in (slopes, slopes * starts)]
    passed = np.searchsorted(starts[order], at)
    total: Floats = at * sums[0][passed] - sums[1][passed]
    return total
