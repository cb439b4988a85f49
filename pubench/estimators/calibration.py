"""Probabilities without negatives: from the scores of P and U to Pr(y = 1 | x), given the class prior."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logit

from pubench.base import Labels
from pubench.specs import Scenario

__all__ = ["Sigmoid", "fit_sigmoid", "share_in_unlabelled"]

_RIDGE = 0.05
_MOST = 30.0
"""The largest offset and slope of standardised scores: beyond it probabilities are 0 and 1 to 13 digits."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sigmoid:
    """Log-odds that grow linearly with a score."""

    slope: float
    offset: float

    def log_odds(self, scores: Floats) -> Floats:
        """Return the log-odds of the positive class in the population, shape (n,)."""
        return self.slope * scores + self.offset

    def probability(self, scores: Floats) -> Floats:
        """Return Pr(y = 1 | x) in the population, shape (n,)."""
        return np.asarray(expit(self.log_odds(scores)))


def share_in_unlabelled(prior: float, n_labelled: int, n_unlabelled: int, scenario: Scenario) -> float:
    r"""Return the share q of positives among unlabelled rows.

    In case-control data U is a sample of the population and :math:`q = \pi`. In a single training set U lacks the
    labelled positives,

    .. math:: q = \frac{\pi (n_P + n_U) - n_P}{n_U},

    and at least half a row of U is taken to be positive, and half a row to be negative.
    """
    if scenario == "case-control":
        return prior
    share = (prior * (n_labelled + n_unlabelled) - n_labelled) / n_unlabelled
    least = 0.5 / n_unlabelled
    return float(np.clip(share, least, 1.0 - least))


def fit_sigmoid(scores: Floats, s: Labels, *, prior: float, scenario: Scenario) -> Sigmoid:
    r"""Fit probabilities to out-of-fold scores by maximum likelihood of P against U.

    With q the share of positives in U, the rows of U have :math:`p(x) = \sigma(a f + b)`, and a row that is drawn from
    P and U together belongs to P with the log-odds

    .. math:: k(x) = \log\frac{n_P}{n_U} - \log q + \log \sigma(a f(x) + b),

    because the density of P is that of U times p(x) / q. The likelihood of s, less :math:`0.05 a^2`, is maximised over
    :math:`a \ge 0` and b, where f is the score divided by its standard deviation. In a single training set the odds in
    the population are those in U times :math:`\frac{\pi}{1 - \pi} / \frac{q}{1 - q}`.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        Scores of rows by models that did not see them.
    s : ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    prior : float
        Pr(y = 1) in the population.
    scenario : {"case-control", "single-training-set"}

    Returns
    -------
    Sigmoid
        For rows of the population.
    """
    n_p = int(np.count_nonzero(s))
    n_u = len(s) - n_p
    q = share_in_unlabelled(prior, n_p, n_u, scenario)
    centre, spread = float(scores.mean()), float(scores.std())
    unit = spread if spread > 0 else 1.0
    f, labelled, base = (scores - centre) / unit, s == 1, float(np.log(n_p / n_u) - np.log(q))

    def loss(parameters: Floats) -> tuple[float, Floats]:
        slope, offset = parameters
        eta = slope * f + offset
        k = base + log_expit(eta)
        value = -log_expit(k[labelled]).sum() - log_expit(-k[~labelled]).sum() + _RIDGE * slope**2
        by_eta = (expit(k) - labelled) * expit(-eta)
        return float(value), np.array([by_eta @ f + 2 * _RIDGE * slope, by_eta.sum()])

    start = np.array([1.0, logit(q)])
    bounds = [(0.0, _MOST), (-_MOST, _MOST)]
    slope, offset = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    # From standardised scores back to scores, and from U to the population; the last term is 0 in case-control data.
    offset += -slope * centre / unit + logit(prior) - logit(q)
    return Sigmoid(float(slope / unit), float(offset))
