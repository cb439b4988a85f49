"""The drawing of maps: data sets in the plane, with the class of each row and whether it is labelled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pubench.reporting.draw.canvas import COLOURS, GREY, blank, short, svg
from pubench.reporting.draw.curves import Drawing, LegendEntry

__all__ = ["MapPanel", "draw_maps"]

WIDTH, HEIGHT = 3.3, 3.0
KINDS = {
    "u": ("unlabelled", GREY, "o", 1.6),
    "n": ("negative, unlabelled", COLOURS[0], "o", 1.6),
    "p": ("positive, unlabelled", COLOURS[1], "o", 1.6),
    "l": ("positive, labelled", COLOURS[3], "^", 3.0),
}
"""The name, colour, mark and size of each kind of row, in the order in which they are drawn."""


class MapPanel(NamedTuple):
    """A map with two lines above it; ``kinds`` has a letter for each point."""

    title: str
    setting: str
    kinds: str
    points: Sequence[tuple[float, float]]


def draw_maps(panels: Sequence[MapPanel]) -> Drawing:
    """Draw a panel for each map."""
    found = {kind for panel in panels for kind in panel.kinds}
    legend = [
        LegendEntry(name, colour, "dotted") for kind, (name, colour, *_) in KINDS.items() if kind in found
    ]
    return Drawing(tuple(_panel(panel, f"t{k}-") for k, panel in enumerate(panels)), tuple(legend))


def _panel(panel: MapPanel, prefix: str) -> str:
    figure, axes = blank(WIDTH, HEIGHT)
    for kind, (_, colour, mark, size) in KINDS.items():
        points = [point for point, own in zip(panel.points, panel.kinds, strict=True) if own == kind]
        if points:
            axes.plot(
                *zip(*points, strict=True), mark, color=colour, markersize=size, alpha=0.7, markeredgewidth=0
            )
    axes.grid(visible=False)
    axes.set(xticks=(), yticks=())
    axes.set_title(f"{short(panel.title)}\n{short(panel.setting)}", fontsize=9)
    counts = ", ".join(f"{panel.kinds.count(kind)} {name}" for kind, (name, *_) in KINDS.items())
    return svg(figure, f"t-SNE of {panel.title}: {counts}.", prefix)
