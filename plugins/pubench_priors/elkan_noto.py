"""The three estimators of Elkan and Noto (2008) of c = Pr(s = 1 | y = 1)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pubench.errors import PriorError
from pubench.priors import PriorEstimate
from pubench.specs import Scenario
from pubench_priors.estimating import estimate_by_scores
from pubench_priors.places import Places, places
from pubench_priors.problem import Floats, Labels, Settings, read_problem

__all__ = ["calibrate", "e1", "e2", "e3", "elkan_noto", "highest_step"]

Frequency = Callable[[Floats, Labels], float]
SINGLE: tuple[Scenario, ...] = ("single-training-set",)
_LEAST_ROWS = 20


def e1(g: Floats, s: Labels) -> float:
    """Return the mean of g over the labelled rows."""
    return float(g[s == 1].mean())


def e2(g: Floats, s: Labels) -> float:
    """Return the sum of g over the labelled rows, divided by the sum over all."""
    return float(g[s == 1].sum() / g.sum())


def e3(g: Floats) -> float:
    """Return the greatest g."""
    return float(g.max())


def elkan_noto(
    X: Any, s: ArrayLike, *, scenario: Scenario, random_state: Any = None, which: str = "e1", **settings: Any
) -> PriorEstimate:
    r"""Estimate the prior as Pr(s = 1) / c, with the label frequency c from a classifier g of s.

    Labels at random (SCAR) make :math:`g(x) = \Pr(s = 1 | x) = c \Pr(y = 1 | x)`. Where the classes do not overlap,
    g is c on every positive, and

    .. math::

        e_1 = \frac{1}{n_p} \sum_{x \in P} g(x), \quad e_2 = \frac{\sum_{x \in P} g(x)}{\sum_x g(x)}, \quad
        e_3 = \max_x g(x)

    all estimate c. :math:`e_3` needs one region of pure positives only; the others are too small by overlap, and the
    prior is then too large. They are means over a sample, and vary less.

    g is the classifier's out-of-fold score, calibrated: for :math:`e_1` and :math:`e_2` by the mean of s among the
    rows nearest in score, the row itself left out; for :math:`e_3` by the highest step of an isotonic regression, at
    least half as long as rows are labelled and chosen by its lower limit, since the maximum of g is that of its noise.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        NaN is a missing value, in dense rows.
    s : array-like of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    scenario : {"single-training-set"}
        In case-control data Pr(s = 1) is the experimenter's choice, and Pr(s = 1) / c is not a prior.
    random_state : int, RandomState, Generator or None
    which : {"e1", "e2", "e3"}
    **settings
        ``classifier``, ``folds``, ``level`` and ``n_resamples``: see :class:`pubench_priors.problem.Settings`.

    Returns
    -------
    PriorEstimate
    """
    if which not in _FREQUENCIES:
        raise PriorError(f"which = {which!r} is unknown; give one of {', '.join(_FREQUENCIES)}")
    problem = read_problem(f"elkan-noto-{which}", X, s, scenario, random_state, claimed=SINGLE)
    return estimate_by_scores(
        problem,
        Settings.of(f"elkan-noto-{which}", settings),
        statistic=partial(_prior, _FREQUENCIES[which]),
    )


def _prior(frequency: Frequency, scores: Floats, s: Labels) -> float:
    labelled = float(s.mean())
    return labelled / min(1.0, max(frequency(scores, s), labelled))


def calibrate(scores: Floats, s: Labels, n_neighbours: int) -> Floats:
    """Return for each row the mean of s among the rows nearest in the order of scores, itself left out; shape (n,).

    Rows of equal score share their neighbours: all of each other, at least, and where a neighbourhood ends amid rows of
    equal score, it takes their mean. Otherwise the order of the rows would count, such as labelled rows coming first.
    """
    n = len(s)
    width = min(n_neighbours + 1, n)
    groups, sizes = _groups(scores)
    sums = np.concatenate([[0.0], np.cumsum(np.repeat(np.bincount(groups, weights=s) / sizes, sizes))])
    ends = np.cumsum(sizes)
    starts = ends - sizes
    first = np.clip((starts + ends) // 2 - width // 2, 0, n - width)
    low, high = np.minimum(first, starts), np.maximum(first + width, ends)
    g: Floats = ((sums[high] - sums[low])[groups] - s) / np.maximum(high - low - 1, 1)[groups]
    return np.clip(g, 0.0, 1.0)


def highest_step(scores: Floats, s: Labels, least_rows: int) -> float:
    """Return the mean of s over the m rows of highest score, m being at least ``least_rows``.

    The greatest such mean is the highest step of an isotonic regression. Here m has the greatest mean less three
    standard errors, half a row being allowed for, so that it is not luck that makes a short step high. Equal scores
    stay together.
    """
    groups, sizes = _groups(scores)
    ends = np.cumsum(sizes[::-1])
    labelled = np.cumsum(np.bincount(groups, weights=s)[::-1])
    long = ends >= min(least_rows, len(s))
    ends, labelled = ends[long], labelled[long]
    means = labelled / ends
    errors = np.sqrt(means * (1.0 - means) / ends) + 0.5 / ends
    return float(means[np.argmax(means - 3.0 * errors)])


def _groups(scores: NDArray[Any]) -> tuple[Places, Places]:
    """Return the number of each row's score among those that occur, shape (n,), and how many rows have it, (k,)."""
    place = places(scores)
    count = np.bincount(place)
    return (np.cumsum(count > 0) - 1)[place], count[count > 0]


def _step_rows(s: Labels) -> int:
    return max(_LEAST_ROWS, int(s.sum()) // 2)


def _neighbours(s: Labels) -> int:
    return max(_LEAST_ROWS, int(s.sum()) // 5)


_FREQUENCIES: dict[str, Frequency] = {
    "e1": lambda scores, s: e1(calibrate(scores, s, _neighbours(s)), s),
    "e2": lambda scores, s: e2(calibrate(scores, s, _neighbours(s)), s),
    "e3": lambda scores, s: e3(np.array([highest_step(scores, s, _step_rows(s))])),
}
