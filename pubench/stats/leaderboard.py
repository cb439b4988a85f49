"""The leaderboard: one standing for each algorithm, over all lines of a board or a part of them.

The script of the page makes the same computation for the lines and algorithms that a reader chooses. Sums are made from
the first term to the last in both, so that both give the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pubench.stats.board import Board
from pubench.stats.bootstrap import rank_intervals
from pubench.stats.competition import Competition, average, own_lines
from pubench.stats.elo import LEAST_UNITS, elo_ratings
from pubench.stats.paired import paired_differences
from pubench.stats.power import least_p
from pubench.stats.roles import is_baseline
from pubench.suite.reporting import Rules

__all__ = ["Leaderboard", "Standing", "leaderboard"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Standing:
    """One algorithm; numbers that are not known are NaN.

    ``rank`` is the average rank and ``low`` to ``high`` its bootstrap interval; ``means`` has the mean of each metric
    over units; wins, ties and losses are against the best. ``normalised`` is 0 for the strongest simple baseline and 1
    for the best supervised reference. ``improvability`` is the mean share of the error that the best of each unit
    avoids. ``seconds`` is the median over lines.
    """

    algorithm: str
    reference: bool
    rank: float
    low: float
    high: float
    means: tuple[float, ...]
    wins: int
    ties: int
    losses: int
    normalised: float
    improvability: float
    elo: float
    seconds: float
    planned: int
    failed: int
    collapsed: int


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The standings by one metric, the best first, then those without a rank, then references.

    ``units`` counts what ranks and means are averages over, of ``all_units``. ``detectable`` is the mean difference
    from ``compared_with``, which is the control if it has a rank and the best if not, that a test detects with power
    0.8, at the median spread of differences: infinite with too few units.
    """

    metric: int
    standings: tuple[Standing, ...]
    units: int
    all_units: int
    best: str | None
    baseline: str | None
    supervised: str | None
    compared_with: str | None
    detectable: float


def leaderboard(
    board: Board,
    metric: int,
    rules: Rules,
    lines: Sequence[int] | None = None,
    algorithms: Sequence[int] | None = None,
) -> Leaderboard:
    """Rank algorithms over some lines; default: all of them.

    Where no unit has a score of every algorithm, only those with scores in most units are ranked.
    """
    chosen = own_lines(board.lines, range(len(board.lines)) if lines is None else lines)
    columns = list(range(len(board.algorithms)) if algorithms is None else algorithms)
    competitions = [Competition(board, place, rules, chosen, columns) for place in range(len(board.metrics))]
    competition = competitions[metric]
    made = _Standings(board, competition, rules, chosen)
    means = [each.averages() for each in competitions]
    order = sorted(competition.ranked, key=lambda j: competition.average_rank[j])
    rest = [j for j in columns if j not in order]
    rest.sort(key=lambda j: j in competition.references)
    return Leaderboard(
        metric=metric,
        standings=tuple(
            made.standing(j, tuple(each.get(j, np.nan) for each in means)) for j in [*order, *rest]
        ),
        units=len(competition.units.means(competition.ranked or competition.alone)),
        all_units=competition.units.count,
        best=board.algorithms[order[0]] if order else None,
        baseline=None if made.baseline is None else board.algorithms[made.baseline],
        supervised=None if made.supervised is None else board.algorithms[made.supervised],
        compared_with=None if made.lead is None else board.algorithms[made.lead],
        detectable=made.detectable(),
    )


