"""How algorithms are compared: what a suite's report says of tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Rules"]


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a comparison.

    Attributes
    ----------
    test : {"wilcoxon", "t", "nemenyi"}
        What compares two algorithms over units. The first two are corrected by Holm's procedure; Nemenyi's test allows
        for all pairs by itself.
    replicate_test : {"corrected-t", "t", "wilcoxon"}
        What tells a cell from the best one of its block, over replicates.
    alpha : float
        The level of significance.
    rope : float
        Half the width of the region of practical equivalence, in units of the metric.
    missing : {"pairwise", "worst-rank"}
        Whether a cell that lacks a replicate is left out of comparisons, or counts as the worst of its block.
    unit : {"dataset", "block"}
        What counts as one observation: a data set, over which scores are averaged first, or every block. Blocks of
        one data set are not independent.
    """

    test: Literal["wilcoxon", "t", "nemenyi"] = "wilcoxon"
    replicate_test: Literal["corrected-t", "t", "wilcoxon"] = "corrected-t"
    alpha: float = 0.05
    rope: float = 0.01
    missing: Literal["pairwise", "worst-rank"] = "pairwise"
    unit: Literal["dataset", "block"] = "dataset"
