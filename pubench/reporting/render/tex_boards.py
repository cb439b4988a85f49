"""From a score table to boards for LaTeX: methods as rows or as columns, the rest as columns and panels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.reporting.render.tex_cells import Board, Emphasis, Head, Panel, TexCell
from pubench.reporting.wording import REFERENCE, deviation, number
from pubench.stats.comparison import Comparison, Ranking, rank
from pubench.stats.roles import is_reference
from pubench.stats.scores import Block, ScoreTable, best_cells, some_blocks

__all__ = ["ScoreBoard", "score_boards", "shared_parts", "with_minus"]

Bools = NDArray[np.bool_]

FACTORS = ("data set", "labelling", "criterion")
FEW_METHODS, MANY_METHODS = 5, 12
"""Up to so many methods are columns if that is easy to read; more than so many are rows in any case."""
LEAST_FILLED = 0.5
"""The share of cells without which columns and panels are not the crossing of two factors."""


class ScoreBoard(NamedTuple):
    """A board, whether its rows are methods, what its ranks are averages over, and what its columns stand for.

    ``within`` says in which part of the board ranks are averages; empty if in all of it.
    """

    board: Board
    by_method: bool
    over: tuple[str, ...]
    about: str = ""
    within: str = ""


class _Part(NamedTuple):
    """The blocks of a panel, by column; None where a column has none."""

    heading: str
    places: tuple[int | None, ...]
    ranking: Ranking | None


class _Marks(NamedTuple):
    """Cells that are the best, or tied with it, shape (B, A), and which methods are references."""

    best: Bools
    tied: Bools
    references: tuple[bool, ...]


def score_boards(table: ScoreTable, comparison: Comparison) -> Iterator[ScoreBoard]:
    """Yield the ways to lay out a table, the preferred one first."""
    count = len(table.algorithms)
    ways = [True] if count > MANY_METHODS else [count > FEW_METHODS, count <= FEW_METHODS]
    for by_method in ways:
        for factor in _factors(table):
            yield _board(table, comparison, factor, by_method)


def shared_parts(table: ScoreTable) -> list[str]:
    """Return what all blocks share, in words."""
    return [_word(k, table.blocks[0]) for k in range(3) if not _differs(table, k) and table.blocks[0][k]]


def _word(k: int, block: Block) -> str:
    if FACTORS[k] == "criterion":
        return f"tuned by {block[k]}" if block[k] else "not tuned"
    return str(block[k])


def _differs(table: ScoreTable, k: int) -> bool:
    return len({block[k] for block in table.blocks}) > 1


def _factors(table: ScoreTable) -> list[int | None]:
    """Return the parts of blocks that can be columns, panels being the rest; None: every block is a column."""
    found: list[int | None] = []
    for k in range(3):
        if not _differs(table, k):
            continue
        values = {block[k] for block in table.blocks}
        panels = {_rest(block, k) for block in table.blocks}
        if len(table.blocks) >= LEAST_FILLED * len(values) * len(panels):
            found.append(k)
    return found or [None]


def _rest(block: Block, factor: int | None) -> tuple[str | None, ...]:
    return tuple(part for k, part in enumerate(block) if k != factor) if factor is not None else ()


def _board(table: ScoreTable, comparison: Comparison, factor: int | None, by_method: bool) -> ScoreBoard:
    keys = [block if factor is None else (block[factor],) for block in table.blocks]
    columns = list(dict.fromkeys(keys))
    parts = list(_parts(table, comparison, factor, keys, columns))
    references = tuple(is_reference(table, j) for j in range(len(table.algorithms)))
    methods = sorted(range(len(references)), key=lambda j: references[j])
    heads = tuple(_method_heads(table, methods, references))
    marks = _Marks(best_cells(table), comparison.tied, references)
    names, about = _column_names(table, factor, columns)
    ranked = [part.ranking for part in parts if part.ranking is not None]
    panels = [_panel(table, marks, part, methods, bool(ranked)) for part in parts]
    within = "part" if len(panels) > 1 else ""
    rank_head = (Head("rank" if by_method else "average rank", spaced=True),) if ranked else ()
    if factor and not ranked:
        for heading, rankings in _across(table, comparison, factor, columns):
            panels.append((heading, tuple(tuple(_rank(table, j, one) for one in rankings) for j in methods)))
            ranked += [one for one in rankings if one is not None]
            within = "column" if by_method else "row"
    others = (*map(Head, names), *rank_head)
    corner = FACTORS[factor or 0]
    if by_method:
        board = Board("method", others, tuple(Panel(part, heads, cells) for part, cells in panels))
    else:
        turned = ((part, tuple(zip(*cells, strict=True))) for part, cells in panels)
        board = Board(corner, heads, tuple(Panel(part, others, cells) for part, cells in turned))
    over = tuple(dict.fromkeys(one.over for one in ranked))
    return ScoreBoard(_trimmed(board), by_method, over, about, within)


def _parts(
    table: ScoreTable,
    comparison: Comparison,
    factor: int | None,
    keys: Sequence[tuple[str | None, ...]],
    columns: Sequence[tuple[str | None, ...]],
) -> Iterator[_Part]:
    """Yield the panels: the blocks that share all but the factor."""
    differing = [k for k in range(3) if k != factor and factor is not None and _differs(table, k)]
    for rest in dict.fromkeys(_rest(block, factor) for block in table.blocks):
        places = {keys[i]: i for i, block in enumerate(table.blocks) if _rest(block, factor) == rest}
        first = table.blocks[next(iter(places.values()))]
        heading = ", ".join(_word(k, first) for k in differing)
        ranking = _ranking(table, comparison, [*places.values()])
        yield _Part(heading, tuple(places.get(column) for column in columns), ranking)


def _across(
    table: ScoreTable, comparison: Comparison, factor: int, columns: Sequence[tuple[str | None, ...]]
) -> Iterator[tuple[str, tuple[Ranking | None, ...]]]:
    """Yield average ranks in each column over panels that differ in the data set: their heading, and the ranks."""
    others = [k for k in range(1, 3) if k != factor and _differs(table, k)]
    groups: dict[tuple[str | None, ...], list[int]] = {}
    for i, block in enumerate(table.blocks):
        groups.setdefault(tuple(block[k] for k in others), []).append(i)
    for places in groups.values():
        heading = ", ".join(["average rank", *(_word(k, table.blocks[places[0]]) for k in others)])
        in_columns = ([i for i in places if (table.blocks[i][factor],) == column] for column in columns)
        rankings = tuple(_ranking(table, comparison, found) for found in in_columns)
        if any(rankings):
            yield heading, rankings


def _ranking(table: ScoreTable, comparison: Comparison, places: Sequence[int]) -> Ranking | None:
    """Rank the methods over some blocks; None without two methods on two data sets."""
    ranking = rank(some_blocks(table, [*places]), comparison.rules, comparison.origins)
    return ranking if ranking.units > 1 and len(ranking.algorithms) > 1 else None


def _column_names(
    table: ScoreTable, factor: int | None, columns: Sequence[tuple[str | None, ...]]
) -> tuple[list[str], str]:
    """Return the columns' names, and what they leave out."""
    if factor is not None:
        return _without_common([str(column[0] or "not tuned") for column in columns], FACTORS[factor])
    differing = [k for k in range(3) if _differs(table, k)] or [0]
    names = [str(block.dataset) for block in table.blocks]
    rest = [k for k in differing if k != 0]
    if len(set(names)) == len(names):
        parts = (f"{block.dataset}: {', '.join(_word(k, block) for k in rest)}" for block in table.blocks)
        return names, f"{'; '.join(parts)}." if rest else ""
    return [" ".join(_word(k, block) for k in differing) for block in table.blocks], ""


