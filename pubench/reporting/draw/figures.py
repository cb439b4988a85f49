"""Drawings of one metric: scores against time, and box plots of differences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pubench.reporting.draw.canvas import COLOURS, GREY, blank, grouped, plain_log_axis, short, svg
from pubench.reporting.draw.curves import Drawing, LegendEntry
from pubench.reporting.draw.labels import Box, place_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_against_time", "draw_boxes"]

Floats = NDArray[np.float64]
Strokes = list[tuple[float, float]]
WIDTH = 5.6
NAMED, MARK, FAR = 14, 6.0, 8.0
"""Up to how many points have names beside them, the width of a mark, and from where on a line leads to a label."""


def draw_against_time(
    metric: str, points: Mapping[str, tuple[float, float]], unbeaten: Sequence[str], prefix: str
) -> Drawing:
    """Draw the score of each algorithm against its seconds, and a line through those that are unbeaten.

    Points have names beside them. Where these are too many, points have numbers, in the order of scores, and the
    legend has their names.
    """
    names = sorted(points, key=lambda name: (-points[name][0], points[name][1]))
    numbered = len(names) > NAMED
    figure, axes = blank(WIDTH, 4.2 if numbered else 3.6)
    path = [points[name] for name in unbeaten]
    axes.plot([seconds for _, seconds in path], [score for score, _ in path], color=GREY, lw=1, zorder=1)
    for k, name in enumerate(names):
        score, seconds = points[name]
        colour = COLOURS[2] if name in unbeaten else GREY
        axes.plot(seconds, score, "o", color=colour, markersize=MARK, zorder=2, gid=f"method{k}")
    plain_log_axis(axes)
    axes.margins(x=0.12, y=0.1)
    axes.set_xlabel("seconds to fit (median)")
    axes.set_ylabel(short(metric), parse_math=False)
    texts = [str(k) for k in range(1, len(names) + 1)] if numbered else [short(name) for name in names]
    _label_points(figure, axes, [(points[name][1], points[name][0]) for name in names], texts)
    label = f"{metric} against the seconds of a fit, for each algorithm."
    drawing = grouped(svg(figure, label, prefix), names)
    entries = [
        LegendEntry(f"{k} {name}", COLOURS[2] if name in unbeaten else GREY, "solid", name)
        for k, name in enumerate(names, 1)
    ]
    return Drawing((drawing,), tuple(entries) if numbered else (), wide=True)


def _label_points(
    figure: Figure, axes: Axes, points: Sequence[tuple[float, float]], texts: Sequence[str]
) -> None:
    """Write a text beside each point so that none covers another; a line leads to one that is further away."""
    figure.draw_without_rendering()
    scale = 72 / figure.dpi
    made = [
        axes.annotate(
            text,
            point,
            xytext=(0, 0),
            textcoords="offset points",
            fontsize=8.5,
            parse_math=False,
            gid=f"method{k}",
            in_layout=False,
            va="center",
        )
        for k, (text, point) in enumerate(zip(texts, points, strict=True))
    ]
    extents = [one.get_window_extent() for one in made]
    sizes = [(extent.width * scale, extent.height * scale) for extent in extents]
    places = [(x * scale, y * scale) for x, y in axes.transData.transform(np.array(points)).tolist()]
    bounds = Box(*(value * scale for value in axes.bbox.extents))
    found = place_labels(places, sizes, bounds, MARK / 2 + 0.5)
    for text, (x, y), box in zip(made, places, found, strict=True):
        text.set_visible(box is not None)
        if box is not None:
            text.set_position((box.left - x, (box.bottom + box.top) / 2 - y))
            near = min(max(x, box.left), box.right), min(max(y, box.bottom), box.top)
            if math.dist((x, y), near) > FAR:
                ends = axes.transData.inverted().transform(np.array([(x, y), near]) / scale)
                axes.plot(*ends.T, color=GREY, lw=0.6, zorder=1)


def draw_boxes(values: Mapping[str, Floats], axis: str, label: str, prefix: str) -> str:
    """Draw a box plot for each name, the first on top, with a line at 0."""
    from matplotlib.cbook import boxplot_stats

    names = list(values)[::-1]
    figure, axes = blank(WIDTH, 0.8 + 0.33 * len(names))
    axes.axvline(0.0, color=GREY, lw=1)
    axes.grid(visible=False, axis="y")
    found = [(y, boxplot_stats(values[name])[0]) for y, name in enumerate(names, 1) if values[name].size]
    # One line with gaps for all boxes: a path for each would make the page large.
    axes.plot(*_joined(_outlines(y, box) for y, box in found), color="black", lw=1)
    axes.plot(*_joined([_bar(box["med"], y, 0.3)] for y, box in found), color=COLOURS[2], lw=2)
    fliers = [(x, y) for y, box in found for x in box["fliers"].tolist()]
    axes.plot([x for x, _ in fliers], [y for _, y in fliers], "o", color=GREY, markersize=3)
    axes.set_yticks(range(1, len(names) + 1), [short(name) for name in names], parse_math=False)
    axes.set_ylim(0.4, len(names) + 0.6)
    axes.set_xlabel(axis, parse_math=False)
    return svg(figure, label, prefix)


def _bar(x: float, y: float, half: float) -> Strokes:
    return [(x, y - half), (x, y + half)]


def _outlines(y: float, box: Mapping[str, float]) -> Iterator[Strokes]:
    """Yield the strokes of a box, its whiskers and their ends."""
    low, high = box["q1"], box["q3"]
    yield [(low, y - 0.3), (high, y - 0.3), (high, y + 0.3), (low, y + 0.3), (low, y - 0.3)]
    for end, side in ((box["whislo"], low), (box["whishi"], high)):
        yield [(side, y), (end, y)]
        yield _bar(end, y, 0.15)


def _joined(groups: Iterable[Iterable[Strokes]]) -> tuple[list[float], list[float]]:
    """Return all strokes as one line, with a gap after each."""
    gap = [(np.nan, np.nan)]
    points = [point for group in groups for stroke in group for point in [*stroke, *gap]]
    return [x for x, _ in points], [y for _, y in points]
