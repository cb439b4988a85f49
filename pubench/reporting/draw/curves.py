"""Drawings of curves in panels: how searches progress, and how scores change with what a suite varies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.reporting.draw.canvas import COLOURS, blank, grouped, short, svg
from pubench.reporting.draw.labels import spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Curve",
    "Drawing",
    "LegendEntry",
    "Panel",
    "Sweep",
    "draw_searches",
    "draw_sweep",
    "has_bands",
    "line_style",
    "shown_panels",
]

Floats = NDArray[np.float64]
CURVES, PANELS, DRAWN, BANDS, SETTING = 10, 6, 24, 6, 44
"""Limits of one drawing: curves, panels, curves in all panels, curves with bands, letters of a setting."""
WIDTH, HEIGHT, LARGE, MARKED = 3.5, 2.7, 6.2, 10
ROW = 0.062
"""The height of a name next to a curve, as a share of the panel's."""
DASHES = {"solid": "-", "dashed": "--"}


class Curve(NamedTuple):
    """One algorithm: mean and sd at each value, shape (n,); NaN where there is no mean.

    ``margin`` is half the width of the band around the mean; default: sd.
    """

    algorithm: str
    reference: bool
    x: Floats
    mean: Floats
    sd: Floats
    margin: Floats | None = None


class Panel(NamedTuple):
    """The curves of one data set in one setting, which is all that does not vary.

    ``blocks`` are the places of its values in the table that they come from, if it is one.
    """

    dataset: str
    setting: str
    curves: tuple[Curve, ...]
    blocks: tuple[int, ...] = ()


class Sweep(NamedTuple):
    """A metric over one varied quantity; ``metric`` is its place among the tables, ``axis`` the quantity in words."""

    metric: int
    name: str
    quantity: str
    axis: str
    panels: tuple[Panel, ...]


class LegendEntry(NamedTuple):
    """The name of a line, its colour, its dash as CSS calls it, and the algorithm that it belongs to."""

    name: str
    colour: str
    dash: str
    method: str = ""


class Drawing(NamedTuple):
    """Drawings that are placed side by side as far as there is room, and the legend of their lines.

    ``wide`` ones have the width that they were drawn with.
    """

    images: tuple[str, ...]
    legend: tuple[LegendEntry, ...] = ()
    wide: bool = False


def draw_searches(progress: Mapping[str, Mapping[str, Floats]]) -> Drawing:
    """Draw the share of a search's gain after each trial: a panel for each criterion, a line for each algorithm.

    Parameters
    ----------
    progress : mapping of str to mapping of str to array of shape (T,)
        The shares after 1, 2, ... T trials, by criterion and algorithm.
    """
    names = _first(algorithm for curves in progress.values() for algorithm in curves)
    drawings = []
    for place, (criterion, curves) in enumerate(list(progress.items())[:PANELS]):
        figure, axes = blank(WIDTH, HEIGHT)
        for name in (name for name in names if name in curves):
            colour, dash = line_style(names.index(name))
            trials = np.arange(1, len(curves[name]) + 1)
            gid = f"method{names.index(name)}"
            axes.step(trials, curves[name], where="post", color=colour, ls=DASHES[dash], lw=1.6, gid=gid)
        axes.set_title(short(criterion), fontsize=10, parse_math=False)
        axes.set(xlabel="trials", ylabel="share of the gain", ylim=(-0.03, 1.03))
        axes.locator_params(axis="x", integer=True)
        label = f"Share of a search's gain made after each trial, by algorithm, with criterion {criterion}."
        drawings.append(grouped(svg(figure, label, f"s{place}-"), names))
    return Drawing(tuple(drawings), _legend(names))


def has_bands(panel: Panel) -> bool:
    """Return whether the curves of a panel are few enough for bands around them."""
    return len(panel.curves) <= BANDS


