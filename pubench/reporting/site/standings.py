"""The standings of methods within the lines of one table, and the difficulty of a data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pubench.stats.ranks import rank_rows
from pubench.stats.roles import is_baseline, is_reference
from pubench.stats.scores import Block, ScoreTable

__all__ = ["Difficulty", "Standing", "TableStandings", "difficulties", "table_standings"]

_DIGITS = 12


class Standing(NamedTuple):
    """An algorithm in one line of a table: its rank among ``of`` competitors; NaN for a reference or a partial cell."""

    algorithm: str
    block: Block
    mean: float
    sd: float
    rank: float
    of: int
    ok: int
    planned: int

    @property
    def beaten(self) -> float:
        """The share of the other competitors that it beats, ties counting half; NaN where there is no other."""
        return (self.of - self.rank) / (self.of - 1) if self.of > 1 else np.nan


class Difficulty(NamedTuple):
    """The best simple baseline and the best method that knows all labels, in one line of a table.

    ``spread`` is how much better the latter is: what there is to win by learning well from positive and unlabelled
    rows.
    """

    block: Block
    baseline: str
    baseline_mean: float
    supervised: str
    supervised_mean: float
    spread: float


class TableStandings(NamedTuple):
    """The standings of a table by algorithm and by data set, and the share that each algorithm beats, by data set."""

    by_algorithm: Mapping[str, Sequence[Standing]]
    by_dataset: Mapping[str, Sequence[Standing]]
    beaten: Mapping[str, Mapping[str, float]]


def table_standings(table: ScoreTable) -> TableStandings:
    """Return the standings of a table's algorithms."""
    by_algorithm: dict[str, list[Standing]] = {}
    by_dataset: dict[str, list[Standing]] = {}
    for one in _standings(table):
        by_algorithm.setdefault(one.algorithm, []).append(one)
        by_dataset.setdefault(one.block.dataset, []).append(one)
    beaten = {name: _beaten_shares(found) for name, found in by_algorithm.items()}
    return TableStandings(by_algorithm, by_dataset, beaten)


def _standings(table: ScoreTable) -> list[Standing]:
    """Return every algorithm in every line in which it was planned; competitors are complete and no references."""
    competing = table.complete & ~table.reference
    if table.greater_is_better is None:
        competing = np.zeros_like(competing)
    sign = 1.0 if table.greater_is_better else -1.0
    found = []
    for i, block in enumerate(table.blocks):
        places = np.flatnonzero(competing[i])
        ranks = np.full(len(table.algorithms), np.nan)
        if places.size:
            ranks[places] = rank_rows(sign * table.mean[i, places][None, :])[0]
        for j in np.flatnonzero(table.planned[i]).tolist():
            numbers = float(table.mean[i, j]), float(table.sd[i, j]), float(ranks[j]), int(places.size)
            counts = int(table.ok[i, j]), int(table.planned[i, j])
            found.append(Standing(table.algorithms[j], block, *numbers, *counts))
    return found


def _beaten_shares(found: Sequence[Standing]) -> dict[str, float]:
    """Return the mean share of competitors that an algorithm beats on each data set, where it has any."""
    shares: dict[str, list[float]] = {}
    for one in found:
        # In an oracle's block tuned algorithms are references, and untuned ones would count twice.
        if not np.isnan(one.beaten) and not (one.block.criterion or "").startswith("oracle-"):
            shares.setdefault(one.block.dataset, []).append(one.beaten)
    return {label: float(np.mean(values)) for label, values in shares.items()}


def difficulties(table: ScoreTable) -> list[Difficulty]:
    """Return the lines that have both a simple baseline and a supervised method; of several, the best one counts."""
    if table.greater_is_better is None:
        return []
    references = [is_reference(table, j) for j in range(len(table.algorithms))]
    simple = [j for j, name in enumerate(table.algorithms) if is_baseline(name) and not references[j]]
    informed = [j for j, reference in enumerate(references) if reference]
    found = []
    for i, block in enumerate(table.blocks):
        baseline, supervised = _best(table, i, simple), _best(table, i, informed)
        if baseline is not None and supervised is not None:
            low, high = float(table.mean[i, baseline]), float(table.mean[i, supervised])
            spread = high - low if table.greater_is_better else low - high
            names = table.algorithms[baseline], table.algorithms[supervised]
            # Without the trace of a difference that rounding leaves between equal means.
            found.append(Difficulty(block, names[0], low, names[1], high, round(spread, _DIGITS) + 0.0))
    return found


def _best(table: ScoreTable, i: int, places: Sequence[int]) -> int | None:
    complete = [j for j in places if table.complete[i, j]]
    sign = 1.0 if table.greater_is_better else -1.0
    return max(complete, key=lambda j: sign * float(table.mean[i, j]), default=None)
