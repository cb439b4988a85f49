"""The cells of a table for LaTeX: numbers that align at their decimal points, emphasis, and raised marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from pubench.reporting.render.tex import tex
from pubench.reporting.render.tex_widths import TextSize, text_width

__all__ = [
    "Board",
    "Emphasis",
    "Head",
    "NumberShape",
    "Panel",
    "TexCell",
    "decimals_of",
    "shape_of",
    "without_sd",
]

Emphasis = Literal["", "bold", "underline"]
RAISED = 0.8
"""How wide raised text is against the text around it, at most."""


@dataclass(frozen=True, slots=True)
class TexCell:
    """A number or a word as plain text, its standard deviation, its emphasis, and a mark that is raised behind it."""

    text: str
    sd: str = ""
    emphasis: Emphasis = ""
    raised: str = ""

    def width(self, shape: NumberShape, size: TextSize) -> float:
        """Return the width in points with what pads it, without the raised mark."""
        if not _is_number(self.text):
            return text_width(self.text, size)
        padding = self._zeros(shape) + self._padded_sd(shape)
        return text_width(self.text, size, bold=self.emphasis == "bold") + text_width(padding, size)

    def _zeros(self, shape: NumberShape) -> str:
        """Return the decimals that the number lacks; a power of ten has none to align."""
        decimals = decimals_of(self.text)
        return "0" * (shape.decimals - decimals) if decimals else ""

    def _padded_sd(self, shape: NumberShape) -> str:
        """Return what is as wide as the standard deviation with what pads it."""
        if self.sd:
            return f" {'0' * (shape.sd - len(self.sd))}({self.sd})"
        return f" (0.{'0' * (shape.sd - 2)})" if shape.sd else ""

    def raised_width(self, size: TextSize) -> float:
        """Return the width of the raised mark in points."""
        return RAISED * text_width(self.raised, size)

    def render(self, shape: NumberShape) -> str:
        """Return the cell as LaTeX, padded so that the column aligns; the mark hangs into the gap behind it."""
        body = tex(self.text)
        if self.emphasis:
            body = rf"\{'textbf' if self.emphasis == 'bold' else 'underline'}{{{body}}}"
        raised = rf"\rlap{{\textsuperscript{{{tex(self.raised)}}}}}" if self.raised else ""
        if not _is_number(self.text):
            return body + raised
        if not self.sd:
            return body + _phantom(self._zeros(shape) + self._padded_sd(shape)) + raised
        padded = _phantom("0" * (shape.sd - len(self.sd)))
        return f"{body}{_phantom(self._zeros(shape))} {padded}({tex(self.sd)}){raised}"


class NumberShape(NamedTuple):
    """What the numbers of a column have room for: so many decimals, and so many characters of deviations."""

    decimals: int
    sd: int


def shape_of(cells: Sequence[TexCell]) -> NumberShape:
    """Return the shape of a column."""
    decimals = max((decimals_of(cell.text) for cell in cells), default=0)
    return NumberShape(decimals, max((len(cell.sd) for cell in cells), default=0))


def _is_number(text: str) -> bool:
    return text.lstrip("−")[:1].isdigit()


def decimals_of(text: str) -> int:
    """Return how many decimals a number has; words, dashes and powers of ten have none to align."""
    whole, _, rest = text.partition(".")
    return len(rest) if rest.isdigit() and whole.lstrip("−").isdigit() else 0


def _phantom(text: str) -> str:
    return rf"\hphantom{{{text}}}" if text.strip() else ""


class Head(NamedTuple):
    """The name of a row or a column; ``spaced`` leaves room before it."""

    text: str
    raised: str = ""
    spaced: bool = False


class Panel(NamedTuple):
    """Rows below a heading; the cells of a row are in the order of the board's columns."""

    heading: str
    rows: tuple[Head, ...]
    cells: tuple[tuple[TexCell, ...], ...]


class Board(NamedTuple):
    """A table before its widths are known: what its rows are, its columns, and its panels one below the other."""

    corner: str
    columns: tuple[Head, ...]
    panels: tuple[Panel, ...]

    @property
    def cells(self) -> list[TexCell]:
        """All cells."""
        return [cell for panel in self.panels for row in panel.cells for cell in row]

    def column(self, k: int) -> list[TexCell]:
        """Return the cells of a column."""
        return [row[k] for panel in self.panels for row in panel.cells]


def without_sd(board: Board) -> Board:
    """Return the board with means alone."""
    panels = tuple(
        panel._replace(cells=tuple(tuple(replace(cell, sd="") for cell in row) for row in panel.cells))
        for panel in board.panels
    )
    return board._replace(panels=panels)
