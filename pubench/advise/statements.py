"""What can be said about a ranking without negatives: precision among its top rows, and what nobody can know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pubench.specs import Scenario

if TYPE_CHECKING:
    from pubench.estimators.prior_statement import PriorStatement

__all__ = [
    "LIMITS",
    "FoundPositives",
    "TopPrecision",
    "found_positives",
    "sizes",
    "top_precision",
    "unlabelled_probabilities",
]

LIMITS = (
    "The labelled rows are assumed to be a fair sample of all positives. The data cannot confirm this.",
    "If easy positives were labelled first, the prior and even its upper bound may be too low.",
    "Probabilities scale with the prior: if the prior is too low, so are they.",
    'Methods are compared by how well they rank labelled above unlabelled rows. "The best tried" is not the best '
    "possible, and which method is best cannot be known from such data.",
    "Only rows that someone checks by hand give a real estimate of precision.",
)
_LEVEL = 0.9
_TAIL = (1 - _LEVEL) / 2
_NORMAL = 1.645
"""The 95 % quantile of the normal distribution: 5 % on each side of an interval."""
_ALMOST_ALL = 0.9
"""An interval of precision that is this wide says nothing."""
_SIZES = (10, 50, 100, 500)
Floats = NDArray[np.float64]
Labels = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class TopPrecision:
    """The share of positives among the k unlabelled rows that are ranked first.

    Attributes
    ----------
    k : int
    value : float
        The mean calibrated probability of these rows, moved into the cautious interval if it lies outside.
    low, high : float
        The cautious interval, which needs no shape of probabilities.
    narrow_low, narrow_high : float
        The narrow interval, by calibrated probabilities; too narrow if labels depend on the features.
    level : float
        Of both intervals.
    """

    k: int
    value: float
    low: float
    high: float
    narrow_low: float
    narrow_high: float
    level: float = _LEVEL

    @property
    def is_known(self) -> bool:
        """Whether the cautious interval excludes anything to speak of; otherwise the value is a guess."""
        return self.high - self.low < _ALMOST_ALL


@dataclass(frozen=True, slots=True)
class FoundPositives:
    """How many unlabelled rows are positive, by the prior and the ends of its interval."""

    value: int
    low: int
    high: int


def sizes(n_unlabelled: int) -> tuple[int, ...]:
    """Return some numbers of rows that a person may want to look at: at most a quarter of U, and at least one."""
    return tuple(k for k in _SIZES if k <= n_unlabelled / 4) or (min(n_unlabelled, _SIZES[0]),)


def found_positives(prior: PriorStatement, s: Labels, scenario: Scenario) -> FoundPositives:
    """Return how many unlabelled rows are positive if the prior is right, and if it is at an end of its interval."""
    n_u = int((s == 0).sum())
    value, low, high = (round(share * n_u) for share in _shares(prior, s, scenario))
    return FoundPositives(value, low, high)


def top_precision(
    scores: Floats, s: Labels, k: int, *, prior: PriorStatement, scenario: Scenario
) -> TopPrecision:
    r"""Return what is known of the precision among the top k rows of U.

    With q the share of positives in U and r the share of positives that are scored as high as the k-th row of U,

    .. math:: precision = q r / (k / n_U),

    and r is the same for labelled and unlabelled positives if the labelled ones are a fair sample. The cautious
    interval takes the ends of the interval of q, and those of Clopper and Pearson for r. The narrow one takes the mean
    probability of the k rows, calibrated at the value and at the ends of the interval of the prior, plus the noise of
    k draws.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        Out-of-fold scores.
    s : ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    k : int
        At most the number of unlabelled rows.
    prior : PriorStatement
    scenario : {"case-control", "single-training-set"}
    """
    unlabelled = scores[s == 0]
    least = np.sort(unlabelled)[-k]
    # Of tied rows all count, on both sides.
    share, caught = np.mean(unlabelled >= least), int(np.count_nonzero(scores[s == 1] >= least))
    ends = zip(_shares(prior, s, scenario)[1:], _clopper_pearson(caught, int(s.sum())), strict=True)
    low, high = (min(1.0, q * r / float(share)) for q, r in ends)
    value, narrow_low, narrow_high = _by_probabilities(scores, s, k, prior, scenario)
    return TopPrecision(k, min(max(value, low), high), low, high, narrow_low, narrow_high)


def _shares(prior: PriorStatement, s: Labels, scenario: Scenario) -> tuple[float, float, float]:
    """Return the share of positives in U at the prior's value, low and high end."""
    from pubench.estimators.calibration import share_in_unlabelled

    n_p = int(s.sum())
    ends = (prior.value, prior.low, prior.high)
    value, low, high = (share_in_unlabelled(one, n_p, len(s) - n_p, scenario) for one in ends)
    return value, low, high


def _clopper_pearson(count: int, n: int) -> tuple[float, float]:
    from scipy.stats import beta

    low = 0.0 if count == 0 else float(beta.ppf(_TAIL, count, n - count + 1))
    high = 1.0 if count == n else float(beta.ppf(1 - _TAIL, count + 1, n - count))
    return low, high


def _by_probabilities(
    scores: Floats, s: Labels, k: int, prior: PriorStatement, scenario: Scenario
) -> tuple[float, float, float]:
    """Return the mean probability of the top k rows, and the ends of its interval."""
    means = [
        float(np.sort(unlabelled_probabilities(scores, s, one, scenario))[-k:].mean())
        for one in (prior.value, prior.low, prior.high)
    ]
    ends = []
    for mean in means:
        noise = _NORMAL * float(np.sqrt(max(mean * (1 - mean), 0.25 / k) / k))
        ends += [mean - noise, mean + noise]
    return means[0], max(0.0, min(ends)), min(1.0, max(ends))


def unlabelled_probabilities(scores: Floats, s: Labels, prior: float, scenario: Scenario) -> Floats:
    """Return Pr(y = 1 | x) of the unlabelled rows, given that they are unlabelled, shape (n_U,).

    Parameters
    ----------
    scores, s, scenario
        See :func:`top_precision`.
    prior : float
        In a single training set, the odds in U are smaller than in the population: its labelled positives are gone.
    """
    from scipy.special import expit, logit

    from pubench.estimators.calibration import fit_sigmoid, share_in_unlabelled

    n_p = int(s.sum())
    q = share_in_unlabelled(prior, n_p, len(s) - n_p, scenario)
    # A prior below the labelled share is not possible in a single training set; q is then half a row.
    n = len(s)
    prior = max(prior, (n_p + q * (n - n_p)) / n) if scenario == "single-training-set" else prior
    odds = fit_sigmoid(scores, s, prior=prior, scenario=scenario).log_odds(scores[s == 0])
    return np.asarray(expit(odds + logit(q) - logit(prior)))
