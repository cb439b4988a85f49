"""Diagrams as PDF and SVG by matplotlib, and as PGF, which LaTeX sets in the document's own type."""

from __future__ import annotations

import io
import warnings
from typing import Any, Literal

from pubench.reporting.diagram import Diagram
from pubench.reporting.tex import tex

__all__ = ["draw", "pgf"]

CENTIMETRE = 1 / 2.54
FONT, SIZE = "DejaVu Sans", 9
DOT = 0.065


def draw(diagram: Diagram, form: Literal["pdf", "svg", "png"]) -> bytes:
    """Return a diagram as a file; the same diagram gives the same bytes, and SVG holds real text."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    settings: dict[Any, Any] = {
        "svg.fonttype": "none",
        "svg.hashsalt": "pubench",
        "pdf.fonttype": 42,
        "font.family": FONT,
    }
    with rc_context(settings), warnings.catch_warnings():
        # An SVG is set in the reader's fonts: which letters are missing here does not matter.
        warnings.filterwarnings("ignore", "Glyph")
        figure = Figure(figsize=_size(diagram))
        axes = figure.add_axes((0, 0, 1, 1), aspect="equal")
        axes.set_axis_off()
        for line in diagram.lines:
            colour = "0.55" if line.grey else "0"
            axes.plot(
                line.x, line.y, color=colour, linewidth=line.weight, solid_capstyle="butt", clip_on=False
            )
        for x, y in diagram.dots:
            axes.plot([x], [y], "o", color="black", markersize=3.8, clip_on=False)
        for text in diagram.texts:
            words = text.text if form == "svg" else _known(text.text)
            axes.text(
                text.x, text.y, words, ha=text.side, va="center_baseline", fontsize=SIZE, parse_math=False
            )
        buffer = io.BytesIO()
        # Without a date the file depends on the diagram alone.
        metadata = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}}[form]
        figure.savefig(buffer, format=form, bbox_inches="tight", pad_inches=0.05, dpi=150, metadata=metadata)
    return buffer.getvalue()


def _size(diagram: Diagram) -> tuple[float, float]:
    """Return a size in inches at which one unit is a centimetre; texts beyond it make the file larger."""
    x = [value for line in diagram.lines for value in line.x]
    y = [value for line in diagram.lines for value in line.y]
    return (max(x) - min(x)) * CENTIMETRE, (max(y) - min(y)) * CENTIMETRE


def _known(text: str) -> str:
    """Spell characters that the font lacks as code points."""
    from matplotlib.font_manager import findfont, get_font

    letters = get_font(findfont(FONT)).get_charmap()
    return "".join(char if ord(char) in letters else f"U+{ord(char):04X}" for char in text)


def pgf(diagram: Diagram) -> str:
    """Return a diagram as a picture to be read into a document; its preamble needs the package pgf."""
    parts = ["% Made by pubench. The preamble needs \\usepackage{pgf}.", r"\begin{pgfpicture}"]
    for line in diagram.lines:
        start, end = (_point(x, y) for x, y in zip(line.x, line.y, strict=True))
        pen = rf"\pgfsetstrokecolor{{black!{45 if line.grey else 100}}}\pgfsetlinewidth{{{line.weight}pt}}"
        parts.append(rf"{pen}\pgfpathmoveto{{{start}}}\pgfpathlineto{{{end}}}\pgfusepath{{stroke}}")
    parts += [rf"\pgfpathcircle{{{_point(x, y)}}}{{{DOT}cm}}\pgfusepath{{fill}}" for x, y in diagram.dots]
    for text in diagram.texts:
        side = "" if text.side == "center" else f",{text.side}"
        parts.append(rf"\pgftext[x={text.x:.3f}cm,y={text.y:.3f}cm{side}]{{\small {tex(text.text)}}}")
    return "\n".join([*parts, r"\end{pgfpicture}", ""])


def _point(x: float, y: float) -> str:
    return rf"\pgfpoint{{{x:.3f}cm}}{{{y:.3f}cm}}"
