"""Floats for LaTeX with booktabs: caption, tabulars and note; continued ones keep their number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pubench.reporting.render.tex import breakable, tex
from pubench.reporting.render.tex_cells import Head, TexCell
from pubench.reporting.render.tex_heads import stacked, wrapped
from pubench.reporting.render.tex_layout import Column, Sheet, TexLayout
from pubench.reporting.render.tex_notes import TableTexts
from pubench.reporting.render.tex_pages import Page, Piece
from pubench.reporting.render.tex_siunitx import SETUP, aligned_cell
from pubench.reporting.render.tex_widths import FOOTNOTE, text_width

__all__ = ["label_of", "tex_floats"]

CONTINUED = (
    r"\addtocounter{table}{-1}",
    r"\let\numberoftable\thetable",
    r"\renewcommand{\thetable}{\numberoftable{} (continued)}",
    r"\renewcommand{\addcontentsline}[3]{}",
)
"""Within a float: keep the number of the one before, as the class prints it; the list of tables has it once."""


def label_of(*names: str) -> str:
    """Return a name for files and labels: letters, digits and hyphens."""
    return re.sub(r"[^A-Za-z0-9]+", "-", "-".join(names)).strip("-").lower() or "table"


def tex_floats(layout: TexLayout, pages: Sequence[Page], texts: TableTexts, label: str) -> str:
    """Return the floats of a table."""
    return "\n".join(_float(layout, page, number, texts, label) for number, page in enumerate(pages))


def _float(layout: TexLayout, page: Page, number: int, texts: TableTexts, label: str) -> str:
    environment = layout.frame.environment
    lines = [rf"\begin{{{environment}}}", r"\centering\sloppy", *_caption(texts, number, label)]
    aligned = any(column.format for sheet in layout.sheets for column in sheet.columns)
    lines += [r"\par\smallskip", layout.size.command, *([SETUP] if aligned else [])]
    for place, pieces in enumerate(page.sheets):
        lines += [r"\par\medskip"] if place else []
        lines += _tabular(layout, layout.sheets[pieces[0].sheet], pieces)
    if page.has_note:
        note = rf"\begin{{minipage}}{{\linewidth}}{FOOTNOTE.command}\sloppy"
        lines += [r"\par\smallskip", note, breakable(texts.note), r"\end{minipage}"]
    return "\n".join([*lines, rf"\end{{{environment}}}", ""])


def _caption(texts: TableTexts, number: int, label: str) -> list[str]:
    if not number:
        return [rf"\caption{{{breakable(texts.caption)}}}\label{{tab:{label}}}"]
    # Links of hyperref need a name of their own.
    link = rf"\def\theHtable{{{label}.{number}}}"
    return [*CONTINUED, link, rf"\caption{{{breakable(texts.continued)}}}"]


def _tabular(layout: TexLayout, sheet: Sheet, pieces: Sequence[Piece]) -> list[str]:
    heads = [tex(layout.board.corner)]
    heads += [_head(layout, column.place, column is sheet.columns[-1]) for column in sheet.columns]
    lines = [
        rf"\setlength{{\tabcolsep}}{{{sheet.gap / 2:.1f}pt}}",
        rf"\begin{{tabular}}{{{_spec(sheet)}}}",
        r"\toprule",
        " & ".join(heads) + r" \\",
    ]
    for piece in pieces:
        lines += [r"\midrule", *_heading(layout, sheet, piece)]
        lines += _rows(layout, sheet, piece)
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _spec(sheet: Sheet) -> str:
    """Return the columns' alignment, and the room for marks behind the last one."""
    raised = sheet.columns[-1].raised
    end = rf"@{{\hspace{{{raised:.1f}pt}}}}" if raised else "@{}"
    return "@{}l" + "".join(column.format.column if column.format else "r" for column in sheet.columns) + end


def _head(layout: TexLayout, place: int, last: bool) -> str:
    """Return a column's name, centred above its numbers."""
    text = stacked(layout.heads.lines[place], "b", "c") + _raised(layout.board.columns[place])
    return rf"\multicolumn{{1}}{{c{'@{}' if last else ''}}}{{{text}}}"


def _raised(head: Head) -> str:
    return rf"\textsuperscript{{{tex(head.raised)}}}" if head.raised else ""


def _heading(layout: TexLayout, sheet: Sheet, piece: Piece) -> Iterator[str]:
    """Yield the panel's heading over all columns, on several lines if it is long."""
    text = layout.board.panels[piece.panel].heading
    if text:
        text += " (continued)" if piece.rows.start else ""
        across, room = len(sheet.columns) + 1, _width(layout, sheet)
        lines = wrapped(text, room, layout.size)
        if any(text_width(line, layout.size) > room for line in lines):
            lines = wrapped(text, room, layout.size, anywhere=True)
        for line in lines:
            yield rf"\multicolumn{{{across}}}{{@{{}}l@{{}}}}{{\emph{{{tex(line)}}}}} \\"


def _width(layout: TexLayout, sheet: Sheet) -> float:
    """Return the width of a tabular in points, or a little less."""
    labels = max(text_width(name, layout.size) for name in layout.labels.values())
    return labels + sheet.width


def _rows(layout: TexLayout, sheet: Sheet, piece: Piece) -> Iterator[str]:
    panel = layout.board.panels[piece.panel]
    for i in piece.rows:
        head = panel.rows[i]
        if head.spaced and i > piece.rows.start:
            yield r"\addlinespace"
        cells = [_cell(panel.cells[i][column.place], column) for column in sheet.columns]
        yield " & ".join([tex(layout.labels[head.text]) + _raised(head), *cells]) + r" \\"


def _cell(cell: TexCell, column: Column) -> str:
    return aligned_cell(cell, column.shape) if column.format else cell.render(column.shape)
