"""Box plots of differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from pubench.reporting.draw.canvas import COLOURS, GREY, blank, short, svg

__all__ = ["draw_boxes"]

Floats = NDArray[np.float64]
Strokes = list[tuple[float, float]]
WIDTH = 5.6


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
