"""A report as tables for terminals: as narrow as possible, without cutting names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from pubench.reporting.conclusions import findings, inconclusive
from pubench.reporting.render.grid import HEADS, Grid, GridCell, make_grid
from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import Entry
from pubench.reporting.sections.leaderboard import headlines, leaderboard_table, shows_scores
from pubench.reporting.sections.paper import claim_sentence, claims_summary, paper_sentence, paper_summary
from pubench.reporting.sections.problems import problem_lists
from pubench.reporting.sentences import cell_counts, legend, missing_rule
from pubench.reporting.wording import TIED, clean

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["terminal_report"]

SHOWN = 20
LEADERBOARD = ("rank", "collapsed", "failed")
"""The columns that a terminal shows next to the metrics."""
GAP = 2
NAME, LABEL, RANKS = 30, 48, 31
"""Longer names of columns and of lines, and of the line of ranks, are broken into several lines."""


class LineLabel(NamedTuple):
    """The first cell of a printed line, and which line of the grid it belongs to; None for a heading."""

    text: str
    line: int | None


class PrintedColumn(NamedTuple):
    """A printed column: its name, the text and style of each line's cell, and its average rank."""

    name: str
    cells: tuple[tuple[str, str], ...]
    rank: str

    @property
    def width(self) -> int:
        """How many columns of the terminal it takes."""
        return max(map(_width, (*self.name.split("\n"), self.rank, *(text for text, _ in self.cells))))

    def shown(self, text: str) -> str:
        """Return a text moved to the right of the column."""
        return " " * (self.width - _width(text)) + text


def terminal_report(report: Report, console: Console) -> None:
    """Print a report to a terminal; long lists are cut, the Markdown report has them in full."""
    from rich.text import Text

    # Text, not str: rich reads square brackets in a str as markup.
    console.print(Text(clean(report.title), style="bold"))
    for line in (clean(report.description), f"Cells: {cell_counts(report)}."):
        if line:
            console.print(Text(line))
    if report.paper is not None and report.paper.claims:
        claims = report.paper.claims
        _print_list(f"Claims of the paper: {claims_summary(claims)}", [*map(claim_sentence, claims)], console)
    _print_leaderboard(report, console)
    for table, comparison in zip(report.tables, report.comparisons, strict=True):
        _print_grid(make_grid(table, comparison), console)
        for sentence in (*inconclusive(comparison), *findings(comparison)):
            console.print(Text(clean(sentence), style="dim"))
    if any(table.blocks for table in report.tables):
        console.print()
        best = "marked *" if _is_plain(console) else "in bold"
        console.print(Text(f"{legend(best, report.rules)} {missing_rule(report.rules)}", style="dim"))
    if report.paper is not None and report.paper.numbers:
        heading = f"Comparison with the paper: {clean(report.paper.citation)}"
        _print_list(
            heading,
            [*(paper_sentence(line) for line in report.paper.numbers), *paper_summary(report.paper)],
            console,
        )
    for heading, items in problem_lists(report):
        _print_list(heading, items, console)


def _print_leaderboard(report: Report, console: Console) -> None:
    """Print the best methods by the first metric; the page and Markdown have all of them, by every metric."""
    from rich.text import Text

    board = report.leaderboards[0] if report.leaderboards else None
    if board is None or not shows_scores(board):
        return
    table = leaderboard_table(report, board)
    lines = [table.heads, *table.lines[:SHOWN]]
    names = [wrap(_plain(line[0]), NAME) for line in lines]
    used = max(_width(part) for name in names for part in name)
    texts = [[*map("\n".join, names)]]
    for k, head in enumerate(table.heads):
        column = [_plain(line[k]) for line in lines]
        width = GAP + max(map(_width, column))
        if (head in LEADERBOARD or head in _metrics(report)) and used + width <= console.width:
            texts.append([" " * (width - _width(text)) + text for text in column])
            used += width
    console.print()
    console.print(Text(f"Leaderboard by {clean(report.tables[0].metric)}", style="bold"))
    first = max(_width(part) for name in names for part in name)
    for name, *cells in zip(*texts, strict=True):
        start, *rest = name.split("\n")
        console.print(Text("\n".join([start + " " * (first - _width(start)) + "".join(cells), *rest])))
    if len(table.lines) > SHOWN:
        console.print(Text(f"and {len(table.lines) - SHOWN} more", style="dim"))
    console.print(Text(clean(headlines(report)[0]), style="dim"))


