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
from pubench.report import Report

__all__ = ["Cell", "Leader", "Line", "MetricPage", "Page", "build_page", "competitors"]

Floats = NDArray[np.float64]
_SHOWN = ("status", "params", "error", "collapsed", "notes", "fit_seconds", "tune_seconds", "peak_memory_mb")


@dataclass(frozen=True, slots=True)
class Cell:
    """One mean: its texts, how good it is within its line (0 to 1, or None), and what marks it."""

    mean: str
    sd: str
    value: float | None
    shade: float | None
    best: bool
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
    """Who has the best average rank, who follows, and how the two compare block by block."""

    name: str
    rank: float
    second: str
    second_rank: float
    wins: int
    ties: int
    losses: int
    blocks: int
    difference: float


@dataclass(frozen=True, slots=True)
class MetricPage:
    """A metric: its table, ranks by algorithm (None where there is none), wins over each other, and who leads."""

    metric: str
    greater_is_better: bool | None
    lines: tuple[Line, ...]
    ranks: tuple[float | None, ...]
    ranked_blocks: int
    wins: tuple[tuple[tuple[int, int, int] | None, ...], ...]
    leader: Leader | None


@dataclass(frozen=True, slots=True)
class Page:
    """All that the template needs.

    Attributes
    ----------
    report : Report
    algorithms : tuple of str
    metrics : tuple of MetricPage
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
        metrics=tuple(_metric_page(table) for table in report.tables),
        cells=_packed(report, rows),
        provenance=_provenance(provenance),
        command=" ".join(["pubench", *map(str, provenance.get("command", [])[1:])]) if provenance else "",
    )


def _metric_page(table: ScoreTable) -> MetricPage:
    best, shades = best_cells(table), _shades(table)
    lines = []
    for b, block in enumerate(table.blocks):
        cells = tuple(
            _cell(table, b, a, bool(best[b, a]), shades[b, a]) for a in range(len(table.algorithms))
        )
        lines.append(Line(b, block.dataset, block.labelling, block.criterion or "", cells))
    ranks = tuple(None if np.isnan(rank) else float(rank) for rank in table.ranks)
    return MetricPage(
        metric=table.metric,
        greater_is_better=table.greater_is_better,
        lines=tuple(lines),
        ranks=ranks,
        ranked_blocks=table.ranked_blocks,
        wins=_wins(table),
        leader=_leader(table),
    )


def _cell(table: ScoreTable, b: int, a: int, best: bool, shade: float) -> Cell:
    mean, sd = float(table.mean[b, a]), float(table.sd[b, a])
    return Cell(
        mean="–" if np.isnan(mean) else f"{mean:.3f}",
        sd="" if np.isnan(sd) else f"{sd:.3f}",
        value=None if np.isnan(mean) else mean,
        shade=None if np.isnan(shade) else round(float(shade), 2),
        best=best,
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


def competitors(table: ScoreTable) -> tuple[list[int], NDArray[np.bool_]]:
    """Return the columns of algorithms that have a rank, and the blocks, shape (B,), over which it is taken."""
    columns = [a for a in range(len(table.algorithms)) if not np.isnan(table.ranks[a])]
    used = table.complete[:, columns].all(axis=1) & bool(columns)
    return columns, np.asarray(used, dtype=np.bool_)


def _scores(table: ScoreTable) -> tuple[Floats, list[int]]:
    """Return the means of competitors in complete blocks, greater being better, and their columns."""
    columns, used = competitors(table)
    return table.mean[used][:, columns] * (1.0 if table.greater_is_better else -1.0), columns


def _wins(table: ScoreTable) -> tuple[tuple[tuple[int, int, int] | None, ...], ...]:
    """Return, for each pair of algorithms, in how many complete blocks the first wins, ties, loses."""
    score, columns = _scores(table)
    place = {column: i for i, column in enumerate(columns)}

    def counts(a: int, b: int) -> tuple[int, int, int] | None:
        if a == b or a not in place or b not in place:
            return None
        one, other = score[:, place[a]], score[:, place[b]]
        return int((one > other).sum()), int((one == other).sum()), int((one < other).sum())

    every = range(len(table.algorithms))
    return tuple(tuple(counts(a, b) for b in every) for a in every)


def _leader(table: ScoreTable) -> Leader | None:
    score, columns = _scores(table)
    if len(columns) < 2 or not len(score):
        return None
    order = sorted(range(len(columns)), key=lambda i: (table.ranks[columns[i]], -score[:, i].mean()))
    first, second = order[:2]
    gap = score[:, first] - score[:, second]
    return Leader(
        name=table.algorithms[columns[first]],
        rank=float(table.ranks[columns[first]]),
        second=table.algorithms[columns[second]],
        second_rank=float(table.ranks[columns[second]]),
        wins=int((gap > 0).sum()),
        ties=int((gap == 0).sum()),
        losses=int((gap < 0).sum()),
        blocks=len(score),
        difference=float(gap.mean()),
    )


def _packed(report: Report, rows: Sequence[Row]) -> str:
    """Return the rows as compressed JSON: texts once, in lists that rows point into."""
    metrics = [table.metric for table in report.tables]
    columns = ["dataset", "labelling", "criterion", "algorithm", "replicate", *metrics, *_SHOWN]
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
