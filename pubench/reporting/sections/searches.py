"""The section of tuning: how soon searches found their best trial, and which parameters mattered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pubench.reporting.draw.curves import draw_searches
from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import Entry, FigureBlock, Paragraph, Section, SectionBlock, TableBlock
from pubench.reporting.trials import Search, find_importances, find_searches
from pubench.reporting.wording import number

__all__ = ["searches_section"]

Floats = NDArray[np.float64]
LINES = 60
_SEARCH_HEADS = (
    *("algorithm", "criterion", "searches", "trials", "failed trials", "pruned trials"),
    *("trials until 95 % of the gain (median)", "seconds of a search (median)"),
)
_PROGRESS = (
    "How soon searches find their best trial: the best value so far, as a share of what the whole search gains over "
    "its first trial, on average over data sets, labellings and replicates. A line that still rises steeply at its end "
    "shows that more trials would have helped."
)
_IMPORTANCE = (
    "How much of a trial's rank within its search one parameter explains alone: 0 is nothing, 1 is all (epsilon "
    "squared of up to ten groups of neighbouring values, over all searches of the algorithm; at least 20 trials). "
    "Interactions of parameters are not counted. An adaptive search tries some values more often than "
    "others, and the share refers to the values that were tried."
)


def searches_section(report: Report) -> Section | None:
    """Return the progress of searches and the importance of parameters; Markdown has none."""
    searches = find_searches(report.rows, report.details.trials)
    if not searches:
        return None
    lines = [_search_line(search) for search in searches[:LINES]]
    blocks = (
        *_progress(searches),
        TableBlock("Searches", _SEARCH_HEADS, lines, texts=(0, 1)),
        *_importances(report, list(dict.fromkeys(search.criterion for search in searches))),
    )
    return Section("tuning", "Tuning", "Tuning", blocks, ())


def _search_line(search: Search) -> list[str | Entry]:
    counts = str(search.searches), str(search.trials)
    failed = Entry(str(search.failed), tone="bad" if search.failed else "")
    needed = "–" if np.isnan(search.needed) else f"{search.needed:g}"
    return [
        Entry(search.algorithm, method=search.algorithm),
        search.criterion,
        *counts,
        failed,
        str(search.pruned),
        needed,
        number(search.seconds),
    ]


def _progress(searches: Sequence[Search]) -> Iterator[SectionBlock]:
    if max(len(search.curve) for search in searches) > 1:
        progress: dict[str, dict[str, Floats]] = {}
        for search in searches:
            progress.setdefault(search.criterion, {})[search.algorithm] = search.curve
        yield FigureBlock(draw_searches(progress), _PROGRESS)


def _importances(report: Report, criteria: Sequence[str]) -> Iterator[SectionBlock]:
    found = find_importances(report.rows, report.details.trials)
    if found:
        lines: list[list[str | Entry]] = [
            [
                Entry(each.algorithm, method=each.algorithm),
                each.parameter,
                *(_share(each.shares.get(name, np.nan)) for name in criteria),
            ]
            for each in found[:LINES]
        ]
        heads = ("algorithm", "parameter", *criteria)
        yield TableBlock("Importance of parameters", heads, lines, texts=(0, 1))
        yield Paragraph(_IMPORTANCE)


def _share(value: float) -> Entry:
    return Entry("–") if np.isnan(value) else Entry(f"{value:.2f}", shade=round(value, 2))
