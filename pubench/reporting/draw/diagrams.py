"""The critical-difference diagram: laid out in centimetres as strokes, dots and labels, and drawn by matplotlib."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Mapping
from typing import Literal, NamedTuple

from pubench.reporting.wording import clean
from pubench.stats.cliques import levels
from pubench.stats.comparison import Comparison

__all__ = ["Diagram", "Label", "Stroke", "draw", "rank_diagram"]

ROW, BAR, TICK = 0.46, 0.28, 0.12
ASIDE = 0.35
"""The distance of labels from the ends of the axis."""
LONGEST = 40
LONGEST_AXIS = 12.0
OVERHANG = 0.07
CENTIMETRE = 1 / 2.54
FONT, SIZE = "DejaVu Sans", 9


class Stroke(NamedTuple):
    """A stroke between two points; ``weight`` in points, ``grey`` for the lines from a label to its rank."""

    x: tuple[float, float]
    y: tuple[float, float]
    weight: float
    grey: bool = False


class Axis(NamedTuple):
    """Whole ranks from the first to the last, on a line of this length in centimetres from x = 0."""

    first: int
    last: int
    length: float

    def place(self, rank: float) -> float:
        """Return where a rank is."""
        return (rank - self.first) / (self.last - self.first) * self.length


class Label(NamedTuple):
    """A text of which the ``side`` (or centre) is at a point; its middle line is at y."""

    x: float
    y: float
    text: str
    side: Literal["left", "right", "center"]


class Diagram(NamedTuple):
    """What is drawn. The axis lies at y = 0, labels and bars below it."""

    strokes: tuple[Stroke, ...]
    dots: tuple[tuple[float, float], ...]
    labels: tuple[Label, ...]


def rank_diagram(
    comparison: Comparison, *, longest: float = LONGEST_AXIS, names: Mapping[str, str] | None = None
) -> Diagram | None:
    """Lay out average ranks, best at the left, with a bar for each group of the comparison.

    Bars have a dot on every member, since the members of a group need not be neighbours in rank; no two bars of one
    level touch. Every label has its own row: the better half on the left, the other on the right.

    Parameters
    ----------
    comparison : Comparison
    longest : float
        The length of the axis in centimetres, at most.
    names : mapping of str to str, optional
        What to print for the algorithms; default: their names, shortened if they are very long.

    Returns
    -------
    Diagram or None
        None where no test could reject, or there are no ranks.
    """
    if not comparison.tested or not comparison.units:
        return None
    ranks = comparison.ranks.tolist()
    first, last = math.floor(min(ranks)), math.ceil(max(ranks))
    # Where all ranks are equal the axis still has a length.
    axis = Axis(first, max(last, first + 1), min(max(0.6 * (len(ranks) - 1), 6.0), longest))
    places = {name: axis.place(rank) for name, rank in zip(comparison.algorithms, ranks, strict=True)}
    bars, dots, depth = _bars(comparison, places)
    printed = names or {name: _short(name) for name in comparison.algorithms}
    labels, texts = _labels(comparison, places, printed, axis.length, depth)
    scale, ticks = _scale(axis)
    critical, words = _critical(comparison, axis)
    return Diagram((*scale, *labels, *bars, *critical), dots, (*ticks, *texts, *words))


def _scale(axis: Axis) -> tuple[list[Stroke], list[Label]]:
    step = math.ceil(0.5 * (axis.last - axis.first) / axis.length)
    lines = [Stroke((0.0, axis.length), (0.0, 0.0), 0.8)]
    texts = []
    for rank in range(axis.first, axis.last + 1, step):
        x = axis.place(rank)
        lines.append(Stroke((x, x), (0.0, TICK), 0.8))
        texts.append(Label(x, TICK + 0.22, str(rank), "center"))
    return lines, texts


def _bars(
    comparison: Comparison, places: dict[str, float]
) -> tuple[list[Stroke], tuple[tuple[float, float], ...], float]:
    """Return the groups' bars, the dots of their members, and how deep they reach."""
    spans = [
        (min(places[name] for name in group) - OVERHANG, max(places[name] for name in group) + OVERHANG)
        for group in comparison.groups
    ]
    heights = [-BAR * (level + 1) for level in levels(spans)]
    bars = [Stroke(span, (y, y), 2.2) for span, y in zip(spans, heights, strict=True)]
    dots = tuple(
        (places[name], y) for group, y in zip(comparison.groups, heights, strict=True) for name in group
    )
    return bars, dots, -min(heights, default=0.0)


