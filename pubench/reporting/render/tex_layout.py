"""The layout of a score table in LaTeX: which columns label its lines, and what groups its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pubench.reporting.render.grid import HEADS, Grid, GridCell, rank_line
from pubench.reporting.render.tex_tables import TexCell, TexColumn, fits
from pubench.stats.comparison import Comparison, rank
from pubench.stats.scores import ScoreTable, some_blocks

__all__ = ["ColumnLayout", "lay_out"]

TIED = r"$^{\approx}$"
MOST_GROUPS = 8
GROUPING = (2, 1)
"""Which labels may become groups of columns: the criterion, else the labelling."""


class ColumnLayout(NamedTuple):
    """The columns of a table.

    ``differing`` are the heads that not all lines share, ``by`` the one among them that groups columns, if any.
    ``ranked`` says whether the last line has average ranks, and ``over`` what they are averages over.
    """

    labels: Sequence[TexColumn]
    columns: Sequence[TexColumn]
    differing: Sequence[int]
    by: int | None
    ranked: bool
    over: str


class _Part(NamedTuple):
    """The lines of one group of columns, and the line of their ranks."""

    name: str
    lines: Sequence[Sequence[GridCell]]
    ranks: Sequence[str]


def lay_out(table: ScoreTable, comparison: Comparison, grid: Grid) -> ColumnLayout:
    """Lay out a score table; criteria, or labellings, become groups of columns if two groups fit side by side."""
    differing = [k for k in range(HEADS) if len({line[k].text for line in grid.lines}) > 1] or [0]
    for by in GROUPING:
        if by in differing and len(differing) > 1 and _is_crossed(grid, by):
            found = _grouped(table, comparison, grid, differing, by)
            if _two_fit(found):
                return found
    # References come last, so that each group is one run of columns.
    order = sorted(range(HEADS, len(grid.columns)), key=lambda k: grid.references[k - HEADS])
    marked = any(grid.references)
    part, ranked = _Part("", grid.lines, grid.ranks), bool(grid.ranks)
    names = {False: "algorithms", True: "references"} if marked else {False: "", True: ""}
    columns = [_column(grid, part, k, names[grid.references[k - HEADS]], ranked) for k in order]
    over = f"over {comparison.ranking.over}"
    return ColumnLayout(_labels(grid, part, differing, ranked), columns, differing, None, ranked, over)


def _two_fit(layout: ColumnLayout) -> bool:
    """Whether two groups fit side by side on a page; if not, lines are easier to compare."""
    first = list(dict.fromkeys(column.group for column in layout.columns))[:2]
    return fits(layout.labels, [column for column in layout.columns if column.group in first])


def _is_crossed(grid: Grid, by: int) -> bool:
    """Whether every line has a counterpart in each group, so that grouping leaves no holes."""
    names = _names(grid, by)
    places = {_place(line, by) for line in grid.lines}
    return len(names) <= MOST_GROUPS and len(places) * len(names) == len(grid.lines)


def _names(grid: Grid, by: int) -> list[str]:
    return list(dict.fromkeys(line[by].text for line in grid.lines))


def _place(line: Sequence[GridCell], by: int) -> tuple[str, ...]:
    return tuple(line[k].text for k in range(HEADS) if k != by)


def _grouped(
    table: ScoreTable, comparison: Comparison, grid: Grid, differing: Sequence[int], by: int
) -> ColumnLayout:
    parts = list(_parts(table, comparison, grid, by))
    shared, ranked = _shared_references(grid, parts), any(part.ranks for part in parts)
    columns = [
        _column(grid, part, k, part.name, ranked)
        for part in parts
        for k in range(HEADS, len(grid.columns))
        if k not in shared
    ]
    columns += [_column(grid, parts[0], k, "references", ranked) for k in shared]
    overs = list(dict.fromkeys(part.ranks[1] for part in parts if part.ranks))
    over = f"within each group, over {'; '.join(overs)}"
    labels = _labels(grid, parts[0], [k for k in differing if k != by], ranked)
    return ColumnLayout(labels, columns, differing, by, ranked, over)


def _parts(table: ScoreTable, comparison: Comparison, grid: Grid, by: int) -> Iterator[_Part]:
    """Yield the groups, the lines of each in the same order."""
    order = {place: i for i, place in enumerate(dict.fromkeys(_place(line, by) for line in grid.lines))}
    for name in _names(grid, by):
        places = [i for i, line in enumerate(grid.lines) if line[by].text == name]
        places.sort(key=lambda i: order[_place(grid.lines[i], by)])
        ranks = rank_line(table, rank(some_blocks(table, places), comparison.rules, comparison.origins))
        yield _Part(name or "not tuned", [grid.lines[i] for i in places], ranks)


def _shared_references(grid: Grid, parts: Sequence[_Part]) -> list[int]:
    """Return the columns of references that are the same in all groups; they are shown once."""
    references = [k for k in range(HEADS, len(grid.columns)) if grid.references[k - HEADS]]
    return [k for k in references if len({tuple(line[k] for line in part.lines) for part in parts}) == 1]


def _column(grid: Grid, part: _Part, k: int, group: str, ranked: bool) -> TexColumn:
    found = (line[k] for line in part.lines)
    cells = [TexCell(cell.text, cell.best, TIED if cell.tied else "") for cell in found]
    cells += [TexCell(part.ranks[k] if part.ranks else "–")] if ranked else []
    return TexColumn(grid.columns[k], tuple(cells), group)


def _labels(grid: Grid, part: _Part, differing: Sequence[int], ranked: bool) -> list[TexColumn]:
    """Return the columns that identify a line; the first one names the line of ranks."""
    found: list[TexColumn] = []
    for k in differing:
        cells = [TexCell(line[k].text) for line in part.lines]
        cells += [TexCell("" if found else "average rank")] if ranked else []
        found.append(TexColumn(grid.columns[k], tuple(cells)))
    return found
