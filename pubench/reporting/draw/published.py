"""The drawing of a paper's numbers: ours against theirs, a panel for each metric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from pubench.reporting.draw.canvas import GREY, blank, grouped, short, svg
from pubench.reporting.draw.curves import Drawing, LegendEntry, line_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_published"]

FEWEST, PANELS, SIZE = 4, 4, 3.6
"""A panel needs so many numbers; at most so many panels are drawn, this many inches wide and high."""
SPAN = 30
"""From this ratio of the greatest to the least number on, both axes are logarithmic."""


class _Published(Protocol):
    @property
    def metric(self) -> str: ...
    @property
    def algorithm(self) -> str: ...
    @property
    def paper(self) -> float: ...
    @property
    def ours(self) -> float: ...
    @property
    def verdict(self) -> str: ...


def draw_published(numbers: Iterable[_Published]) -> Drawing | None:
    """Draw the numbers that both sides have; None where there are too few."""
    known = [one for one in numbers if one.ours == one.ours]
    names = list(dict.fromkeys(one.algorithm for one in known))
    by_metric: dict[str, list[_Published]] = {}
    for one in known:
        by_metric.setdefault(one.metric, []).append(one)
    panels = [(metric, found) for metric, found in by_metric.items() if len(found) >= FEWEST][:PANELS]
    if not panels:
        return None
    drawn = tuple(_panel(metric, found, names, f"n{k}-") for k, (metric, found) in enumerate(panels))
    legend = tuple(LegendEntry(name, line_style(k)[0], "solid", name) for k, name in enumerate(names))
    return Drawing(drawn, legend)


def _panel(metric: str, numbers: Sequence[_Published], names: Sequence[str], prefix: str) -> str:
    figure, axes = blank(SIZE, SIZE)
    values = np.array([(one.paper, one.ours) for one in numbers])
    ends = _ends(float(values.min()), float(values.max()))
    if values.min() > 0 and values.max() / values.min() > SPAN:
        axes.set_xscale("log")
        axes.set_yscale("log")
        ends = float(values.min()) / 1.3, float(values.max()) * 1.3
    axes.plot(ends, ends, color=GREY, lw=1, zorder=0)
    for k, name in enumerate(names):
        _marks(axes, [one for one in numbers if one.algorithm == name], line_style(k)[0], f"method{k}")
    axes.set(xlim=ends, ylim=ends, xlabel=f"{short(metric)}, paper", ylabel=f"{short(metric)}, ours")
    label = f"Our {metric} against the paper's, a mark for each of {len(numbers)} numbers."
    return grouped(svg(figure, label, prefix), names)


def _ends(low: float, high: float) -> tuple[float, float]:
    """Return the ends of both axes: a little more than the numbers."""
    room = 0.04 * (high - low or 1.0)
    return low - room, high + room


def _marks(axes: Axes, numbers: Sequence[_Published], colour: str, gid: str) -> None:
    for agrees in (True, False):
        points = [(one.paper, one.ours) for one in numbers if (one.verdict == "agrees") is agrees]
        if points:
            x, y = zip(*points, strict=True)
            face = colour if agrees else "none"
            (drawn,) = axes.plot(x, y, "o", color=colour, markerfacecolor=face, markersize=5.5, alpha=0.9)
            drawn.set_gid(gid)