def _metrics(report: Report) -> list[str]:
    return [table.metric for table in report.tables]


def _plain(cell: str | Entry) -> str:
    return clean(cell if isinstance(cell, str) else cell.text)


def _is_plain(console: Console) -> bool:
    """Whether bold type is not available, as in a file."""
    return console.color_system is None


def _width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _print_grid(grid: Grid, console: Console) -> None:
    """Print a grid; algorithms that do not fit next to the others are printed below them."""
    from rich.text import Text

    heads = [tuple(clean(cell.text) for cell in line[:HEADS]) for line in grid.lines]
    differing = [k for k in range(HEADS) if len({head[k] for head in heads}) > 1] or [0]
    labels = list(_labels([tuple(head[k] for k in differing) for head in heads]))
    rank_label = f"average rank ({grid.ranks[1]})" if grid.ranks else ""
    widths = [min(_width(rank_label), RANKS), *(min(_width(label.text), LABEL) for label in labels)]
    for part in _parts(_columns(grid, _is_plain(console)), console.width - max(widths)):
        console.print()
        console.print(Text(_title(grid, heads, differing), style="bold"))
        _print_part(labels, rank_label, max(widths), part, console)


def _labels(heads: Sequence[tuple[str, ...]]) -> Iterator[LineLabel]:
    """Nest the names of lines: a data set, below it its labellings, below those the criteria."""
    before: tuple[str, ...] = ()
    for number, head in enumerate(heads):
        *outer, last = head
        for depth, text in enumerate(outer):
            if head[: depth + 1] != before[: depth + 1]:
                yield LineLabel("  " * depth + text, None)
        yield LineLabel("  " * len(outer) + (last or "not tuned"), number)
        before = head


def _title(grid: Grid, heads: Sequence[tuple[str, ...]], differing: Sequence[int]) -> str:
    """Return the heading with what all lines share."""
    dataset, labelling, criterion = heads[0] if heads else ("", "", "")
    shared = enumerate((dataset, labelling, criterion and f"tuned by {criterion}"))
    return "; ".join([clean(grid.heading), *(text for k, text in shared if text and k not in differing)])


def _columns(grid: Grid, plain: bool) -> list[PrintedColumn]:
    ranks = grid.ranks or ("",) * len(grid.columns)
    return [
        PrintedColumn(
            "\n".join(wrap(clean(grid.columns[k]), NAME)),
            tuple(_styled(line[k], plain) for line in grid.lines),
            ranks[k] and f"{ranks[k]} ",
        )
        for k in range(HEADS, len(grid.columns))
    ]


def _styled(cell: GridCell, plain: bool) -> tuple[str, str]:
    # Without bold type a star marks the best; unmarked cells have a blank in its place, so that digits align.
    mark = TIED if cell.tied else "*" if cell.best and plain else " "
    return clean(cell.text) + mark, "bold green" if cell.best else ""


def _parts(columns: Sequence[PrintedColumn], width: int) -> list[list[PrintedColumn]]:
    """Break the columns into runs that fit into the width, at least one column in each."""
    parts: list[list[PrintedColumn]] = []
    left = 0
    for column in columns:
        if not parts or left < column.width + GAP:
            parts.append([])
            left = width
        parts[-1].append(column)
        left -= column.width + GAP
    return parts


def _print_part(
    labels: Sequence[LineLabel],
    rank_label: str,
    width: int,
    columns: Sequence[PrintedColumn],
    console: Console,
) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0))
    table.add_column("", overflow="fold", max_width=width)
    for column in columns:
        # Justified by hand: rich would remove the blank in the place of a mark.
        table.add_column(Text(column.name, justify="right"), overflow="fold")
    for label in labels:
        cells = [(column, *column.cells[label.line]) for column in columns] if label.line is not None else []
        table.add_row(
            Text(label.text), *(Text(column.shown(text), style=style) for column, text, style in cells)
        )
    if rank_label:
        table.add_row(Text(rank_label), *(Text(column.shown(column.rank)) for column in columns))
    console.print(table)


def _print_list(heading: str, items: Sequence[str], console: Console) -> None:
    from rich.text import Text

    console.print()
    console.print(Text(f"{heading} ({len(items)})", style="bold"))
    for item in items[:SHOWN]:
        lines = wrap(clean(item), max(console.width - 4, 20), break_long_words=False, break_on_hyphens=False)
        console.print(Text("  " + "\n    ".join(lines)))
    if len(items) > SHOWN:
        console.print(Text(f"  ... and {len(items) - SHOWN} more"))
