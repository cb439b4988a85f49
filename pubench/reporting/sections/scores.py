"""The section of scores: the page's script makes a table of means for the metric that the reader chooses."""

from __future__ import annotations

from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import Section, TemplateBlock
from pubench.reporting.sentences import legend, missing_rule
from pubench.stats.scores import ScoreTable

__all__ = ["remarks", "scores_section"]

WIDE = 7
"""From more algorithms on a printed page is turned."""


def scores_section(report: Report) -> Section:
    """Return the place of the tables; Markdown has its own form of them."""
    meaning = f"{legend('bold', report.rules)} {missing_rule(report.rules)}" if report.board.lines else ""
    block = TemplateBlock("scores.html", meaning)
    return Section("scores", "Scores", "Scores", (block,), (), len(report.board.algorithms) > WIDE)


def remarks(report: Report, place: int) -> dict[int, str]:
    """Say of the cells of one metric what is missing behind a mean, and which models collapsed.

    Cells are numbered line by line, as the board has them; those that are whole have no remark.
    """
    table, board = report.tables[place], report.board
    lines = {line.block: k for k, line in enumerate(board.lines)}
    found: dict[int, str] = {}
    for b, block in enumerate(table.blocks):
        for a in range(len(table.algorithms)):
            collapsed = int(board.collapsed[lines[block], a])
            parts = _missing(table, b, a), f"{collapsed} collapsed" if collapsed else ""
            if any(parts):
                found[lines[block] * len(board.algorithms) + a] = "; ".join(filter(None, parts))
    return found


def _missing(table: ScoreTable, b: int, a: int) -> str:
    planned, ok, undefined = int(table.planned[b, a]), int(table.ok[b, a]), int(table.undefined[b, a])
    if not planned:
        return "not planned"
    if ok == planned and not undefined:
        return ""
    others = ", ".join(f"{number} {status}" for status, number in table.failures[b][a].items())
    missing = f"{undefined} undefined" if undefined else ""
    return f"{ok - undefined}/{planned}" + "".join(f"; {part}" for part in (others, missing) if part)
