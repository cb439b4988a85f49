"""The sections of the page that only some runs have; each is there if, and only if, it has something to say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pubench.reporting import Report
from pubench.reporting.figures import boxes
from pubench.reporting.images import IMAGE_HEADS, find_galleries, image_lines, shown_galleries
from pubench.reporting.lines import draw_searches, draw_sweep, shown_panels
from pubench.reporting.models import Inside, find_curves, find_weights
from pubench.reporting.price import Price, find_prices
from pubench.reporting.searches import Trials, find_importances, find_searches
from pubench.reporting.sensitivity import QUANTITIES, Sweep, find_sweeps
from pubench.reporting.sentences import (
    PAPER_HEADS,
    PAPER_LEGEND,
    REPLICATE_TESTS,
    paper_line,
    paper_summary,
)
from pubench.reporting.words import mean_and_sd
from pubench.stats.scores import Row

__all__ = ["Section", "make_sections"]

LIMIT, WEIGHTS, MOST, FEW = 60, 10, 5, 10
"""Lines of tables, values of a sweep, and errors that are shown; a page must stay small."""


class Section(NamedTuple):
    """A part of the page: its template and anchor, what the menu calls it, and what the template needs."""

    name: str
    title: str
    content: Mapping[str, Any]


def make_sections(report: Report, rows: Sequence[Row], trials: Trials, inside: Inside) -> list[Section]:
    """Return the sections that this run has, in their order on the page."""
    return [
        *_paper(report),
        *_sensitivity(report, rows),
        *_price(report, rows),
        *_tuning(rows, trials),
        *_models(report, rows, inside),
        *_pictures(rows, inside),
    ]


def _paper(report: Report) -> Iterator[Section]:
    if report.paper is not None:
        shown = {
            "citation": report.paper.citation,
            "heads": PAPER_HEADS,
            "lines": [paper_line(line) for line in report.paper.lines],
            "legend": PAPER_LEGEND,
            "summary": paper_summary(report.paper),
        }
        yield Section("paper", "Paper", {"paper": shown})


def _price(report: Report, rows: Sequence[Row]) -> Iterator[Section]:
    prices = find_prices(report, rows)
    if prices:
        rules = report.rules
        over_datasets = "the paired t-test" if rules.test == "t" else "Wilcoxon's signed-rank test"
        yield Section(
            "price",
            "Price of tuning",
            {
                "prices": [price._asdict() | {"drawing": _losses(price)} for price in prices],
                "alpha": f"{rules.alpha:g}",
                "level": rules.alpha,
                "limit": LIMIT,
                "replicate_test": REPLICATE_TESTS[rules.replicate_test],
                "test": over_datasets,
            },
        )


def _losses(price: Price) -> str:
    """Draw the losses of each criterion; nothing where a criterion has fewer than three."""
    means = {
        name: np.array([line.losses[k].mean for line in price.lines], dtype=np.float64)
        for k, name in enumerate(price.criteria)
    }
    known = {name: values[np.isfinite(values)] for name, values in means.items()}
    if min(values.size for values in known.values()) < 3:
        return ""
    label = f"Box plots of the losses of each criterion in {price.name}."
    return boxes(known, f"loss in {price.name}", label, f"p{price.metric}-")


def _tuning(rows: Sequence[Row], trials: Trials) -> Iterator[Section]:
    searches = find_searches(rows, trials)
    if searches:
        importances = find_importances(rows, trials)
        criteria = list(dict.fromkeys(search.criterion for search in searches))
        lines = [
            (each.algorithm, each.parameter, [_share(each.shares.get(name, np.nan)) for name in criteria])
            for each in importances
        ]
        tuning = {
            "drawing": draw_searches(searches) if max(len(each.curve) for each in searches) > 1 else None,
            "searches": searches,
            "criteria": criteria,
            "importances": lines,
        }
        yield Section("tuning", "Tuning", {"tuning": tuning, "limit": LIMIT})


def _share(value: float) -> float | None:
    return None if np.isnan(value) else round(value, 2)


def _sensitivity(report: Report, rows: Sequence[Row]) -> Iterator[Section]:
    found = [sweep for sweep in find_sweeps(report, rows) if any(panel.lines for panel in sweep.panels)]
    if found:
        yield Section("sensitivity", "Sensitivity", {"sweeps": [_sweep(sweep) for sweep in found]})


def _models(report: Report, rows: Sequence[Row], inside: Inside) -> Iterator[Section]:
    curves, weights = find_curves(report, rows, inside), find_weights(rows, inside)
    errors = dict.fromkeys(error for told in inside.values() for error in told.get("errors", ()))
    if curves or weights or errors:
        models = {
            "curves": [_sweep(curve) for curve in curves],
            "weights": weights[:WEIGHTS],
            "more": max(0, len(weights) - WEIGHTS),
            "errors": list(errors)[:FEW],
        }
        yield Section("models", "Models", {"models": models})


def _pictures(rows: Sequence[Row], inside: Inside) -> Iterator[Section]:
    galleries = find_galleries(rows, inside)
    if galleries:
        from pubench.reporting.pixels import picture

        shown, more = shown_galleries(galleries)
        drawn = [
            {
                "setting": gallery.setting,
                "datasets": gallery.datasets,
                "algorithms": gallery.algorithms,
                "kinds": {algorithm: image.of for (_, algorithm), image in gallery.images.items()},
                "signed": any(image.signed for image in gallery.images.values()),
                "pictures": {place: picture(image) for place, image in gallery.images.items()},
                "images": gallery.images,
                "lines": image_lines(gallery),
            }
            for gallery in shown
        ]
        content = {"galleries": drawn, "image_heads": IMAGE_HEADS, "undrawn": more}
        yield Section("pictures", "Pictures", content)


def _sweep(sweep: Sweep) -> dict[str, Any]:
    return {
        "metric": sweep.metric,
        "name": sweep.name,
        "quantity": QUANTITIES[sweep.quantity],
        "drawing": draw_sweep(sweep),
        "more": len(sweep.panels) - len(shown_panels(sweep)),
        **_sweep_table(sweep),
    }


def _sweep_table(sweep: Sweep) -> dict[str, Any]:
    """Return the numbers of a sweep; where there are many values, about ten of them."""
    values = sorted({x for panel in sweep.panels for line in panel.lines for x in line.x.tolist()})
    if len(values) > MOST:
        values = [values[i] for i in np.unique(np.linspace(0, len(values) - 1, MOST).round().astype(int))]
    lines = []
    for panel in shown_panels(sweep):
        for line in panel.lines:
            texts = {x: mean_and_sd(*numbers) for x, *numbers in zip(line.x, line.mean, line.sd, strict=True)}
            place = panel.dataset, panel.setting, line.algorithm
            lines.append((*place, *(texts.get(x, "") for x in values)))
    heads = ("data set", "setting", "algorithm", *(f"{x:g}" for x in values))
    return {"heads": heads, "lines": lines[:LIMIT]}
