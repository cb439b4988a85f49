"""The section of figures: scores against time, and differences to the leader, with the numbers behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pubench.reporting.draw.canvas import short
from pubench.reporting.draw.curves import Drawing
from pubench.reporting.draw.figures import draw_against_time, draw_boxes
from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import FigureBlock, Section, TableBlock
from pubench.reporting.wording import number
from pubench.results.table import Row
from pubench.stats.comparison import Comparison
from pubench.stats.scores import ScoreTable
from pubench.status import Status

__all__ = ["figures_section", "make_figures"]

Floats = NDArray[np.float64]
_TIME = (
    "Average score over complete blocks against the median time of a fit. The line joins the algorithms that no other "
    "beats in both."
)
_DIFFERENCES = (
    "Differences in {metric} between {leader}, which has the best average rank, and each other algorithm, block by "
    "block; right of 0 {leader} is better. Boxes hold the middle half, the bar is the median."
)
_QUARTILES = ("least", "lower quarter", "median", "upper quarter", "greatest")


def figures_section(report: Report) -> Section | None:
    """Return the figures of all metrics; Markdown has none."""
    figures = tuple(make_figures(report))
    return Section("figures", "Figures", "Figures", figures, ()) if figures else None


def make_figures(report: Report) -> Iterator[FigureBlock]:
    """Draw, for each metric, the average score against the time to fit and the differences to the leader."""
    for place, (table, comparison) in enumerate(zip(report.tables, report.comparisons, strict=True)):
        if table.greater_is_better is not None:
            yield from _against_time(place, table, comparison, report.rows)
            yield from _to_the_leader(place, table, comparison)


def _against_time(
    place: int, table: ScoreTable, comparison: Comparison, rows: Sequence[Row]
) -> Iterator[FigureBlock]:
    points = _score_and_time(table, comparison, rows)
    if len(points) > 1:
        unbeaten = _unbeaten(points, bool(table.greater_is_better))
        lines = [
            (name, number(score), number(seconds), "yes" if name in unbeaten else "no")
            for name, (score, seconds) in sorted(points.items(), key=lambda item: item[1][1])
        ]
        heads = ("algorithm", table.metric, "seconds", "unbeaten")
        numbers = TableBlock(f"The numbers: {table.metric} and time", heads, lines)
        drawing = draw_against_time(table.metric, points, unbeaten, f"t{place}-")
        caption = f"{_TIME} Numbers are in the order of scores." if drawing.legend else _TIME
        yield FigureBlock(drawing, caption, numbers, place)


def _to_the_leader(place: int, table: ScoreTable, comparison: Comparison) -> Iterator[FigureBlock]:
    differences = _differences(table, comparison)
    if differences:
        leader, values = differences
        label = f"Box plots: {leader} against each other algorithm."
        drawing = draw_boxes(values, f"{short(leader)} ahead by", label, f"b{place}-")
        title, heads = f"The numbers: differences in {table.metric}", ("algorithm", *_QUARTILES)
        caption = _DIFFERENCES.format(leader=leader, metric=table.metric)
        yield FigureBlock(Drawing((drawing,)), caption, TableBlock(title, heads, _quartiles(values)), place)


def _quartiles(values: Mapping[str, Floats]) -> tuple[tuple[str, ...], ...]:
    shares = (0, 25, 50, 75, 100)
    return tuple(
        (name, *map(number, np.percentile(gap, shares).tolist())) for name, gap in values.items() if gap.size
    )


def _competitors(table: ScoreTable, comparison: Comparison) -> tuple[list[int], NDArray[np.bool_]]:
    """Return the columns of the competitors, and the blocks, shape (B,), in which all of them are complete."""
    columns = [table.algorithms.index(name) for name in comparison.algorithms]
    used = (table.complete & ~table.reference)[:, columns].all(axis=1) & bool(columns)
    return columns, np.asarray(used, dtype=np.bool_)


def _score_and_time(
    table: ScoreTable, comparison: Comparison, rows: Sequence[Row]
) -> Mapping[str, tuple[float, float]]:
    columns, used = _competitors(table, comparison)
    seconds: dict[str, list[float]] = {}
    for row in rows:
        if row["status"] == Status.OK and not row.get("reference") and row.get("fit_seconds") is not None:
            seconds.setdefault(str(row["algorithm"]), []).append(float(row["fit_seconds"]))
    return {
        table.algorithms[a]: (float(table.mean[used, a].mean()), max(float(np.median(times)), 1e-4))
        for a in columns
        if used.any()
        and np.isfinite(table.mean[used, a]).all()
        and (times := seconds.get(table.algorithms[a]))
    }


def _differences(table: ScoreTable, comparison: Comparison) -> tuple[str, Mapping[str, Floats]] | None:
    columns, used = _competitors(table, comparison)
    if len(columns) < 2 or used.sum() < 2:
        return None
    sign = 1.0 if table.greater_is_better else -1.0
    order = [columns[i] for i in np.argsort(comparison.ranks, kind="stable")]
    values = {
        table.algorithms[a]: sign * (table.mean[used, order[0]] - table.mean[used, a]) for a in order[1:]
    }
    return table.algorithms[order[0]], {name: gap[np.isfinite(gap)] for name, gap in values.items()}


def _unbeaten(points: Mapping[str, tuple[float, float]], greater: bool) -> list[str]:
    """Return the names that no other beats in score and time, the fastest first."""
    kept, best = [], -np.inf
    goodness = {name: score if greater else -score for name, (score, _) in points.items()}
    for name in sorted(points, key=lambda name: (points[name][1], -goodness[name])):
        if goodness[name] > best:
            kept.append(name)
            best = goodness[name]
    return kept
