"""From the reports of a site to what its pages show of each method and of each data set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from pubench.reporting.site.pages import (
    DatasetPage,
    DatasetReport,
    MethodPage,
    MethodReport,
    MetricStanding,
    Site,
)
from pubench.reporting.site.sources import SiteReport
from pubench.reporting.site.standings import (
    Standing,
    TableStandings,
    difficulties,
    table_standings,
)
from pubench.stats.comparison import Ranking
from pubench.stats.roles import is_reference
from pubench.status import Status

__all__ = ["make_site"]

_MOST_METRICS = 3
_Found = Mapping[tuple[str, str], TableStandings]
"""The standings of each table, by the names of its report and its metric."""


def make_site(title: str, reports: Sequence[SiteReport]) -> Site:
    """Collect what the reports say about each method and each data set."""
    tables = [(report, table) for report in reports for table in report.tables]
    shown = Counter(table.metric for _, table in tables if table.greater_is_better is not None)
    metrics = tuple(name for name, _ in shown.most_common(_MOST_METRICS))
    found = {(report.name, table.metric): table_standings(table) for report, table in tables}
    names = dict.fromkeys(name for report in reports for name in report.algorithms)
    labels = dict.fromkeys(label for report in reports for label in report.datasets)
    methods = [_method(name, reports, found) for name in names]
    return Site(
        title,
        tuple(reports),
        metrics,
        tuple(sorted(methods, key=lambda page: _order(page, metrics))),
        tuple(_dataset(label, reports, found, metrics) for label in sorted(labels, key=str.lower)),
    )


def _order(page: MethodPage, metrics: Sequence[str]) -> tuple[object, ...]:
    """Group methods by the largest report that has them, order them there by rank; references come last."""
    found = page.main.by_first(metrics)
    rank, share = np.nan_to_num([found.rank, -found.beaten], nan=np.inf).tolist()
    return page.reference, -page.main.comparisons, page.main.report.name, rank, share, page.name


def _method(name: str, reports: Sequence[SiteReport], found: _Found) -> MethodPage:
    own = [_method_report(name, report, found) for report in reports if name in report.algorithms]
    others = {
        other
        for one in own
        for ranking in one.report.rankings
        for other in ranking.algorithms
        if other != name
    }
    datasets = {block.dataset for one in own for block, _ in one.lines}
    main = max(own, key=lambda one: one.comparisons)
    return MethodPage(name, tuple(own), main, len(datasets), len(others))


def _method_report(name: str, report: SiteReport, found: _Found) -> MethodReport:
    tables = [found[report.name, table.metric] for table in report.tables]
    lines = [{one.block: one for one in table.by_algorithm.get(name, ())} for table in tables]
    blocks = dict.fromkeys(block for own in lines for block in own)
    first, j = report.tables[0], report.algorithms.index(name)
    failed = sum(
        count for line in first.failures for status, count in line[j].items() if Status(status).is_failure
    )
    return MethodReport(
        report,
        is_reference(first, j),
        tuple(
            _metric_standing(name, table.metric, ranking, standings)
            for table, ranking, standings in zip(report.tables, report.rankings, tables, strict=True)
        ),
        tuple((block, tuple(own.get(block) for own in lines)) for block in blocks),
        failed,
        report.collapsed.get(name, 0),
    )


def _metric_standing(name: str, metric: str, ranking: Ranking, found: TableStandings) -> MetricStanding:
    numbers = (np.nan, np.nan, np.nan)
    if name in ranking.algorithms:
        k = ranking.algorithms.index(name)
        numbers = float(ranking.ranks[k]), float(ranking.low[k]), float(ranking.high[k])
    return MetricStanding(
        metric,
        *numbers,
        len(ranking.algorithms),
        ranking.over,
        _mean(one.mean for one in found.by_algorithm.get(name, ())),
        _mean(found.beaten.get(name, {}).values()),
    )


def _dataset(label: str, reports: Sequence[SiteReport], found: _Found, metrics: Sequence[str]) -> DatasetPage:
    own = [_dataset_report(label, report, found, metrics) for report in reports if label in report.datasets]
    main = [one.difficulties for one in own if metrics and one.metric == metrics[0] and one.difficulties]
    return DatasetPage(
        label,
        tuple(own),
        next((one.card for one in own if one.card), {}),
        len({name for one in own for name, _, _ in one.methods}),
        _mean(_mean(line.baseline_mean for line in lines) for lines in main),
        _mean(_mean(line.supervised_mean for line in lines) for lines in main),
        _mean(_mean(line.spread for line in lines) for lines in main),
    )


def _dataset_report(label: str, report: SiteReport, found: _Found, metrics: Sequence[str]) -> DatasetReport:
    """Return a data set by the site's first metric, or the report's own first one if it does not have that."""
    tables = {table.metric: table for table in report.tables}
    shown = tuple(name for name in metrics if name in tables) or (report.tables[0].metric,)
    groups = [_by_algorithm(found[report.name, name].by_dataset.get(label, ())) for name in shown]
    methods = [
        (
            name,
            _mean(one.rank for one in own),
            tuple(_mean(one.mean for one in group.get(name, ())) for group in groups),
        )
        for name, own in groups[0].items()
    ]
    table, lines = tables[shown[0]], found[report.name, shown[0]].by_dataset.get(label, ())
    return DatasetReport(
        report,
        shown,
        report.cards.get(label, {}),
        tuple(one for one in difficulties(table) if one.block.dataset == label),
        tuple(sorted(methods, key=lambda one: (np.nan_to_num(one[1], nan=np.inf), one[0]))),
        len({one.block for one in lines}),
    )


def _by_algorithm(standings: Iterable[Standing]) -> dict[str, list[Standing]]:
    groups: dict[str, list[Standing]] = {}
    for one in standings:
        groups.setdefault(one.algorithm, []).append(one)
    return groups


def _mean(values: Iterable[float]) -> float:
    known = [value for value in values if value == value]
    return float(np.mean(known)) if known else np.nan