class _Standings:
    """Makes the standings of one competition."""

    def __init__(self, board: Board, competition: Competition, rules: Rules, lines: Sequence[int]) -> None:
        self.board, self.competition, self.lines = board, competition, lines
        ranked = competition.ranked
        self.place = {j: k for k, j in enumerate(ranked)}
        self.mean = competition.averages()
        self.best = min(ranked, key=lambda j: competition.average_rank[j]) if ranked else None
        self.baseline = self._strongest([j for j in ranked if is_baseline(board.algorithms[j])])
        self.supervised = self._strongest(
            [j for j in competition.references if board.algorithms[j].startswith("supervised-")]
        )
        n = len(competition.scores)
        enough = n > 0 and least_p("wilcoxon", n) < rules.alpha
        self.bounds = rank_intervals(competition.ranks, 1 - rules.alpha) if enough else None
        self.improvability = _improvability(competition)
        control = board.algorithms.index(rules.control) if rules.control in board.algorithms else None
        self.lead = control if control in self.place else self.best
        anchor = self.baseline if control is None else control
        self.elo = (
            elo_ratings(_points(competition.scores), self.place.get(anchor) if anchor is not None else None)
            if n >= LEAST_UNITS
            else np.full(len(ranked), np.nan)
        )

    def _strongest(self, found: Sequence[int]) -> int | None:
        sign = self.competition.sign
        known = [j for j in found if not np.isnan(self.mean.get(j, np.nan))]
        return max(known, key=lambda j: sign * self.mean[j]) if known else None

    def standing(self, j: int, means: tuple[float, ...]) -> Standing:
        """Return the standing of one algorithm."""
        board, competition, k = self.board, self.competition, self.place.get(j)
        wins, ties, losses = self._against_best(j)
        low, high = (np.nan, np.nan) if k is None or self.bounds is None else (b[k] for b in self.bounds)
        times = board.seconds[self.lines, j]
        times = times[~np.isnan(times)]
        counted = _once(board, self.lines, j)
        return Standing(
            algorithm=board.algorithms[j],
            reference=j in competition.references,
            rank=competition.average_rank.get(j, np.nan),
            low=float(low),
            high=float(high),
            means=means,
            wins=wins,
            ties=ties,
            losses=losses,
            normalised=self._normalised(j),
            improvability=np.nan if k is None else float(self.improvability[k]),
            elo=np.nan if k is None else float(self.elo[k]),
            seconds=float(np.median(times)) if times.size else np.nan,
            planned=int(board.planned[counted, j].sum()),
            failed=int(board.failed[counted, j].sum()),
            collapsed=int(board.collapsed[counted, j].sum()),
        )

    def _against_best(self, j: int) -> tuple[int, int, int]:
        """Count the units, of those in which both have a score, that are won, tied and lost."""
        if self.best is None or j == self.best or j in self.competition.references:
            return 0, 0, 0
        both = self.competition.units.means([j, self.best])
        gap = paired_differences(both[:, 0], both[:, 1])
        return int((gap > 0).sum()), int((gap == 0).sum()), int((gap < 0).sum())

    def _normalised(self, j: int) -> float:
        if self.baseline is None or self.supervised is None:
            return np.nan
        sign, base = self.competition.sign, self.mean[self.baseline]
        scale = sign * (self.mean[self.supervised] - base)
        return float(sign * (self.mean.get(j, np.nan) - base) / scale) if scale > 0 else np.nan

    def detectable(self) -> float:
        """Return the mean difference from the control or the best that a test detects, at the median spread."""
        scores, factors = self.competition.scores, self.competition.factors
        n = len(scores)
        if self.lead is None or n < 2:
            return np.inf
        lead = scores[:, self.place[self.lead]]
        others = [paired_differences(lead, scores[:, k]) for j, k in self.place.items() if j != self.lead]
        spreads = [found for found in map(_deviation, others) if np.isfinite(found)]
        return float(np.median(spreads) * factors[n]) if spreads and np.isfinite(factors[n]) else np.inf


def _once(board: Board, lines: Sequence[int], j: int) -> list[int]:
    """Return the lines whose rows count: those of an untuned algorithm are behind the lines of every criterion."""
    first: dict[tuple[str, ...], int] = {}
    for k in lines:
        block = board.lines[k].block
        first.setdefault(block[:2] if board.shared[k, j] else (*block[:2], str(block.criterion)), k)
    return list(first.values())


def _deviation(values: Floats) -> float:
    """Return the standard deviation, summed from the first value to the last; NaN if any is infinite."""
    if not np.isfinite(values).all():
        return np.nan
    squares = (values - average(values)) ** 2
    return float(np.sqrt(np.cumsum(squares)[-1] / (len(values) - 1)))


def _improvability(competition: Competition) -> Floats:
    """Return the mean over units of ``(error - least error) / error``; NaN where some error is negative."""
    scores = competition.scores
    if not scores.size:
        return np.full(len(competition.ranked), np.nan)
    errors = 1 - scores if competition.sign > 0 else -scores
    if (errors < 0).any():
        return np.full(len(competition.ranked), np.nan)
    least = errors.min(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(np.isinf(errors), 1.0, np.where(errors > 0, (errors - least) / errors, 0.0))
    return average(share)


def _points(scores: Floats) -> Floats:
    """Return how often each algorithm beats each other one, ties being half a point; shape (k, k)."""
    gaps = paired_differences(scores.T[:, None, :], scores.T[None, :, :])
    points = (gaps > 0).sum(axis=2) + 0.5 * (gaps == 0).sum(axis=2)
    return np.where(np.eye(len(points), dtype=np.bool_), 0.0, points)
