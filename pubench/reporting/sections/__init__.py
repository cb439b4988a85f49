"""The sections of a report: each module makes one, from the `Report` value to what HTML and Markdown show.

A new section is a module here, and a line in `SECTIONS`.
"""

from __future__ import annotations

from collections.abc import Callable

from pubench.reporting.report import Report
from pubench.reporting.sections.bias import bias_section
from pubench.reporting.sections.blocks import Section
from pubench.reporting.sections.boundaries import boundaries_section
from pubench.reporting.sections.calibration import calibration_section
from pubench.reporting.sections.comparisons import comparisons_section
from pubench.reporting.sections.datasets import datasets_section
from pubench.reporting.sections.figures import figures_section
from pubench.reporting.sections.images import images_section
from pubench.reporting.sections.leaderboard import leaderboard_section
from pubench.reporting.sections.maps import maps_section
from pubench.reporting.sections.models import models_section
from pubench.reporting.sections.paper import paper_section
from pubench.reporting.sections.price import price_section
from pubench.reporting.sections.problems import problems_section
from pubench.reporting.sections.references import references_section
from pubench.reporting.sections.reproducibility import reproducibility_section
from pubench.reporting.sections.scenarios import scenarios_section
from pubench.reporting.sections.scores import scores_section
from pubench.reporting.sections.searches import searches_section
from pubench.reporting.sections.sensitivity import sensitivity_section

__all__ = ["SECTIONS", "Section", "make_sections"]

SECTIONS: tuple[Callable[[Report], Section | None], ...] = (
    paper_section,
    leaderboard_section,
    scores_section,
    figures_section,
    comparisons_section,
    calibration_section,
    scenarios_section,
    sensitivity_section,
    bias_section,
    price_section,
    searches_section,
    models_section,
    images_section,
    boundaries_section,
    maps_section,
    problems_section,
    datasets_section,
    references_section,
    reproducibility_section,
)
"""In their order on the page. A function returns None where a run has nothing to show in its section."""


PAGE_ONLY: frozenset[Callable[[Report], Section | None]] = frozenset(
    {
        scores_section,
        comparisons_section,
        figures_section,
        calibration_section,
        scenarios_section,
        sensitivity_section,
        bias_section,
        price_section,
        searches_section,
        models_section,
        boundaries_section,
        reproducibility_section,
    }
)
"""Those that have no Markdown form: their figures are not drawn for a file that cannot show them."""


def make_sections(report: Report, *, markdown: bool = False) -> list[Section]:
    """Return the sections of a report in their order on the page, or those that Markdown has."""
    made = (make(report) for make in SECTIONS if not (markdown and make in PAGE_ONLY))
    return [section for section in made if section is not None]
