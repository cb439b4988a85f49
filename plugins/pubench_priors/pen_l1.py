"""Penalised L1 distance (pen-L1; du Plessis, Niu and Sugiyama, 2015)."""

from __future__ import annotations

import numpy as np

from pubench_priors.estimating import mixture_estimator
from pubench_priors.places import tally
from pubench_priors.problem import Floats

__all__ = ["least_penalty", "pen_l1", "share_of_positives"]

_BINS = 20
_NOISE = 0.33
_ROUNDS = 5


def share_of_positives(labelled: Floats, unlabelled: Floats) -> float:
    r"""Estimate the prior by the scale at which P's density fits below U's.

    The L1 distance between :math:`\theta p` and :math:`u`, with a penalty where :math:`\theta p > u`, is least where
    :math:`\theta p` just touches u: at the share of positives in U. With non-negative functions :math:`\varphi_l` and
    their means :math:`a_l` on P and :math:`b_l` on U it is estimated, in closed form (du Plessis et al., section 4), by

    .. math::

        \mathrm{penL1}(\theta) = \frac{1}{\lambda} \sum_l \max(0, \theta a_l - b_l)^2 - \theta + 1.

    The functions are indicators of 20 bins of scores that hold equal shares of P. :math:`\lambda` is set so that the
    penalty's slope is what noise gives it, :math:`\lambda = 0.66 \sum_l \sigma_l a_l` with :math:`\sigma_l` the
    standard error of :math:`\theta a_l - b_l`; the paper chooses it by cross-validation.
    """
    # Equal scores cannot be parted: a quantile that is there twice makes one bin.
    found = tally(labelled, unlabelled)
    edges = np.unique(np.quantile(found.p, np.arange(1, _BINS) / _BINS, method="higher"))
    on_p, on_u = (
        np.diff(np.concatenate([[0], below[edges], [len(part)]])) / len(part)
        for below, part in ((found.below_p, labelled), (found.below_u, unlabelled))
    )
    theta = 1.0
    for _ in range(_ROUNDS):
        variance = theta**2 * on_p * (1.0 - on_p) / len(labelled) + on_u * (1.0 - on_u) / len(unlabelled)
        theta = least_penalty(on_p, on_u, 2.0 * _NOISE * float(np.sum(np.sqrt(variance) * on_p)))
    return theta


pen_l1 = mixture_estimator("pen-l1", share_of_positives)


def least_penalty(on_p: Floats, on_u: Floats, penalty: float) -> float:
    r"""Return the :math:`\theta` in [0, 1] of least penL1, given a and b, shapes (b,), and :math:`\lambda`.

    Its derivative, :math:`(2 / \lambda) \sum_l a_l \max(0, \theta a_l - b_l) - 1`, is piecewise linear and rises; it is
    followed from corner to corner, :math:`\theta_l = b_l / a_l`.
    """
    used = on_p > 0
    a, b = on_p[used], on_u[used]
    order = np.argsort(b / a)
    a, b = a[order], b[order]
    squares, products = np.cumsum(a * a), np.cumsum(a * b)
    # Where the first l corners are passed, the sum is theta * squares_l - products_l.
    candidates = (penalty / 2.0 + products) / squares
    following = np.append((b / a)[1:], np.inf)
    theta = float(candidates[np.argmax(candidates <= following)])
    return min(1.0, theta)
