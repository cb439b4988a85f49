"""A report as CSV: every number of the tables, and every pair of algorithms, with all digits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, fields

from pubench.reporting.claims import ClaimResult
from pubench.reporting.published import PublishedNumber
from pubench.reporting.report import Report
from pubench.results.spreadsheet import csv_text
from pubench.stats.comparison import Comparison
from pubench.stats.scores import ScoreTable, best_cells

__all__ = ["claims_csv", "numbers_csv", "pairs_csv", "paper_csv", "scores_csv"]

SCORES = (
    "metric,dataset,labelling,criterion,algorithm,mean,sd,ok,undefined,planned,reference,best,tied_with_best,"
    "average_rank,rank_low,rank_high"
)
PAIRS = (
    "metric,first,second,units,wins,ties,losses,difference,low,high,effect,p,adjusted_p,detectable,"
    "p_first_worse,p_same,p_first_better"
)

Value = str | float | int | bool | None


def scores_csv(report: Report) -> str:
    """Return a line for each cell of each table; numbers have all digits."""
    tables = zip(report.tables, report.comparisons, strict=True)
    return _text(SCORES.split(","), (line for table in tables for line in _scores(*table)))


def pairs_csv(report: Report) -> str:
    """Return a line for each pair of algorithms and metric."""
    lines = (
        (comparison.metric, *pair[:-1], *pair.posterior)
        for comparison in report.comparisons
        for pair in comparison.pairs
    )
    return _text(PAIRS.split(","), lines)


def paper_csv(report: Report) -> str:
    """Return a line for each published number."""
    return numbers_csv(report.paper.numbers if report.paper else ())


def numbers_csv(numbers: Iterable[PublishedNumber]) -> str:
    """Return a line for each of these published numbers."""
    heads = [field.name for field in fields(PublishedNumber)]
    return _text(heads, (astuple(line) for line in numbers))


def claims_csv(report: Report) -> str:
    """Return a line for each claim of the paper."""
    heads = [field.name for field in fields(ClaimResult)]
    return _text(heads, (astuple(line) for line in (report.paper.claims if report.paper else ())))


def _scores(table: ScoreTable, comparison: Comparison) -> Iterator[Sequence[Value]]:
    best = best_cells(table)
    # A single algorithm has no rank, here as in the tables.
    ranked = comparison.algorithms if len(comparison.algorithms) > 1 else ()
    ranking = comparison.ranking
    columns = (ranking.ranks.tolist(), ranking.low.tolist(), ranking.high.tolist())
    ranks = dict(zip(ranked, zip(*columns, strict=True), strict=False))
    for i, block in enumerate(table.blocks):
        for j, name in enumerate(table.algorithms):
            if table.planned[i, j]:
                counts = (int(part[i, j]) for part in (table.ok, table.undefined, table.planned))
                marks = (bool(part[i, j]) for part in (table.reference, best, comparison.tied))
                numbers = float(table.mean[i, j]), float(table.sd[i, j])
                yield (
                    table.metric,
                    *block,
                    name,
                    *numbers,
                    *counts,
                    *marks,
                    *ranks.get(name, (math.nan,) * 3),
                )


def _text(heads: Sequence[str], lines: Iterable[Sequence[Value]]) -> str:
    return csv_text([heads, *([_value(value) for value in line] for line in lines)])


def _value(value: Value) -> Value:
    """Return nothing for NaN, which spreadsheets do not know."""
    return None if isinstance(value, float) and math.isnan(value) else value
