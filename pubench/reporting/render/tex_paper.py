"""A paper's numbers next to ours in LaTeX: a panel for each data set or algorithm, remarks as letters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from string import ascii_lowercase

from pubench.reporting.published import PublishedComparison, PublishedNumber
from pubench.reporting.render.tex_boards import with_minus
from pubench.reporting.render.tex_cells import Board, Head, Panel, TexCell
from pubench.reporting.render.tex_layout import TexLayout
from pubench.reporting.render.tex_notes import TableTexts, cut_names, fill_caption
from pubench.reporting.sections.paper import PAPER_HEADS, PAPER_LEGEND, paper_line
from pubench.reporting.wording import deviation, number

__all__ = ["paper_boards", "paper_texts"]

PLACES = 5
"""How many columns identify a published number."""
ROWS = {name: PAPER_HEADS.index(name) for name in ("algorithm", "data set")}
COLUMNS = ("paper", "ours", "difference", "verdict")


def paper_boards(paper: PublishedComparison) -> Iterator[tuple[Board, Mapping[str, str]]]:
    """Yield boards with algorithms as rows and with data sets as rows, and what the letters of remarks mean."""
    lines = [paper_line(one) for one in paper.numbers]
    remarks = dict.fromkeys(filter(None, map(_remark, paper.numbers)))
    letters = {remark: _letter(k) for k, remark in enumerate(remarks)}
    counts = {name: len({line[k] for line in lines}) for name, k in ROWS.items()}
    for name in sorted(ROWS, key=lambda name: -counts[name]):
        panels = _panels(paper.numbers, lines, ROWS[name], letters)
        board = Board(name, tuple(map(Head, COLUMNS)), tuple(panels))
        yield board, {letter: remark for remark, letter in letters.items()}


def _remark(one: PublishedNumber) -> str:
    conditions = f"{one.conditions}: {one.reason}" if one.reason else ""
    return "; ".join(filter(None, (one.remark, conditions)))


def _letter(k: int) -> str:
    """Return a, b, ..., z, aa, ab, ..."""
    rest, last = divmod(k, len(ascii_lowercase))
    return (_letter(rest - 1) if rest else "") + ascii_lowercase[last]


def _panels(
    numbers: Sequence[PublishedNumber],
    lines: Sequence[Sequence[str]],
    row: int,
    letters: Mapping[str, str],
) -> Iterator[Panel]:
    """Yield a panel for each combination of names that are not those of rows."""
    shown = [k for k in range(PLACES) if k != row and len({line[k] for line in lines}) > 1]
    order = dict.fromkeys(tuple(line[k] for k in shown) for line in lines)
    for key in order:
        places = [i for i, line in enumerate(lines) if tuple(line[k] for k in shown) == key]
        rows = tuple(Head(lines[i][row]) for i in places)
        cells = tuple(_cells(numbers[i], letters.get(_remark(numbers[i]), "")) for i in places)
        yield Panel(", ".join(filter(None, key)), rows, cells)


def _cells(one: PublishedNumber, letter: str) -> tuple[TexCell, ...]:
    return (
        _mean(one.paper, one.paper_sd),
        _mean(one.ours, one.ours_sd),
        TexCell(with_minus(number(one.difference))),
        TexCell(one.verdict or "–", raised=letter),
    )


def _mean(mean: float, sd: float) -> TexCell:
    return TexCell(with_minus(number(mean)), deviation(mean, sd) if sd == sd else "")


def paper_texts(
    paper: PublishedComparison, remarks: Mapping[str, str], layout: TexLayout, has_sd: bool
) -> TableTexts:
    """Say where the numbers come from, and how they are judged."""
    lines = [paper_line(one) for one in paper.numbers]
    rows = ROWS[layout.board.corner]
    shared = [lines[0][k] for k in range(PLACES) if k != rows and len({line[k] for line in lines}) == 1]
    caption, rest = fill_caption("Comparison with the paper", [text for text in shared if text], layout)
    sentences = [
        *([f"Setting: {'; '.join(rest)}."] if rest else []),
        f"{paper.citation}.",
        PAPER_LEGEND,
        *(f"{letter}: {remark}." for letter, remark in remarks.items()),
        *cut_names(layout.cut),
    ]
    return TableTexts(caption, "Comparison with the paper.", " ".join(sentences))
