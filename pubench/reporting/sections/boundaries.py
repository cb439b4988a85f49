"""The section of decision boundaries: what models say of each place, where rows have two columns."""

from __future__ import annotations

from pubench.reporting.draw.planes import PlanePanel, draw_planes
from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import FigureBlock, Section, TableBlock
from pubench.reporting.sections.models import models_by_place
from pubench.reporting.wording import REFERENCE

__all__ = ["boundaries_section", "find_planes"]

PANELS = 12
"""At most so many are drawn: a page must stay small."""
_CAPTION = (
    "Decision boundaries of the models of the first replicate, in the columns as the models saw them: the shaded "
    "region is called positive. Marks are some of the training rows. A dagger marks algorithms that used true labels."
)
_HEADS = ("algorithm", "data set", "setting", "share called positive")


def boundaries_section(report: Report) -> Section | None:
    """Return the boundaries of models of two columns; Markdown has none."""
    panels = find_planes(report)
    if not panels:
        return None
    more = len(panels) - PANELS
    caption = f"{_CAPTION} {more} more are in the table below." if more > 0 else _CAPTION
    lines = [
        (*panel.title.split(" · ", 1), panel.setting, f"{_share(panel.plane.positive):.3f}")
        for panel in panels
    ]
    numbers = TableBlock("The numbers: share of the plane", _HEADS, lines, texts=(0, 1, 2))
    figure = FigureBlock(draw_planes(panels[:PANELS]), caption, numbers)
    return Section("boundaries", "Boundaries", "Decision boundaries", (figure,), ())


def find_planes(report: Report) -> list[PlanePanel]:
    """Return the plane of the first model of each algorithm, data set and setting; data sets stay together."""
    found = []
    for place, models in models_by_place(report).items():
        model = next((one for one in models if one.plane is not None), None)
        if model is not None and model.plane is not None:
            name = f"{place.algorithm} {REFERENCE}" if place.reference else place.algorithm
            columns = model.plane.columns or ("column 0", "column 1")
            found.append(PlanePanel(f"{name} · {place.dataset}", place.setting, columns, model.plane))
    return found


def _share(positive: str) -> float:
    return positive.count("1") / len(positive)
