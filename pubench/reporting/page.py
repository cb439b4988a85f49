"""What the page shows, ready for a template: texts, shades and places; nothing here knows HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pubench.reporting import Report
from pubench.reporting.packing import Made, made_by, packed
from pubench.reporting.sentences import findings, legend, missing_rule
from pubench.reporting.words import chance
from pubench.stats.comparison import Comparison, Pair
from pubench.stats.scores import Block, Row, ScoreTable, best_cells

__all__ = ["Cell", "Duel", "Leader", "Line", "MetricPage", "Page", "build_page", "competitors"]

Floats = NDArray[np.float64]
Collapsed = Counter[tuple[Block, str]]


@dataclass(frozen=True, slots=True)
class Cell:
    """One mean: its texts, how good it is within its line (0 to 1, or None), and what marks it."""

    mean: str
    sd: str
    value: float | None
    shade: float | None
    best: bool
    tied: bool
    reference: bool
    remark: str


@dataclass(frozen=True, slots=True)
class Line:
    """A block of a table with its cells; ``block`` is its place in the list of blocks."""

    block: int
    dataset: str
    labelling: str
    criterion: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Leader:
    """Who has the best average rank, who follows, how the two compare unit by unit, and the chance of that."""

    name: str
    rank: float
    second: str
    second_rank: float
    pair: Pair
    chance: str


@dataclass(frozen=True, slots=True)
class Duel:
    """How often one algorithm wins, ties, loses against another, and what the test says of it."""

    wins: int
    ties: int
    losses: int
    share: float
    text: str


@dataclass(frozen=True, slots=True)
class MetricPage:
    """A metric: its table, who competes by rank, what the tests found, and who leads, or why nobody does.

    ``ranks`` has a number for each competitor by name; ``order`` are their names, the best first; ``duels`` are by the
    names of both.
    """

    metric: str
    greater_is_better: bool | None
    lines: tuple[Line, ...]
    ranks: Mapping[str, float]
    order: tuple[str, ...]
    over: str
    duels: Mapping[tuple[str, str], Duel]
    findings: tuple[str, ...]
    leader: Leader | None
    unranked: str


@dataclass(frozen=True, slots=True)
class Page:
    """All that the template needs.

    Attributes
    ----------
    report : Report
    algorithms : tuple of str
    metrics : tuple of MetricPage
    legend : str
        What the marks of the tables mean.
    cells : str
        The rows behind the tables, as compressed JSON in base64: what a click on a mean shows.
    made : tuple of Made
        How each run was made.
    """

    report: Report
    algorithms: tuple[str, ...]
    metrics: tuple[MetricPage, ...]
    legend: str
    cells: str
    made: tuple[Made, ...]


def build_page(report: Report, rows: Sequence[Row], *provenance: Mapping[str, Any]) -> Page:
    """Gather the page of a report.

    Parameters
    ----------
    report : Report
    rows : sequence of mappings
        The rows that the report was made from.
    *provenance : mappings
        The last entry of each run's ``provenance.json``; may be empty.

    Returns
    -------
    Page
    """
    algorithms = report.tables[0].algorithms if report.tables else ()
    collapsed = Counter(
        (Block(row["dataset"], row["labelling"], row["criterion"]), str(row["algorithm"]))
        for row in rows
        if row["status"] == "ok" and row.get("collapsed")
    )
    return Page(
        report=report,
        algorithms=algorithms,
        metrics=tuple(
            _metric_page(*pair, collapsed) for pair in zip(report.tables, report.comparisons, strict=True)
        ),
        legend=f"{legend('bold', report.rules)} {missing_rule(report.rules)}",
        cells=packed([table.metric for table in report.tables], rows),
        made=tuple(made_by(entry) for entry in provenance if entry),
    )


def _metric_page(table: ScoreTable, comparison: Comparison, collapsed: Collapsed) -> MetricPage:
    best, shades = best_cells(table), _shades(table)
    lines = []
    for b, block in enumerate(table.blocks):
        cells = tuple(
            _cell(
                table,
                (b, a),
                float(shades[b, a]),
                _remark(table, b, a, _collapses(collapsed, block, table.algorithms[a])),
                best=bool(best[b, a]),
                tied=bool(comparison.tied[b, a]),
            )
            for a in range(len(table.algorithms))
        )
        lines.append(Line(b, block.dataset, block.labelling, block.criterion or "", cells))
    ranks = (
        dict(zip(comparison.algorithms, map(float, comparison.ranks), strict=True))
        if comparison.units and len(comparison.algorithms) > 1
        else {}
    )
    unit = "blocks" if comparison.rules.unit == "block" else "data sets"
    duels = _duels(comparison)
    order = tuple(sorted(ranks, key=lambda name: ranks[name])) or _by_wins(duels)
    return MetricPage(
        metric=table.metric,
        greater_is_better=table.greater_is_better,
        lines=tuple(lines),
        ranks=ranks,
        order=order,
        over=comparison.ranking.over,
        duels=duels,
        findings=tuple(findings(comparison)),
        leader=_leader(comparison, ranks, order),
        unranked="" if ranks else _unranked(table, comparison, unit),
    )


def _unranked(table: ScoreTable, comparison: Comparison, unit: str) -> str:
    if table.greater_is_better is None:
        return "this metric knows no better"
    if len(comparison.algorithms) < 2:
        return "there are no two algorithms to compare"
    pairs = "; those that did are compared in pairs below" if any(p.units for p in comparison.pairs) else ""
    return f"there are no {unit} in which every algorithm finished all replicates{pairs}"


def _cell(
    table: ScoreTable, place: tuple[int, int], shade: float, remark: str, *, best: bool, tied: bool
) -> Cell:
    mean, sd = float(table.mean[place]), float(table.sd[place])
    return Cell(
        mean="–" if np.isnan(mean) else f"{mean:.3f}",
        sd="" if np.isnan(sd) else f"{sd:.3f}",
        value=None if np.isnan(mean) else float(f"{mean:.6g}"),
        shade=None if np.isnan(shade) else round(shade, 2),
        best=best,
        tied=tied,
        reference=bool(table.reference[place]),
        remark=remark,
    )


def _collapses(collapsed: Collapsed, block: Block, algorithm: str) -> int:
    """Return in how many replicates all test rows got one class; an untuned algorithm stands in every block."""
    return sum(collapsed[own, algorithm] for own in {block, block._replace(criterion=None)})


def _remark(table: ScoreTable, b: int, a: int, collapsed: int) -> str:
    """Say what is missing behind a mean, and which models collapsed."""
    found = _missing(table, b, a), f"{collapsed} collapsed" if collapsed else ""
    return "; ".join(part for part in found if part)


def _missing(table: ScoreTable, b: int, a: int) -> str:
    planned, ok, undefined = int(table.planned[b, a]), int(table.ok[b, a]), int(table.undefined[b, a])
    if not planned:
        return "not planned"
    if ok == planned and not undefined:
        return ""
    others = ", ".join(f"{number} {status}" for status, number in table.failures[b][a].items())
    missing = f"{undefined} undefined" if undefined else ""
    return f"{ok - undefined}/{planned}" + "".join(f"; {part}" for part in (others, missing) if part)


def _shades(table: ScoreTable) -> Floats:
    """Return where each complete mean lies between the worst and the best of its line, shape (B, A); else NaN."""
    score = np.where(table.complete & ~table.reference & np.isfinite(table.mean), table.mean, np.nan)
    if table.greater_is_better is None or not score.size:
        return np.full_like(score, np.nan)
    if not table.greater_is_better:
        score = -score
    low, high = np.fmin.reduce(score, axis=1), np.fmax.reduce(score, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        shade = (score - low[:, None]) / (high - low)[:, None]
    return np.where(np.isnan(score), np.nan, np.nan_to_num(shade, nan=1.0))


def competitors(table: ScoreTable, comparison: Comparison) -> tuple[list[int], NDArray[np.bool_]]:
    """Return the columns of those that compete, and the blocks, shape (B,), in which all do and are complete."""
    columns = [table.algorithms.index(name) for name in comparison.algorithms]
    used = (table.complete & ~table.reference)[:, columns].all(axis=1) & bool(columns)
    return columns, np.asarray(used, dtype=np.bool_)


def _duels(comparison: Comparison) -> Mapping[tuple[str, str], Duel]:
    made: dict[tuple[str, str], Duel] = {}
    for pair in comparison.pairs:
        if not pair.units:
            continue
        p = "" if np.isnan(pair.adjusted) else f"p {chance(pair.adjusted)}, effect "
        share = (pair.wins + pair.ties / 2) / pair.units
        made[pair.first, pair.second] = Duel(
            pair.wins, pair.ties, pair.losses, round(share, 2), p and p + _signed(pair.effect)
        )
        back = p and p + _signed(-pair.effect)
        made[pair.second, pair.first] = Duel(pair.losses, pair.ties, pair.wins, round(1 - share, 2), back)
    return made


def _signed(effect: float) -> str:
    """Return an effect with its sign; that of nothing is a plus."""
    return f"{round(effect, 2) + 0.0:+.2f}"


def _by_wins(duels: Mapping[tuple[str, str], Duel]) -> tuple[str, ...]:
    """Return who was compared at all, those who win most often first: an order where there are no ranks."""
    shares: dict[str, list[float]] = {}
    for (name, _), duel in duels.items():
        shares.setdefault(name, []).append(duel.share)
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
    said = "" if np.isnan(pair.adjusted) else chance(pair.adjusted)
    return Leader(first, ranks[first], second, ranks[second], pair, said)
