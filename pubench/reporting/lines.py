"""Pictures of lines in panels: how searches went on, and how scores change with what a suite varies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from pubench.reporting.canvas import COLOURS, PLAIN, blank, short, svg
from pubench.reporting.searches import Search
from pubench.reporting.sensitivity import QUANTITIES, Line, Panel, Sweep

__all__ = ["Panels", "draw_searches", "draw_sweep", "shown_panels"]

LINES, PANELS, DRAWN, BANDS, SETTING = 10, 6, 24, 6, 44
"""What one picture shows at most: lines, panels, lines in all panels, lines with bands, letters of a setting."""
WIDTH, HEIGHT, MARKED = 3.5, 2.7, 10
DASHES = {"solid": "-", "dashed": "--"}


class Panels(NamedTuple):
    """Drawings that stand side by side as far as there is room, and the name, colour and dash of each line in them."""

    drawings: tuple[str, ...]
    key: tuple[tuple[str, str, str], ...]


def draw_searches(searches: Sequence[Search]) -> Panels:
    """Draw how much of its gain a search has made after each trial: a panel a criterion, a line an algorithm."""
    criteria = list(dict.fromkeys(search.criterion for search in searches))[:PANELS]
    names = _first(search.algorithm for search in searches)
    drawings = []
    for place, criterion in enumerate(criteria):
        figure, axes = blank(WIDTH, HEIGHT)
        for search in searches:
            if search.criterion == criterion and search.algorithm in names:
                trials = np.arange(1, len(search.curve) + 1)
                axes.step(trials, search.curve, where="post", **_look(names.index(search.algorithm)))
        axes.set_title(short(criterion), fontsize=10, **PLAIN)
        axes.set(xlabel="trials", ylabel="share of the gain", ylim=(-0.03, 1.03))
        axes.xaxis.get_major_locator().set_params(integer=True)
        label = f"Share of a search's gain made after each trial, by algorithm, with criterion {criterion}."
        drawings.append(svg(figure, label, f"s{place}-"))
    return Panels(tuple(drawings), _key(names))


def shown_panels(sweep: Sweep) -> tuple[Panel, ...]:
    """Return the panels that are drawn: fewer of them where each has many lines."""
    lines = max(len(panel.lines) for panel in sweep.panels)
    return sweep.panels[: max(2, min(PANELS, DRAWN // max(lines, 1)))]


def draw_sweep(sweep: Sweep) -> Panels:
    """Draw a metric over what a suite varies: a panel a data set, a line an algorithm, a band one deviation wide."""
    shown = shown_panels(sweep)
    names = _first(line.algorithm for panel in shown for line in panel.lines)
    marked = {line.algorithm for panel in shown for line in panel.lines if line.reference}
    drawings = tuple(_draw_panel(sweep, place, panel, names) for place, panel in enumerate(shown))
    return Panels(drawings, _key(names, marked))


def _draw_panel(sweep: Sweep, place: int, panel: Panel, names: Sequence[str]) -> str:
    figure, axes = blank(WIDTH, HEIGHT)
    shown = [line for line in panel.lines if line.algorithm in names]
    for line in shown:
        _draw_line(axes, line, _look(names.index(line.algorithm)), band=len(shown) <= BANDS)
    if sweep.quantity in ("prior", "n_p"):
        axes.set_xscale("log")
    if sweep.quantity != "stage":
        x = np.unique(np.concatenate([line.x for line in panel.lines]))
        axes.set_xticks(x, [f"{value:g}" for value in x])
        axes.set_xticks([], minor=True)
    axes.set_title(f"{short(panel.dataset)}\n{_cut(panel.setting)}", fontsize=9, **PLAIN)
    axes.set_xlabel(QUANTITIES[sweep.quantity], fontsize=9)
    axes.set_ylabel(short(sweep.name), fontsize=9, **PLAIN)
    label = f"{sweep.name} of each algorithm on {panel.dataset} against the {QUANTITIES[sweep.quantity]}."
    return svg(figure, label, f"v{sweep.metric}{sweep.quantity}{place}-")


def _draw_line(axes: Any, line: Line, look: dict[str, Any], *, band: bool) -> None:
    marks = {"marker": "o", "markersize": 3.5} if line.x.size <= MARKED else {}
    axes.plot(line.x, line.mean, **marks, **look)
    if band:
        low, high = line.mean - line.sd, line.mean + line.sd
        axes.fill_between(line.x, low, high, color=look["color"], alpha=0.1, lw=0)


def _first(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))[:LINES]


def _style(number: int) -> tuple[str, str]:
    """Return the colour and dash of a line: colours, and after them dashes, tell lines apart."""
    return COLOURS[number % len(COLOURS)], list(DASHES)[number // len(COLOURS) % len(DASHES)]


def _look(number: int) -> dict[str, Any]:
    colour, dash = _style(number)
    return {"color": colour, "ls": DASHES[dash], "lw": 1.6}


def _key(names: Sequence[str], marked: Iterable[str] = ()) -> tuple[tuple[str, str, str], ...]:
    marks = dict.fromkeys(marked, " †")
    return tuple((name + marks.get(name, ""), *_style(number)) for number, name in enumerate(names))


def _cut(setting: str) -> str:
    """Return a setting that fits above a panel."""
    return setting if len(setting) <= SETTING else setting[: SETTING - 1] + "…"
