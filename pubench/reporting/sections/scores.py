"""The section of scores: a table of means for each metric, with the rows behind each mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import Section, TemplateBlock
from pubench.reporting.sections.comparisons import average_ranks
from pubench.reporting.sentences import legend, missing_rule
from pubench.stats.comparison import Comparison
from pubench.stats.scores import Block, ScoreTable, best_cells
from pubench.status import Status

__all__ = ["MetricScores", "ScoreCell", "ScoreLine", "ScorePage", "make_scores", "scores_section"]

Floats = NDArray[np.float64]
Collapsed = Counter[tuple[Block, str]]
WIDE = 7
"""From more algorithms on a printed page is turned."""


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """One mean: its texts, how good it is within its line (0 to 1, or None), and its marks."""

    mean: str
    sd: str
    value: float | None
    shade: float | None
    best: bool
    tied: bool
    reference: bool
    remark: str


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A block of a table with its cells; ``block`` is its place in the list of blocks."""

    block: int
    dataset: str
    labelling: str
    criterion: str
    cells: tuple[ScoreCell, ...]


@dataclass(frozen=True, slots=True)
class MetricScores:
    """The table of one metric, and the average rank of each competitor by name; ``over`` says over what."""

    metric: str
    greater_is_better: bool | None
    lines: tuple[ScoreLine, ...]
    ranks: Mapping[str, float]
    over: str


@dataclass(frozen=True, slots=True)
class ScorePage:
    """What the template shows: the tables, and the meaning of their marks."""

    algorithms: tuple[str, ...]
    metrics: tuple[MetricScores, ...]
    legend: str


def scores_section(report: Report) -> Section:
    """Return the tables of scores; Markdown has its own form of them."""
    page = make_scores(report)
    block = TemplateBlock("scores.html", page)
    return Section("scores", "Scores", "Scores", (block,), (), len(page.algorithms) > WIDE)


def make_scores(report: Report) -> ScorePage:
    """Return the tables of all metrics, ready to be shown."""
    collapsed = Counter(
        (Block(row["dataset"], row["labelling"], row["criterion"]), str(row["algorithm"]))
        for row in report.rows
        if row["status"] == Status.OK and row.get("collapsed")
    )
    pairs = zip(report.tables, report.comparisons, strict=True)
    return ScorePage(
        algorithms=report.tables[0].algorithms if report.tables else (),
        metrics=tuple(_metric_scores(*pair, collapsed) for pair in pairs),
        legend=f"{legend('bold', report.rules)} {missing_rule(report.rules)}",
    )


def _metric_scores(table: ScoreTable, comparison: Comparison, collapsed: Collapsed) -> MetricScores:
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
        lines.append(ScoreLine(b, block.dataset, block.labelling, block.criterion or "", cells))
    ranks, over = average_ranks(comparison), comparison.ranking.over
    return MetricScores(table.metric, table.greater_is_better, tuple(lines), ranks, over)


def _cell(
    table: ScoreTable, place: tuple[int, int], shade: float, remark: str, *, best: bool, tied: bool
) -> ScoreCell:
    mean, sd = float(table.mean[place]), float(table.sd[place])
    return ScoreCell(
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
    """Return in how many replicates all test rows got one class; an untuned algorithm appears in every block."""
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
