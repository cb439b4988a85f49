"""Reports as Markdown, and the texts that Markdown and terminals share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from pubench.analysis import ScoreTable, best_cells
from pubench.report import DataSet, Mishap, Report

__all__ = [
    "HEADS",
    "LEGEND",
    "Cell",
    "Grid",
    "clean",
    "counts",
    "escape",
    "lists",
    "make_grid",
    "markdown_report",
]

REFERENCE = "†"
LEGEND = (
    "Mean (standard deviation) over replicates; best {best}. k/n: only k of n replicates ended ok. "
    f"{REFERENCE} saw true labels: a reference, neither ranked nor marked as best."
)
ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
MOST_NAMES = 5
HEADS = 3
"""The columns that say what a line is: data set, labelling, criterion."""


class Cell(NamedTuple):
    """The text of one cell of a table, and whether it is the best of its block."""

    text: str
    best: bool


class Grid(NamedTuple):
    """A score table as texts: a heading, the names of columns, the lines, and the line of average ranks."""

    heading: str
    columns: tuple[str, ...]
    lines: tuple[tuple[Cell, ...], ...]
    ranks: tuple[str, ...]


def markdown_report(report: Report) -> str:
    """Render a report as GitHub-flavoured Markdown, ending with a line break."""
    parts = [f"# {escape(report.title)}", escape(report.description), f"Cells: {counts(report)}."]
    parts += [_markdown_table(make_grid(table)) for table in report.tables]
    parts += [LEGEND.format(best="in bold")] if report.tables else []
    parts += [_markdown_list(heading, items) for heading, items in lists(report)]
    parts += _data_sets(report.datasets)
    return "\n\n".join(part for part in parts if part) + "\n"


def clean(text: object) -> str:
    """Return one line of printable text: colour codes and control characters go, blanks become one space."""
    plain = ANSI.sub("", str(text))
    return " ".join("".join(char if char.isprintable() else " " for char in plain).split())


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
        ("Failures", tuple(_sentence(mishap, with_status=True) for mishap in report.failures)),
        ("Skipped", _by_reason(report.skipped)),
        ("Not run yet", tuple(mishap.label for mishap in report.pending)),
        ("Collapsed models", tuple(_sentence(mishap) for mishap in report.collapsed)),
        ("Notes", report.notes),
    )
    return [(heading, items) for heading, items in lists if items]


def _by_reason(mishaps: Sequence[Mishap]) -> tuple[str, ...]:
    """Return one line for each reason, with the cells that it concerns counted."""
    counted = Counter(mishap.reason for mishap in mishaps)
    first = {mishap.reason: mishap.label for mishap in reversed(mishaps)}
    return tuple(
        f"{first[reason]}: {reason}" if number == 1 else f"{number} cells: {reason}"
        for reason, number in counted.items()
    )


def _sentence(mishap: Mishap, with_status: bool = False) -> str:
    return (
        f"{mishap.label}: {mishap.status}: {mishap.reason}"
        if with_status
        else f"{mishap.label}: {mishap.reason}"
    )


def make_grid(table: ScoreTable) -> Grid:
    """Return a score table as texts."""
    best = best_cells(table)
    columns = range(len(table.algorithms))
    names = (_column(table, j) for j in columns)
    lines = []
    for i, block in enumerate(table.blocks):
        head = (Cell(part or "", False) for part in block)
        lines.append((*head, *(Cell(_cell(table, i, j), bool(best[i, j])) for j in columns)))
    return Grid(
        _heading(table), ("data set", "labelling", "criterion", *names), tuple(lines), _rank_line(table)
    )


def _heading(table: ScoreTable) -> str:
    direction = {True: " (higher is better)", False: " (lower is better)", None: ""}[table.greater_is_better]
    return table.metric + direction


def _column(table: ScoreTable, j: int) -> str:
    return table.algorithms[j] + (f" {REFERENCE}" if _is_reference(table, j) else "")


def _is_reference(table: ScoreTable, j: int) -> bool:
    """Whether every cell of the column is a reference, so that the mark belongs to the column's head."""
    planned = table.planned[:, j] > 0
    return bool(planned.any() and table.reference[planned, j].all())


def _cell(table: ScoreTable, i: int, j: int) -> str:
    """Return ``mean (sd)``, k/n if replicates are missing, and a mark if this cell alone is a reference."""
    ok, undefined, planned = int(table.ok[i, j]), int(table.undefined[i, j]), int(table.planned[i, j])
    if not planned:
        return ""
    parts = [f"{_number(table.mean[i, j])} ({_number(table.sd[i, j])})" if ok > undefined else "–"]
    parts += [f"{ok}/{planned}"] if ok < planned else []
    parts += [f"{undefined} undefined"] if undefined else []
    parts += [REFERENCE] if table.reference[i, j] and not _is_reference(table, j) else []
    return " ".join(parts)


def _number(value: float) -> str:
    if value != value:
        return "–"
    return f"{value:.3f}" if value == 0 or 0.001 <= abs(value) < 1000 else f"{value:.3g}"


def _rank_line(table: ScoreTable) -> tuple[str, ...]:
    if not table.ranked_blocks:
        return ()
    blocks = f"{table.ranked_blocks} of {len(table.blocks)} blocks"
    return ("average rank", blocks, "", *("–" if rank != rank else f"{rank:.2f}" for rank in table.ranks))


def _markdown_table(grid: Grid) -> str:
    rule = ["---"] * HEADS + ["---:"] * (len(grid.columns) - HEADS)
    body = [
        [f"**{escape(cell.text)}**" if cell.best else escape(cell.text) for cell in line]
        for line in grid.lines
    ]
    ranks = [[escape(text) for text in grid.ranks]] if grid.ranks else []
    lines = [[escape(name) for name in grid.columns], rule, *body, *ranks]
    return f"## {escape(grid.heading)}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines)


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
    prior = "–" if one.prior is None else _number(one.prior)
    cells = (rows, f"{one.features:,}", f"{one.missing:,}", prior, positive, one.source, one.licence)
    return [escape(text) for text in (one.label, *cells, one.fingerprint[:12])]


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more
