"""Columns of numbers for siunitx: the package aligns them at their points; bold and underline are kept by rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pubench.reporting.render.tex import tex
from pubench.reporting.render.tex_cells import NumberShape, TexCell, decimals_of
from pubench.reporting.render.tex_widths import TextSize, text_width

__all__ = ["SETUP", "NumberFormat", "aligned_cell", "number_format"]

SETUP = r"\sisetup{mode=text,detect-weight=true,table-align-text-post=false}"
"""Within a float: digits of the text's font, bold where a cell says so, deviations right behind their means."""


class NumberFormat(NamedTuple):
    """What the numbers of a column have room for: a sign, digits before and behind the point, and a deviation."""

    sign: bool
    digits: int
    shape: NumberShape

    @property
    def column(self) -> str:
        """The column's type."""
        room = f"{'-' if self.sign else ''}{self.digits}.{self.shape.decimals}"
        # In a bold cell the room would be measured in bold, too.
        post = rf",table-space-text-post={{\normalfont{{}}{self._deviation}}}" if self.shape.sd else ""
        return f"S[table-format={room}{post}]"

    @property
    def _deviation(self) -> str:
        """What is as wide as the widest deviation."""
        return f" (0.{'0' * (self.shape.sd - 2)})" if self.shape.sd else ""

    def width(self, size: TextSize) -> float:
        """Return the column's width in points."""
        number = f"{'−' if self.sign else ''}{'0' * self.digits}.{'0' * self.shape.decimals}"
        return text_width(number, size, bold=True) + text_width(self._deviation, size)


def number_format(cells: Sequence[TexCell], shape: NumberShape) -> NumberFormat | None:
    """Return the format of a column; None if no number of it has decimals to align."""
    numbers = [cell.text for cell in cells if decimals_of(cell.text)]
    if not numbers:
        return None
    digits = max(len(text.lstrip("−").partition(".")[0]) for text in numbers)
    return NumberFormat(any(text.startswith("−") for text in numbers), digits, shape)


def aligned_cell(cell: TexCell, shape: NumberShape) -> str:
    """Return a cell of such a column; what is no number with decimals is set as text."""
    if not decimals_of(cell.text):
        # Nothing is padded: siunitx centres texts.
        text = cell.render(NumberShape(0, len(cell.sd)))
        return f"{{{text}}}" if text else ""
    number = cell.text.replace("−", "-")
    # A line of its own: siunitx could not read a number inside of \underline.
    line = rf"\llap{{\underline{{\phantom{{{tex(cell.text)}}}}}}}" if cell.emphasis == "underline" else ""
    padding = rf"\hphantom{{{'0' * (shape.sd - len(cell.sd))}}}" if shape.sd > len(cell.sd) > 0 else ""
    deviation = f" {padding}({tex(cell.sd)})" if cell.sd else ""
    raised = rf"\rlap{{\textsuperscript{{{tex(cell.raised)}}}}}" if cell.raised else ""
    behind = line + deviation + raised
    if cell.emphasis == "bold":
        return rf"\bfseries {number}" + (rf" {{\normalfont{{}}{behind}}}" if behind else "")
    return number + (f" {{{behind}}}" if behind else "")
