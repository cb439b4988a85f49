"""The section of sensitivity: how scores change with the prior that methods get, or with the labelled positives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pubench.reporting.draw.curves import Sweep, draw_summary, draw_sweep, has_bands, shown_panels
from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import Entry, FigureBlock, Fold, Section, SectionBlock, TableBlock
from pubench.reporting.sweeps import UNITS, average_sweep, find_sweeps
from pubench.reporting.wording import mean_and_sd

__all__ = ["sensitivity_section", "sweep_figure"]

LINES, VALUES = 60, 5
"""Limits of the table below a figure, so that pages stay small."""
_DAGGER = " A dagger marks algorithms that used true labels."
_SUMMARY = "Mean {name} over data sets against the {axis}. {band}"
_ALONE = "Mean {name} against the {axis}. {band}"
_BAND = "The band is a 95 % t-interval {over}."
_NO_BAND = "There is one replicate, so no interval."
_TOO_MANY = "With so many curves no intervals are drawn."
_EACH = "Mean {name} over replicates against the {axis}. {band}"
_REPLICATES = "of the mean over replicates, which share rows: it is a little too narrow"
_FEW = "over replicates: there are too few data sets to generalise to others"


def sensitivity_section(report: Report) -> Section | None:
    """Return a figure for each metric and varied quantity; Markdown has the numbers in its score tables."""
    found = [sweep for sweep in find_sweeps(report) if any(panel.curves for panel in sweep.panels)]
    blocks = tuple(block for sweep in found for block in _blocks(report, sweep))
    return Section("sensitivity", "Sensitivity", "Sensitivity", blocks, ()) if blocks else None


def _blocks(report: Report, sweep: Sweep) -> Iterator[SectionBlock]:
    """Yield the averages over data sets, and each data set to be opened; one data set is shown as it is."""
    title = f"The numbers: {sweep.name} against the {sweep.axis}"
    whole = average_sweep(report.tables[sweep.metric], sweep)
    if whole is None:
        caption = _caption(_ALONE, sweep, _REPLICATES)
        yield FigureBlock(draw_summary(sweep), caption, _numbers(sweep, title), sweep.metric)
        return
    many = len({panel.dataset for panel in sweep.panels})
    caption = _caption(_SUMMARY, whole, "over data sets" if many >= UNITS else _FEW)
    yield FigureBlock(draw_summary(whole), caption, _numbers(whole, title), sweep.metric)
    each = sweep_figure(
        sweep, _caption(_EACH, sweep, _REPLICATES), "in the score tables", f"{title}, by data set"
    )
    yield Fold(f"{sweep.name} against the {sweep.axis}: each data set", (each,), sweep.metric)


def _caption(text: str, sweep: Sweep, over: str) -> str:
    """Say what is drawn, what the band is if there is one, and what a dagger means if there is one."""
    curves = [curve for panel in sweep.panels for curve in panel.curves]
    if not any(curve.margin is not None and np.isfinite(curve.margin).any() for curve in curves):
        band = _NO_BAND
    else:
        band = _BAND.format(over=over) if any(map(has_bands, sweep.panels)) else _TOO_MANY
    dagger = _DAGGER if any(curve.reference for curve in curves) else ""
    return text.format(name=sweep.name, axis=sweep.axis, band=band) + dagger


def sweep_figure(sweep: Sweep, caption: str, rest: str, title: str) -> FigureBlock:
    """Draw a sweep; ``rest`` says where panels are that were left out."""
    left = len(sweep.panels) - len(shown_panels(sweep))
    whole = f"{caption} {more_panels(left)} {rest}." if left else caption
    return FigureBlock(draw_sweep(sweep), whole, _numbers(sweep, title), sweep.metric)


def more_panels(count: int) -> str:
    """Return how many panels are left out, with a verb."""
    return "1 more data set or setting is" if count == 1 else f"{count} more data sets and settings are"


def _numbers(sweep: Sweep, title: str) -> TableBlock:
    """Return the numbers of a sweep; where there are many values, only some of them."""
    values = sorted({x for panel in sweep.panels for curve in panel.curves for x in curve.x.tolist()})
    if len(values) > VALUES:
        values = [values[i] for i in np.unique(np.linspace(0, len(values) - 1, VALUES).round().astype(int))]
    lines: list[tuple[str | Entry, ...]] = []
    for panel in shown_panels(sweep):
        for curve in panel.curves:
            found = zip(curve.x, curve.mean, curve.sd, strict=True)
            texts = {x: mean_and_sd(mean, sd) for x, mean, sd in found}
            place = panel.dataset, panel.setting, Entry(curve.algorithm, method=curve.algorithm)
            lines.append((*place, *(texts.get(x, "") for x in values)))
    heads = ("data set", "setting", "algorithm", *(f"{x:g}" for x in values))
    return TableBlock(title, heads, lines[:LINES], texts=(0, 1, 2))
