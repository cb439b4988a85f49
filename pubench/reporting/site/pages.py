"""What the pages of a site show: the index, a page for each method, and one for each data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pubench.reporting.site.sources import SiteReport
from pubench.reporting.site.standings import Difficulty, Standing
from pubench.stats.scores import Block

__all__ = ["DatasetPage", "DatasetReport", "MethodPage", "MethodReport", "MetricStanding", "Site"]


@dataclass(frozen=True, slots=True)
class MetricStanding:
    """A method by one metric of one report: average rank of ``of`` with its interval, mean, and share beaten."""

    metric: str
    rank: float
    low: float
    high: float
    of: int
    over: str
    mean: float
    beaten: float


@dataclass(frozen=True, slots=True)
class MethodReport:
    """A method in one report: one standing for each metric, and its lines, each with a standing for each metric."""

    report: SiteReport
    reference: bool
    metrics: tuple[MetricStanding, ...]
    lines: tuple[tuple[Block, tuple[Standing | None, ...]], ...]
    failed: int
    collapsed: int

    @property
    def comparisons(self) -> int:
        """Data sets of the report times competitors."""
        return len(self.report.datasets) * max((one.of for one in self.metrics), default=0)

    @property
    def tuned(self) -> bool:
        """Whether any of its lines has a criterion."""
        return any(block.criterion for block, _ in self.lines)

    def by(self, metric: str) -> MetricStanding | None:
        """Return its standing by a metric, if the report has it."""
        return next((one for one in self.metrics if one.metric == metric), None)

    def by_first(self, metrics: Sequence[str]) -> MetricStanding:
        """Return its standing by the first of some metrics that the report has, or by its own first one."""
        return next((found for name in metrics if (found := self.by(name))), self.metrics[0])


@dataclass(frozen=True, slots=True)
class MethodPage:
    """A method over all reports: on how many data sets it was run, and next to how many other competitors.

    ``main`` is the report that compares it most often, data sets times competitors; the first page shows its rank.
    """

    name: str
    reports: tuple[MethodReport, ...]
    main: MethodReport
    datasets: int
    others: int

    @property
    def reference(self) -> bool:
        """Whether it used true labels wherever it was run."""
        return all(one.reference for one in self.reports)

    @property
    def failed(self) -> int:
        """How many of its cells have no result."""
        return sum(one.failed for one in self.reports)


@dataclass(frozen=True, slots=True)
class DatasetReport:
    """A data set in one report: its difficulty line by line, and the methods there, best first, by one metric.

    ``methods`` has the name, the average rank over the lines, and the mean of each of ``metrics``, of which ``metric``
    is the first; references have no rank and come last.
    """

    report: SiteReport
    metrics: tuple[str, ...]
    card: Mapping[str, str]
    difficulties: tuple[Difficulty, ...]
    methods: tuple[tuple[str, float, tuple[float, ...]], ...]
    lines: int

    @property
    def metric(self) -> str:
        """The metric of ranks and of difficulty."""
        return self.metrics[0]

    @property
    def tuned(self) -> bool:
        """Whether any line of its difficulty has a criterion."""
        return any(line.block.criterion for line in self.difficulties)


@dataclass(frozen=True, slots=True)
class DatasetPage:
    """A data set over all reports, and its mean difficulty by the site's first metric; NaN where it is not known."""

    name: str
    reports: tuple[DatasetReport, ...]
    card: Mapping[str, str]
    methods: int
    baseline: float
    supervised: float
    spread: float


@dataclass(frozen=True, slots=True)
class Site:
    """All that a site shows; ``metrics`` are those of the tables on its first page."""

    title: str
    reports: tuple[SiteReport, ...]
    metrics: tuple[str, ...]
    methods: tuple[MethodPage, ...]
    datasets: tuple[DatasetPage, ...]