def shown_panels(sweep: Sweep) -> tuple[Panel, ...]:
    """Return the panels that are drawn: fewer of them where each has many curves."""
    curves = max(len(panel.curves) for panel in sweep.panels)
    return sweep.panels[: max(2, min(PANELS, DRAWN // max(curves, 1)))]


def draw_sweep(sweep: Sweep) -> Drawing:
    """Draw a metric over a varied quantity: a panel for each data set, a curve and a band for each algorithm."""
    shown = shown_panels(sweep)
    names = _first(curve.algorithm for panel in shown for curve in panel.curves)
    references = {curve.algorithm for panel in shown for curve in panel.curves if curve.reference}
    drawings = tuple(_draw_panel(sweep, place, panel, names) for place, panel in enumerate(shown))
    return Drawing(drawings, _legend(names, references))


def draw_summary(sweep: Sweep) -> Drawing:
    """Draw a few panels large, with the name of each algorithm at the end of its curve."""
    names = _first(curve.algorithm for panel in sweep.panels for curve in panel.curves)
    drawings = tuple(
        _draw_panel(sweep, place, panel, names, named=True)
        for place, panel in enumerate(sweep.panels[:PANELS])
    )
    return Drawing(drawings, wide=True)


def _draw_panel(sweep: Sweep, place: int, panel: Panel, names: Sequence[str], *, named: bool = False) -> str:
    figure, axes = blank(LARGE, 3.6) if named else blank(WIDTH, HEIGHT)
    shown = [curve for curve in panel.curves if curve.algorithm in names]
    for curve in shown:
        _draw_curve(axes, curve, names.index(curve.algorithm), band=has_bands(panel))
    if sweep.quantity in ("prior", "n_p"):
        axes.set_xscale("log")
    if sweep.quantity in ("probability", "propensity"):
        axes.plot([0, 1], [0, 1], color="0.6", lw=1, zorder=0)
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    elif sweep.quantity != "stage":
        x = np.unique(np.concatenate([curve.x for curve in panel.curves]))
        axes.set_xticks(x, [f"{value:g}" for value in x])
        axes.set_xticks([], minor=True)
    axes.set_title(f"{short(panel.dataset)}\n{_cut(panel.setting)}", fontsize=9, parse_math=False)
    axes.set_xlabel(sweep.axis, fontsize=9)
    axes.set_ylabel(short(sweep.name), fontsize=9, parse_math=False)
    if named:
        _name_ends(axes, shown, names)
    label = f"{sweep.name} of each algorithm on {panel.dataset} against the {sweep.axis}."
    prefix = f"{'w' if named else 'v'}{sweep.metric}{sweep.quantity}{place}-"
    return grouped(svg(figure, label, prefix), names)


def _name_ends(axes: Axes, curves: Sequence[Curve], names: Sequence[str]) -> None:
    """Write the names of curves next to their ends, without overlaps, with a line to each."""
    ended = [(curve, curve.mean[np.isfinite(curve.mean)][-1]) for curve in curves]
    low, high = axes.get_ylim()
    shares = [float((end - low) / (high - low)) for _, end in ended]
    for (curve, _), share, place in zip(ended, shares, spread(shares, ROW, 0.0, 1.0), strict=True):
        number = names.index(curve.algorithm)
        colour, gid = line_style(number)[0], f"method{number}"
        ends = axes.plot(
            [1.01, 1.05], [share, place], color=colour, lw=0.8, transform=axes.transAxes, clip_on=False
        )
        ends[0].set_gid(gid)
        text = short(curve.algorithm) + (" †" if curve.reference else "")
        axes.text(
            1.06, place, text, transform=axes.transAxes, va="center", fontsize=8.5, parse_math=False, gid=gid
        )


def _draw_curve(axes: Axes, curve: Curve, number: int, *, band: bool) -> None:
    colour, dash = line_style(number)
    marker, gid = "o" if curve.x.size <= MARKED else "", f"method{number}"
    axes.plot(
        curve.x, curve.mean, color=colour, ls=DASHES[dash], lw=1.6, marker=marker, markersize=3.5, gid=gid
    )
    half = curve.sd if curve.margin is None else curve.margin
    if band and np.isfinite(half).any():
        axes.fill_between(
            curve.x, curve.mean - half, curve.mean + half, color=colour, alpha=0.1, lw=0, gid=gid
        )


def _first(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))[:CURVES]


def line_style(number: int) -> tuple[str, str]:
    """Return the colour and dash of a line: dashes distinguish lines where there are more lines than colours."""
    return COLOURS[number % len(COLOURS)], list(DASHES)[number // len(COLOURS) % len(DASHES)]


def _legend(names: Sequence[str], references: Iterable[str] = ()) -> tuple[LegendEntry, ...]:
    marks = dict.fromkeys(references, " †")
    return tuple(
        LegendEntry(name + marks.get(name, ""), *line_style(number), name)
        for number, name in enumerate(names)
    )


def _cut(setting: str) -> str:
    """Return a setting that fits above a panel."""
    return setting if len(setting) <= SETTING else setting[: SETTING - 1] + "…"
