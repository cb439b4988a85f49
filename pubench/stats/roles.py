"""The roles that algorithms have in a table: references, which used true labels, and simple baselines."""

from __future__ import annotations

import re

from pubench.stats.scores import ScoreTable

__all__ = ["BASELINE", "is_baseline", "is_reference"]

BASELINE = re.compile(r"naive-(.*-)?prior")
"""What labels of simple baselines that are cut at the prior begin with."""


def is_baseline(name: str) -> bool:
    """Whether a label is that of a simple baseline that is cut at the prior.

    Learners of P against U that are cut at 1/2 call nearly all rows negative: what is better than these may be poor.
    """
    return BASELINE.match(name) is not None


def is_reference(table: ScoreTable, j: int) -> bool:
    """Whether an algorithm used true labels wherever it was run."""
    planned = table.planned[:, j] > 0
    return bool(planned.any() and table.reference[planned, j].all())
