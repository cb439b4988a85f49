"""The section of figures, which the page's script draws for the lines and methods that the reader chooses."""

from __future__ import annotations

from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import Section, TemplateBlock

__all__ = ["figures_section"]


def figures_section(report: Report) -> Section | None:
    """Return the place of the figures, if anything is ranked; Markdown has none."""
    if not any(board.best for board in report.leaderboards):
        return None
    return Section("figures", "Figures", "Figures", (TemplateBlock("figures.html", None),), ())
