"""Rank diagrams as PGF: LaTeX sets them in the fonts of the document."""

from __future__ import annotations

from pubench.reporting.draw.diagrams import Diagram
from pubench.reporting.render.tex import tex

__all__ = ["pgf"]

DOT = 0.065


def pgf(diagram: Diagram) -> str:
    """Return a diagram as a picture for a LaTeX document; its preamble needs the package pgf."""
    parts = ["% Made by pubench. The preamble needs \\usepackage{pgf}.", r"\begin{pgfpicture}"]
    for stroke in diagram.strokes:
        start, end = (_point(x, y) for x, y in zip(stroke.x, stroke.y, strict=True))
        pen = (
            rf"\pgfsetstrokecolor{{black!{45 if stroke.grey else 100}}}\pgfsetlinewidth{{{stroke.weight}pt}}"
        )
        parts.append(rf"{pen}\pgfpathmoveto{{{start}}}\pgfpathlineto{{{end}}}\pgfusepath{{stroke}}")
    parts += [rf"\pgfpathcircle{{{_point(x, y)}}}{{{DOT}cm}}\pgfusepath{{fill}}" for x, y in diagram.dots]
    for label in diagram.labels:
        side = "" if label.side == "center" else f",{label.side}"
        parts.append(rf"\pgftext[x={label.x:.3f}cm,y={label.y:.3f}cm{side}]{{\small {tex(label.text)}}}")
    return "\n".join([*parts, r"\end{pgfpicture}", ""])


def _point(x: float, y: float) -> str:
    return rf"\pgfpoint{{{x:.3f}cm}}{{{y:.3f}cm}}"
