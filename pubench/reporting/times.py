"""Tables of times, where a paper prints times: for the paper's numbers alone, not for ranks and tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pubench.stats.scores import Row, ScoreTable, score_table
from pubench.suite.columns import TIMED

__all__ = ["time_tables"]


def time_tables(rows: Sequence[Row], paper: Mapping[str, Any]) -> tuple[ScoreTable, ...]:
    """Return a table of our seconds for each kind of time among a paper's numbers, and none where there is none."""
    wanted = {number["metric"] for number in paper.get("numbers") or ()}
    return tuple(
        score_table([{**row, name: row.get(column)} for row in rows], name, greater_is_better=False)
        for name, column in TIMED.items()
        if name in wanted
    )
