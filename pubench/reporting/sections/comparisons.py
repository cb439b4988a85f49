"""The section of tests: how pairs of algorithms compare in each metric, and what the tests found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pubench.reporting.conclusions import findings, inconclusive
from pubench.reporting.draw.canvas import inline
from pubench.reporting.draw.diagrams import draw, rank_diagram
from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import Entry, Section, TableBlock, TemplateBlock
from pubench.reporting.wording import interval, number, p_value, probably
from pubench.stats.comparison import Comparison, Pair

__all__ = [
    "MetricComparison",
    "PairRecord",
    "average_ranks",
    "comparisons_section",
    "make_comparisons",
    "pair_table",
]

WIDE = 7
"""From more algorithms on a printed page is turned."""
_CAPTION = "Average ranks by {metric}, best at the left. {bars}; it has a dot on each of its members."


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
    the names of both, where all pairs are compared; ``table`` is that of the comparisons with the best or a control.
    ``inconclusive`` says what cannot be concluded.
    """

    metric: str
    ranks: Mapping[str, float]
    order: tuple[str, ...]
    over: str
    records: Mapping[tuple[str, str], PairRecord]
    table: TableBlock | None
    inconclusive: tuple[str, ...]
    findings: tuple[str, ...]
    diagram: str
    caption: str


def comparisons_section(report: Report) -> Section | None:
    """Return the tests; Markdown has its own form of them."""
    found = make_comparisons(report)
    if not found:
        return None
    wide = len(report.tables[0].algorithms) > WIDE
    return Section("tests", "Tests", "Tests", (TemplateBlock("comparisons.html", found),), (), wide)


def make_comparisons(report: Report) -> tuple[MetricComparison, ...]:
    """Return the comparisons of all metrics, with their rank diagrams."""
    return tuple(
        _metric_comparison(comparison, _diagram(comparison, place))
        for place, comparison in enumerate(report.comparisons)
    )


def _metric_comparison(comparison: Comparison, diagram: str) -> MetricComparison:
    ranks = average_ranks(comparison)
    records = _records(comparison) if comparison.family.control is None else {}
    order = tuple(sorted(ranks, key=lambda name: ranks[name])) or _by_wins(records)
    return MetricComparison(
        metric=comparison.metric,
        ranks=ranks,
        order=order,
        over=comparison.ranking.over,
        records=records,
        table=None if records else pair_table(comparison),
        inconclusive=tuple(inconclusive(comparison)),
        findings=tuple(findings(comparison)),
        diagram=diagram,
        caption=_CAPTION.format(metric=comparison.metric, bars=_bars(comparison)),
    )


def _bars(comparison: Comparison) -> str:
    control = comparison.family.control
    if control is None:
        return "A bar joins algorithms without significant differences"
    return f"The bar joins {control} with all that are not significantly different from it"


def pair_table(comparison: Comparison) -> TableBlock | None:
    """Return the comparisons with the best or the control, or all pairs, as a table; p-values only if there are any."""
    control, metric, ranks = comparison.family.control, comparison.metric, _rank_entries(comparison)
    pairs = [pair for pair in comparison.pairs if pair.units]
    if not pairs:
        return None
    tested, judged = comparison.tested, any(pair.low == pair.low for pair in pairs)
    to = f" to {control}" if control else ""
    heads = ["algorithm", "average rank"] if control else ["first", "second"]
    heads += ["n", "won / tied / lost", f"difference{to}", "effect"]
    heads += ["p", "adjusted p", "detectable"] if tested else []
    heads += [f"in words, ±{comparison.rules.rope:g} being the same"] if judged else []
    lines: list[list[str | Entry]] = []
    if control:
        order = dict(zip(comparison.algorithms, comparison.ranks.tolist(), strict=True))
        pairs.sort(key=lambda pair: order[pair.first] if ranks else -pair.difference)
        lines.append([control, ranks.get(control, "–"), *[""] * (len(heads) - 2)])
    for pair in pairs:
        names = [pair.first, ranks.get(pair.first, "–") if control else pair.second]
        lines.append([*names, *_numbers(pair, tested), *([probably(pair.posterior)] if judged else [])])
    title = f"{metric}: each algorithm against {control}" if control else f"{metric}: pairs of algorithms"
    texts = (0,) if control else (0, 1)
    return TableBlock(title, tuple(heads), lines, texts=(*texts, len(heads) - 1) if judged else texts)


def _numbers(pair: Pair, tested: bool) -> list[str | Entry]:
    found: list[str | Entry] = [
        str(pair.units),
        f"{pair.wins} / {pair.ties} / {pair.losses}",
        Entry(number(pair.difference), f"({interval(pair.low, pair.high)})" if pair.low == pair.low else ""),
        number(pair.effect),
    ]
    ps = [p_value(p).removeprefix("= ") if p == p else number(p) for p in (pair.p, pair.adjusted)]
    return found + ([*ps, number(pair.detectable)] if tested else [])


def _rank_entries(comparison: Comparison) -> dict[str, str | Entry]:
    """Return the average ranks with their bootstrap intervals, by name."""
    if not comparison.units:
        return {}
    ranking = comparison.ranking
    bounds = zip(ranking.low.tolist(), ranking.high.tolist(), strict=True)
    texts = [f"({interval(low, high, 2)})" if low == low else "" for low, high in bounds]
    return {
        name: Entry(f"{rank:.2f}", text)
        for name, rank, text in zip(ranking.algorithms, ranking.ranks.tolist(), texts, strict=True)
    }


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
