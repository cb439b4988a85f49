"""Profile likelihood of the share of positives in U, with a logistic shape in place of purity."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logit
from scipy.stats import chi2

from pubench.priors import PriorEstimate
from pubench.specs import SCENARIOS, Scenario
from pubench_priors.bound import upper_bound
from pubench_priors.doubts import doubts_of
from pubench_priors.estimating import finished, prior_of_share
from pubench_priors.problem import Floats, Labels, Settings, read_problem
from pubench_priors.scoring import score_rows

__all__ = ["Curve", "Groups", "grouped", "log_likelihood", "profile", "profile_curve", "within"]

_RIDGE = 0.05
_POINTS = 21
# More rows than this are grouped: the cost of the likelihood then no longer grows with them.
_GROUPS = 1000
_SLOPES = (1.0, 0.0)
# Parameters beyond these change no probability that a sample of this world can distinguish.
_LIMITS = ((-50.0, 50.0), (0.0, 50.0), (0.0, 50.0))
_LEAST_SCORE = 1e-6
_TRUSTED = 100.0
"""With so many labels the shape of p(x) is doubted as much as the sample."""
_MOST_DOUBTED = 400
"""More labels than this narrow the interval again: where classes hardly overlap, they do determine the prior."""


class Groups(NamedTuple):
    """Rows of like score: their (1, f, max(f, 0)), shape (m, 3), how many are labelled and how many there are, (m,)."""

    Z: Floats
    labelled: Floats
    rows: Floats


class Curve(NamedTuple):
    """The greatest log-likelihood, shape (m,), for each share of positives in U, shape (m,), in rising order."""

    shares: Floats
    values: Floats


def profile(
    X: Any, s: ArrayLike, *, scenario: Scenario, random_state: Any = None, **settings: Any
) -> PriorEstimate:
    r"""Estimate the prior by the profile likelihood of the share q of positives in U.

    Bayes' rule gives the log-odds that a row comes from P rather than U, if :math:`p(x) = \Pr(y = 1 | x)` in U:

    .. math::

        k(x) = \ln \frac{n_p}{n_u} - \ln q + \ln p(x), \qquad
        p(x) = \sigma(b + a_1 f + a_2 \max(f, 0)), \quad a_1, a_2 \ge 0,

    where f is the standardised logit of the out-of-fold score. For each q on a grid the log-likelihood

    .. math::

        \ell(q) = \max_{b, a_1, a_2} \sum_{x \in P} \ln \sigma(k(x)) + \sum_{x \in U} \ln \sigma(-k(x))
        - 0.05 (a_1^2 + a_2^2)

    is maximised; the estimate maximises :math:`\ell`. The interval holds all q with

    .. math:: \ell(q) \ge \max \ell - \left(1 + \min(n_p, 400) / 100\right) \, \chi^2_1(level) / 2,

    which without the factor would be 1.35 below the maximum at 90 %. The factor is that of a coarsened likelihood
    (Miller and Dunson, 2019): p(x) is only nearly logistic, so that a few hundred labels do not narrow the interval.

    Other estimators assume that some region holds positives only. This one assumes instead that p(x) is logistic in
    the score, with one bend: where the labelled share stops rising, p(x) has come near 1, wherever the scores end. If
    it rises to the end, any smaller q fits as well, and the interval says so.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        NaN is a missing value, in dense rows.
    s : array-like of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    scenario : {"case-control", "single-training-set"}
    random_state : int, RandomState, Generator or None
    **settings
        ``classifier``, ``folds`` and ``level``: see :class:`pubench_priors.problem.Settings`.

    Returns
    -------
    PriorEstimate
        ``upper`` is the bound of :func:`pubench_priors.bound.upper_bound`.
    """
    problem = read_problem("profile", X, s, scenario, random_state, claimed=SCENARIOS)
    chosen = Settings.of("profile", settings)
    scores, labels = score_rows(problem, chosen.classifier, chosen.folds), problem.s
    coarse = 1.0 + min(problem.n_labelled, _MOST_DOUBTED) / _TRUSTED
    drop = coarse * float(chi2.ppf(chosen.level, df=1)) / 2.0
    curve = profile_curve(grouped(scores, labels), drop)
    low, high = within(curve, drop)
    # An interval that reaches the end of the grid goes on to where there is no positive, or nothing else.
    edge = float(expit(_edge(len(labels) - problem.n_labelled)))
    low, high = 0.0 if low <= edge else low, 1.0 if high >= 1.0 - edge else high
    best = float(curve.shares[np.argmax(curve.values)])
    most = upper_bound(scores[labels == 1], scores[labels == 0])
    value, low, high, most = (prior_of_share(share, scenario, labels) for share in (best, low, high, most))
    return finished(value, (low, high), problem, chosen, doubts_of(scores, problem), upper=most)


def grouped(scores: Floats, s: Labels, most: int = _GROUPS) -> Groups:
    """Return scores (n,) and labels s (n,) as groups: one for each row, or ``most`` groups of neighbouring scores.

    f is the logit of the score, of mean 0 and deviation 1; a group has the mean of (1, f, max(f, 0)).
    """
    f = logit(np.clip(scores, _LEAST_SCORE, 1.0 - _LEAST_SCORE))
    deviation = float(f.std())
    f = (f - f.mean()) / (deviation if deviation > 0 else 1.0)
    number = np.empty(len(f), dtype=np.int64)
    number[np.argsort(f, kind="stable")] = np.arange(len(f)) * min(most, len(f)) // len(f)
    columns = np.column_stack([np.ones_like(f), f, np.maximum(f, 0.0), s])
    sums = np.zeros((int(number.max()) + 1, 4))
    np.add.at(sums, number, columns)
    rows = sums[:, 0]
    return Groups(sums[:, :3] / rows[:, None], labelled=sums[:, 3], rows=rows)


def log_likelihood(theta: Floats, share: float, groups: Groups) -> tuple[float, Floats]:
    r"""Return the penalised log-likelihood of :func:`profile` and its gradient in :math:`\theta = (b, a_1, a_2)`.

    With :math:`\eta = Z \theta` and, in each group, l labelled rows of r, the likelihood is
    :math:`\sum l \ln \sigma(k) + (r - l) \ln \sigma(-k)`, and its gradient :math:`Z^T (l - r \sigma(k)) \sigma(-\eta)`.

    Parameters
    ----------
    theta : array of shape (3,)
    share : float
        q, the share of positives in U.
    groups : Groups
    """
    Z, labelled, rows = groups
    eta = Z @ theta
    n_p = labelled.sum()
    # log sigma(k) = k + log sigma(-k)
    k = math.log(n_p / (rows.sum() - n_p) / share) + log_expit(eta)
    value = float(labelled @ k + rows @ log_expit(-k)) - _RIDGE * float(theta[1:] @ theta[1:])
    gradient: Floats = ((labelled - rows * expit(k)) * expit(-eta)) @ Z
    gradient[1:] -= 2.0 * _RIDGE * theta[1:]
    return value, gradient


def profile_curve(groups: Groups, drop: float, points: int = _POINTS) -> Curve:
    """Return the profile of the likelihood on a grid of shares that is fine where it is at most ``drop`` below its top.

    The first grid is even in log-odds, from half a row of U to all but that; each next one covers the part of the one
    before that is so high, and one step more to each side, until a quarter of its points are.
    """
    edge = _edge(float(groups.rows.sum() - groups.labelled.sum()))
    ends = (edge, -edge)
    while True:
        odds = np.linspace(*ends, points)
        values = _along(odds, groups)
        inside = np.flatnonzero(values >= values.max() - drop)
        if len(inside) >= points / 4:
            return Curve(expit(odds), values)
        ends = float(odds[max(inside[0] - 1, 0)]), float(odds[min(inside[-1] + 1, points - 1)])


def _edge(n_u: float) -> float:
    """Return the log-odds of the least share: half a row of U."""
    return float(logit(0.5 / (n_u + 1.0)))


def _along(odds: Floats, groups: Groups) -> Floats:
    """Return the profile at shares of rising log-odds, shape (m,).

    The likelihood is not concave: where p(x) is near 1 everywhere it is flat, and no gradient leads away. So each
    maximum is sought twice, from the one before, which for small shares is that of a plain exponential model, and from
    where the mean of p(x) is about the share; the greater counts.
    """
    values = np.empty(len(odds))
    before = np.array([odds[0], *_SLOPES])
    for place, level in enumerate(odds):
        # The intercept follows the share.
        before[0] += level - odds[max(place - 1, 0)]
        starts = before, np.array([level, *_SLOPES])
        found = [_maximum(float(expit(level)), groups, start) for start in starts]
        values[place], before = max(found, key=lambda pair: pair[0])
    return values


def _maximum(share: float, groups: Groups, start: Floats) -> tuple[float, Floats]:
    """Return the greatest log-likelihood at one share, and where it is."""

    def loss(theta: Floats) -> tuple[float, Floats]:
        value, gradient = log_likelihood(theta, share, groups)
        return -value, -gradient

    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=_LIMITS)
    return -float(found.fun), found.x


def within(curve: Curve, drop: float) -> tuple[float, float]:
    """Return the least and the greatest share whose value is at most ``drop`` below the maximum.

    Between points of the grid the curve is a straight line in the log-odds of the share; beyond the grid there is
    nothing.
    """
    floor = float(curve.values.max()) - drop
    inside = np.flatnonzero(curve.values >= floor)
    first, last = int(inside[0]), int(inside[-1])
    low = float(curve.shares[0]) if first == 0 else _crossing(curve, first, first - 1, floor)
    high = (
        float(curve.shares[-1]) if last == len(curve.shares) - 1 else _crossing(curve, last, last + 1, floor)
    )
    return low, high


def _crossing(curve: Curve, inner: int, outer: int, floor: float) -> float:
    (inner_value, outer_value), odds = curve.values[[inner, outer]], logit(curve.shares[[inner, outer]])
    part = (inner_value - floor) / (inner_value - outer_value)
    return float(expit(odds[0] + part * (odds[1] - odds[0])))
