"""The section of calibration: what share of the rows with some probability is positive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from pubench.reporting.draw.curves import Curve, Panel, Sweep, draw_sweep, shown_panels
from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import FigureBlock, Paragraph, Section, SectionBlock, TableBlock
from pubench.reporting.sections.sensitivity import more_panels
from pubench.reporting.wording import number
from pubench.results.record import ModelRecord
from pubench.results.table import Row
from pubench.status import Status

__all__ = ["calibration_section", "find_reliability"]

LINES, BINS = 60, 10
"""Limits of the table below the figure, so that pages stay small; bins of equal width."""
_CAPTION = (
    "Reliability: the share of positives among the test rows that a model gives about the same probability, in ten "
    "bins, with the rows of all replicates together. On the grey line probabilities are what they say; below it they "
    "are too high. The band is one standard error. A dagger marks algorithms that used true labels. These curves were "
    "not used to choose anything."
)
_MEANS = {"calibration-error": "calibration error", "brier": "Brier score", "log-loss": "log loss"}
_Points: TypeAlias = list[tuple[float, float, float]]


class _Place(NamedTuple):
    """Where a curve is drawn, and the name of its line."""

    dataset: str
    labelling: str
    name: str
    reference: bool


def calibration_section(report: Report) -> Section | None:
    """Return reliability curves where models have probabilities and true classes are known; Markdown has none."""
    curves = _pooled(report)
    if not curves:
        return None
    sweep = _sweep(curves)
    left = len(sweep.panels) - len(shown_panels(sweep))
    caption = f"{_CAPTION} {more_panels(left)} not drawn." if left else _CAPTION
    figure = FigureBlock(draw_sweep(sweep), caption, _numbers(curves))
    blocks: tuple[SectionBlock, ...] = (_means(report), *_without(report), figure)
    return Section("calibration", "Calibration", "Calibration of probabilities", blocks, ())


def _without(report: Report) -> tuple[Paragraph, ...]:
    """Name the algorithms that have no probabilities, with the remedy."""
    ended = [row for row in report.rows if row["status"] == Status.OK and row.get("accuracy") is not None]
    has = {str(row["algorithm"]) for row in ended if row.get("brier") is not None}
    lacking = list(dict.fromkeys(str(row["algorithm"]) for row in ended if str(row["algorithm"]) not in has))
    if not lacking:
        return ()
    text = (
        f'Without probabilities: {", ".join(lacking)}. Set probability = "calibrated" for these algorithms to '
        "calibrate their scores with five more fits each."
    )
    return (Paragraph(text),)


def _means(report: Report) -> TableBlock:
    """Return the mean of each metric of probabilities over all cells of an algorithm that has them."""
    cells: dict[str, list[Row]] = {}
    for row in report.rows:
        if row["status"] == Status.OK and row.get("brier") is not None:
            name = f"{row['algorithm']} †" if row.get("reference") else str(row["algorithm"])
            cells.setdefault(name, []).append(row)
    lines = [
        (name, *(_mean(row.get(metric) for row in rows) for metric in _MEANS), str(len(rows)))
        for name, rows in cells.items()
    ]
    return TableBlock(
        "Means over all cells; lower is better", ("algorithm", *_MEANS.values(), "cells"), lines
    )


def _mean(values: Iterable[float | None]) -> str:
    known = [value for value in values if value is not None]
    return number(float(np.mean(known))) if known else number(float("nan"))


def find_reliability(report: Report) -> Sweep:
    """Return the share of positives over the probability: a panel for each data set and labelling."""
    return _sweep(_pooled(report))


def _sweep(curves: Mapping[_Place, _Points]) -> Sweep:
    panels: dict[tuple[str, str], list[Curve]] = {}
    for place, points in curves.items():
        rows, p, share = np.array(points, dtype=np.float64).T
        sd = np.sqrt(share * (1.0 - share) / rows)
        curve = Curve(place.name, place.reference, p, share, sd)
        panels.setdefault((place.dataset, place.labelling), []).append(curve)
    found = tuple(Panel(*key, tuple(together)) for key, together in panels.items())
    return Sweep(0, "share of positives", "probability", "probability", found)


def _pooled(report: Report) -> Mapping[_Place, _Points]:
    """Return the points of each curve, over all replicates; an algorithm has one for each criterion that tunes it."""
    criteria: dict[str, set[str]] = {}
    for row in report.rows:
        criteria.setdefault(str(row["algorithm"]), set()).add(row.get("criterion") or "")
    models: dict[_Place, list[ModelRecord]] = {}
    for row in report.rows:
        model = report.details.introspection.get(row.get("key") or "")
        if model is not None and model.reliability and row["status"] == Status.OK:
            name = str(row["algorithm"])
            if len(criteria[name]) > 1 and row["criterion"]:
                name += f" by {row['criterion']}"
            place = _Place(row["dataset"], row["labelling"], name, bool(row.get("reference")))
            models.setdefault(place, []).append(model)
    return {place: _together(found) for place, found in models.items()}


def _together(models: Sequence[ModelRecord]) -> _Points:
    """Return (rows, mean probability, share of positives) of each bin over all replicates."""
    rows, p, share = np.array([point for model in models for point in model.reliability]).T
    bins = np.minimum((p * BINS).astype(np.intp), BINS - 1)
    n, of_p, of_y = (
        np.bincount(bins, weights=values, minlength=BINS) for values in (rows, rows * p, rows * share)
    )
    return [(n[b], of_p[b] / n[b], of_y[b] / n[b]) for b in np.flatnonzero(n)]


def _numbers(curves: Mapping[_Place, _Points]) -> TableBlock:
    lines = [
        (*place[:3], f"{rows:g}", number(p), number(share))
        for place, points in curves.items()
        for rows, p, share in points
    ]
    heads = ("data set", "labelling", "algorithm", "rows", "mean probability", "share of positives")
    return TableBlock("The numbers: reliability", heads, lines[:LINES], texts=(0, 1, 2))
