"""Names that fit into a table for LaTeX: on several lines at hyphens and blanks, or cut and explained in a note."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pubench.reporting.render.tex import composed, tex
from pubench.reporting.render.tex_widths import TextSize, text_width

__all__ = ["FittedNames", "fit_names", "stacked", "wrapped"]

PIECES = re.compile(r"[^-_/ ]*[-_/ ]|[^-_/ ]+")
MOST_LINES = 3


class FittedNames(NamedTuple):
    """Names as lines of plain text, and what the names that were cut stand for."""

    lines: tuple[tuple[str, ...], ...]
    cut: Mapping[str, str]

    def width(self, k: int, size: TextSize) -> float:
        """Return the width of a name in points."""
        return max(text_width(line, size) for line in self.lines[k])

    @property
    def height(self) -> int:
        """The lines of the tallest name."""
        return max((len(lines) for lines in self.lines), default=1)


def fit_names(
    names: Sequence[str], rooms: Sequence[float], size: TextSize, most: int = MOST_LINES
) -> FittedNames:
    """Fit names into so many points each, on at most some lines; no two of those that are cut become the same."""
    found: list[tuple[str, ...]] = []
    cut: dict[str, str] = {}
    taken = {composed(name) for name in names}
    for name, room in zip(map(composed, names), rooms, strict=True):
        lines = wrapped(name, room, size)
        if len(lines) > most or any(text_width(line, size) > room for line in lines):
            short = next((key for key, full in cut.items() if full == name), None)
            short = short or _cut(name, room, size, taken)
            taken.add(short)
            cut[short] = name
            lines = (short,)
        found.append(lines)
    return FittedNames(tuple(found), cut)


def wrapped(text: str, room: float, size: TextSize, *, anywhere: bool = False) -> tuple[str, ...]:
    """Break a text after hyphens, underscores, strokes and blanks; elsewhere only if that is allowed."""
    lines = [""]
    for piece in composed(text) if anywhere else PIECES.findall(text):
        if lines[-1] and text_width((lines[-1] + piece).rstrip(), size) > room:
            lines.append("")
        lines[-1] += piece
    return tuple(line.rstrip() for line in lines)


def _cut(name: str, room: float, size: TextSize, taken: set[str]) -> str:
    """Leave out the middle of a name, since names often differ at their ends; a number distinguishes equal ones."""
    number = 1
    while True:
        end = "" if number == 1 else f"~{number}"
        kept = len(name)
        while kept > 0 and text_width(_middle_cut(name, kept) + end, size) > room:
            kept -= 1
        short = _middle_cut(name, kept) + end
        if short not in taken:
            return short
        number += 1


def _middle_cut(name: str, kept: int) -> str:
    """Return so many characters of a name: three fifths of them from its beginning."""
    behind = kept * 2 // 5
    return f"{name[: kept - behind]}..{name[len(name) - behind :]}"


def stacked(lines: Sequence[str], place: str, side: str) -> str:
    """Return lines above each other as LaTeX."""
    if len(lines) == 1:
        return tex(lines[0])
    body = r"\\".join(map(tex, lines))
    return rf"\begin{{tabular}}[{place}]{{@{{}}{side}@{{}}}}{body}\end{{tabular}}"
