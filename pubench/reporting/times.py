"""Tables of times, for published times in a paper; they are neither ranked nor tested."""

from __future__ import annotations

from collections.abc import Sequence

from pubench.results.table import Row
from pubench.stats.scores import ScoreTable, score_table
from pubench.suite.columns import TIMED
from pubench.suite.reporting import PaperConfig

__all__ = ["time_tables"]


def time_tables(rows: Sequence[Row], paper: PaperConfig) -> tuple[ScoreTable, ...]:
    """Return a table of our seconds for each kind of time among a paper's numbers and claims."""
    wanted = {one.metric for one in paper.numbers} | {one.metric for one in paper.claims}
    return tuple(
        score_table([{**row, name: row.get(column)} for row in rows], name, greater_is_better=False)
        for name, column in TIMED.items()
        if name in wanted
    )
