"""The base of all drawings of the page: axes to draw on, and figures as inline SVG with real text and a label."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from pubench.reporting.wording import clean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "COLOURS",
    "GREY",
    "blank",
    "grouped",
    "inline",
    "short",
    "svg",
]

NAME = 28
GREY = "#888888"
COLOURS = ("#2f7fc4", "#d1603d", "#5f8f1f", "#9a6dd7", "#0e8c9a", "#d6488f", "#8a7a00", "#7d7d7d")
"""Each has a contrast of at least 3.7 to the white page and to the dark one."""

_NUMBER = re.compile(r"-?\d+\.\d+")
_TAG = re.compile(r"(<[^>]*>)")


def blank(width: float, height: float) -> tuple[Figure, Axes]:
    """Return a figure of this size in inches, and axes to draw on."""
    # Without pyplot: nothing global, no backend to choose.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(alpha=0.25, clip_on=False)
    return figure, axes


def svg(figure: Figure, label: str, prefix: str) -> str:
    """Return a figure as inline SVG; the same figure gives the same bytes."""
    import matplotlib

    buffer = io.StringIO()
    fonts = matplotlib.rc_context(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "pubench",
            "font.family": ["sans-serif"],
            "font.sans-serif": ["DejaVu Sans"],
        }
    )
    with fonts, warnings.catch_warnings():
        # The page uses the reader's fonts: glyphs that are missing here do not matter.
        warnings.filterwarnings("ignore", "Glyph")
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return inline(buffer.getvalue(), label, prefix)


def inline(drawing: str, label: str, prefix: str) -> str:
    """Return an SVG file as a part of a page.

    Parameters
    ----------
    drawing : str
        As matplotlib writes it.
    label : str
        The text that screen readers read for it.
    prefix : str
        Goes before every name inside, so that no two drawings of a page share one.

    Returns
    -------
    str
        Black takes the colour of the page's text, and coordinates have one decimal.
    """
    text = drawing[drawing.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->|<style.*?</style>", "", text, flags=re.DOTALL)
    parts = [_tag(part, prefix) if part.startswith("<") else part for part in _TAG.split(text)]
    named = f'<svg role="img" aria-label="{escape(clean(label))}"'
    seen = [part for part in parts if part.strip() and not _INVISIBLE.fullmatch(part)]
    text = "".join(_joined(_without_bare_groups(seen)))
    return text.replace("<defs></defs>", "").replace("<svg", named, 1)


def grouped(drawing: str, names: Sequence[str]) -> str:
    """Return a drawing whose groups with the id ``method<k>`` name the algorithm k that they belong to.

    The names come last: what shortens a drawing must not shorten numbers within them.
    """
    return _GROUP.sub(lambda found: f' data-method="{escape(clean(names[int(found[1])]))}"', drawing)


def _tag(tag: str, prefix: str) -> str:
    """Shorten a tag: groups need no names, numbers no second decimal; the page's style has fonts and joins."""
    for pattern, shorter in _SHORTER:
        tag = pattern.sub(shorter, tag)
    if not _CURVE.search(tag):
        # After a move, further points mean lines.
        tag = tag.replace("\nL ", " ")
    tag = _NAMED.sub(rf"\g<1>{prefix}", tag)
    tag = " ".join(_NUMBER.sub(lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), tag).split())
    return tag.replace(": ", ":").replace("; ", ";").replace(' "', '"').replace(';"', '"')


_GROUP = re.compile(r' data-method="(\d+)"')
_CURVE = re.compile(r"\s[CQ] ")
_INVISIBLE = re.compile(r'<path [^>]* style="fill:none"/>')
_STROKE = re.compile(r'<path d="([^"]*)"((?: clip-path="[^"]*")? style="fill:none;[^"]*")/>')
_NAMED = re.compile(r'( id="|"#|url\(#)')
_SHORTER = [
    (re.compile(pattern), shorter)
    for pattern, shorter in (
        (r'(<g) id="method(\d+)"', r'\1 data-method="\2"'),
        (r'(<g) id="[^"]*"', r"\1"),
        (r' xmlns(:xlink)?="[^"]*"| version="1.1"| transform="rotate\(-0 [^"]*"|font-family: [^;"]*;?', ""),
        (r"stroke-(linejoin|linecap): (round|miter|square|butt);?", ""),
        (r"#000000|\bblack\b", "currentColor"),
        (r"fill: #ffffff", "fill: none"),
        # A mark without a filling has its look from its definition.
        (r'(<use [^>]*) style="stroke[^"f]*"', r"\1"),
    )
]


def _without_bare_groups(parts: list[str]) -> Iterator[str]:
    """Drop groups without attributes."""
    bare: list[bool] = []
    for part in parts:
        if part.startswith("<g"):
            bare.append(part == "<g>")
        if not ((part == "<g>") or (part == "</g>" and bare[-1])):
            yield part
        if part == "</g>":
            bare.pop()


def _joined(parts: Iterable[str]) -> Iterator[str]:
    """Join consecutive strokes of the same style into one path."""
    points, style = "", ""
    for part in parts:
        stroke = _STROKE.fullmatch(part)
        if points and (stroke is None or stroke[2] != style):
            yield f'<path d="{points}"{style}/>'
            points = ""
        if stroke is None:
            yield part
        else:
            points, style = f"{points} {stroke[1]}".strip(), stroke[2]


def short(name: str) -> str:
    """Return a name that fits next to an axis."""
    plain = clean(name)
    return plain if len(plain) <= NAME else plain[: NAME - 1] + "…"
