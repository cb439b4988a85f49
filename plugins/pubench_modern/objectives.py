r"""What the methods lower, as values of a batch and slopes in its scores; the labelled rows come first.

Every objective is a frozen value that is called with scores of shape (n,) and the number of labelled rows among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, logsumexp

__all__ = [
    "BatchLoss",
    "CrossEntropy",
    "DistributionAlignment",
    "Variational",
    "prediction_entropy",
    "soft_cross_entropy",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class BatchLoss:
    """The loss of a batch and its slope in every score, shape (n,)."""

    value: float
    slopes: Floats


class Objective(Protocol):
    """What a batch is judged by."""

    def __call__(self, scores: Floats, n_p: int) -> BatchLoss:
        """Judge scores of shape (n,), of which the first ``n_p`` belong to labelled rows."""


@dataclass(frozen=True, slots=True)
class DistributionAlignment:
    r"""Dist-PU: the mean prediction of P should be 1, that of the population the prior (Zhao et al., 2022).

    .. math:: 2 \pi |1 - \bar\sigma_P| + |\bar\sigma_U - \pi|, \qquad \sigma(f) = 1 / (1 + e^{-f})

    Without the bars this is the unbiased risk of the sigmoid loss.
    """

    prior: float

    def __call__(self, scores: Floats, n_p: int) -> BatchLoss:
        """Judge a batch whose other rows stand for the population."""
        sigma = expit(scores)
        on_p, on_u = 1.0 - sigma[:n_p].mean(), sigma[n_p:].mean() - self.prior
        slopes = sigma * (1.0 - sigma)
        slopes[:n_p] *= -2.0 * self.prior * np.sign(on_p) / n_p
        slopes[n_p:] *= np.sign(on_u) / (len(scores) - n_p)
        return BatchLoss(float(2.0 * self.prior * abs(on_p) + abs(on_u)), slopes)


@dataclass(frozen=True, slots=True)
class Variational:
    r"""VPU: the variational loss of :math:`\Phi = \sigma(f)` (Chen et al., 2020).

    .. math:: \log \bar\Phi_U - \overline{\log \Phi}_P

    Its minimum over all functions is :math:`-KL(p_+ \| p)`, where :math:`\Phi` is proportional to
    :math:`\Pr(y = 1 | x)`; multiplying :math:`\Phi` by a constant changes nothing.
    """

    def __call__(self, scores: Floats, n_p: int) -> BatchLoss:
        """Judge a batch whose other rows stand for the population."""
        log_phi = log_expit(scores)
        on_u = log_phi[n_p:]
        total = logsumexp(on_u)
        value = total - np.log(len(on_u)) - log_phi[:n_p].mean()
        slopes = expit(-scores)
        slopes[:n_p] /= -n_p
        slopes[n_p:] *= np.exp(on_u - total)
        return BatchLoss(float(value), slopes)


@dataclass(frozen=True, slots=True)
class CrossEntropy:
    r"""Logistic losses of P as positives and of the other rows as negatives, each a weighted mean.

    .. math:: m_+ \frac{\sum_P w \ell(f)}{\sum_P w} + m_- \frac{\sum_N w \ell(-f)}{\sum_N w}
    """

    positive: float
    negative: float

    def __call__(self, scores: Floats, n_p: int, weights: Floats | None = None) -> BatchLoss:
        """Judge a batch; the weights of its rows, shape (n,), are equal unless given."""
        w = np.ones(len(scores)) if weights is None else weights
        share = np.concatenate([self.positive * _shares(w[:n_p]), self.negative * _shares(w[n_p:])])
        sign = np.where(np.arange(len(scores)) < n_p, 1.0, -1.0)
        margins = sign * scores
        return BatchLoss(float(-share @ log_expit(margins)), -sign * share * expit(-margins))


def soft_cross_entropy(scores: Floats, targets: Floats) -> BatchLoss:
    """Return the mean cross-entropy of probabilities, as targets of shape (n,), and the logistic function of scores."""
    losses = targets * log_expit(scores) + (1.0 - targets) * log_expit(-scores)
    return BatchLoss(float(-losses.mean()), (expit(scores) - targets) / len(scores))


def prediction_entropy(scores: Floats) -> BatchLoss:
    r"""Return the mean entropy of predictions :math:`\sigma(f)`, which falls by :math:`f \sigma (1 - \sigma)`."""
    sigma = expit(scores)
    entropy = -(sigma * log_expit(scores) + (1.0 - sigma) * log_expit(-scores))
    return BatchLoss(float(entropy.mean()), -scores * sigma * (1.0 - sigma) / len(scores))


def _shares(weights: Floats) -> Floats:
    total = weights.sum()
    return weights / total if total > 0.0 else np.zeros_like(weights)
