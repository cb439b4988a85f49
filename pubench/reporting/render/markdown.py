"""A report as GitHub-flavoured Markdown: claims, leaderboard, score tables, then all other sections it can show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pubench.reporting.conclusions import findings, inconclusive
from pubench.reporting.render.grid import HEADS, Grid, GridCell, make_grid
from pubench.reporting.report import Report
from pubench.reporting.sections import Section, make_sections
from pubench.reporting.sections.blocks import (
    BulletList,
    Entry,
    FigureBlock,
    Fold,
    Paragraph,
    SectionBlock,
    TableBlock,
    TemplateBlock,
)
from pubench.reporting.sections.comparisons import pair_table
from pubench.reporting.sentences import cell_counts, legend, missing_rule
from pubench.reporting.wording import TIED, clean
from pubench.stats.comparison import Comparison

__all__ = ["escape", "markdown_report"]

MOST_PAIRS = 45


def markdown_report(report: Report) -> str:
    """Render a report, ending with a line break."""
    parts = [f"# {escape(report.title)}", escape(report.description), f"Cells: {cell_counts(report)}."]
    parts.append(escape(report.setting))
    sections = make_sections(report, markdown=True)
    # What the page opens with, and the leaderboard.
    opening = sum(section.first for section in sections) + 1
    parts += [text for section in sections[:opening] for text in _section(section)]
    for table, comparison in zip(report.tables, report.comparisons, strict=True):
        grid = make_grid(table, comparison)
        parts += [f"## {escape(grid.heading)}", *map(escape, inconclusive(comparison))]
        parts += [_scores(grid), *_comparison(comparison)]
    parts += [legend("in bold", report.rules)] if any(table.blocks for table in report.tables) else []
    parts += [text for section in sections[opening:] for text in _section(section)]
    return "\n\n".join(part for part in parts if part) + "\n"


def escape(text: object) -> str:
    """Return `clean` text in which Markdown finds no table, link, emphasis, code or HTML."""
    return re.sub(r"([\\|`*\[<])", r"\\\1", clean(text))


def _section(section: Section) -> Iterator[str]:
    if section.markdown_blocks:
        yield f"## {escape(section.heading)}"
        for block in section.markdown_blocks:
            yield from _block(block)


def _block(block: SectionBlock) -> Iterator[str]:
    match block:
        case Paragraph():
            yield escape(block.text)
        case BulletList():
            yield from [f"### {escape(block.title)}"] if block.title else []
            yield "\n".join(f"- {escape(item)}" for item in block.items)
        case TableBlock():
            yield from [f"### {escape(block.title)}"] if block.title else []
            lines = [[escape(_text(cell)) for cell in line] for line in (*block.lines, *block.foot)]
            yield _table([escape(head) for head in block.heads], lines, block.texts)
        case FigureBlock():
            yield escape(block.caption)
            yield from _block(block.numbers) if block.numbers else []
        case Fold():
            yield from [f"### {escape(block.title)}"] if block.title else []
            yield from (text for inner in block.blocks for text in _block(inner))
        case TemplateBlock():
            # Only the page can show it.
            return


def _text(cell: str | Entry) -> str:
    return cell if isinstance(cell, str) else " ".join(part for part in (cell.text, cell.aside) if part)


def _table(heads: Sequence[str], lines: Iterable[Sequence[str]], texts: Iterable[int]) -> str:
    """Return a table; the columns ``texts`` are aligned to the left, all others to the right."""
    rule = ["---" if k in texts else "---:" for k in range(len(heads))]
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, rule, *lines))


def _scores(grid: Grid) -> str:
    body = [[_cell(cell) for cell in line] for line in grid.lines]
    ranks = [[escape(text) for text in grid.ranks]] if grid.ranks else []
    heads = [escape(name) for name in grid.columns]
    return _table(heads, [*body, *ranks], range(HEADS))


def _cell(cell: GridCell) -> str:
    if cell.best:
        return f"**{escape(cell.text)}**"
    return escape(cell.text) + (f" {TIED}" if cell.tied else "")


def _comparison(comparison: Comparison) -> list[str]:
    """Return the results of the tests: sentences, and a table of pairs; of too many, those with the best rank."""
    if not comparison.algorithms:
        return []
    parts = [escape(" ".join([*findings(comparison), missing_rule(comparison.rules)]))]
    if len(comparison.pairs) > MOST_PAIRS and comparison.family.control is None:
        first = comparison.algorithms[int(comparison.ranks.argmin())]
        pairs = tuple(pair for pair in comparison.pairs if first in (pair.first, pair.second))
        comparison = replace(comparison, pairs=pairs)
    table = pair_table(comparison)
    return [*parts, *(_block(replace(table, title="")) if table else ())]
