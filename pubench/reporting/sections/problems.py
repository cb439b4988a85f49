"""The section of failures and warnings: by algorithm, then damaged files, cells without a result, collapses, notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pubench.errors import some_of
from pubench.reporting.report import CellProblem, Report
from pubench.reporting.sections.blocks import BulletList, Section, SectionBlock, TableBlock, TemplateBlock

__all__ = ["problem_lists", "problems_by_algorithm", "problems_section"]

MOST = 20
"""Markdown lists so many cells of each kind; the rest is counted."""
LONGEST = 120


def problems_section(report: Report) -> Section:
    """Return the failures and warnings; Markdown has them as plain lists."""
    table = problems_by_algorithm(report)
    lists = (BulletList(_first(items), title) for title, items in problem_lists(report))
    counted: tuple[SectionBlock, ...] = (table,) if table else ()
    blocks = (*counted, TemplateBlock("problems.html", report))
    return Section("problems", "Failures", "Failures and warnings", blocks, (*counted, *lists))


def problems_by_algorithm(report: Report) -> TableBlock | None:
    """Count the failures and collapses of each algorithm, those with most of them first; None without any."""
    failed = Counter(one.algorithm for one in report.failures)
    collapsed = Counter(one.algorithm for one in report.collapsed)
    planned = Counter(str(row["algorithm"]) for row in report.rows)
    total = failed + collapsed
    if not total:
        return None
    reasons: dict[str, Counter[str]] = {}
    for one in report.failures:
        reasons.setdefault(one.algorithm, Counter())[f"{one.status}: {one.reason}"] += 1
    lines = [
        (
            name,
            str(planned[name]),
            str(failed[name]),
            str(collapsed[name]),
            f"{100 * total[name] / planned[name]:.0f} %",
            _most_frequent(reasons.get(name, Counter())),
        )
        for name in sorted(total, key=lambda name: (-total[name], name))
    ]
    heads = ("algorithm", "cells", "failed", "collapsed", "share", "most frequent failure")
    return TableBlock("Failures and collapses by algorithm", heads, lines, texts=(0, 5))


def _most_frequent(reasons: Counter[str]) -> str:
    if not reasons:
        return ""
    (reason, _), *_ = reasons.most_common(1)
    return reason if len(reason) <= LONGEST else reason[: LONGEST - 1] + "…"


def problem_lists(report: Report) -> list[tuple[str, tuple[str, ...]]]:
    """Return the lists that are not empty, each with its title, as Markdown and terminals show them."""
    lists = (
        ("Damaged files", report.details.problems),
        ("Failures", tuple(f"{one.label}: {one.status}: {one.reason}" for one in report.failures)),
        ("Skipped", _by_reason(report.skipped)),
        ("Not run yet", tuple(one.label for one in report.pending)),
        ("Collapsed models", tuple(f"{one.label}: {one.reason}" for one in report.collapsed)),
        ("Notes", report.notes),
    )
    return [(title, items) for title, items in lists if items]


def _first(items: tuple[str, ...]) -> tuple[str, ...]:
    if len(items) <= MOST:
        return items
    return (*items[:MOST], f"and {len(items) - MOST} more: pubench export lists them all")


def _by_reason(problems: Sequence[CellProblem]) -> tuple[str, ...]:
    """Return one line for each reason, with the number of its cells and their data sets."""
    found: dict[str, list[CellProblem]] = {}
    for one in problems:
        found.setdefault(one.reason, []).append(one)
    return tuple(
        f"{cells[0].label}: {reason}"
        if len(cells) == 1
        else f"{len(cells)} cells on {some_of(tuple(dict.fromkeys(one.dataset for one in cells)))}: {reason}"
        for reason, cells in found.items()
    )
