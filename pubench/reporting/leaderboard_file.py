"""The leaderboard for other programs: one row for each suite, metric and method, from runs and from kept reports."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pubench.errors import RunFolderError
from pubench.reporting.reading import report_of
from pubench.reporting.site.committed import is_committed, read_committed
from pubench.reporting.site.sources import origins_of, verified_words
from pubench.results.table import Row, read_results
from pubench.stats.board import make_board
from pubench.stats.leaderboard import Leaderboard, leaderboard
from pubench.stats.scores import score_table
from pubench.suite import bundled_suites, load_suite
from pubench.suite.reporting import Rules

__all__ = ["leaderboard_rows"]

_VERSION = re.compile(rb"\bpubench ([0-9][^,<\s]*)")


class _Ranked(NamedTuple):
    """The leaderboards of one suite, by metric, and what they rest on."""

    suite: str
    seed: int | None
    version: str
    verified: str
    boards: Mapping[str, Leaderboard]
    rows: Sequence[Row]


def leaderboard_rows(folders: Sequence[Path]) -> list[Row]:
    """Return one row for each method by each metric of each suite, as the reports rank them.

    Parameters
    ----------
    folders : sequence of Path
        Run folders, and reports that are kept with their ``cells.csv``.

    Raises
    ------
    RunFolderError
        If a folder holds neither.
    """
    return [row for folder in folders for row in _rows(_read(folder))]


def _read(folder: Path) -> _Ranked:
    if (folder / "plan.json").exists():
        return _of_run(folder)
    if is_committed(folder):
        return _of_committed(folder)
    raise RunFolderError(
        f"{folder} holds no run (plan.json) and no report (cells.csv and report.html); leave it out"
    )


def _of_run(folder: Path) -> _Ranked:
    results = read_results(folder)
    report = report_of(results)
    versions = dict.fromkeys(entry.packages.get("pubench", "") for entry in report.details.provenance)
    boards = {table.metric: board for table, board in zip(report.tables, report.leaderboards, strict=True)}
    seed, verified = results.plan.seed, verified_words(folder)
    return _Ranked(results.plan.suite, seed, " ".join(versions), verified, boards, results.rows)


def _of_committed(folder: Path) -> _Ranked:
    """Read a kept report: its suite is known by name, its version from its page."""
    found = read_committed(folder)
    name = str(found.rows[0]["suite"]) if found.rows else found.title
    suite = load_suite(name) if name in bundled_suites() else None
    rules = Rules() if suite is None else suite.report.rules
    tables = [score_table(found.rows, metric, greater) for metric, greater in found.metrics.items()]
    board = make_board(tables, found.rows, rules, origins_of(found.cards))
    boards = {table.metric: leaderboard(board, place, rules) for place, table in enumerate(tables)}
    version = _VERSION.search(found.page)
    return _Ranked(
        name,
        None if suite is None else suite.seed,
        version[1].decode() if version else "",
        "",
        boards,
        found.rows,
    )


def _rows(found: _Ranked) -> Iterator[Row]:
    labellings = len({row["labelling"] for row in found.rows})
    replicates = len({row["replicate"] for row in found.rows})
    for metric, board in found.boards.items():
        for one in board.standings:
            yield {
                "suite": found.suite,
                "seed": found.seed,
                "version": found.version,
                "metric": metric,
                "method": one.algorithm,
                "reference": one.reference,
                "mean": _known(one.means[board.metric]),
                "rank": _known(one.rank),
                "rank_low": _known(one.low),
                "rank_high": _known(one.high),
                "data_sets": board.units,
                "labellings": labellings,
                "replicates": replicates,
                "detectable": _known(board.detectable),
                "failed": one.failed,
                "collapsed": one.collapsed,
                "verified": found.verified or None,
            }


def _known(value: float) -> float | None:
    """Return a number with six digits, None for one that is not known."""
    return float(f"{value:.6g}") if math.isfinite(value) else None
