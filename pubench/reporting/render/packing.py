"""What the page's script reads: the rows and the board behind a page, compressed to fit into the HTML file."""

from __future__ import annotations

import base64
import gzip
import json
import math
import re
import zlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pubench.reporting.render.tex import ACCENTS, GREEK, SIGNS, SPECIALS, UNICODE
from pubench.reporting.report import Report
from pubench.reporting.sections.leaderboard import headlines
from pubench.reporting.sections.scores import remarks
from pubench.results.table import Row
from pubench.stats.elo import ITERATIONS, LEAST_UNITS
from pubench.stats.roles import BASELINE
from pubench.stats.scores import Block
from pubench.suite.reporting import Rules

__all__ = ["packed_board", "packed_rows", "rules_and_origins"]

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
RARE, SMALL = 0.2, 1000
"""Data sets with a smaller prior, or with fewer rows, are groups that a reader can choose."""


def packed_rows(metrics: Sequence[str], rows: Sequence[Row]) -> str:
    """Return the rows as compressed JSON in base64: a list for each column, which refers to texts by their number."""
    known = [name for name in _SHOWN if any(row.get(name) is not None for row in rows)]
    columns = ["dataset", "labelling", "criterion", "algorithm", "replicate", *metrics, *known]
    texts: dict[str, int] = {}

    def coded(value: object) -> object:
        if isinstance(value, str):
            return f"#{texts.setdefault(value, len(texts))}"
        if isinstance(value, float):
            return float(f"{value:.4g}") if math.isfinite(value) else str(value)
        return value

    values = {name: [coded(row.get(name)) for row in rows] for name in columns}
    return _compressed({"columns": columns, "values": values, "texts": list(texts)})


def packed_board(report: Report) -> str:
    """Return the board as compressed JSON in base64; means have all their digits, so that ranks are exact."""
    board, rules = report.board, report.rules
    return _compressed(
        {
            "algorithms": list(board.algorithms),
            "lines": [
                [*line.block, line.unit, line.scenario, line.prior, groups]
                for line, groups in zip(board.lines, _groups(report), strict=True)
            ],
            "metrics": [_metric(report, place) for place in range(len(board.metrics))],
            "reference": _digits(board.reference),
            "shared": _digits(board.shared),
            "seconds": _numbers(board.seconds),
            "planned": board.planned.ravel().tolist(),
            "failed": board.failed.ravel().tolist(),
            "collapsed": board.collapsed.ravel().tolist(),
            "baseline": BASELINE.pattern,
            "rules": {
                "alpha": rules.alpha,
                "missing": rules.missing,
                "unit": rules.unit,
                "control": rules.control,
            },
            "elo": {"units": LEAST_UNITS, "iterations": ITERATIONS},
            "tex": {"signs": {**SPECIALS, **SIGNS, **GREEK}, "accents": ACCENTS, "unicode": UNICODE},
        }
    )


def rules_and_origins(page: bytes) -> tuple[Rules, dict[str, str]]:
    """Return the rules of comparison that a page was made with, and what each data set counts as in tests.

    A page that does not hold them has the default rules, and no origins.
    """
    found = re.search(rb'id="board-data">([^<]+)<', page)
    try:
        board = json.loads(gzip.decompress(base64.b64decode(found[1] if found else b"")))
        rules = Rules(**board["rules"])
        lines = [] if rules.unit == "block" else board["lines"]
        return rules, {str(line[0]): str(line[len(Block._fields)]) for line in lines}
    except (OSError, EOFError, ValueError, TypeError, LookupError, zlib.error):
        return Rules(), {}


def _metric(report: Report, place: int) -> dict[str, object]:
    metric, table, comparison = report.board.metrics[place], report.tables[place], report.comparisons[place]
    spread = _aligned(report, place, table.sd)
    return {
        "name": metric.name,
        "greater": metric.greater_is_better,
        "mean": _numbers(metric.mean),
        "sd": [None if value is None else float(f"{value:.6g}") for value in _numbers(spread)],
        "state": _digits(metric.state),
        "tied": _digits(_aligned(report, place, comparison.tied.astype(np.float64)) == 1),
        "remarks": remarks(report, place),
        "factors": _numbers(np.array(metric.factors)),
        "needed": comparison.family.needed,
        "headline": headlines(report)[place],
    }


def _aligned(report: Report, place: int, values: Floats) -> Floats:
    """Return what a table holds, shape (B, A), in the lines of the board; NaN where the table has no such line."""
    places = {line.block: k for k, line in enumerate(report.board.lines)}
    found = np.full((len(places), len(report.board.algorithms)), np.nan)
    found[[places[block] for block in report.tables[place].blocks]] = values
    return found


def _groups(report: Report) -> list[list[str]]:
    """Return the groups of each line's data set: the suite's, its source and family, rare positives, few rows."""
    found: dict[str, dict[str, None]] = {}
    for row in report.rows:
        groups = found.setdefault(str(row["dataset"]), {})
        card = report.details.cards.get(str(row["dataset"]))
        prior, counts = row.get("true_prior"), [row.get(name) for name in ("n_p", "n_u", "n_test")]
        groups |= dict.fromkeys(
            name for name, labels in report.rules.groups.items() if str(row["dataset"]) in labels
        )
        if card is not None and card.source:
            groups[f"source: {card.source}"] = None
        if card is not None and card.problem:
            groups[f"family: {str(row['dataset']).removesuffix(f': {card.problem}')}"] = None
        if prior is not None:
            groups[f"prior {'below' if prior < RARE else 'from'} {RARE:g}"] = None
        if None not in counts:
            size = sum(map(int, filter(None, counts)))
            groups[f"{'fewer than' if size < SMALL else 'at least'} {SMALL:,} rows"] = None
    return [list(found.get(line.block.dataset, ())) for line in report.board.lines]


def _digits(values: NDArray[np.bool_] | NDArray[np.int64]) -> str:
    return "".join(map(str, values.astype(int).ravel().tolist()))


def _numbers(values: Floats) -> list[float | str | None]:
    """Return numbers that JSON can hold; a script reads "Infinity" as a number."""
    names = {math.inf: "Infinity", -math.inf: "-Infinity"}
    return [None if value != value else names.get(value, value) for value in values.ravel().tolist()]


def _compressed(data: Mapping[str, object]) -> str:
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, default=str)
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")
