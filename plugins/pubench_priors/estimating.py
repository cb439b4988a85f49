"""From a statistic of scores to an estimate of the prior: scenario, interval by the bootstrap, doubts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import beta, norm

from pubench.priors import PriorEstimate
from pubench.specs import SCENARIOS, Scenario
from pubench_priors.doubts import doubts_of
from pubench_priors.places import Places, tally
from pubench_priors.problem import Floats, Labels, Problem, Settings, read_problem
from pubench_priors.scoring import score_rows

__all__ = [
    "Share",
    "Statistic",
    "best_half",
    "estimate_by_scores",
    "finished",
    "mixture_estimator",
    "most_in_half",
    "prior_of_mixture",
    "prior_of_share",
]

Statistic = Callable[[Any, Labels], float]
"""From scores (n,), or their places among the distinct ones, and labels s (n,) to the prior."""
Share = Callable[[Any, Any], float]
"""From the scores of P and of U, or places, shapes (n_p,) and (n_u,), to U's share of positives: by order alone."""


def prior_of_mixture(share: Share, scenario: Scenario, scores: Floats | Places, s: Labels) -> float:
    """Return the prior that a share of positives in U, computed from scores, stands for."""
    labelled = s.view(np.bool_)
    return prior_of_share(share(scores[labelled], scores[~labelled]), scenario, s)


def prior_of_share(alpha: float, scenario: Scenario, s: Labels) -> float:
    r"""Turn the share alpha of positives in U into the prior.

    In case-control data U is a sample of the population, so :math:`\pi = \alpha`. In a single training set U lacks the
    labelled positives: :math:`\pi = (n_p + \alpha n_u) / n`.
    """
    if scenario == "case-control":
        return alpha
    n_p = int(s.sum())
    return (n_p + alpha * (len(s) - n_p)) / len(s)


def estimate_by_scores(
    problem: Problem, settings: Settings, *, share: Share | None = None, statistic: Statistic | None = None
) -> PriorEstimate:
    """Score the rows, apply the statistic, and estimate its variability by the bootstrap.

    Rows are resampled with their scores: in case-control data separately from P and U, in a single training set all
    together. The models are not fitted again: their errors change the scores of rows, but the estimate is valid for
    any score that ranks.

    The interval is the hull of two: that of the statistic, and that of :func:`best_half`, which is less sensitive to
    overlap of the classes, but varies more. Both are valid where the method's assumption holds.
    """
    if share is not None:
        statistic = partial(prior_of_mixture, share, problem.scenario)
    assert statistic is not None
    scores, s = score_rows(problem, settings.classifier, settings.folds), problem.s
    distinct, place = np.unique(scores, return_inverse=True)
    purer = partial(prior_of_mixture, partial(best_half, distinct=distinct), problem.scenario)
    values = np.array([statistic(place, s), purer(place, s)])
    moved = _resampled((statistic, purer), place, problem, settings.n_resamples)
    reach = _errors(settings.level) * moved.std(axis=0, ddof=1)
    most = prior_of_mixture(partial(most_in_half, level=settings.level), problem.scenario, scores, s)
    ends = float(np.min(values - reach)), max(float(np.max(values + reach)), most)
    return finished(values[0], ends, problem, settings, doubts_of(scores, problem))


def mixture_estimator(name: str, share: Share) -> Callable[..., PriorEstimate]:
    """Return the prior estimator, for both scenarios, based on a share of positives; it inherits the docstring."""

    def estimate(
        X: Any, s: ArrayLike, *, scenario: Scenario, random_state: Any = None, **settings: Any
    ) -> PriorEstimate:
        problem = read_problem(name, X, s, scenario, random_state, claimed=SCENARIOS)
        return estimate_by_scores(problem, Settings.of(name, settings), share=share)

    estimate.__doc__ = f"{inspect.getdoc(share)}\n\n{_MIXTURE_PARAMETERS}"
    estimate.__name__ = estimate.__qualname__ = name.replace("-", "_")
    return estimate


