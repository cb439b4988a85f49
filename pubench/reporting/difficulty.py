"""How hard each data set is: the spread between naive and supervised learning, and who does well."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.stats.roles import is_baseline
from pubench.stats.scores import ScoreTable

__all__ = ["Difficulty", "Scored", "find_difficulties"]

Floats = NDArray[np.float64]
LEADERS = 3


class Scored(NamedTuple):
    """An algorithm and its mean score."""

    name: str
    mean: float


class Difficulty(NamedTuple):
    """One data set in one metric, means over labellings and criteria.

    ``naive`` is the best simple baseline that is cut at the prior (``naive-*-prior``), ``supervised`` the best that
    used true classes; None where a run has none. ``leaders`` are the best competitors; ``ahead`` of
    ``rivals`` competitors, the naive ones left out, score higher than the naive one.
    """

    metric: str
    naive: Scored | None
    supervised: Scored | None
    leaders: tuple[Scored, ...]
    ahead: int
    rivals: int

    @property
    def spread(self) -> float:
        """What true classes are worth: supervised minus naive; NaN if one is missing."""
        return self.supervised.mean - self.naive.mean if self.supervised and self.naive else np.nan


def find_difficulties(table: ScoreTable) -> dict[str, Difficulty]:
    """Return the difficulty of each data set in one metric; nothing for a metric without a direction."""
    if table.greater_is_better is None:
        return {}
    places: dict[str, list[int]] = {}
    for i, block in enumerate(table.blocks):
        if not (block.criterion or "").startswith("oracle-"):
            places.setdefault(block.dataset, []).append(i)
    return {label: _difficulty(table, rows) for label, rows in places.items()}


def _difficulty(table: ScoreTable, rows: list[int]) -> Difficulty:
    sign = 1.0 if table.greater_is_better else -1.0
    found = [Scored(name, mean) for name, mean in zip(table.algorithms, _means(table, rows), strict=True)]
    known = [
        (one, bool(table.reference[rows, j].any())) for j, one in enumerate(found) if one.mean == one.mean
    ]

    def best(scored: list[Scored]) -> list[Scored]:
        return sorted(scored, key=lambda one: -sign * one.mean)

    naive = best([one for one, is_told in known if not is_told and is_baseline(one.name)])
    competitors = best([one for one, is_told in known if not is_told])
    supervised = best([one for one, is_told in known if is_told])
    rivals = [one for one in competitors if not is_baseline(one.name)]
    ahead = sum(sign * (one.mean - naive[0].mean) > 0 for one in rivals) if naive else 0
    first = naive[0] if naive else None
    last = supervised[0] if supervised else None
    return Difficulty(table.metric, first, last, tuple(competitors[:LEADERS]), ahead, len(rivals))


def _means(table: ScoreTable, rows: list[int]) -> list[float]:
    """Return the mean of each algorithm over the blocks in which it was planned; NaN if one of them is incomplete."""
    planned, complete, mean = table.planned[rows] > 0, table.complete[rows], table.mean[rows]
    whole = (complete | ~planned).all(axis=0) & planned.any(axis=0)
    sums = np.where(complete, mean, 0.0).sum(axis=0)
    means: list[float] = np.where(whole, sums / np.maximum(complete.sum(axis=0), 1), np.nan).tolist()
    return means