def _labels(
    comparison: Comparison,
    places: Mapping[str, float],
    printed: Mapping[str, str],
    length: float,
    depth: float,
) -> tuple[list[Stroke], list[Label]]:
    """Return the labels and the lines to their ranks; no two lines cross, since outer ranks have the upper rows."""
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
            lines += [Stroke((x, x), (0.0, y), 0.6, True), Stroke((x, edge), (y, y), 0.6, True)]
            parts = (printed[name], f"{ranks[name]:.2f}")
            text = "  ".join(parts if side == "right" else parts[::-1])
            away = -0.1 if side == "right" else 0.1
            texts.append(Label(edge + away, y, text, "right" if side == "right" else "left"))
    return lines, texts


def _short(name: str) -> str:
    """Shorten a long name in its middle: names most often differ at their ends."""
    name = clean(name)
    half = LONGEST // 2
    return name if len(name) <= LONGEST else f"{name[: half - 1]}…{name[-half:]}"


def _critical(comparison: Comparison, axis: Axis) -> tuple[list[Stroke], list[Label]]:
    """Return Nemenyi's critical difference as a bar above the axis, if it is not wider than the axis."""
    if comparison.critical_difference is None:
        return [], []
    width, y = axis.place(axis.first + comparison.critical_difference), 0.85
    label = f"critical difference {comparison.critical_difference:.2f}"
    if width > axis.length:
        return [], [Label(0.0, y, label, "left")]
    ends = [Stroke((x, x), (y - 0.08, y + 0.08), 0.8) for x in (0.0, width)]
    return [Stroke((0.0, width), (y, y), 0.8), *ends], [Label(width + 0.15, y, label, "left")]


def draw(diagram: Diagram, form: Literal["pdf", "svg", "png"]) -> bytes:
    """Return a diagram as a file; the same diagram gives the same bytes, and SVG holds real text."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    fonts = rc_context(
        {"svg.fonttype": "none", "svg.hashsalt": "pubench", "pdf.fonttype": 42, "font.family": FONT}
    )
    with fonts, warnings.catch_warnings():
        # An SVG uses the reader's fonts: letters that are missing here do not matter.
        warnings.filterwarnings("ignore", "Glyph")
        figure = Figure(figsize=_size(diagram))
        axes = figure.add_axes((0, 0, 1, 1), aspect="equal")
        axes.set_axis_off()
        for stroke in diagram.strokes:
            colour = "0.55" if stroke.grey else "0"
            axes.plot(
                stroke.x,
                stroke.y,
                color=colour,
                linewidth=stroke.weight,
                solid_capstyle="butt",
                clip_on=False,
            )
        for x, y in diagram.dots:
            axes.plot([x], [y], "o", color="black", markersize=3.8, clip_on=False)
        for label in diagram.labels:
            words = label.text if form == "svg" else _known(label.text)
            axes.text(
                label.x, label.y, words, ha=label.side, va="center_baseline", fontsize=SIZE, parse_math=False
            )
        buffer = io.BytesIO()
        # Without a date the file depends on the diagram alone.
        metadata = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}}[form]
        figure.savefig(buffer, format=form, bbox_inches="tight", pad_inches=0.05, dpi=150, metadata=metadata)
    return buffer.getvalue()


def _size(diagram: Diagram) -> tuple[float, float]:
    """Return a size in inches at which one unit is a centimetre; texts beyond it make the file larger."""
    x = [value for stroke in diagram.strokes for value in stroke.x]
    y = [value for stroke in diagram.strokes for value in stroke.y]
    return (max(x) - min(x)) * CENTIMETRE, (max(y) - min(y)) * CENTIMETRE


def _known(text: str) -> str:
    """Spell characters that the font lacks as code points."""
    from matplotlib.font_manager import findfont, get_font

    letters = get_font(findfont(FONT)).get_charmap()
    return "".join(char if ord(char) in letters else f"U+{ord(char):04X}" for char in text)
