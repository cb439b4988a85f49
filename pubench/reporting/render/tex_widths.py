"""How wide a text is in LaTeX: the widths of Computer Modern, which few fonts of papers exceed."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import NamedTuple

from pubench.reporting.render.tex import code_point, composed

__all__ = ["FOOTNOTE", "NORMAL", "SMALL", "TextSize", "text_width"]

WIDTHS = {
    2.78: "!',.:;[]il|’",
    3.06: "fj",
    3.34: " -",
    3.94: "I()trsł",
    4.45: "cez†‡ε",
    5.01: '?δθ"$*/0123456789\\`ago{}–ßø',
    5.29: "Jρkqvxy",
    5.58: "Sbdhnpuντη",
    6.26: "^~ZLŁγκλφμµπσβχ",
    6.59: "Fαω",
    6.88: "EPψ",
    7.51: "BCTwæRAHNUVXY",
    7.86: "DG&+<=>_KOQ≈±×−≤≥Ø",
    8.34: "#%m",
    10.29: "@WMÆ∞—",
    13.34: "…",
}
"""Characters by their width in points at 10 pt, rounded up, in the wider one of the encodings OT1 and T1."""
CHARACTERS = {char: width for width, chars in WIDTHS.items() for char in chars}
WIDEST = max(WIDTHS)
BOLD = 1.16
"""How much wider bold digits are."""
DIGITS = str.maketrans("123456789", "0" * 9)


class TextSize(NamedTuple):
    """A size of a 10 pt class: its command, its widths against those at 10 pt, and the height of a line in points.

    Smaller sizes of Computer Modern are wider than their number says.
    """

    command: str
    scale: float
    line: float


NORMAL = TextSize(r"\normalsize", 1.0, 12.0)
SMALL = TextSize(r"\small", 0.929, 11.0)
FOOTNOTE = TextSize(r"\footnotesize", 0.856, 9.5)


def text_width(text: str, size: TextSize, *, bold: bool = False) -> float:
    """Return the width of a plain text in points, or a little more."""
    return _width(text.translate(DIGITS)) * size.scale * (BOLD if bold else 1.0)


@lru_cache(maxsize=4096)
def _width(text: str) -> float:
    around = len(text) - len(text.strip())
    return sum(map(_char_width, composed(text))) + around * CHARACTERS[" "]


def _char_width(char: str) -> float:
    known = CHARACTERS.get(char)
    if known is None and code_point(char):
        return sum(CHARACTERS[part] for part in code_point(char))
    if known is None:
        # An accent adds nothing to its letter.
        known = CHARACTERS.get(unicodedata.normalize("NFD", char)[0], WIDEST)
    return known
