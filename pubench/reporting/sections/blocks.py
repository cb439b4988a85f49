"""What sections are made of: blocks that HTML and Markdown know how to render."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pubench.reporting.draw.curves import Drawing

__all__ = [
    "BulletList",
    "Entry",
    "FigureBlock",
    "Fold",
    "Paragraph",
    "Section",
    "SectionBlock",
    "TableBlock",
    "TemplateBlock",
    "Tone",
]

Tone = Literal["", "good", "bad", "over", "under"]
"""A judgement, or, for what is neither good nor bad, where a number lies."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph; notes are small, a lead begins a section, a headline says what the section shows."""

    text: str
    style: Literal["note", "lead", "headline"] = "note"


@dataclass(frozen=True, slots=True)
class BulletList:
    """A list of sentences, with a title in Markdown."""

    items: tuple[str, ...]
    title: str = ""
    metric: int | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A table's cell with more than a text; only HTML shows the tone, the shade (0 to 1) and the texts next to it.

    ``method`` is the algorithm that the cell belongs to, if the page should highlight it with that algorithm.
    """

    text: str
    aside: str = ""
    below: str = ""
    remark: str = ""
    tone: Tone = ""
    shade: float | None = None
    method: str = ""


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A table; ``texts`` are the columns that hold names, all others hold numbers.

    ``metric`` is the place of the metric that it belongs to, if the page shows one metric at a time.
    """

    title: str
    heads: tuple[str, ...]
    lines: Sequence[Sequence[str | Entry]]
    foot: Sequence[Sequence[str | Entry]] = ()
    texts: tuple[int, ...] = (0,)
    metric: int | None = None


@dataclass(frozen=True, slots=True)
class FigureBlock:
    """Drawings with their caption, and a table of the numbers that they show."""

    drawing: Drawing
    caption: str
    numbers: TableBlock | None = None
    metric: int | None = None


@dataclass(frozen=True, slots=True)
class TemplateBlock:
    """HTML that no other block can express: a template of the page, and the ``values`` that it shows."""

    template: str
    values: object


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks that the page shows when its reader opens them; Markdown shows them below the title."""

    title: str
    blocks: tuple[Paragraph | BulletList | TableBlock | FigureBlock, ...]
    metric: int | None = None


SectionBlock: TypeAlias = Paragraph | BulletList | TableBlock | FigureBlock | TemplateBlock | Fold


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report.

    Attributes
    ----------
    name : str
        Its anchor on the page.
    title, heading : str
        What the menu calls it, and the heading above it.
    blocks : tuple of SectionBlock
        What the page shows.
    markdown : tuple of SectionBlock, optional
        What Markdown shows; default: the same blocks. Empty for a section that Markdown does not have.
    wide : bool
        Whether a printed page should be turned for it.
    first : bool
        Whether the page opens with it.
    """

    name: str
    title: str
    heading: str
    blocks: tuple[SectionBlock, ...]
    markdown: tuple[SectionBlock, ...] | None = None
    wide: bool = False
    first: bool = False

    @property
    def markdown_blocks(self) -> tuple[SectionBlock, ...]:
        """What Markdown shows."""
        return self.blocks if self.markdown is None else self.markdown
