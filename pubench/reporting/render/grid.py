"""A score table as texts: the common form of Markdown, terminals and LaTeX."""

from __future__ import annotations

from typing import NamedTuple

from pubench.reporting.wording import REFERENCE, mean_and_sd
from pubench.stats.comparison import Comparison, Ranking
from pubench.stats.roles import is_reference
from pubench.stats.scores import ScoreTable, best_cells

__all__ = ["HEADS", "Grid", "GridCell", "heading", "make_grid", "rank_line"]

HEADS = 3
"""The columns that identify a line: data set, labelling, criterion."""


class GridCell(NamedTuple):
    """The text of one cell, whether it is the best of its block, or not significantly different from the best."""

    text: str
    best: bool = False
    tied: bool = False


class Grid(NamedTuple):
    """A heading, the names of columns, the lines, the line of average ranks, and which columns are references."""

    heading: str
    columns: tuple[str, ...]
    lines: tuple[tuple[GridCell, ...], ...]
    ranks: tuple[str, ...]
    references: tuple[bool, ...]


def make_grid(table: ScoreTable, comparison: Comparison) -> Grid:
    """Return a score table as texts."""
    best, columns = best_cells(table), range(len(table.algorithms))
    references = tuple(is_reference(table, j) for j in columns)
    names = (name + (f" {REFERENCE}" if references[j] else "") for j, name in enumerate(table.algorithms))
    lines = []
    for i, block in enumerate(table.blocks):
        cells = (
            GridCell(_cell(table, i, j, references[j]), bool(best[i, j]), bool(comparison.tied[i, j]))
            for j in columns
        )
        lines.append((*(GridCell(part or "") for part in block), *cells))
    return Grid(
        heading(table),
        ("data set", "labelling", "criterion", *names),
        tuple(lines),
        rank_line(table, comparison.ranking),
        references,
    )


def heading(table: ScoreTable) -> str:
    """Return the metric and its direction."""
    direction = {True: " (higher is better)", False: " (lower is better)", None: ""}[table.greater_is_better]
    return table.metric + direction


def _cell(table: ScoreTable, i: int, j: int, marked: bool) -> str:
    """Return ``mean (sd)``, k/n if replicates are missing, and a mark if this cell alone is a reference."""
    ok, undefined, planned = int(table.ok[i, j]), int(table.undefined[i, j]), int(table.planned[i, j])
    if not planned:
        return ""
    parts = [mean_and_sd(table.mean[i, j], table.sd[i, j]) if ok > undefined else "–"]
    parts += [f"{ok}/{planned}"] if ok < planned else []
    parts += [f"{undefined} undefined"] if undefined else []
    parts += [REFERENCE] if table.reference[i, j] and not marked else []
    return " ".join(parts)


def rank_line(table: ScoreTable, ranking: Ranking) -> tuple[str, ...]:
    """Return the line of average ranks as texts; nothing where fewer than two were ranked."""
    if not ranking.units or len(ranking.algorithms) < 2:
        return ()
    ranks = dict(zip(ranking.algorithms, ranking.ranks, strict=True))
    texts = (f"{ranks[name]:.2f}" if name in ranks else "–" for name in table.algorithms)
    return ("average rank", ranking.over, "", *texts)
