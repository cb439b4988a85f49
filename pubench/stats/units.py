"""From a table of means to the observations of the tests: one for each table of data, or one for each block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pubench.stats.scores import Block, ScoreTable, some_blocks
from pubench.suite.reporting import Rules

__all__ = ["Units", "make_units"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Units:
    """The scores of k competitors in B blocks, and which of N units each block belongs to.

    Attributes
    ----------
    columns : int array of shape (k,)
        The competitors' places among the table's algorithms.
    scores : float array of shape (B, k)
        Greater is better. NaN where there is no score, minus infinity for the worst.
    unit : int array of shape (B,)
    count : int
        N, the units that the table has.
    """

    columns: Ints
    scores: Floats
    unit: Ints
    count: int

    def used(self, columns: list[int]) -> Bools:
        """Return which blocks, shape (B,), have a score of each of some competitors, and a finite one."""
        scores = self.scores[:, columns]
        return np.asarray(~np.isnan(scores).any(axis=1) & (scores > -np.inf).any(axis=1), dtype=np.bool_)

    def means(self, columns: list[int]) -> Floats:
        """Return the units' mean scores of some competitors over the blocks in which all of them have one.

        Returns
        -------
        array of shape (n, len(columns)), n <= N
            Units with no such block, or in which all of them are missing, are left out.
        """
        scores, used = self.scores[:, columns], self.used(columns)
        sums = [np.bincount(self.unit[used], column, self.count) for column in scores[used].T]
        blocks = np.bincount(self.unit[used], minlength=self.count)
        found = np.stack(sums, axis=1) if sums else np.zeros((self.count, 0))
        kept: Floats = found[blocks > 0] / blocks[blocks > 0, None]
        return kept[~np.isnan(kept).any(axis=1)]


def make_units(table: ScoreTable, rules: Rules, origins: Mapping[str, str]) -> Units:
    """Collect the competitors' scores by the rules; a table without a direction has no competitors.

    Data sets of one origin share rows, so they are one unit: their scores are averaged.
    """
    table = some_blocks(table, _own_blocks(table))
    # Who is skipped everywhere is not compared: it would make the correction of all others stricter.
    absent = ~table.competing
    columns = np.flatnonzero(~absent.all(axis=0))
    if table.greater_is_better is None or not len(table.blocks):
        columns = columns[:0]
    sign = 1.0 if table.greater_is_better else -1.0
    scores = np.where(table.complete & ~absent, sign * table.mean, np.nan)
    if rules.missing == "worst-rank":
        scores = np.where(~table.complete & ~absent & ~table.waiting, -np.inf, scores)
    by_block = rules.unit == "block"
    datasets = [block.dataset for block in table.blocks]
    names = [i if by_block else origins.get(label, label) for i, label in enumerate(datasets)]
    places = {name: k for k, name in enumerate(dict.fromkeys(names))}
    unit = np.array([places[name] for name in names], dtype=np.int64)
    return Units(columns, scores[:, columns], unit, len(places))


def _own_blocks(table: ScoreTable) -> list[int]:
    """Return the places of the blocks that count.

    In an oracle's block only untuned algorithms compete, with the scores that they have in the other criteria's blocks:
    these must not count twice.
    """
    plain = {block[:2] for block in table.blocks if not _of_oracle(block)}
    return [i for i, block in enumerate(table.blocks) if not (_of_oracle(block) and block[:2] in plain)]


def _of_oracle(block: Block) -> bool:
    return (block.criterion or "").startswith("oracle-")