_MIXTURE_PARAMETERS = """Parameters
----------
X : array or sparse matrix of shape (n, d)
    NaN is a missing value, in dense rows.
s : array-like of shape (n,)
    1 = labelled positive, 0 = unlabelled.
scenario : {"case-control", "single-training-set"}
random_state : int, RandomState, Generator or None
**settings
    ``classifier``, ``folds``, ``level`` and ``n_resamples``: see :class:`pubench_priors.problem.Settings`.

Returns
-------
PriorEstimate
"""


def best_half(
    labelled: Floats | Places, unlabelled: Floats | Places, distinct: Floats | None = None
) -> float:
    """Return U's share over P's at and above the median score of P: U's share of positives if only these are there.

    Scores may be given by their places among ``distinct`` ones.
    """
    if distinct is None:
        distinct = np.unique(np.concatenate([labelled, unlabelled]))
    found, n_p = tally(labelled, unlabelled), len(labelled)
    middle = np.searchsorted(found.below_p + found.of_p, [(n_p - 1) // 2, n_p // 2], side="right")
    first = np.searchsorted(distinct, distinct[middle].mean())
    on_p, on_u = found.of_p[first:].sum() / n_p, found.of_u[first:].sum() / len(unlabelled)
    return min(1.0, float(on_u / on_p))


def most_in_half(labelled: Floats, unlabelled: Floats, level: float) -> float:
    """Return the upper Clopper-Pearson limit of :func:`best_half`, which is above 0 even if no row of U is there."""
    middle = np.median(labelled)
    count, n_u = int(np.count_nonzero(unlabelled >= middle)), len(unlabelled)
    most = 1.0 if count == n_u else float(beta.ppf(0.5 + level / 2.0, count + 1, n_u - count))
    return min(1.0, most / float(np.mean(labelled >= middle)))


def _errors(level: float) -> float:
    """Return the half-width of an interval in standard errors."""
    return float(norm.ppf(0.5 + level / 2.0))


def _resampled(statistics: Sequence[Statistic], place: Places, problem: Problem, n_resamples: int) -> Floats:
    """Return the statistics of resampled rows, given by their places, shape (n_resamples, n_statistics)."""
    rng, s = np.random.default_rng(problem.seed + 1), problem.s
    kinds = [np.flatnonzero(s == 1), np.flatnonzero(s == 0)]
    if problem.scenario == "single-training-set":
        kinds = [np.arange(len(s))]
    values: list[list[float]] = []
    while len(values) < n_resamples:
        drawn = np.concatenate([rng.choice(rows, len(rows)) for rows in kinds])
        labels = s[drawn]
        # With few labelled rows, a resample may lack one kind.
        if 0 < labels.sum() < len(labels):
            moved = place[drawn]
            values.append([statistic(moved, labels) for statistic in statistics])
    return np.array(values)


def finished(
    value: float,
    ends: tuple[float, float],
    problem: Problem,
    settings: Settings,
    doubts: list[str],
    upper: float | None = None,
) -> PriorEstimate:
    """Clip an estimate to the possible range, and add a doubt if it was at the edge.

    A prior is neither 0 nor 1, and that of a single training set is at least the share of labelled rows.
    """
    n = len(problem.s)
    inside = 0.5 / n
    least = problem.n_labelled / n if problem.scenario == "single-training-set" else inside
    most = 1.0 - inside
    least = min(least, most)
    if value >= most:
        doubts = [*doubts, "at the upper edge: nearly all unlabelled rows look like positives"]
    elif value <= least:
        doubts = [*doubts, "at the lower edge: hardly any unlabelled row looks like a positive"]
    low, value, high = (float(np.clip(number, least, most)) for number in (ends[0], value, ends[1]))
    return PriorEstimate(value, low, high, settings.level, tuple(doubts), upper)
