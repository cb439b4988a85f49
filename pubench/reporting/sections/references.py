"""The section of references: the papers behind the algorithms, criteria, prior estimators and data sets of a run."""

from __future__ import annotations

from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import BulletList, Paragraph, Section

__all__ = ["references_section"]

_LEAD = "Cite these papers if you use these results; 'pubench cite' prints them as BibTeX."


def references_section(report: Report) -> Section | None:
    """Return the papers of a run; None where none is on record."""
    credits = report.details.credits
    if not any(one.paper for one in credits):
        return None
    items = BulletList(tuple(map(str, credits)))
    return Section("references", "References", "References", (Paragraph(_LEAD), items))
