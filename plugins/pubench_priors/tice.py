"""Tree induction for c estimation (TIcE; Bekker and Davis, 2018)."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from pubench.priors import PriorEstimate
from pubench.specs import Scenario
from pubench_priors.doubts import doubts_of
from pubench_priors.estimating import finished
from pubench_priors.problem import Floats, Labels, Settings, read_problem
from pubench_priors.scoring import FOLDS, score_rows

__all__ = ["Subset", "chebyshev_delta", "greatest_bound", "lower_bound", "subsets", "tice"]

SINGLE: tuple[Scenario, ...] = ("single-training-set",)
_QUARTERS = (0.25, 0.5, 0.75)
_PSEUDO_ROWS = 5
_LEAST_ROWS = 10
_MOST_SPLITS = 500
_ROUNDS = 2

Rows = NDArray[np.intp]


class Subset(NamedTuple):
    """A subset of rows that the tree found: how many of those set aside for estimation, and how many labelled."""

    rows: int
    labelled: int


def tice(
    X: Any, s: ArrayLike, *, scenario: Scenario, random_state: Any = None, **settings: Any
) -> PriorEstimate:
    r"""Estimate the prior as Pr(s = 1) / c, with c bounded from below by the purest subsets of rows.

    In any subset of T rows, L of them labelled, the share L / T estimates at most c. By Chebyshev's inequality

    .. math::

        c \ge \frac{L}{T} - \sqrt{\frac{c (1 - c) (1 - \delta)}{\delta T}}

    with probability :math:`1 - \delta` at least. A tree, grown on one fold towards subsets of many labels, proposes;
    the other folds decide: c is the greatest bound, and the mean over the folds. As in the paper,
    :math:`\delta = \max(0.025, 1 / (1 + 0.004 n))` with n rows to estimate from, the bound is computed twice, with
    c = 1/2 on its right side first, nodes are split at their columns' quarters, the most promising first and 500 at
    most, where a split's worth is the greater L / (T + 5) of its two sides. Beyond the paper, the sides of all splits
    that the root could have had are subsets, too.

    Columns are those of X and, beyond the paper, the out-of-fold score of each row: subsets along single columns are
    seldom pure where the classes differ in all columns a little.

    The interval is the method's own: its upper end uses the bound itself, so that the estimate lies there; its lower
    end the upper limit of the share of labels in the best subset that has at least a fifth as many rows as are
    labelled. Both allow for the sampling of Pr(s = 1).

    Parameters
    ----------
    X : array of shape (n, d)
    s : array-like of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    scenario : {"single-training-set"}
        In case-control data Pr(s = 1) is the experimenter's choice, and Pr(s = 1) / c is not a prior.
    random_state : int, RandomState, Generator or None
    **settings
        ``classifier``, ``folds`` and ``level``: see :class:`pubench_priors.problem.Settings`.

    Returns
    -------
    PriorEstimate
    """
    problem = read_problem("tice", X, s, scenario, random_state, claimed=SINGLE, takes=())
    options = Settings.of("tice", settings)
    scores = score_rows(problem, options.classifier, options.folds)
    columns = np.column_stack([problem.X, scores])
    reach = float(norm.ppf(0.5 + options.level / 2.0))
    folds = FOLDS if options.folds is None else options.folds
    bounds, limits = _frequencies(columns, problem.s, folds, reach, problem.seed)
    labelled = float(problem.s.mean())
    bound, limit = (min(1.0, max(float(np.mean(found)), labelled)) for found in (bounds, limits))
    error = reach * math.sqrt(labelled * (1.0 - labelled) / len(problem.s))
    ends = ((labelled - error) / limit, (labelled + error) / bound)
    return finished(labelled / bound, ends, problem, options, doubts_of(scores, problem))


def _frequencies(
    columns: Floats, s: Labels, folds: int, reach: float, seed: int
) -> tuple[list[float], list[float]]:
    """Return for each fold the lower bound of c, and the upper limit of the share of labels in a large subset."""
    rng = np.random.default_rng(seed)
    number = np.empty(len(s), dtype=np.int64)
    for kind in (0, 1):
        rows = np.flatnonzero(s == kind)
        number[rows] = rng.permutation(len(rows)) % folds
    bounds, limits = [], []
    for fold in range(folds):
        grown, kept = np.flatnonzero(number == fold), np.flatnonzero(number != fold)
        found, delta = list(subsets(columns, s, grown, kept)), chebyshev_delta(len(kept))
        bounds.append(greatest_bound(found, delta)[1])
        # The best of many small subsets is so by luck, which no limit of its own allows for.
        large = [subset for subset in found if subset.rows >= found[0].labelled / 5]
        best, _ = greatest_bound(large, delta)
        share = best.labelled / best.rows
        limits.append(share + reach * math.sqrt(share * (1.0 - share) / best.rows))
    return bounds, limits


def chebyshev_delta(n: int) -> float:
    """Return the paper's chance of error of a bound from n rows."""
    return max(0.025, 1.0 / (1.0 + 0.004 * n))


