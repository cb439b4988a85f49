"""Reports as text: Markdown for files, tables for terminals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from pubench.analysis import ScoreTable, best_cells
from pubench.report import Mishap, Report

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["clean", "escape", "markdown_report", "terminal_report"]

REFERENCE = "†"
LEGEND = (
    "Mean (standard deviation) over replicates; best in bold. k/n: only k of n replicates ended ok. "
    f"{REFERENCE} saw true labels: a reference, neither ranked nor marked as best."
)
ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
SHOWN = 20


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
    parts = [f"# {escape(report.title)}", escape(report.description), f"Cells: {_counts(report)}."]
    parts += [_markdown_table(_grid(table)) for table in report.tables]
    parts += [LEGEND] if report.tables else []
    parts += [_markdown_list(heading, items) for heading, items in _lists(report)]
    return "\n\n".join(part for part in parts if part) + "\n"


def terminal_report(report: Report, console: Console) -> None:
    """Print a report to a terminal; long lists are cut, the Markdown report has them whole."""
    from rich.text import Text

    # Text, never str: rich would read square brackets in a str as markup.
    console.print(Text(clean(report.title), style="bold"))
    for line in (clean(report.description), f"Cells: {_counts(report)}."):
        if line:
            console.print(Text(line))
    for table in report.tables:
        _print_grid(_grid(table), console)
    if report.tables:
        console.print(Text(LEGEND, style="dim"))
    for heading, items in _lists(report):
        _print_list(heading, items, console)


def clean(text: object) -> str:
    """Return one line of printable text: colour codes and control characters go, blanks become one space."""
    plain = ANSI.sub("", str(text))
    return " ".join("".join(char if char.isprintable() else " " for char in plain).split())


def escape(text: object) -> str:
    """Return `clean` text in which Markdown finds no table, link, emphasis, code or HTML."""
    return re.sub(r"([\\|`*\[<])", r"\\\1", clean(text))


def _counts(report: Report) -> str:
    total = sum(report.status.values())
    counts = ", ".join(f"{count} {clean(status)}" for status, count in report.status.items())
    return f"{total} planned: {counts}" if counts else "none planned"


def _lists(report: Report) -> list[tuple[str, tuple[str, ...]]]:
    """Return the lists that are not empty, under their headings."""
    lists = (
        ("Failures", tuple(_sentence(mishap, with_status=True) for mishap in report.failures)),
        ("Skipped", tuple(_sentence(mishap) for mishap in report.skipped)),
        ("Not run yet", tuple(mishap.label for mishap in report.pending)),
        ("Collapsed models", tuple(_sentence(mishap) for mishap in report.collapsed)),
        ("Notes", report.notes),
    )
    return [(heading, items) for heading, items in lists if items]


def _sentence(mishap: Mishap, with_status: bool = False) -> str:
    return (
        f"{mishap.label}: {mishap.status}: {mishap.reason}"
        if with_status
        else f"{mishap.label}: {mishap.reason}"
    )


def _grid(table: ScoreTable) -> Grid:
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
    rule = ["---"] * 3 + ["---:"] * (len(grid.columns) - 3)
    body = [
        [f"**{escape(cell.text)}**" if cell.best else escape(cell.text) for cell in line]
        for line in grid.lines
    ]
    ranks = [[escape(text) for text in grid.ranks]] if grid.ranks else []
    lines = [[escape(name) for name in grid.columns], rule, *body, *ranks]
    return f"## {escape(grid.heading)}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _markdown_list(heading: str, items: Sequence[str]) -> str:
    return f"## {heading}\n\n" + "\n".join(f"- {escape(item)}" for item in items)


def _print_grid(grid: Grid, console: Console) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(clean(grid.heading)), title_justify="left")
    for k, name in enumerate(grid.columns):
        table.add_column(Text(clean(name)), justify="left" if k < 3 else "right")
    for line in grid.lines:
        table.add_row(*(Text(clean(cell.text), style="bold green" if cell.best else "") for cell in line))
    if grid.ranks:
        table.add_section()
        table.add_row(*(Text(text) for text in grid.ranks))
    console.print(table)


def _print_list(heading: str, items: Sequence[str], console: Console) -> None:
    from rich.text import Text

    console.print(Text(f"{heading} ({len(items)})", style="bold"))
    for item in items[:SHOWN]:
        console.print(Text(f"  {clean(item)}"))
    if len(items) > SHOWN:
        console.print(Text(f"  ... and {len(items) - SHOWN} more"))
