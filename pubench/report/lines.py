"""Pictures of lines in panels: how searches went on, and how scores change with what a suite varies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pubench.report.canvas import COLOURS, DASHES, PLAIN, legend_below, panels, short, svg
from pubench.report.searches import Search

__all__ = ["LINES", "PANELS", "draw_searches", "style"]

LINES, PANELS = 12, 6
"""What one picture shows at most; the table below it has the rest."""


def style(number: int) -> dict[str, Any]:
    """Return the look of a line: colours, and after them dashes, tell lines apart."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "ls": DASHES[number // len(COLOURS) % len(DASHES)],
        "lw": 1.6,
    }


def draw_searches(searches: Sequence[Search]) -> str:
    """Draw how much of its gain a search has made after each trial: a panel a criterion, a line an algorithm."""
    criteria = list(dict.fromkeys(search.criterion for search in searches))[:PANELS]
    names = list(dict.fromkeys(search.algorithm for search in searches))[:LINES]
    figure, made = panels(len(criteria), 3.4, 2.6, columns=3, sharey=True)
    for axes, criterion in zip(made, criteria, strict=True):
        for search in searches:
            if search.criterion == criterion and search.algorithm in names:
                trials = np.arange(1, len(search.curve) + 1)
                look = style(names.index(search.algorithm)) | {"drawstyle": "steps-post"}
                axes.plot(trials, search.curve, label=short(search.algorithm), **look)
        axes.set_title(short(criterion), fontsize=10, **PLAIN)
        axes.set_xlabel("trials")
        axes.set_ylim(-0.03, 1.03)
        axes.xaxis.get_major_locator().set_params(integer=True)
    made[0].set_ylabel("share of the gain")
    legend_below(figure, made)
    return svg(figure, "Share of a search's gain made after each trial, by criterion and algorithm.", "s-")
