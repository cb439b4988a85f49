"""Those who compete in one metric over some lines of a board, and their scores by unit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pubench.stats.board import Board, BoardLine, State
from pubench.stats.ranks import rank_rows
from pubench.stats.units import Units
from pubench.suite.reporting import Rules

__all__ = ["Competition", "average", "own_lines"]

Floats = NDArray[np.float64]


def own_lines(lines: Sequence[BoardLine], chosen: Sequence[int]) -> list[int]:
    """Return the lines that count: as in :func:`pubench.stats.units.make_units`, an oracle's only where it is alone."""
    oracle = {k: (lines[k].block.criterion or "").startswith("oracle-") for k in chosen}
    plain = {lines[k].block[:2] for k in chosen if not oracle[k]}
    return [k for k in chosen if not (oracle[k] and lines[k].block[:2] in plain)]


def average(values: Floats) -> Floats:
    """Return the mean over the first axis, summed from the first row to the last as the page does."""
    return np.asarray(np.cumsum(values, axis=0)[-1] / len(values), dtype=np.float64)


class Competition:
    """Algorithms by their places in the board.

    ``ranked`` are those with ranks, whose ``scores`` (greater is better) have shape (n, k) over n units, and
    ``average_rank`` their average ranks. Where no unit has a score of every algorithm, only those with scores in most
    units are ranked; one that competes ``alone`` is not ranked, and has means. ``references`` used true labels and do
    not compete.
    """

    def __init__(
        self, board: Board, metric: int, rules: Rules, lines: Sequence[int], columns: Sequence[int]
    ) -> None:
        table = board.metrics[metric]
        state, reference = table.state[lines], board.reference[lines]
        planned, complete = (state & State.PLANNED) > 0, (state & State.COMPLETE) > 0
        self.sign = 1.0 if table.greater_is_better else -1.0
        self.factors = table.factors
        competes = [bool(column.any()) for column in (planned & ~reference).T]
        known = table.greater_is_better is not None
        competitors = [j for j in columns if known and competes[j]]
        self.references = [j for j in columns if not competes[j] and (planned & reference)[:, j].any()]
        scores = np.where(complete & ~reference, self.sign * table.mean[lines], np.nan)
        if rules.missing == "worst-rank":
            lost = planned & ~complete & ~reference & ((state & State.WAITING) == 0)
            scores = np.where(lost, -np.inf, scores)
        shown = np.where(complete, self.sign * table.mean[lines], np.nan)
        scores[:, self.references] = shown[:, self.references]
        names = [board.lines[k].unit for k in lines]
        places = {name: k for k, name in enumerate(dict.fromkeys(names))}
        unit = np.array([places[name] for name in names], dtype=np.int64)
        self.units = Units(np.arange(scores.shape[1]), scores, unit, len(places))
        self.alone = competitors if len(competitors) == 1 else []
        self.ranked = self._ranked(competitors)
        self.scores = self.units.means(self.ranked) if self.ranked else np.zeros((0, 0))
        ranks = rank_rows(self.scores) if self.scores.size else self.scores
        self.ranks = ranks
        self.average_rank = dict(
            zip(self.ranked, ranks.mean(axis=0).tolist() if ranks.size else (), strict=True)
        )

    def _ranked(self, competitors: list[int]) -> list[int]:
        if len(competitors) < 2 or len(self.units.means(competitors)):
            return competitors if len(competitors) > 1 else []
        counts = {j: len(self.units.means([j])) for j in competitors}
        most = max(counts.values())
        found = [j for j in competitors if counts[j] == most]
        return found if len(found) > 1 and len(self.units.means(found)) else []

    def averages(self) -> dict[int, float]:
        """Return the mean of each ranked algorithm, or of one alone, and of references that have all their lines."""
        base = self.ranked or self.alone
        scores = self.scores if self.ranked else self.units.means(base)
        found = dict(zip(base, average(scores).tolist(), strict=True)) if scores.size else {}
        used = self.units.used(base) if base else np.zeros(0, dtype=np.bool_)
        for j in self.references:
            if used.any() and (self.units.used([*base, j]) == used).all():
                found[j] = float(average(self.units.means([*base, j]))[-1])
        return {j: self.sign * value if np.isfinite(value) else np.nan for j, value in found.items()}
