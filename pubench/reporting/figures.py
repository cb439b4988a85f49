"""Pictures of each metric: ranks, scores against time, and paired differences, with the numbers behind them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.reporting import Report
from pubench.reporting.canvas import COLOURS, GREY, PLAIN, blank, inline, plain_log_axis, short, svg
from pubench.reporting.diagram import rank_diagram
from pubench.reporting.drawing import draw
from pubench.reporting.page import competitors
from pubench.reporting.words import number
from pubench.stats.comparison import Comparison
from pubench.stats.scores import Row, ScoreTable

__all__ = ["Figure", "boxes", "make_diagrams", "make_figures"]

Floats = NDArray[np.float64]
Strokes = list[tuple[float, float]]
WIDTH = 5.6


class Figure(NamedTuple):
    """A picture of one metric, named by its place among the tables, and the numbers that it shows."""

    metric: int
    svg: str
    caption: str
    title: str = ""
    heads: tuple[str, ...] = ()
    lines: tuple[tuple[str, ...], ...] = ()


def make_diagrams(report: Report) -> dict[int, Figure]:
    """Draw the critical-difference diagram of each metric whose algorithms were tested, by the metric's place."""
    found = {}
    for place, comparison in enumerate(report.comparisons):
        diagram = rank_diagram(comparison)
        if diagram is not None:
            label = f"Critical-difference diagram of {comparison.metric}; the ranks are in the table below."
            drawing = inline(draw(diagram, "svg").decode(), label, f"d{place}-")
            found[place] = Figure(place, drawing, _RANKS.format(metric=comparison.metric))
    return found


def make_figures(report: Report, rows: Sequence[Row]) -> list[Figure]:
    """Draw, for each metric, the average score against the time to fit and the differences to the leader."""
    return [
        figure
        for place, (table, comparison) in enumerate(zip(report.tables, report.comparisons, strict=True))
        if table.greater_is_better is not None
        for figure in _metric_figures(place, table, comparison, rows)
    ]


_RANKS = (
    "Average ranks by {metric}, best at the left. A bar joins algorithms that no test tells apart; it has a dot on "
    "each of its members."
)
_TIME = (
    "Average score over complete blocks against the median time of a fit. The line joins the algorithms that no other "
    "beats in both."
)
_DIFFERENCES = (
    "Differences in {metric} between {leader}, which has the best average rank, and each other algorithm, block by "
    "block; right of 0 {leader} is better. Boxes hold the middle half, the bar is the median."
)


def _metric_figures(
    place: int, table: ScoreTable, comparison: Comparison, rows: Sequence[Row]
) -> Iterator[Figure]:
    points = _score_and_time(table, comparison, rows)
    if len(points) > 1:
        front = _front(points, bool(table.greater_is_better))
        lines = [
            (name, number(score), number(seconds), "yes" if name in front else "no")
            for name, (score, seconds) in sorted(points.items(), key=lambda item: item[1][1])
        ]
        heads = ("algorithm", table.metric, "seconds", "unbeaten")
        drawing, title = _against_time(place, table, points, front), f"The numbers: {table.metric} and time"
        yield Figure(place, drawing, _TIME, title, heads, tuple(lines))
    differences = _differences(table, comparison)
    if differences:
        leader, values = differences
        drawing = boxes(
            values, f"{short(leader)} ahead by", f"Box plots: {leader} against each other.", f"b{place}-"
        )
        caption = _DIFFERENCES.format(leader=leader, metric=table.metric)
        title = f"The numbers: differences in {table.metric}"
        yield Figure(place, drawing, caption, title, ("algorithm", *_QUARTILES), _quartiles(values))


_QUARTILES = ("least", "lower quarter", "median", "upper quarter", "greatest")


def _quartiles(values: Mapping[str, Floats]) -> tuple[tuple[str, ...], ...]:
    shares = (0, 25, 50, 75, 100)
    return tuple(
        (name, *map(number, np.percentile(gap, shares).tolist())) for name, gap in values.items() if gap.size
    )


def _score_and_time(
    table: ScoreTable, comparison: Comparison, rows: Sequence[Row]
) -> Mapping[str, tuple[float, float]]:
    columns, used = competitors(table, comparison)
    seconds: dict[str, list[float]] = {}
    for row in rows:
        if row["status"] == "ok" and not row.get("reference") and row.get("fit_seconds") is not None:
            seconds.setdefault(str(row["algorithm"]), []).append(float(row["fit_seconds"]))
    return {
        table.algorithms[a]: (float(table.mean[used, a].mean()), max(float(np.median(times)), 1e-4))
        for a in columns
        if used.any()
        and np.isfinite(table.mean[used, a]).all()
        and (times := seconds.get(table.algorithms[a]))
    }


