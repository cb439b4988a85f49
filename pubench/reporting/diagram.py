"""The critical-difference diagram as lines, dots and texts, in centimetres; other modules draw them."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from pubench.reporting.words import clean
from pubench.stats.cliques import levels
from pubench.stats.comparison import Comparison

__all__ = ["Diagram", "Line", "Text", "rank_diagram"]

ROW, BAR, TICK = 0.46, 0.28, 0.12
ASIDE = 0.35
"""How far labels stand from the axis' ends."""
LONGEST = 40
OVERHANG = 0.07


class Line(NamedTuple):
    """A stroke between two points; ``weight`` in points, ``grey`` for what only leads the eye."""

    x: tuple[float, float]
    y: tuple[float, float]
    weight: float
    grey: bool = False


class Axis(NamedTuple):
    """Whole ranks from the first to the last that is needed, on a line of so many centimetres from x = 0."""

    first: int
    last: int
    length: float

    def place(self, rank: float) -> float:
        """Return where a rank is."""
        return (rank - self.first) / (self.last - self.first) * self.length


class Text(NamedTuple):
    """A text whose ``side`` (or centre) is at a point; its middle line is at y."""

    x: float
    y: float
    text: str
    side: Literal["left", "right", "center"]


class Diagram(NamedTuple):
    """What is drawn. The axis lies at y = 0, labels and bars below it."""

    lines: tuple[Line, ...]
    dots: tuple[tuple[float, float], ...]
    texts: tuple[Text, ...]


def rank_diagram(comparison: Comparison) -> Diagram | None:
    """Lay out average ranks, best at the left, with a bar for each group that no test tells apart.

    Bars carry a dot on every member, since a group need not be a run of neighbours in rank; no two bars of one level
    touch. Every label has a row of its own: the better half on the left, the other on the right.

    Returns
    -------
    Diagram or None
        None where algorithms were not tested.
    """
    if not comparison.tested:
        return None
    ranks = comparison.ranks.tolist()
    first, last = math.floor(min(ranks)), math.ceil(max(ranks))
    # Where all ranks are equal the axis still has a length.
    axis = Axis(first, max(last, first + 1), min(max(0.6 * (len(ranks) - 1), 6.0), 12.0))
    places = {name: axis.place(rank) for name, rank in zip(comparison.algorithms, ranks, strict=True)}
    bars, dots, depth = _bars(comparison, places)
    labels, texts = _labels(comparison, places, axis.length, depth)
    scale, ticks = _scale(axis)
    critical, words = _critical(comparison, axis)
    return Diagram((*scale, *labels, *bars, *critical), dots, (*ticks, *texts, *words))


def _scale(axis: Axis) -> tuple[list[Line], list[Text]]:
    step = math.ceil(0.5 * (axis.last - axis.first) / axis.length)
    lines = [Line((0.0, axis.length), (0.0, 0.0), 0.8)]
    texts = []
    for rank in range(axis.first, axis.last + 1, step):
        x = axis.place(rank)
        lines.append(Line((x, x), (0.0, TICK), 0.8))
        texts.append(Text(x, TICK + 0.22, str(rank), "center"))
    return lines, texts


def _bars(
    comparison: Comparison, places: dict[str, float]
) -> tuple[list[Line], tuple[tuple[float, float], ...], float]:
    """Return the groups' bars, the dots of their members, and how deep they reach."""
    spans = [
        (min(places[name] for name in group) - OVERHANG, max(places[name] for name in group) + OVERHANG)
        for group in comparison.groups
    ]
    heights = [-BAR * (level + 1) for level in levels(spans)]
    bars = [Line(span, (y, y), 2.2) for span, y in zip(spans, heights, strict=True)]
    dots = tuple(
        (places[name], y) for group, y in zip(comparison.groups, heights, strict=True) for name in group
    )
    return bars, dots, -min(heights, default=0.0)


def _labels(
    comparison: Comparison, places: dict[str, float], length: float, depth: float
) -> tuple[list[Line], list[Text]]:
    """Return the labels with their elbows: no elbow crosses another, since outer ranks have the upper rows."""
    ranks = dict(zip(comparison.algorithms, comparison.ranks.tolist(), strict=True))
    order = sorted(comparison.algorithms, key=lambda name: ranks[name])
    half = (len(order) + 1) // 2
    lines, texts = [], []
    for side, edge, names in (
        ("right", -ASIDE, order[:half]),
        ("left", length + ASIDE, order[: half - 1 : -1]),
    ):
        for row, name in enumerate(names, start=1):
            x, y = places[name], -depth - row * ROW
            lines += [Line((x, x), (0.0, y), 0.6, True), Line((x, edge), (y, y), 0.6, True)]
            parts = (_short(name), f"{ranks[name]:.2f}")
            text = "  ".join(parts if side == "right" else parts[::-1])
            away = -0.1 if side == "right" else 0.1
            texts.append(Text(edge + away, y, text, "right" if side == "right" else "left"))
    return lines, texts


def _short(name: str) -> str:
    """Cut what is too long for a diagram in its middle: names most often differ at their ends."""
    name = clean(name)
    half = LONGEST // 2
    return name if len(name) <= LONGEST else f"{name[: half - 1]}…{name[-half:]}"


def _critical(comparison: Comparison, axis: Axis) -> tuple[list[Line], list[Text]]:
    """Return Nemenyi's critical difference as a bar above the axis, if it is not wider than the axis."""
    if comparison.critical_difference is None:
        return [], []
    width, y = axis.place(axis.first + comparison.critical_difference), 0.85
    label = f"critical difference {comparison.critical_difference:.2f}"
    if width > axis.length:
        return [], [Text(0.0, y, label, "left")]
    ends = [Line((x, x), (y - 0.08, y + 0.08), 0.8) for x in (0.0, width)]
    return [Line((0.0, width), (y, y), 0.8), *ends], [Text(width + 0.15, y, label, "left")]
