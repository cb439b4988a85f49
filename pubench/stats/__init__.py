"""Statistics: from rows to tables of means, ranks, tests, intervals, and which algorithms differ."""

from pubench.stats.comparison import Comparison, compare
from pubench.stats.scores import Block, ScoreTable, score_table

__all__ = ["Block", "Comparison", "ScoreTable", "compare", "score_table"]
