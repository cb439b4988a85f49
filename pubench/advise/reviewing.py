"""Rows to look at by hand, and what the answers say: a real estimate of precision and prior."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pubench.advise.ensemble import Calibration
from pubench.advise.prior_of_table import prior_of_share
from pubench.advise.statements import unlabelled_probabilities
from pubench.advise.trained import ReviewResult, TrainedModel
from pubench.errors import DataError
from pubench.estimators.calibration import Sigmoid, fit_sigmoid
from pubench.estimators.prior_cut import population_cut
from pubench.estimators.prior_statement import PriorStatement

__all__ = ["choose_rows", "review_lines", "reviewed"]

_PARTS = (0.5, 0.85)
"""Where the rows called negative, and those called positive, are divided by their rank."""
_LEAST, _FEW, _DRAWS, _LEVEL = 3, 30, 4000, 0.9
Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


def _strata(model: TrainedModel) -> tuple[Numbers, NDArray[np.bool_]]:
    """Return the stratum of each unlabelled training row, and which strata the model calls positive.

    They depend on out-of-fold scores and the decisions of the fit only, which no review changes.
    """
    training = model.training
    unlabelled = training.s == 0
    positive = training.decided[unlabelled] == 1
    score = training.unseen.score[unlabelled]
    stratum = np.zeros(len(score), dtype=np.int64)
    for called in (False, True):
        inside = positive == called
        if inside.any():
            cuts = np.quantile(score[inside], _PARTS)
            stratum[inside] = np.searchsorted(cuts, score[inside]) + called * (len(_PARTS) + 1)
    names, numbers = np.unique(stratum, return_inverse=True)
    return numbers.ravel(), names > len(_PARTS)


def choose_rows(model: TrainedModel, n: int, *, seed: int = 0) -> Numbers:
    """Choose unlabelled training rows to look at by hand, in random order.

    The rows are drawn at random from strata of the out-of-fold score, more where answers are least certain.

    Parameters
    ----------
    model : TrainedModel
    n : int
        How many; all unlabelled rows if there are fewer.
    seed : int

    Returns
    -------
    ndarray of int
        Positions in the training table, from 0.
    """
    numbers, _ = _strata(model)
    sizes = np.bincount(numbers)
    training, card = model.training, model.card
    p = unlabelled_probabilities(training.unseen.score, training.s, card.prior.value, card.scenario)
    p = np.clip(np.bincount(numbers, weights=p) / sizes, 0.05, 0.95)
    wanted = _allocated(
        sizes, np.asarray(sizes * np.sqrt(p * (1 - p)), dtype=np.float64), min(n, len(numbers))
    )
    rng = np.random.default_rng(seed)
    drawn = [
        rng.choice(np.flatnonzero(numbers == place), count, replace=False)
        for place, count in enumerate(wanted)
    ]
    return rng.permutation(np.flatnonzero(training.s == 0)[np.concatenate(drawn)])


def _allocated(sizes: Numbers, weights: Floats, n: int) -> Numbers:
    """Divide n rows among strata by weight: a few in each, and never more than there are."""
    given = np.minimum(sizes, min(_LEAST, n // len(sizes)))
    while given.sum() < n:
        # One by one: the stratum that is furthest behind its share comes next.
        behind = np.where(given < sizes, weights / (given + 1), -np.inf)
        given[behind.argmax()] += 1
    return np.asarray(given)


@dataclass(frozen=True, slots=True, eq=False)
class _Draws:
    """Plausible shares of positives, given the answers: in U, and among the rows that are called positive."""

    share: Floats
    precision: Floats | None


def reviewed(model: TrainedModel, answers: Mapping[int, bool]) -> TrainedModel:
    """Return the model with prior, probabilities and threshold by what a person found in a random sample of rows.

    Parameters
    ----------
    model : TrainedModel
    answers : mapping of int to bool
        Positions of unlabelled training rows, and whether the row is positive.

    Returns
    -------
    TrainedModel
        ``card.review`` holds the precision of the positive decisions, and the share of positives in U.

    Raises
    ------
    DataError
        If an answer is about a row that was not to be asked.
    """
    draws = _draws(model, answers)
    tails = ((1 - _LEVEL) / 2, 0.5, (1 + _LEVEL) / 2)
    low, value, high = (float(one) for one in np.quantile(draws.share, tails))
    precision = (0.0, 0.0, 1.0)
    if draws.precision is not None:
        first, middle, last = (float(one) for one in np.quantile(draws.precision, tails))
        precision = (middle, first, last)
    found = ReviewResult(
        answers=len(answers),
        positives=sum(answers.values()),
        precision=precision[0] if draws.precision is not None else None,
        precision_low=precision[1],
        precision_high=precision[2],
        share=value,
        share_low=low,
        share_high=high,
        level=_LEVEL,
    )
    return _updated(model, found)


def _draws(model: TrainedModel, answers: Mapping[int, bool]) -> _Draws:
    """Draw the number of positives in each stratum: those that were found, and a beta-binomial number of the rest."""
    numbers, called = _strata(model)
    unlabelled = np.flatnonzero(model.training.s == 0)
    place = {int(row): int(number) for row, number in zip(unlabelled, numbers, strict=True)}
    wrong = [row for row in answers if row not in place]
    if wrong:
        raise DataError(
            f"row {wrong[0] + 1} is not an unlabelled row of the model's training data; use the answers with the model "
            "that chose the rows"
        )
    sizes, rng = np.bincount(numbers), np.random.default_rng(0)
    asked, yes = np.zeros_like(sizes), np.zeros_like(sizes)
    for row, answer in answers.items():
        asked[place[row]] += 1
        yes[place[row]] += answer
    rates = rng.beta(yes + 0.5, asked - yes + 0.5, size=(_DRAWS, len(sizes)))
    positives = yes + rng.binomial(sizes - asked, rates)
    precision = positives[:, called].sum(axis=1) / sizes[called].sum() if called.any() else None
    return _Draws(positives.sum(axis=1) / sizes.sum(), precision)


def _updated(model: TrainedModel, found: ReviewResult) -> TrainedModel:
    """Return the model with the prior that was found, probabilities that average to it, and a cut at it."""
    training, scenario = model.training, model.card.scenario
    ends = (found.share, found.share_low, found.share_high)
    # Probabilities of exactly 0 or 1 have no log-odds.
    least = 0.5 / len(training.s)
    value, low, high = (
        float(np.clip(prior_of_share(share, training.s, scenario), least, 1 - least)) for share in ends
    )
    assumption = (
        f"Known from {found.answers} rows checked by hand. This holds whichever positives were labelled."
    )
    prior = PriorStatement(value, low, high, found.level, high, True, assumption=assumption)
    ensemble = copy(model.ensemble)
    ensemble.prior, ensemble.interval = value, (low, high)
    ensemble.calibration_ = Calibration(*(_recalibrated(model, one) for one in (value, low, high)))
    ensemble.cut_ = population_cut(training.unseen.score, training.s, prior=value, scenario=scenario)
    card = replace(model.card, prior=prior, review=found)
    return replace(model, card=card, ensemble=ensemble)


def review_lines(model: TrainedModel) -> tuple[str, ...]:
    """Return what the answers say, in sentences for a person."""
    found, prior = model.card.review, model.card.prior
    if found is None:
        return ()
    precision = "The model calls no unlabelled row positive, so there is no precision to estimate."
    if found.precision is not None:
        precision = (
            f"Precision of the rows called positive: {found.precision:.2f}, between {found.precision_low:.2f} and "
            f"{found.precision_high:.2f} ({found.level:.0%})."
        )
    few = "With so few answers the intervals are wide: check more rows if you can."
    return (
        f"{found.answers} answers, {found.positives} of them positive.",
        precision,
        f"Share of positives among unlabelled rows: {found.share:.3f}, between {found.share_low:.3f} and "
        f"{found.share_high:.3f} ({found.level:.0%}).",
        f"Prior: {prior.value:.3f}, between {prior.low:.3f} and {prior.high:.3f}. {prior.assumption}",
        "Probabilities and the threshold of decisions follow this prior now.",
        *((few,) if found.answers < _FEW else ()),
    )


def _recalibrated(model: TrainedModel, prior: float) -> Sigmoid:
    """Fit probabilities at a prior, and shift them so that their mean over the population is the prior."""
    from scipy.optimize import brentq

    training, scenario = model.training, model.card.scenario
    fitted = fit_sigmoid(training.unseen.score, training.s, prior=prior, scenario=scenario)
    every = scenario == "single-training-set"
    scores = training.unseen.score if every else training.unseen.score[training.s == 0]

    def excess(shift: float) -> float:
        return float(replace(fitted, offset=fitted.offset + shift).probability(scores).mean()) - prior

    return replace(fitted, offset=fitted.offset + float(brentq(excess, -60.0, 60.0)))
