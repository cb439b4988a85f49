"""From a layout to the floats that hold it: each fits on a page, and a panel is broken only if it fits on none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from pubench.reporting.render.tex_layout import Frame, TexLayout
from pubench.reporting.render.tex_widths import FOOTNOTE, NORMAL, text_width

__all__ = ["Page", "Piece", "paginate"]

CAPTION = 3 * NORMAL.line
RULES = 14.0
"""Points that the rules of a tabular take, and what is around them."""
SPACE = 5.0
"""Points above a panel."""
PARTS = 16
"""Floats are made equally high to within such a part of a page."""
LEAST_ROWS = 4
"""The rows of a broken panel that stay together."""
LOOSE = 1.1
"""How much longer the lines of a note get when words are not broken."""


class Piece(NamedTuple):
    """Rows of one panel on one sheet."""

    sheet: int
    panel: int
    rows: range


class Page(NamedTuple):
    """What one float holds: the pieces of each of its sheets, and whether the note is below them."""

    sheets: tuple[tuple[Piece, ...], ...]
    has_note: bool


def paginate(layout: TexLayout, note: str) -> list[Page]:
    """Break a layout into as few floats as possible, of about the same height; one with room for it has the note."""
    full, below = layout.frame.height - CAPTION, _note_height(note, layout.frame)
    pieces = list(_pieces(layout, full))
    fewest = len(_packed(layout, pieces, full))
    for part in range(1, PARTS + 1):
        pages = _packed(layout, pieces, full * part / PARTS)
        noted = [number for number, page in enumerate(pages) if _used(layout, page) + below <= full]
        if len(pages) == fewest and noted:
            return [_page(page, number == noted[0]) for number, page in enumerate(pages)]
    # A note that is as tall as a page would leave no room at all.
    room = max(full - below, full / 4)
    pages = _packed(layout, list(_pieces(layout, room)), room)
    return [_page(page, number == 0) for number, page in enumerate(pages)]


def _packed(layout: TexLayout, pieces: Sequence[Piece], room: float) -> list[list[Piece]]:
    """Fill pages of so many points, each with at least one piece."""
    pages: list[list[Piece]] = [[]]
    for piece in pieces:
        if pages[-1] and _used(layout, [*pages[-1], piece]) > room:
            pages.append([])
        pages[-1].append(piece)
    return pages


def _used(layout: TexLayout, pieces: Sequence[Piece]) -> float:
    """Return the points that pieces take on a page."""
    befores = [None, *pieces]
    return sum(_height(layout, before, piece) for before, piece in zip(befores, pieces, strict=False))


def _pieces(layout: TexLayout, room: float) -> Iterator[Piece]:
    """Yield what is not broken between pages: panels that fit on one, a few rows of others."""
    for sheet in range(len(layout.sheets)):
        for number, panel in enumerate(layout.board.panels):
            whole = Piece(sheet, number, range(len(panel.rows)))
            if _height(layout, None, whole) <= room:
                yield whole
                continue
            for start in range(0, len(panel.rows), LEAST_ROWS):
                yield Piece(sheet, number, range(start, min(start + LEAST_ROWS, len(panel.rows))))


def _height(layout: TexLayout, before: Piece | None, piece: Piece) -> float:
    """Return the points that a piece adds to a page below another one."""
    line = layout.size.line
    height = line * len(piece.rows)
    if before is None or before[:2] != piece[:2]:
        height += SPACE + (line if layout.board.panels[piece.panel].heading else 0.0)
    if before is None or before.sheet != piece.sheet:
        height += RULES + line * layout.heads.height
    return height


def _page(pieces: list[Piece], has_note: bool) -> Page:
    """Put pieces of the same panel together again."""
    sheets = []
    for _, on_sheet in groupby(pieces, key=lambda piece: piece.sheet):
        panels = [list(run) for _, run in groupby(on_sheet, key=lambda piece: piece.panel)]
        sheets.append(
            tuple(run[0]._replace(rows=range(run[0].rows.start, run[-1].rows.stop)) for run in panels)
        )
    return Page(tuple(sheets), has_note)


def _note_height(note: str, frame: Frame) -> float:
    return FOOTNOTE.line * (LOOSE * text_width(note, FOOTNOTE) / frame.width + 1)
