"""Means by block and algorithm, from our tables or from a paper: what claims are held against."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pubench.stats.scores import Block, ScoreTable

__all__ = ["Measure", "Measures", "measures_of"]


class Measure(NamedTuple):
    """A mean and its standard error; the error is NaN where it is unknown."""

    mean: float
    error: float


@dataclass(frozen=True, slots=True)
class Measures:
    """The means of one metric, by block and algorithm; a mean is NaN where cells were planned and have no result."""

    greater_is_better: bool
    means: Mapping[tuple[Block, str], Measure]

    def at(self, block: Block, algorithm: str) -> Measure | None:
        """Return a mean, or that of the same data without tuning; None where nothing was planned."""
        plain = block._replace(criterion=None)
        return self.means.get((block, algorithm)) or self.means.get((plain, algorithm))

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks, each once."""
        return tuple(dict.fromkeys(block for block, _ in self.means))


def measures_of(table: ScoreTable) -> Measures:
    """Return the means of a score table with their standard errors; cells that were not planned are left out."""
    means = {}
    for i, block in enumerate(table.blocks):
        for j, name in enumerate(table.algorithms):
            count = int(table.ok[i, j] - table.undefined[i, j])
            if table.planned[i, j]:
                complete = bool(table.complete[i, j])
                mean = float(table.mean[i, j]) if complete else math.nan
                means[block, name] = Measure(mean, float(table.sd[i, j]) / math.sqrt(max(count, 1)))
    return Measures(table.greater_is_better is not False, means)
