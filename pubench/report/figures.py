"""Pictures of a report, as SVG with real text: scores against time, and paired differences."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.analysis import Row, ScoreTable
from pubench.comparison import Comparison
from pubench.report import Report
from pubench.report.page import competitors

__all__ = ["Figure", "make_figures"]

Floats = NDArray[np.float64]
_NAME = 28
# Names are texts, not formulas.
_PLAIN = {"parse_math": False}


class Figure(NamedTuple):
    """A picture of one metric, named by its place among the tables."""

    metric: int
    svg: str
    caption: str


def make_figures(report: Report, rows: Sequence[Row]) -> list[Figure]:
    """Draw, for each metric, the average score against the time to fit and the differences to the leader."""
    figures = []
    for place, (table, comparison) in enumerate(zip(report.tables, report.comparisons, strict=True)):
        if table.greater_is_better is None:
            continue
        score_and_time = _score_and_time(table, comparison, rows)
        if len(score_and_time) > 1:
            figures.append(Figure(place, _against_time(table, score_and_time), _TIME))
        differences = _differences(table, comparison)
        if differences:
            leader, values = differences
            caption = _DIFFERENCES.format(leader=leader, metric=table.metric)
            figures.append(Figure(place, _boxes(leader, values), caption))
    return figures


_TIME = (
    "Average score over complete blocks against the median time of a fit. The line joins the algorithms that no other "
    "beats in both."
)
_DIFFERENCES = (
    "Differences in {metric} between {leader}, which has the best average rank, and each other algorithm, block by "
    "block; right of 0 {leader} is better. Boxes hold the middle half, the bar is the median."
)


def _score_and_time(
    table: ScoreTable, comparison: Comparison, rows: Sequence[Row]
) -> Mapping[str, tuple[float, float]]:
    columns, used = competitors(table, comparison)
    seconds: dict[str, list[float]] = {}
    for row in rows:
        if row["status"] == "ok" and row.get("fit_seconds") is not None:
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


def _against_time(table: ScoreTable, points: Mapping[str, tuple[float, float]]) -> str:
    figure, axes = _axes(7.5, 4.2)
    front = _front(points, bool(table.greater_is_better))
    axes.plot(
        [points[name][1] for name in front],
        [points[name][0] for name in front],
        color="#888888",
        lw=1,
        zorder=1,
    )
    for name, (score, seconds) in points.items():
        axes.scatter(seconds, score, s=36, color="#1a7f5a" if name in front else "#888888", zorder=2)
        place = {"xytext": (6, 4), "textcoords": "offset points", "fontsize": 9}
        axes.annotate(_short(name), (seconds, score), **place, **_PLAIN)
    axes.set_xscale("log")
    axes.margins(x=0.16, y=0.12)
    axes.set_xlabel("seconds to fit (median)")
    axes.set_ylabel(_short(table.metric), **_PLAIN)
    return _svg(figure)


def _front(points: Mapping[str, tuple[float, float]], greater: bool) -> list[str]:
    """Return the names that no other beats in score and time, the fastest first."""
    kept, best = [], -np.inf
    goodness = {name: score if greater else -score for name, (score, _) in points.items()}
    for name in sorted(points, key=lambda name: (points[name][1], -goodness[name])):
        if goodness[name] > best:
            kept.append(name)
            best = goodness[name]
    return kept


def _boxes(leader: str, values: Mapping[str, Floats]) -> str:
    names = list(values)[::-1]
    figure, axes = _axes(7.5, 0.8 + 0.36 * len(names))
    axes.axvline(0.0, color="#888888", lw=1)
    axes.boxplot(
        [values[name] for name in names],
        orientation="horizontal",
        widths=0.6,
        medianprops={"color": "#1a7f5a", "lw": 2},
        flierprops={"markersize": 3},
    )
    axes.set_yticks(range(1, len(names) + 1), [_short(name) for name in names], **_PLAIN)
    axes.set_xlabel(f"{_short(leader)} ahead by", **_PLAIN)
    return _svg(figure)


def _axes(width: float, height: float) -> tuple[Any, Any]:
    # Without pyplot: nothing global, no backend to choose.
    from matplotlib.figure import Figure as Canvas

    figure = Canvas(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="x", alpha=0.25)
    return figure, axes


def _svg(figure: Any) -> str:
    """Return a figure as SVG: real text, transparent, black taking the colour of the page, the same bytes each time."""
    import matplotlib

    buffer = io.StringIO()
    look: dict[Any, str] = {"svg.fonttype": "none", "svg.hashsalt": "pubench"}
    with matplotlib.rc_context(look), warnings.catch_warnings():
        # The reader's fonts draw the text; which glyphs are missing here does not matter.
        warnings.filterwarnings("ignore", "Glyph")
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :].replace("#000000", "currentColor")
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    return re.sub(r' xmlns(:xlink)?="[^"]*"', "", text)


def _short(name: str) -> str:
    """Return a name that fits beside an axis."""
    plain = "".join(letter if letter.isprintable() else " " for letter in name)
    return plain if len(plain) <= _NAME else plain[: _NAME - 1] + "…"
