"""The section of ranks and wins: which algorithm leads each metric, how pairs compare, and what the tests found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pubench.reporting.draw.canvas import inline
from pubench.reporting.draw.diagrams import draw, rank_diagram
from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import Section, TemplateBlock
from pubench.reporting.sentences import findings
from pubench.reporting.wording import p_value
from pubench.stats.comparison import Comparison, Pair
from pubench.stats.scores import ScoreTable

__all__ = [
    "Leader",
    "MetricComparison",
    "PairRecord",
    "average_ranks",
    "comparisons_section",
    "make_comparisons",
]

WIDE = 7
"""From more algorithms on a printed page is turned."""
_CAPTION = (
    "Average ranks by {metric}, best at the left. A bar joins algorithms without significant differences; it has a dot "
    "on each of its members."
)


@dataclass(frozen=True, slots=True)
class Leader:
    """The algorithm with the best average rank, the next one, and how the two compare unit by unit."""

    name: str
    rank: float
    second: str
    second_rank: float
    pair: Pair
    p: str


@dataclass(frozen=True, slots=True)
class PairRecord:
    """How often one algorithm wins, ties, loses against another, and the result of the test."""

    wins: int
    ties: int
    losses: int
    share: float
    text: str


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """The comparisons of one metric.

    ``ranks`` has a number for each competitor by name; ``order`` are their names, the best first; ``records`` are by
    the names of both. ``unranked`` says why there is no leader.
    """

    metric: str
    ranks: Mapping[str, float]
    order: tuple[str, ...]
    over: str
    records: Mapping[tuple[str, str], PairRecord]
    findings: tuple[str, ...]
    leader: Leader | None
    unranked: str
    diagram: str
    caption: str


def comparisons_section(report: Report) -> Section | None:
    """Return ranks and wins; Markdown has its own form of them."""
    found = make_comparisons(report, drawn=True)
    if not found:
        return None
    wide = len(report.tables[0].algorithms) > WIDE
    return Section("ranks", "Ranks", "Ranks and wins", (TemplateBlock("comparisons.html", found),), (), wide)


def make_comparisons(report: Report, *, drawn: bool = False) -> tuple[MetricComparison, ...]:
    """Return the comparisons of all metrics, with rank diagrams if they are to be ``drawn``."""
    pairs = zip(report.tables, report.comparisons, strict=True)
    return tuple(
        _metric_comparison(*pair, _diagram(pair[1], place) if drawn else "")
        for place, pair in enumerate(pairs)
    )


def _metric_comparison(table: ScoreTable, comparison: Comparison, diagram: str) -> MetricComparison:
    ranks, records = average_ranks(comparison), _records(comparison)
    order = tuple(sorted(ranks, key=lambda name: ranks[name])) or _by_wins(records)
    return MetricComparison(
        metric=table.metric,
        ranks=ranks,
        order=order,
        over=comparison.ranking.over,
        records=records,
        findings=tuple(findings(comparison)),
        leader=_leader(comparison, ranks, order),
        unranked="" if ranks else _unranked(table, comparison),
        diagram=diagram,
        caption=_CAPTION.format(metric=table.metric),
    )


def _diagram(comparison: Comparison, place: int) -> str:
    """Draw the critical-difference diagram; nothing where algorithms were not tested."""
    diagram = rank_diagram(comparison)
    if diagram is None:
        return ""
    label = f"Critical-difference diagram of {comparison.metric}; the ranks are in the table below."
    return inline(draw(diagram, "svg").decode(), label, f"d{place}-")


def average_ranks(comparison: Comparison) -> dict[str, float]:
    """Return the average rank of each competitor by name; nothing where there are no two to rank."""
    if not comparison.units or len(comparison.algorithms) < 2:
        return {}
    return dict(zip(comparison.algorithms, map(float, comparison.ranks), strict=True))


def _unranked(table: ScoreTable, comparison: Comparison) -> str:
    if table.greater_is_better is None:
        return "this metric has no direction"
    if len(comparison.algorithms) < 2:
        return "there are fewer than two algorithms to compare"
    unit = "block" if comparison.rules.unit == "block" else "data set"
    pairs = "; those that did are compared in pairs below" if any(p.units for p in comparison.pairs) else ""
    return f"there is no {unit} in which every algorithm finished all replicates{pairs}"


def _records(comparison: Comparison) -> Mapping[tuple[str, str], PairRecord]:
    made: dict[tuple[str, str], PairRecord] = {}
    for pair in comparison.pairs:
        if not pair.units:
            continue
        p = "" if np.isnan(pair.adjusted) else f"p {p_value(pair.adjusted)}, effect "
        share = (pair.wins + pair.ties / 2) / pair.units
        made[pair.first, pair.second] = PairRecord(
            pair.wins, pair.ties, pair.losses, round(share, 2), p and p + _signed(pair.effect)
        )
        back = p and p + _signed(-pair.effect)
        made[pair.second, pair.first] = PairRecord(
            pair.losses, pair.ties, pair.wins, round(1 - share, 2), back
        )
    return made


def _signed(effect: float) -> str:
    """Return an effect with its sign; zero has a plus."""
    return f"{round(effect, 2) + 0.0:+.2f}"


def _by_wins(records: Mapping[tuple[str, str], PairRecord]) -> tuple[str, ...]:
    """Return the algorithms that were compared, those that win most often first: an order where there are no ranks."""
    shares: dict[str, list[float]] = {}
    for (name, _), record in records.items():
        shares.setdefault(name, []).append(record.share)
    return tuple(sorted(shares, key=lambda name: -sum(shares[name]) / len(shares[name])))


def _leader(comparison: Comparison, ranks: Mapping[str, float], order: Sequence[str]) -> Leader | None:
    if len(ranks) < 2:
        return None
    first, second = order[:2]
    pair = next(pair for pair in comparison.pairs if {pair.first, pair.second} == {first, second})
    if pair.first != first:
        pair = pair._replace(
            first=first, second=second, wins=pair.losses, losses=pair.wins, difference=-pair.difference
        )
    p = "" if np.isnan(pair.adjusted) else p_value(pair.adjusted)
    return Leader(first, ranks[first], second, ranks[second], pair, p)
