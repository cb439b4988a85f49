"""A report as LaTeX: one file of tables for each metric."""

from __future__ import annotations

import re

import numpy as np

from pubench.reporting.conclusions import findings, inconclusive
from pubench.reporting.published import PublishedComparison
from pubench.reporting.render.grid import HEADS, Grid, make_grid
from pubench.reporting.render.tex import breakable
from pubench.reporting.render.tex_layout import ColumnLayout, lay_out
from pubench.reporting.render.tex_tables import TexCell, TexColumn, label_of, tex_tables
from pubench.reporting.report import Report
from pubench.reporting.sections.paper import PAPER_HEADS, PAPER_LEGEND, paper_line
from pubench.reporting.sentences import legend, missing_rule
from pubench.stats.comparison import Comparison
from pubench.stats.scores import ScoreTable

__all__ = ["latex_files"]

HEAD = "% Made by pubench. The preamble needs \\usepackage{booktabs}.\n"
PLACES = 5
"""How many columns identify a published number."""


def latex_files(report: Report) -> dict[str, str]:
    """Return the LaTeX of each table by the name of its file."""
    files: dict[str, str] = {}
    for table, comparison in zip(report.tables, report.comparisons, strict=True):
        name = label_of(table.metric)
        # Metrics whose names differ only in signs have files of their own, too.
        name = f"{name}-{len(files)}" if f"{name}.tex" in files else name
        label = label_of(report.title, name)
        files[f"{name}.tex"] = HEAD + _score_tables(table, comparison, label)
    if report.paper is not None and report.paper.numbers:
        files["paper.tex"] = HEAD + _paper_tables(report.paper, label_of(report.title, "paper"))
    return files


def _score_tables(table: ScoreTable, comparison: Comparison, label: str) -> str:
    grid = make_grid(table, comparison)
    if not grid.lines or len(grid.columns) == HEADS:
        return f"% {label}: no results\n"
    layout = lay_out(table, comparison, grid)
    captions = _caption(table, comparison, grid, layout), breakable(f"{grid.heading}, continued.")
    return tex_tables(layout.labels, layout.columns, layout.ranked, captions, label)


def _caption(table: ScoreTable, comparison: Comparison, grid: Grid, layout: ColumnLayout) -> str:
    """Say what the table shows: replicates, what all lines share, tests, corrections, and missing cells."""
    dataset, labelling, criterion = (cell.text for cell in grid.lines[0][:HEADS])
    named = (dataset, labelling, criterion and f"tuned by {criterion}")
    shared = [text for k, text in enumerate(named) if text and k not in layout.differing]
    grouped = [f"columns by {grid.columns[layout.by]}"] if layout.by is not None else []
    first = "; ".join([grid.heading, *shared, *grouped, _replicates(table)]) + "."
    ranks = [f"Average ranks {layout.over}."] if layout.ranked else []
    sentences = [*inconclusive(comparison), legend("in bold", comparison.rules)]
    sentences += [*ranks, *findings(comparison, brief=True)]
    sentences += [missing_rule(comparison.rules)] if comparison.algorithms else []
    return " ".join(breakable(sentence) for sentence in (first, *sentences))


def _replicates(table: ScoreTable) -> str:
    planned = np.unique(table.planned[table.planned > 0])
    if planned.size < 2:
        count = int(planned[0]) if planned.size else 0
        return "1 replicate" if count == 1 else f"{count} replicates"
    return f"{planned[0]} to {planned[-1]} replicates"


def _paper_tables(paper: PublishedComparison, label: str) -> str:
    lines = [[_with_minus(text) for text in paper_line(line)] for line in paper.numbers]
    columns = [
        TexColumn(head, tuple(TexCell(line[k]) for line in lines)) for k, head in enumerate(PAPER_HEADS)
    ]
    differ = [len({cell.text for cell in column.cells}) > 1 for column in columns]
    # What all lines share is in the caption; data set and algorithm always have columns.
    labels = [columns[k] for k in range(PLACES) if differ[k] or PAPER_HEADS[k] in ("data set", "algorithm")]
    shared = [lines[0][k] for k in range(PLACES) if columns[k] not in labels and lines[0][k]]
    rest = [column for column in columns[PLACES:] if any(cell.text for cell in column.cells)]
    first = "; ".join(["Comparison with the paper", *shared]) + "."
    caption = " ".join(breakable(text) for text in (first, paper.citation, PAPER_LEGEND))
    return tex_tables(labels, rest, False, (caption, "Comparison with the paper, continued."), label)


def _with_minus(text: str) -> str:
    """Return a negative number with a minus sign, which is longer than a hyphen."""
    return re.sub(r"^-(?=\d)", "−", text)
