"""Tables for LaTeX with booktabs, split where they are too long or too wide for a page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from textwrap import wrap

from pubench.reporting.render.tex import spelled, tex

__all__ = ["TexCell", "TexColumn", "fits", "label_of", "tex_tables"]

PAGE_WIDTH, PAGE_LINES, CAPTION_WIDTH = 74, 44, 75
"""What fits on a page of the article class in small type: characters with gaps, lines, characters of a caption."""
LEAST_LINES = 8
GAP = 2
HEAD_WIDTH, CELL_WIDTH = 16, 26


@dataclass(frozen=True, slots=True)
class TexCell:
    """A plain text and how it is set: bold, or with a mark, given as LaTeX, that hangs into the margin."""

    text: str
    bold: bool = False
    mark: str = ""

    def render(self) -> str:
        """Return the cell as LaTeX, on several lines if it is long."""
        body = _stacked(wrapped(self.text, CELL_WIDTH), "t", "l")
        body = rf"\textbf{{{body}}}" if self.bold else body
        return body + (rf"\rlap{{{self.mark}}}" if self.mark else "")


@dataclass(frozen=True, slots=True)
class TexColumn:
    """A head and its cells; columns of the same group are placed together below its name."""

    head: str
    cells: tuple[TexCell, ...]
    group: str = ""

    @property
    def width(self) -> int:
        """The characters that the column takes."""
        return max(len(part) for part in self._parts())

    def _parts(self) -> Iterator[str]:
        yield from wrapped(self.head, HEAD_WIDTH)
        for cell in self.cells:
            yield from wrapped(cell.text, CELL_WIDTH)

    def render_head(self, side: str) -> str:
        """Return the head as LaTeX, on several lines if it is long."""
        return _stacked(wrapped(self.head, HEAD_WIDTH), "b", side)


def _stacked(parts: Sequence[str], place: str, side: str) -> str:
    """Return lines above each other as LaTeX."""
    if len(parts) == 1:
        return tex(parts[0])
    body = r" \\ ".join(map(tex, parts))
    return rf"\begin{{tabular}}[{place}]{{@{{}}{side}@{{}}}}{body}\end{{tabular}}"


def wrapped(text: str, width: int) -> list[str]:
    """Break a text into lines of at most this many characters, at blanks and hyphens if there are any."""
    return wrap(spelled(text), width) or [""]


def label_of(*names: str) -> str:
    """Return a name for files and labels: letters, digits and hyphens."""
    return re.sub(r"[^A-Za-z0-9]+", "-", "-".join(names)).strip("-").lower() or "table"


def tex_tables(
    labels: Sequence[TexColumn],
    columns: Sequence[TexColumn],
    last: bool,
    captions: tuple[str, str],
    label: str,
) -> str:
    """Return one table environment, or several if the table does not fit on a page.

    Parameters
    ----------
    labels : sequence of TexColumn
        The columns that identify a line, repeated in every part. Equal names in consecutive lines are printed once.
    columns : sequence of TexColumn
        The numbers.
    last : bool
        Whether the last line is separated from the others by a rule; only the last part has it.
    captions : tuple of str
        The caption as LaTeX, and a short one for further parts.
    label : str
    """
    room = PAGE_WIDTH - _width(labels)
    height = max(LEAST_LINES, PAGE_LINES - len(captions[0]) // CAPTION_WIDTH)
    wide = [(run, lines) for run in _runs(columns, room) for lines in _pages(labels, height)]
    parts = []
    for number, (run, lines) in enumerate(wide, start=1):
        of = f" (part {number} of {len(wide)})" if len(wide) > 1 else ""
        name = rf"\label{{tab:{label}}}" if number == 1 else ""
        caption = captions[min(number, 2) - 1]
        parts.append(_table(labels, run, lines, last, f"\\caption{{{caption}{of}}}{name}"))
    return "\n".join(parts)


def fits(labels: Sequence[TexColumn], columns: Sequence[TexColumn]) -> bool:
    """Return whether columns fit beside their labels on a page."""
    return _width(labels) + _width(columns) <= PAGE_WIDTH


def _runs(columns: Sequence[TexColumn], room: int) -> list[Sequence[TexColumn]]:
    """Break the columns into runs that fit; a group is broken only if it does not fit into one."""
    runs: list[Sequence[TexColumn]] = []
    for group in _named_runs(columns):
        if runs and _width([*runs[-1], *group]) <= room:
            runs[-1] = [*runs[-1], *group]
        else:
            runs += _even(group, room)
    return runs


def _named_runs(columns: Sequence[TexColumn]) -> list[Sequence[TexColumn]]:
    """Return the runs of columns that share a group."""
    return [list(run) for _, run in groupby(columns, key=lambda column: column.group)]


def _even(columns: Sequence[TexColumn], room: int) -> list[Sequence[TexColumn]]:
    """Break the columns into runs that fit, each with about the same number and at least one column."""
    runs: list[list[TexColumn]] = [[]]
    for column in columns:
        if runs[-1] and _width([*runs[-1], column]) > room:
            runs.append([])
        runs[-1].append(column)
    bounds = [round(i * len(columns) / len(runs)) for i in range(len(runs) + 1)]
    even = [columns[start:end] for start, end in pairwise(bounds)]
    return even if all(_width(run) <= room for run in even) else [*runs]


def _width(columns: Sequence[TexColumn]) -> int:
    return sum(column.width + GAP for column in columns)


def _pages(labels: Sequence[TexColumn], room: int) -> list[range]:
    """Break the lines into pages, counting the height of long labels."""
    count = len(labels[0].cells)
    heights = [max(len(wrapped(column.cells[i].text, CELL_WIDTH)) for column in labels) for i in range(count)]
    pages, start, used = [], 0, 0
    for i, height in enumerate(heights):
        if i > start and used + height > room:
            pages.append(range(start, i))
            start, used = i, 0
        used += height
    return [*pages, range(start, count)]


def _table(
    labels: Sequence[TexColumn], columns: Sequence[TexColumn], lines: range, last: bool, caption: str
) -> str:
    spec = "l" * len(labels) + "r" * len(columns)
    heads = [column.render_head("l") for column in labels] + [column.render_head("r") for column in columns]
    total = len(labels[0].cells)
    body = []
    for i in lines:
        body += [r"\midrule"] if last and i == total - 1 and i > lines.start else []
        cells = [*_heads(labels, i, lines.start), *(column.cells[i].render() for column in columns)]
        body.append(" & ".join(cells) + r" \\")
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            caption,
            r"\smallskip",
            r"\small",
            r"\setlength{\tabcolsep}{6pt}",
            rf"\begin{{tabular}}{{@{{}}{spec}@{{}}}}",
            r"\toprule",
            *_groups(labels, columns),
            " & ".join(heads) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _heads(labels: Sequence[TexColumn], i: int, start: int) -> Iterator[str]:
    """Yield the names of the line, leaving out those that are the same as above."""
    same = i > start
    for column in labels:
        same = same and column.cells[i].text == column.cells[i - 1].text
        yield "" if same else column.cells[i].render()


def _groups(labels: Sequence[TexColumn], columns: Sequence[TexColumn]) -> list[str]:
    """Return the line of the groups' names with rules below them; nothing if no column has a group."""
    if not any(column.group for column in columns):
        return []
    cells, rules, at = [""] * len(labels), [], len(labels) + 1
    for run in _named_runs(columns):
        name = _stacked(wrapped(run[0].group, max(_width(run) - GAP, HEAD_WIDTH)), "b", "c")
        cells.append(rf"\multicolumn{{{len(run)}}}{{c}}{{{name}}}")
        rules.append(rf"\cmidrule(lr){{{at}-{at + len(run) - 1}}}")
        at += len(run)
    return [" & ".join(cells) + r" \\", "".join(rules)]
