"""The layout of a board in LaTeX: columns that fit its width, and short names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from pubench.reporting.render.tex_cells import Board, NumberShape, shape_of
from pubench.reporting.render.tex_heads import FittedNames, fit_names
from pubench.reporting.render.tex_siunitx import NumberFormat, number_format
from pubench.reporting.render.tex_widths import TextSize, text_width

__all__ = ["FRAMES", "Column", "Frame", "Sheet", "TexLayout", "fit_board"]

LEAST_GAP, MOST_GAP = 5.0, 12.0
"""Points between two columns."""
MARK_GAP = 4.0
"""Points between a raised mark and the next column."""
LABELS = 0.36
"""The share of the width that names of rows may take."""
HEAD_ROOMS = (58.0, 40.0, 26.0)
"""Points that a column's name may take even if its numbers are narrower; less room cuts more names."""
SHEET_EFFORT = 6
"""How many lines a reader would accept to avoid a second sheet."""
SLACK = 2.0
"""Points left over: the space between some letters is wider than usual."""


class Frame(NamedTuple):
    """Where a table goes: its width and the height of the page in points, with some left over, and its environment."""

    width: float
    height: float
    environment: Literal["table", "table*"]
    about: str


FRAMES: Mapping[str, Frame] = {
    "column": Frame(3.25 * 72.27, 600.0, "table", "one column of 3.25 in"),
    "single": Frame(345.0, 540.0, "table", "the 4.75 in of a one-column class"),
    "page": Frame(6.75 * 72.27, 600.0, "table*", "both columns, 6.75 in"),
}


class Column(NamedTuple):
    """A column: its place in the board, its width, the shape of its numbers, and the width of marks behind them.

    ``format`` is that of siunitx, None where the column is padded by hand.
    """

    place: int
    width: float
    shape: NumberShape
    raised: float
    format: NumberFormat | None = None


class Sheet(NamedTuple):
    """Columns that stand side by side, and the gap between two of them in points, into which raised marks hang."""

    columns: tuple[Column, ...]
    gap: float

    @property
    def width(self) -> float:
        """The width of all columns with the gaps before them."""
        return _used(self.columns, self.gap)


class TexLayout(NamedTuple):
    """A board whose columns fit: the names as they are printed, and the sheets one below the other."""

    board: Board
    frame: Frame
    size: TextSize
    heads: FittedNames
    labels: Mapping[str, str]
    sheets: tuple[Sheet, ...]
    cut: Mapping[str, str]

    @property
    def effort(self) -> int:
        """What a reader has to do: read lines, turn to another sheet, look up names."""
        rows = sum(len(panel.rows) + bool(panel.heading) for panel in self.board.panels)
        lines = len(self.sheets) * (rows + self.heads.height)
        return lines + SHEET_EFFORT * (len(self.sheets) - 1) + len(self.cut)


def fit_board(board: Board, frame: Frame, size: TextSize, siunitx: bool = False) -> TexLayout:
    """Fit the columns of a board into a width, so that it is easy to read."""
    found = [_with_heads(board, frame, size, room, siunitx) for room in HEAD_ROOMS]
    return min(found, key=lambda layout: layout.effort)


def _with_heads(board: Board, frame: Frame, size: TextSize, least: float, siunitx: bool) -> TexLayout:
    labels, label_width, cut = _labels(board, frame, size)
    room = frame.width - SLACK - label_width
    shapes = [shape_of(board.column(k)) for k in range(len(board.columns))]
    formats = [number_format(board.column(k), shape) if siunitx else None for k, shape in enumerate(shapes)]
    widths = [max(cell.width(shape, size) for cell in board.column(k)) for k, shape in enumerate(shapes)]
    widths = [max(w, one.width(size)) if one else w for w, one in zip(widths, formats, strict=True)]
    marks = [text_width(head.raised, size) for head in board.columns]
    rooms = [min(max(w, least), room - LEAST_GAP) - mark for w, mark in zip(widths, marks, strict=True)]
    heads = fit_names([head.text for head in board.columns], rooms, size)
    columns = []
    for k, shape in enumerate(shapes):
        raised = max(cell.raised_width(size) for cell in board.column(k))
        columns.append(Column(k, max(widths[k], heads.width(k, size) + marks[k]), shape, raised, formats[k]))
    sheets = tuple(_sheet(run, room) for run in _runs(columns, room))
    return TexLayout(board, frame, size, heads, labels, sheets, {**cut, **heads.cut})


def _labels(board: Board, frame: Frame, size: TextSize) -> tuple[Mapping[str, str], float, Mapping[str, str]]:
    """Return the names of rows as they are printed, their width, and what is behind those that were cut."""
    heads = dict.fromkeys((head.text, head.raised) for panel in board.panels for head in panel.rows)
    rooms = [LABELS * frame.width - text_width(raised, size) for _, raised in heads]
    names = [text for text, _ in heads]
    fitted = fit_names(names, rooms, size, most=1)
    lines = [line for (line,) in fitted.lines]
    marks = (raised for _, raised in heads)
    widths = (text_width(line + mark, size) for line, mark in zip(lines, marks, strict=True))
    width = max([text_width(board.corner, size), *widths])
    return dict(zip(names, lines, strict=True)), width, fitted.cut


def _used(columns: Sequence[Column], gap: float) -> float:
    """Return the points that columns take with the gaps before them; only the last one's marks hang out."""
    return sum(column.width + gap for column in columns) + columns[-1].raised


def _least_gap(columns: Sequence[Column]) -> float:
    marks = max(column.raised for column in columns)
    return max(LEAST_GAP, marks + MARK_GAP if marks else 0.0)


def _runs(columns: Sequence[Column], room: float) -> list[Sequence[Column]]:
    """Break the columns into runs that fit, each with about the same number and at least one column."""
    runs: list[list[Column]] = [[]]
    gap = _least_gap(columns)
    for column in columns:
        if runs[-1] and _used([*runs[-1], column], gap) > room:
            runs.append([])
        runs[-1].append(column)
    bounds = [round(i * len(columns) / len(runs)) for i in range(len(runs) + 1)]
    even = [columns[start:end] for start, end in pairwise(bounds)]
    return even if all(_used(run, gap) <= room for run in even) else [*runs]


def _sheet(columns: Sequence[Column], room: float) -> Sheet:
    """Spread the columns over the width, as far as that reads well."""
    spare = (room - _used(columns, 0.0)) / len(columns)
    return Sheet(tuple(columns), max(_least_gap(columns), min(MOST_GAP, spare)))