def lower_bound(subset: Subset, delta: float, frequency: float) -> float:
    """Return the bound on c that a subset gives, ``frequency`` standing for c on the right side."""
    variance = frequency * (1.0 - frequency)
    return subset.labelled / subset.rows - math.sqrt(variance * (1.0 - delta) / (delta * subset.rows))


def greatest_bound(found: list[Subset], delta: float) -> tuple[Subset, float]:
    """Return the subset with the greatest bound on c, and the bound: first with c = 1/2, then with what that gave."""
    frequency = 0.5
    for _ in range(_ROUNDS):
        bound, best = max((lower_bound(subset, delta, frequency), subset) for subset in found)
        frequency = min(max(bound, 0.0), 1.0)
    return best, bound


def subsets(columns: Floats, s: Labels, grown: Rows, kept: Rows) -> Iterator[Subset]:
    """Yield the nodes of a tree grown on some rows, counted on others: the root first, then the most promising."""
    turn = count()
    root = Subset(len(kept), int(s[kept].sum()))
    yield root
    # A split's worth is purity, so that the root may be split at a handful of rows. A large subset gives the better
    # bound if it is as pure: those of the other splits that the root could have had count, too.
    yield from _beside(columns[kept], s[kept], _quarters(columns[grown]))
    queue: list[tuple[float, int, Rows, Rows]] = [(0.0, next(turn), grown, kept)]
    splits = 0
    while queue and splits < _MOST_SPLITS:
        _, _, inside, counted = heapq.heappop(queue)
        split = _best_split(columns[inside], s[inside])
        if split is None:
            continue
        splits += 1
        column, threshold = split
        for side in (False, True):
            rows, others = (part[(columns[part, column] > threshold) == side] for part in (inside, counted))
            if len(others) >= _LEAST_ROWS:
                yield Subset(len(others), int(s[others].sum()))
            if len(rows) >= _LEAST_ROWS and len(others) >= _LEAST_ROWS:
                heapq.heappush(queue, (-float(_worth(s[rows].sum(), len(rows))), next(turn), rows, others))


def _beside(columns: Floats, s: Labels, quarters: Floats) -> Iterator[Subset]:
    """Yield the subsets on either side of each column's three quarters, shape (3, d), if they are large enough."""
    for thresholds in quarters:
        above = columns > thresholds
        rows, labelled = above.sum(axis=0), above[s == 1].sum(axis=0)
        sides = (rows, labelled), (len(s) - rows, int(s.sum()) - labelled)
        for counts in (zip(*side, strict=True) for side in sides):
            yield from (Subset(int(T), int(L)) for T, L in counts if T >= _LEAST_ROWS)


def _quarters(columns: Floats) -> Floats:
    """Return the columns' lower quarter, median and upper quarter: values that they have."""
    quarters: Floats = np.quantile(columns, _QUARTERS, axis=0, method="lower")
    return quarters


def _worth(labelled: Any, rows: Any) -> Any:
    """Return L / (T + 5): the share of labels, shrunk for small subsets."""
    return labelled / (rows + _PSEUDO_ROWS)


def _best_split(columns: Floats, s: Labels) -> tuple[int, float] | None:
    """Return the column and the threshold whose better side has the most worth; None if no column can be split."""
    n, n_labelled = len(s), int(s.sum())
    if n_labelled == 0:
        return None
    best: tuple[float, int, float] | None = None
    for thresholds in _quarters(columns):
        above = columns > thresholds
        rows, labelled = above.sum(axis=0), above[s == 1].sum(axis=0)
        worth = np.maximum(_worth(labelled, rows), _worth(n_labelled - labelled, n - rows))
        worth[(rows == 0) | (rows == n)] = -1.0
        column = int(np.argmax(worth))
        if worth[column] >= 0 and (best is None or worth[column] > best[0]):
            best = (float(worth[column]), column, float(thresholds[column]))
    return None if best is None else best[1:]
