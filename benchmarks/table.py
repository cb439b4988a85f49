"""The table of speed: one figure a line, with its limit; written as Markdown and read again to compare."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from measure import Ratio

__all__ = ["Figure", "Old", "compared", "read", "rendered"]

_HEAD = ("what", "peer", "ratio", "spread", "limit", "exponent", "memory / input", "verdict", "why")


@dataclass(frozen=True)
class Figure:
    """One line: a ratio to a peer, a growth exponent, or peak memory over input, and the limit that holds for it."""

    what: str
    peer: str
    limit: float
    ratio: Ratio | None = None
    exponent: float | None = None
    memory: float | None = None
    at_least: bool = False
    why: str = ""

    @property
    def value(self) -> float:
        (value,) = (
            found
            for found in (self.ratio.median if self.ratio else None, self.exponent, self.memory)
            if found is not None
        )
        return value

    @property
    def holds(self) -> bool:
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def cells(self) -> tuple[str, ...]:
        spread = f"{self.ratio.low:.3g} to {self.ratio.high:.3g}" if self.ratio else ""
        return (
            self.what,
            self.peer,
            f"{self.ratio.median:.3g}" if self.ratio else "",
            spread,
            f"at {'least' if self.at_least else 'most'} {self.limit:g}",
            "" if self.exponent is None else f"{self.exponent:.2f}",
            "" if self.memory is None else f"{self.memory:.2f}",
            "met" if self.holds else "missed",
            "" if self.holds else self.why,
        )


@dataclass(frozen=True)
class Old:
    """A line of a table that was read: its value and its spread, which is the value itself without pairs."""

    value: float
    low: float
    high: float


def rendered(figures: Iterable[Figure]) -> str:
    """Return the figures as a Markdown table."""
    rows = [_HEAD, tuple("---" for _ in _HEAD), *(figure.cells() for figure in figures)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def read(text: str) -> dict[str, Old]:
    """Return the lines of a rendered table by what they measure."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if "|" in line]
    return {row[0]: _old(row) for row in rows if len(row) == len(_HEAD) and row[0] not in ("what", "---")}


def _old(row: Sequence[str]) -> Old:
    value = float(row[2] or row[5] or row[6])
    low, high = (float(end) for end in row[3].split(" to ")) if row[3] else (value, value)
    return Old(value, low, high)


def compared(figures: Iterable[Figure], before: dict[str, Old], *, tolerance: float = 1.1) -> list[str]:
    """Return a line for each figure that got worse: by more than a tenth, and beyond the spreads of both tables."""
    return [
        f"{figure.what}: {before[figure.what].value:.3g} before, {figure.value:.3g} now"
        for figure in figures
        if figure.what in before and _is_worse(figure, before[figure.what], tolerance)
    ]


def _is_worse(figure: Figure, old: Old, tolerance: float) -> bool:
    low = figure.ratio.low if figure.ratio else figure.value
    high = figure.ratio.high if figure.ratio else figure.value
    if figure.at_least:
        return figure.value * tolerance < old.value and high < old.low
    return figure.value > old.value * tolerance and low > old.high
