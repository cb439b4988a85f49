"""Rank diagrams as PGF: LaTeX sets them in the fonts of the document, and they fit its columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pubench.reporting.draw.diagrams import ASIDE, Diagram, Label, rank_diagram
from pubench.reporting.render.tex import tex
from pubench.reporting.render.tex_heads import fit_names
from pubench.reporting.render.tex_layout import FRAMES, Frame
from pubench.reporting.render.tex_widths import FOOTNOTE, text_width
from pubench.stats.comparison import Comparison
from pubench.suite.reporting import TableWidth

__all__ = ["FittedDiagram", "fitted_diagram", "pgf"]

DOT = 0.065
POINTS = 72.27 / 2.54
"""Points of a centimetre."""
LEAST_AXIS = 3.0
"""Centimetres below which an axis is hard to read: names are cut instead."""
HEAD = (
    "% Made by pubench. The preamble needs \\usepackage{{pgf}}. The diagram fits {}; change that by --width."
)


class FittedDiagram(NamedTuple):
    """A diagram, where it fits, and what the names that were cut stand for."""

    diagram: Diagram
    frame: Frame
    cut: Mapping[str, str]


def fitted_diagram(comparison: Comparison, width: TableWidth | None) -> FittedDiagram | None:
    """Lay out ranks for a width; without one, for a column if its names fit there, else for the page."""
    found = _fit(comparison, FRAMES[width or "column"])
    if width is None and found is not None and found.cut:
        return _fit(comparison, FRAMES["page"])
    return found


def _fit(comparison: Comparison, frame: Frame) -> FittedDiagram | None:
    """Shorten the axis of a diagram that is too wide, then its names."""
    room, diagram = frame.width / POINTS, rank_diagram(comparison)
    if diagram is None:
        return None
    longest = _axis(diagram) + room - _span(diagram)
    if longest >= LEAST_AXIS:
        fitted = rank_diagram(comparison, longest=min(longest, _axis(diagram)))
        return FittedDiagram(fitted or diagram, frame, {})
    names, beside = comparison.algorithms, (room - LEAST_AXIS) / 2 - ASIDE - 0.1
    rank = text_width("  00.00", FOOTNOTE)
    cut = fit_names(names, [beside * POINTS - rank] * len(names), FOOTNOTE, most=1)
    printed = {name: lines[0] for name, lines in zip(names, cut.lines, strict=True)}
    fitted = rank_diagram(comparison, longest=LEAST_AXIS, names=printed)
    return FittedDiagram(fitted or diagram, frame, cut.cut)


def _axis(diagram: Diagram) -> float:
    """Return the length of the axis, which is the first stroke."""
    return diagram.strokes[0].x[1]


def _span(diagram: Diagram) -> float:
    """Return the width of a diagram with its labels in centimetres."""
    edges = [_edges(label) for label in diagram.labels]
    return max(right for _, right in edges) - min(left for left, _ in edges)


def _edges(label: Label) -> tuple[float, float]:
    wide = text_width(label.text, FOOTNOTE) / POINTS
    start = {"left": label.x, "center": label.x - wide / 2, "right": label.x - wide}[label.side]
    return start, start + wide


def pgf(fitted: FittedDiagram) -> str:
    """Return a diagram as a picture for a LaTeX document; its preamble needs the package pgf."""
    diagram, cut = fitted.diagram, (f"% {tex(short)} is {tex(name)}" for short, name in fitted.cut.items())
    parts = [HEAD.format(fitted.frame.about), *cut, r"\begin{pgfpicture}"]
    for stroke in diagram.strokes:
        start, end = (_point(x, y) for x, y in zip(stroke.x, stroke.y, strict=True))
        pen = (
            rf"\pgfsetstrokecolor{{black!{45 if stroke.grey else 100}}}\pgfsetlinewidth{{{stroke.weight}pt}}"
        )
        parts.append(rf"{pen}\pgfpathmoveto{{{start}}}\pgfpathlineto{{{end}}}\pgfusepath{{stroke}}")
    parts += [rf"\pgfpathcircle{{{_point(x, y)}}}{{{DOT}cm}}\pgfusepath{{fill}}" for x, y in diagram.dots]
    for label in diagram.labels:
        side = "" if label.side == "center" else f",{label.side}"
        text = f"{FOOTNOTE.command} {tex(label.text)}"
        parts.append(rf"\pgftext[x={label.x:.3f}cm,y={label.y:.3f}cm{side}]{{{text}}}")
    return "\n".join([*parts, r"\end{pgfpicture}", ""])


def _point(x: float, y: float) -> str:
    return rf"\pgfpoint{{{x:.3f}cm}}{{{y:.3f}cm}}"
