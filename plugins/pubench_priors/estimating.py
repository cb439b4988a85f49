"""From a statistic of scores to an estimate of the prior: scenario, interval by the bootstrap, doubts."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.stats import norm

from pubench.priors import PriorEstimate
from pubench.specs import Scenario
from pubench_priors.doubts import doubts_of
from pubench_priors.problem import Floats, Labels, Problem, Settings
from pubench_priors.scoring import score_rows

__all__ = ["Share", "Statistic", "estimate_by_scores", "finished", "prior_of_mixture"]

Statistic = Callable[[Floats, Labels], float]
"""From scores (n,) and labels s (n,) to the prior."""
Doubts = Callable[[Floats, Labels], list[str]]
"""From scores and labels to sentences."""
Share = Callable[[Floats, Floats], float]
"""From the scores of P and of U to the share of positives in U."""


def prior_of_mixture(share: Share, scenario: Scenario, scores: Floats, s: Labels) -> float:
    r"""Turn the share alpha of positives in U into the prior.

    In case-control data U is the population's sample, so :math:`\pi = \alpha`. In a single training set U lacks the
    labelled positives: :math:`\pi = (n_p + \alpha n_u) / n`.
    """
    alpha = share(scores[s == 1], scores[s == 0])
    if scenario == "case-control":
        return alpha
    n_p = int(s.sum())
    return (n_p + alpha * (len(s) - n_p)) / len(s)


def estimate_by_scores(
    problem: Problem,
    settings: Settings,
    *,
    share: Share | None = None,
    statistic: Statistic | None = None,
    more_doubts: Doubts = lambda scores, s: [],
) -> PriorEstimate:
    """Score the rows, apply the statistic, and ask the bootstrap how far it moves.

    Rows are drawn anew with their scores: in case-control data P and U apart, in a single training set all together.
    The models are not fitted again: an error of theirs changes which score a row has, and what is estimated from
    scores is right for any score that ranks.
    """
    if share is not None:
        statistic = partial(prior_of_mixture, share, problem.scenario)
    assert statistic is not None
    scores = score_rows(problem, settings.classifier, settings.folds)
    value = statistic(scores, problem.s)
    moved = _resampled(statistic, scores, problem, settings.n_resamples) - value
    reach = float(norm.ppf(0.5 + settings.level / 2.0)) * _spread(moved)
    doubts = doubts_of(scores, problem.s) + more_doubts(scores, problem.s)
    return finished(value, (value - reach, value + reach), problem, settings, doubts)


def _spread(moved: Floats) -> float:
    """Return the standard error, given by how much the statistic moved.

    Where a best bin is chosen, chance moves it to one side. The bootstrap shows that, but exaggerates it, since rows
    drawn twice look like pure bins: a shift counts up to one standard deviation.
    """
    deviation, shift = float(np.std(moved, ddof=1)), abs(float(np.mean(moved)))
    return math.hypot(deviation, min(shift, deviation))


def _resampled(statistic: Statistic, scores: Floats, problem: Problem, n_resamples: int) -> Floats:
    rng, s = np.random.default_rng(problem.seed + 1), problem.s
    kinds = [np.flatnonzero(s == 1), np.flatnonzero(s == 0)]
    if problem.scenario == "single-training-set":
        kinds = [np.arange(len(s))]
    values: list[float] = []
    while len(values) < n_resamples:
        drawn = np.concatenate([rng.choice(rows, len(rows)) for rows in kinds])
        # A handful of labelled rows may leave one kind out.
        if 0 < s[drawn].sum() < len(drawn):
            values.append(statistic(scores[drawn], s[drawn]))
    return np.array(values)


def finished(
    value: float, ends: tuple[float, float], problem: Problem, settings: Settings, doubts: list[str]
) -> PriorEstimate:
    """Keep an estimate inside what is possible, and say so where it was at the edge.

    No prior is 0 or 1, and that of a single training set is at least the share of labelled rows.
    """
    n = len(problem.s)
    inside = 0.5 / n
    least = problem.n_labelled / n if problem.scenario == "single-training-set" else inside
    most = 1.0 - inside
    least = min(least, most)
    if not least < value < most and ends[0] == ends[1]:
        # No resample left the edge: that is no certainty, only no information.
        ends = (least, most)
    if value >= most:
        doubts = [*doubts, "at the upper edge: nearly all unlabelled rows look like positives"]
    elif value <= least:
        doubts = [*doubts, "at the lower edge: hardly any unlabelled row looks like a positive"]
    low, value, high = (float(np.clip(number, least, most)) for number in (ends[0], value, ends[1]))
    return PriorEstimate(value, low, high, settings.level, tuple(doubts))
