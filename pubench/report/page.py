"""What the page shows, ready for a template: texts, shades and places; nothing here knows HTML."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pubench.analysis import Row, ScoreTable, best_cells
from pubench.comparison import Comparison, Pair
from pubench.report import Report
from pubench.report.sentences import findings, legend, missing_rule
from pubench.report.words import chance

__all__ = ["Cell", "Duel", "Leader", "Line", "MetricPage", "Page", "build_page", "competitors"]

Floats = NDArray[np.float64]
_SHOWN = (
    "status",
    "params",
    "search",
    "error",
    "collapsed",
    "notes",
    "fit_seconds",
    "tune_seconds",
    "peak_memory_mb",
)


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
    """A metric: its table, who competes by rank, what the tests found, and who leads.

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
    provenance : tuple of (str, str)
        What the run was made with.
    command : str
        The command that made the run.
    """

    report: Report
    algorithms: tuple[str, ...]
    metrics: tuple[MetricPage, ...]
    legend: str
    cells: str
    provenance: tuple[tuple[str, str], ...]
    command: str


def build_page(report: Report, rows: Sequence[Row], provenance: Mapping[str, Any]) -> Page:
    """Gather the page of a report.

    Parameters
    ----------
    report : Report
    rows : sequence of mappings
        The rows that the report was made from.
    provenance : mapping
        The run's last entry of ``provenance.json``; may be empty.

    Returns
    -------
    Page
    """
    algorithms = report.tables[0].algorithms if report.tables else ()
    return Page(
        report=report,
        algorithms=algorithms,
        metrics=tuple(map(_metric_page, report.tables, report.comparisons)),
        legend=f"{legend('bold', report.rules)} {missing_rule(report.rules)}",
        cells=_packed(report, rows),
        provenance=_provenance(provenance),
        command=" ".join(["pubench", *map(str, provenance.get("command", [])[1:])]) if provenance else "",
    )


def _metric_page(table: ScoreTable, comparison: Comparison) -> MetricPage:
    best, shades = best_cells(table), _shades(table)
    lines = []
    for b, block in enumerate(table.blocks):
        cells = tuple(
            _cell(table, b, a, shades[b, a], best=bool(best[b, a]), tied=bool(comparison.tied[b, a]))
            for a in range(len(table.algorithms))
        )
        lines.append(Line(b, block.dataset, block.labelling, block.criterion or "", cells))
    ranks = (
        dict(zip(comparison.algorithms, map(float, comparison.ranks), strict=True))
        if comparison.units
        else {}
    )
    unit = "blocks" if comparison.rules.unit == "block" else "data sets"
    order = tuple(sorted(ranks, key=lambda name: ranks[name]))
    return MetricPage(
        metric=table.metric,
        greater_is_better=table.greater_is_better,
        lines=tuple(lines),
        ranks=ranks,
        order=order,
        over=f"{comparison.units} of {comparison.all_units} {unit}",
        duels=_duels(comparison),
        findings=tuple(findings(comparison)),
        leader=_leader(comparison, ranks, order),
    )


def _cell(table: ScoreTable, b: int, a: int, shade: float, *, best: bool, tied: bool) -> Cell:
    mean, sd = float(table.mean[b, a]), float(table.sd[b, a])
    return Cell(
        mean="–" if np.isnan(mean) else f"{mean:.3f}",
        sd="" if np.isnan(sd) else f"{sd:.3f}",
        value=None if np.isnan(mean) else mean,
        shade=None if np.isnan(shade) else round(float(shade), 2),
        best=best,
        tied=tied,
        reference=bool(table.reference[b, a]),
        remark=_remark(table, b, a),
    )


def _remark(table: ScoreTable, b: int, a: int) -> str:
    """Say what is missing behind a mean."""
    planned, ok, undefined = int(table.planned[b, a]), int(table.ok[b, a]), int(table.undefined[b, a])
    if not planned:
        return "not planned"
    if ok == planned and not undefined:
        return ""
    others = ", ".join(f"{number} {status}" for status, number in table.failures[b][a].items())
    missing = f"{undefined} undefined" if undefined else ""
    return f"{ok - undefined}/{planned}" + "".join(f"; {part}" for part in (others, missing) if part)


def _shades(table: ScoreTable) -> Floats:
    """Return where each mean lies between the worst and the best of its line, shape (B, A); NaN for no mean."""
    score = np.where(table.reference, np.nan, table.mean)
    score = np.where(np.isfinite(score), score, np.nan)
    if table.greater_is_better is None or not score.size:
        return np.full_like(score, np.nan)
    if not table.greater_is_better:
        score = -score
    low, high = np.fmin.reduce(score, axis=1), np.fmax.reduce(score, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        shade = (score - low[:, None]) / (high - low)[:, None]
    return np.where(np.isnan(score), np.nan, np.nan_to_num(shade, nan=1.0))


def competitors(table: ScoreTable, comparison: Comparison) -> tuple[list[int], NDArray[np.bool_]]:
    """Return the columns of those that compete, and the blocks, shape (B,), in which all of them are complete."""
    columns = [table.algorithms.index(name) for name in comparison.algorithms]
    used = table.complete[:, columns].all(axis=1) & bool(columns)
    return columns, np.asarray(used, dtype=np.bool_)


def _duels(comparison: Comparison) -> Mapping[tuple[str, str], Duel]:
    made: dict[tuple[str, str], Duel] = {}
    for pair in comparison.pairs:
        if not pair.units:
            continue
        said = "" if np.isnan(pair.adjusted) else f"p {chance(pair.adjusted)}, effect {pair.effect:+.2f}"
        share = (pair.wins + pair.ties / 2) / pair.units
        made[pair.first, pair.second] = Duel(pair.wins, pair.ties, pair.losses, round(share, 2), said)
        said = said.replace(f"{pair.effect:+.2f}", f"{-pair.effect:+.2f}")
        made[pair.second, pair.first] = Duel(pair.losses, pair.ties, pair.wins, round(1 - share, 2), said)
    return made


def _leader(comparison: Comparison, ranks: Mapping[str, float], order: Sequence[str]) -> Leader | None:
    if len(order) < 2:
        return None
    first, second = order[:2]
    pair = next(pair for pair in comparison.pairs if {pair.first, pair.second} == {first, second})
    if pair.first != first:
        pair = pair._replace(
            first=first, second=second, wins=pair.losses, losses=pair.wins, difference=-pair.difference
        )
    said = "" if np.isnan(pair.adjusted) else chance(pair.adjusted)
    return Leader(first, ranks[first], second, ranks[second], pair, said)


def _packed(report: Report, rows: Sequence[Row]) -> str:
    """Return the rows as compressed JSON: texts once, in lists that rows point into."""
    metrics = [table.metric for table in report.tables]
    known = [name for name in _SHOWN if any(row.get(name) is not None for row in rows)]
    columns = ["dataset", "labelling", "criterion", "algorithm", "replicate", *metrics, *known]
    texts: dict[str, int] = {}

    def coded(value: object) -> object:
        if isinstance(value, str):
            return f"#{texts.setdefault(value, len(texts))}"
        if isinstance(value, float):
            return float(f"{value:.4g}") if np.isfinite(value) else str(value)
        return value

    packed = [[coded(row.get(name)) for name in columns] for row in rows]
    data = {"columns": columns, "metrics": metrics, "rows": packed, "texts": list(texts)}
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, default=str)
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")


def _provenance(entry: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    if not entry:
        return ()
    packages = ", ".join(f"{name} {version}" for name, version in entry.get("packages", {}).items())
    plugins = ", ".join(
        f"{plugin.get('plugin')} ({plugin.get('distribution')} {plugin.get('version')})"
        for plugin in entry.get("plugins", [])
    )
    shown = {
        "Started": entry.get("started"),
        "Python": entry.get("python"),
        "Platform": entry.get("platform"),
        "Processor": f"{entry.get('cpu')}, {entry.get('cores')} cores, {entry.get('memory_mb')} MB",
        "Packages": packages,
        "Plugins": plugins,
    }
    return tuple((name, str(value)) for name, value in shown.items() if value)
