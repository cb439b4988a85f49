"""The drawing of decision boundaries: the region that a model calls positive, and some of its training rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from pubench.reporting.draw.canvas import COLOURS, GREY, blank, short, svg
from pubench.reporting.draw.curves import Drawing, LegendEntry

__all__ = ["PlanePanel", "draw_planes"]

WIDTH, HEIGHT = 3.3, 2.9
POSITIVE, LABELLED = COLOURS[0], COLOURS[1]


class _Plane(Protocol):
    @property
    def x(self) -> tuple[float, float]: ...
    @property
    def y(self) -> tuple[float, float]: ...
    @property
    def positive(self) -> str: ...
    @property
    def labelled(self) -> tuple[tuple[float, float], ...]: ...
    @property
    def unlabelled(self) -> tuple[tuple[float, float], ...]: ...


class PlanePanel(NamedTuple):
    """A model's plane, with two lines above it and the names of its axes."""

    title: str
    setting: str
    columns: tuple[str, str]
    plane: _Plane


def draw_planes(panels: Sequence[PlanePanel]) -> Drawing:
    """Draw a panel for each model."""
    legend = (
        LegendEntry("called positive", POSITIVE, "solid"),
        LegendEntry("given as positive", LABELLED, "dotted"),
        LegendEntry("other training rows", GREY, "dotted"),
    )
    return Drawing(tuple(_panel(panel, f"b{k}-") for k, panel in enumerate(panels)), legend)


def _panel(panel: PlanePanel, prefix: str) -> str:
    figure, axes = blank(WIDTH, HEIGHT)
    plane = panel.plane
    side = round(len(plane.positive) ** 0.5)
    positive = np.array([int(one) for one in plane.positive], dtype=np.float64).reshape(side, side)
    places = np.linspace(*plane.x, side), np.linspace(*plane.y, side)
    if 0 < positive.mean() < 1:
        axes.contour(*places, positive, levels=[0.5], colors=[POSITIVE], linewidths=1.6)
    if positive.any():
        axes.contourf(*places, positive, levels=[0.5, 1.5], colors=[POSITIVE], alpha=0.16)
    for points, colour, size in ((plane.unlabelled, GREY, 2.2), (plane.labelled, LABELLED, 3.2)):
        if points:
            axes.plot(*zip(*points, strict=True), "o", color=colour, markersize=size, alpha=0.75)
    axes.grid(visible=False)
    axes.set(xlim=plane.x, ylim=plane.y, xlabel=short(panel.columns[0]), ylabel=short(panel.columns[1]))
    axes.set_title(f"{short(panel.title)}\n{short(panel.setting)}", fontsize=9)
    share = f"{100 * positive.mean():.0f} %"
    return svg(figure, f"{panel.title}, {panel.setting}: {share} of the plane is called positive.", prefix)