def _differences(table: ScoreTable, comparison: Comparison) -> tuple[str, Mapping[str, Floats]] | None:
    columns, used = competitors(table, comparison)
    if len(columns) < 2 or used.sum() < 2:
        return None
    sign = 1.0 if table.greater_is_better else -1.0
    order = [columns[i] for i in np.argsort(comparison.ranks, kind="stable")]
    values = {
        table.algorithms[a]: sign * (table.mean[used, order[0]] - table.mean[used, a]) for a in order[1:]
    }
    return table.algorithms[order[0]], {name: gap[np.isfinite(gap)] for name, gap in values.items()}


def _against_time(
    place: int, table: ScoreTable, points: Mapping[str, tuple[float, float]], front: Sequence[str]
) -> str:
    figure, axes = blank(WIDTH, 3.5)
    axes.plot(
        [points[name][1] for name in front],
        [points[name][0] for name in front],
        color=GREY,
        lw=1,
        zorder=1,
    )
    for name, (score, seconds) in points.items():
        axes.scatter(seconds, score, s=36, color=COLOURS[2] if name in front else GREY, zorder=2)
        text = {"xytext": (6, 4), "textcoords": "offset points", "fontsize": 9}
        axes.annotate(short(name), (seconds, score), **text, **PLAIN)
    plain_log_axis(axes)
    axes.margins(x=0.16, y=0.12)
    axes.set_xlabel("seconds to fit (median)")
    axes.set_ylabel(short(table.metric), **PLAIN)
    return svg(figure, f"{table.metric} against the seconds of a fit, for each algorithm.", f"t{place}-")


def _front(points: Mapping[str, tuple[float, float]], greater: bool) -> list[str]:
    """Return the names that no other beats in score and time, the fastest first."""
    kept, best = [], -np.inf
    goodness = {name: score if greater else -score for name, (score, _) in points.items()}
    for name in sorted(points, key=lambda name: (points[name][1], -goodness[name])):
        if goodness[name] > best:
            kept.append(name)
            best = goodness[name]
    return kept


def boxes(values: Mapping[str, Floats], axis: str, label: str, prefix: str) -> str:
    """Draw a box plot for each name, the first on top, with a line at 0."""
    from matplotlib.cbook import boxplot_stats

    names = list(values)[::-1]
    figure, axes = blank(WIDTH, 0.8 + 0.33 * len(names))
    axes.axvline(0.0, color=GREY, lw=1)
    axes.grid(visible=False, axis="y")
    found = [(y, boxplot_stats(values[name])[0]) for y, name in enumerate(names, 1) if values[name].size]
    # One line with gaps for all boxes: a path each would make the page large.
    axes.plot(*_joined(_outlines(y, box) for y, box in found), color="black", lw=1)
    axes.plot(*_joined([_bar(box["med"], y, 0.3)] for y, box in found), color=COLOURS[2], lw=2)
    fliers = [(x, y) for y, box in found for x in box["fliers"].tolist()]
    axes.plot([x for x, _ in fliers], [y for _, y in fliers], "o", color=GREY, markersize=3)
    axes.set_yticks(range(1, len(names) + 1), [short(name) for name in names], **PLAIN)
    axes.set_ylim(0.4, len(names) + 0.6)
    axes.set_xlabel(axis, **PLAIN)
    return svg(figure, label, prefix)


def _bar(x: float, y: float, half: float) -> Strokes:
    return [(x, y - half), (x, y + half)]


def _outlines(y: float, box: Mapping[str, Any]) -> Iterator[Strokes]:
    """Yield the strokes of a box, its whiskers and their ends."""
    low, high = box["q1"], box["q3"]
    yield [(low, y - 0.3), (high, y - 0.3), (high, y + 0.3), (low, y + 0.3), (low, y - 0.3)]
    for end, side in ((box["whislo"], low), (box["whishi"], high)):
        yield [(side, y), (end, y)]
        yield _bar(end, y, 0.15)


def _joined(groups: Iterable[Iterable[Strokes]]) -> tuple[list[float], list[float]]:
    """Return all strokes as one line, with a gap after each."""
    gap = [(np.nan, np.nan)]
    points = [point for group in groups for stroke in group for point in [*stroke, *gap]]
    return [x for x, _ in points], [y for _, y in points]