def _without_common(names: list[str], factor: str) -> tuple[list[str], str]:
    """Leave out the words with which all names begin, and say so."""
    words = [name.split(" ") for name in names]
    common = 0
    while len({tuple(one[: common + 1]) for one in words}) == 1 and min(map(len, words)) > common + 1:
        common += 1
    if len(names) < 2 or not common:
        return names, ""
    first = " ".join(words[0][:common])
    return [" ".join(one[common:]) for one in words], f"Every {factor} begins with {first}."


def _method_heads(table: ScoreTable, methods: Sequence[int], references: Sequence[bool]) -> Iterator[Head]:
    """Yield the methods' names; the first reference is set off."""
    before = True
    for j in methods:
        yield Head(table.algorithms[j], REFERENCE if references[j] else "", references[j] and not before)
        before = references[j]


def _panel(
    table: ScoreTable, marks: _Marks, part: _Part, methods: Sequence[int], ranked: bool
) -> tuple[str, tuple[tuple[TexCell, ...], ...]]:
    """Return a panel's heading and its cells, a row for each method."""
    rows = []
    for j in methods:
        row = [TexCell("") if i is None else _cell(table, i, j, marks) for i in part.places]
        if ranked:
            row.append(_rank(table, j, part.ranking))
        rows.append(tuple(row))
    return part.heading, tuple(rows)


def _rank(table: ScoreTable, j: int, ranking: Ranking | None) -> TexCell:
    """Return a method's average rank."""
    ranks = dict(zip(ranking.algorithms, ranking.ranks, strict=True)) if ranking else {}
    found = ranks.get(table.algorithms[j])
    return TexCell("–" if found is None else f"{found:.2f}")


def _cell(table: ScoreTable, i: int, j: int, marks: _Marks) -> TexCell:
    """Return a mean; raised behind it are k/n if replicates lack a value, and the mark of a lone reference."""
    values, planned = int(table.ok[i, j] - table.undefined[i, j]), int(table.planned[i, j])
    if not planned:
        return TexCell("")
    raised = [f"{values}/{planned}"] if values < planned else []
    raised += [REFERENCE] if table.reference[i, j] and not marks.references[j] else []
    if not values:
        return TexCell("–", raised=" ".join(raised))
    mean, sd = float(table.mean[i, j]), float(table.sd[i, j])
    emphasis: Emphasis = "bold" if marks.best[i, j] else "underline" if marks.tied[i, j] else ""
    text = with_minus(number(mean))
    return TexCell(text, deviation(mean, sd) if sd == sd else "", emphasis, " ".join(raised))


def with_minus(text: str) -> str:
    """Return a negative number with a minus sign, which is longer than a hyphen."""
    return f"−{text[1:]}" if text[:1] == "-" and text[1:2].isdigit() else text


def _trimmed(board: Board) -> Board:
    """Leave out rows without any cell, as those of a method that a panel does not have."""
    panels = []
    for panel in board.panels:
        kept = [i for i, row in enumerate(panel.cells) if any(map(_says, row))]
        rows, cells = tuple(panel.rows[i] for i in kept), tuple(panel.cells[i] for i in kept)
        panels += [Panel(panel.heading, rows, cells)] if kept else []
    return board._replace(panels=tuple(panels))


def _says(cell: TexCell) -> bool:
    return bool(cell.raised) or cell.text not in ("", "–")
