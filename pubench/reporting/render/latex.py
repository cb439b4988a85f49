"""A report as LaTeX: a file for each metric, with as few tables as its width allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from pubench.reporting.published import PublishedComparison
from pubench.reporting.render.tex import unusual
from pubench.reporting.render.tex_boards import score_boards
from pubench.reporting.render.tex_cells import Board, without_sd
from pubench.reporting.render.tex_layout import FRAMES, Frame, TexLayout, fit_board
from pubench.reporting.render.tex_notes import TableTexts, score_texts
from pubench.reporting.render.tex_pages import Page, paginate
from pubench.reporting.render.tex_paper import paper_boards, paper_texts
from pubench.reporting.render.tex_tables import label_of, tex_floats
from pubench.reporting.render.tex_widths import FOOTNOTE, SMALL
from pubench.reporting.report import Report
from pubench.stats.comparison import Comparison
from pubench.stats.scores import ScoreTable
from pubench.suite.reporting import Rules

__all__ = ["latex_files"]

HEAD = "% Made by pubench. The preamble needs \\usepackage{{{}}}. Tables fit {}; change that by --width.\n"
FEW_FLOATS = 2
"""Standard deviations are left out only where more floats than these would be needed."""
TURNED = 8
"""How many lines a reader would accept to have methods where they are expected."""


class _Source(NamedTuple):
    """A board, and what makes the texts around it from its layout and whether it shows standard deviations."""

    board: Board
    texts: Callable[[TexLayout, bool], TableTexts]
    needs_sd: bool = False
    preferred: bool = True


class _Candidate(NamedTuple):
    """A way to print a table."""

    layout: TexLayout
    pages: Sequence[Page]
    texts: TableTexts
    has_sd: bool
    preferred: bool

    @property
    def cost(self) -> tuple[int, bool, int, int]:
        """What is worse is greater: floats, missing deviations, effort."""
        floats = len(self.pages)
        effort = self.layout.effort + TURNED * (not self.preferred)
        return max(floats, FEW_FLOATS), not self.has_sd, floats, effort

    @property
    def is_easy(self) -> bool:
        """Whether one sheet shows all, with every name in full."""
        return len(self.pages) == len(self.layout.sheets) == 1 and self.has_sd and not self.layout.cut


def latex_files(report: Report) -> dict[str, str]:
    """Return the LaTeX of each table by the name of its file."""
    files: dict[str, str] = {}
    for table, comparison in zip(report.tables, report.comparisons, strict=True):
        name = label_of(table.metric)
        # Metrics whose names differ only in signs have files of their own, too.
        name = f"{name}-{len(files)}" if f"{name}.tex" in files else name
        label = label_of(report.title, name)
        files[f"{name}.tex"] = _printed(
            _score_sources(table, comparison, report.setting), report.rules, label
        )
    if report.paper is not None and report.paper.numbers:
        sources = _paper_sources(report.paper)
        files["paper.tex"] = _printed(sources, report.rules, label_of(report.title, "paper"))
    return files


def _score_sources(table: ScoreTable, comparison: Comparison, setting: str) -> list[_Source]:
    if not table.blocks or not table.algorithms:
        return []
    boards = [one for one in score_boards(table, comparison) if one.board.panels]
    return [
        _Source(
            one.board,
            partial(score_texts, table, comparison, one, setting),
            preferred=one.by_method == boards[0].by_method,
        )
        for one in boards
    ]


def _paper_sources(paper: PublishedComparison) -> list[_Source]:
    return [
        _Source(board, partial(paper_texts, paper, remarks), needs_sd=True)
        for board, remarks in paper_boards(paper)
    ]


def _printed(sources: Sequence[_Source], rules: Rules, label: str) -> str:
    """Return a file: the best candidate of the width; without one, a column's if it is easy to read, else a page's."""
    if not sources:
        return f"% {label}: no results\n"
    found = _best(sources, FRAMES[rules.width or "column"], rules.siunitx)
    if rules.width is None and not found.is_easy:
        found = _best(sources, FRAMES["page"], rules.siunitx)
    floats = tex_floats(found.layout, found.pages, found.texts, label)
    packages = "booktabs,siunitx" if rules.siunitx else "booktabs"
    return HEAD.format(packages, found.layout.frame.about) + _characters(found) + floats


def _characters(found: _Candidate) -> str:
    """Say which characters not every engine can print."""
    board, texts = found.layout.board, found.texts
    heads = [*board.columns, *(head for panel in board.panels for head in panel.rows)]
    names = [head.text for head in heads] + [panel.heading for panel in board.panels]
    letters = unusual(" ".join([*names, texts.caption, texts.note]))
    if not letters:
        return ""
    listed = ", ".join(f"{letter} (U+{ord(letter):04X})" for letter in letters)
    return (
        f"% Characters without a command: {listed}. lualatex and xelatex print them if the font has them; otherwise, "
        "and with pdflatex, code points are printed.\n"
    )


def _best(sources: Sequence[_Source], frame: Frame, siunitx: bool) -> _Candidate:
    """Return the candidate of the least cost, the first one among equals."""
    found = (one for source in sources for one in _candidates(source, frame, siunitx))
    return min(found, key=lambda one: one.cost)


def _candidates(source: _Source, frame: Frame, siunitx: bool) -> Iterator[_Candidate]:
    """Yield a board in small and in footnote size, with standard deviations and without."""
    plain = without_sd(source.board)
    boards = [source.board] if source.needs_sd or plain == source.board else [source.board, plain]
    for board in boards:
        for size in (SMALL, FOOTNOTE):
            layout, has_sd = fit_board(board, frame, size, siunitx), board is source.board
            texts = source.texts(layout, has_sd)
            yield _Candidate(layout, paginate(layout, texts.note), texts, has_sd, source.preferred)
