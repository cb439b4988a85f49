"""The second half of a greedy search: steps of ten per cent around the best setting, until none is better."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pubench.specs import JSONValue, Params

__all__ = ["MOST_STEPS", "neighbours"]

SHARE, MOST_STEPS = 0.1, 50
"""How far a parameter moves, and how many steps a search takes at most."""


def neighbours(centre: Params, searched: Collection[str]) -> list[Params]:
    """Return the settings that differ from a centre in one searched number, which is 10 % more or 10 % less.

    Whole numbers move by at least 1 and stay positive. Texts, true and false stay as they are, and so does 0.
    """
    return list(_moved({name: centre[name] for name in searched if name in centre}))


def _moved(centre: Mapping[str, JSONValue]) -> Iterator[Params]:
    for name, value in centre.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        for factor in (1.0 + SHARE, 1.0 - SHARE):
            moved: float = value * factor
            if isinstance(value, int):
                moved = round(moved) if round(moved) != value else value + (1 if factor > 1.0 else -1)
            if moved != value and not (isinstance(value, int) and moved < 1):
                yield {**centre, name: moved}
