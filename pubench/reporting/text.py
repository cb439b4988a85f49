"""Reports as Markdown, and the texts that Markdown and terminals share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from pubench.reporting import CellProblem, DataSet, Report
from pubench.reporting.grid import HEADS, TIED, Cell, Grid, make_grid
from pubench.reporting.images import IMAGE_HEADS, Gallery, image_lines
from pubench.reporting.paper import Paper
from pubench.reporting.sentences import (
    PAPER_HEADS,
    PAPER_LEGEND,
    findings,
    legend,
    missing_rule,
    paper_line,
    paper_summary,
)
from pubench.reporting.words import clean, number
from pubench.stats.comparison import Comparison, Pair

__all__ = ["counts", "escape", "lists", "markdown_report"]

PICTURES = (
    "Means over replicates; report.html draws them. The correlation, over pixels, is with the first algorithm on the "
    "same data set. A dagger marks what saw true labels."
)
MOST_NAMES = 5
MOST_PAIRS = 45
PAIR_HEADS = (
    "first,second,n,wins,ties,losses,difference,interval,effect,p,adjusted p,P(worse),P(same),P(better)"
)


def markdown_report(report: Report, galleries: Sequence[Gallery] = ()) -> str:
    """Render a report as GitHub-flavoured Markdown, ending with a line break; of pictures it has the numbers."""
    parts = [f"# {escape(report.title)}", escape(report.description), f"Cells: {counts(report)}."]
    for table, comparison in zip(report.tables, report.comparisons, strict=True):
        parts += [_markdown_table(make_grid(table, comparison)), *_markdown_comparison(comparison)]
    parts += [legend("in bold", report.rules)] if any(table.blocks for table in report.tables) else []
    parts += _markdown_paper(report.paper) if report.paper else []
    parts += _markdown_pictures(galleries)
    parts += [_markdown_list(heading, items) for heading, items in lists(report)]
    parts += _data_sets(report.datasets)
    return "\n\n".join(part for part in parts if part) + "\n"


def escape(text: object) -> str:
    """Return `clean` text in which Markdown finds no table, link, emphasis, code or HTML."""
    return re.sub(r"([\\|`*\[<])", r"\\\1", clean(text))


def counts(report: Report) -> str:
    """Return how many cells ended in each status, in words."""
    total = sum(report.status.values())
    parts = ", ".join(f"{count} {clean(status)}" for status, count in report.status.items())
    return f"{total} planned: {parts}" if parts else "none planned"


def lists(report: Report) -> list[tuple[str, tuple[str, ...]]]:
    """Return the lists that are not empty, under their headings."""
    lists = (
        ("Failures", tuple(_sentence(problem, with_status=True) for problem in report.failures)),
        ("Skipped", _by_reason(report.skipped)),
        ("Not run yet", tuple(problem.label for problem in report.pending)),
        ("Collapsed models", tuple(_sentence(problem) for problem in report.collapsed)),
        ("Notes", report.notes),
    )
    return [(heading, items) for heading, items in lists if items]


def _by_reason(mishaps: Sequence[CellProblem]) -> tuple[str, ...]:
    """Return one line for each reason, with the cells that it concerns counted."""
    counted = Counter(problem.reason for problem in mishaps)
    first = {problem.reason: problem.label for problem in reversed(mishaps)}
    return tuple(
        f"{first[reason]}: {reason}" if number == 1 else f"{number} cells: {reason}"
        for reason, number in counted.items()
    )


def _sentence(problem: CellProblem, with_status: bool = False) -> str:
    return (
        f"{problem.label}: {problem.status}: {problem.reason}"
        if with_status
        else f"{problem.label}: {problem.reason}"
    )


def _markdown_table(grid: Grid) -> str:
    rule = ["---"] * HEADS + ["---:"] * (len(grid.columns) - HEADS)
    body = [[_markdown_cell(cell) for cell in line] for line in grid.lines]
    ranks = [[escape(text) for text in grid.ranks]] if grid.ranks else []
    lines = [[escape(name) for name in grid.columns], rule, *body, *ranks]
    return f"## {escape(grid.heading)}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _markdown_cell(cell: Cell) -> str:
    if cell.best:
        return f"**{escape(cell.text)}**"
    return escape(cell.text) + (f" {TIED}" if cell.tied else "")


def _markdown_comparison(comparison: Comparison) -> list[str]:
    """Return what the tests found: sentences, and a table of pairs, with the first in rank only if they are many."""
    if not comparison.algorithms:
        return []
    parts = [escape(" ".join([*findings(comparison), missing_rule(comparison.rules)]))]
    if not comparison.tested:
        return parts
    first = comparison.algorithms[int(comparison.ranks.argmin())]
    pairs = comparison.pairs
    if len(pairs) > MOST_PAIRS:
        pairs = tuple(pair for pair in pairs if first in (pair.first, pair.second))
    heads = PAIR_HEADS.split(",")
    rule = ["---"] * 2 + ["---:"] * (len(heads) - 2)
    lines = [heads, rule, *map(_pair_line, pairs)]
    return [*parts, "\n".join(f"| {' | '.join(line)} |" for line in lines)]


def _pair_line(pair: Pair) -> list[str]:
    counted = (pair.units, pair.wins, pair.ties, pair.losses)
    interval = f"{number(pair.low)} to {number(pair.high)}"
    return [
        escape(pair.first),
        escape(pair.second),
        *map(str, counted),
        number(pair.difference),
        interval,
        *map(number, (pair.effect, pair.p, pair.adjusted, *pair.posterior)),
    ]


def _markdown_paper(paper: Paper) -> list[str]:
    rule = ["---"] * 5 + ["---:"] * 3 + ["---"] * 2
    lines = [[escape(text) for text in paper_line(line)] for line in paper.lines]
    table = "\n".join(f"| {' | '.join(line)} |" for line in (PAPER_HEADS, rule, *lines))
    return [
        "## Paper and ours",
        escape(paper.citation),
        *map(escape, paper_summary(paper)),
        table,
        PAPER_LEGEND,
    ]


def _markdown_pictures(galleries: Sequence[Gallery]) -> list[str]:
    if not galleries:
        return []
    parts = ["## Weights of pixels", PICTURES]
    rule = ["---"] * 3 + ["---:"] * (len(IMAGE_HEADS) - 3)
    for gallery in galleries:
        lines = [[escape(text) for text in line] for line in image_lines(gallery)]
        table = "\n".join(f"| {' | '.join(line)} |" for line in (IMAGE_HEADS, rule, *lines))
        parts += [f"{escape(gallery.setting)}:", table]
    return parts


def _markdown_list(heading: str, items: Sequence[str]) -> str:
    return f"## {heading}\n\n" + "\n".join(f"- {escape(item)}" for item in items)


def _data_sets(found: Sequence[DataSet]) -> list[str]:
    """Return the cards as a table, and below it what is too long for one: what differs, and whom to cite."""
    if not found:
        return []
    numbers, texts = ("rows", "features", "missing cells", "prior"), ("positive", "source", "licence")
    rule = ["---"] + ["---:"] * len(numbers) + ["---"] * (len(texts) + 1)
    lines = [["data set", *numbers, *texts, "fingerprint"], rule, *map(_data_line, found)]
    parts = ["## Data sets", "\n".join(f"| {' | '.join(line)} |" for line in lines)]
    for heading, told in (
        ("What differs", [(one.differs, one.label) for one in found]),
        ("Citations", [(one.citation, one.label) for one in found]),
    ):
        labels: dict[str, list[str]] = {}
        for text, label in told:
            if text:
                labels.setdefault(text, []).append(label)
        items = "\n".join(f"- {escape(f'{_few(names)}: {text}')}" for text, names in labels.items())
        parts += [f"{heading}:\n\n{items}"] if items else []
    return parts


def _data_line(one: DataSet) -> list[str]:
    rows = f"{one.rows:,}" if one.rows == one.all_rows else f"{one.rows:,} of {one.all_rows:,}"
    positive = _few(one.positive) if one.labelled is None else f"unknown; {one.labelled:,} rows labelled"
    prior = "–" if one.prior is None else number(one.prior)
    cells = (rows, f"{one.features:,}", f"{one.missing:,}", prior, positive, one.source, one.licence)
    return [escape(text) for text in (one.label, *cells, one.fingerprint[:12])]


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more
