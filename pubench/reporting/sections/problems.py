"""The section of failures and warnings: damaged files, cells without a result, collapsed models, and notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pubench.reporting.report import CellProblem, Report
from pubench.reporting.sections.blocks import BulletList, Section, TemplateBlock

__all__ = ["problem_lists", "problems_section"]


def problems_section(report: Report) -> Section:
    """Return the failures and warnings; Markdown has them as plain lists."""
    markdown = tuple(BulletList(items, title) for title, items in problem_lists(report))
    block = TemplateBlock("problems.html", report)
    return Section("problems", "Failures", "Failures and warnings", (block,), markdown)


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


def _by_reason(problems: Sequence[CellProblem]) -> tuple[str, ...]:
    """Return one line for each reason, with the number of its cells."""
    counted = Counter(one.reason for one in problems)
    first = {one.reason: one.label for one in reversed(problems)}
    return tuple(
        f"{first[reason]}: {reason}" if number == 1 else f"{number} cells: {reason}"
        for reason, number in counted.items()
    )
