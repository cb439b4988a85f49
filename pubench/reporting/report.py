"""The one value that is rendered: what all runs of a report say together, before any format is chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pubench.interpreter import collector_paused
from pubench.reporting.details import RunDetails
from pubench.reporting.published import PublishedComparison, compare_with_paper
from pubench.reporting.times import time_tables
from pubench.results.table import Row
from pubench.stats.board import Board, make_board
from pubench.stats.comparison import Comparison, compare
from pubench.stats.leaderboard import Leaderboard, leaderboard
from pubench.stats.scores import ScoreTable, score_table
from pubench.status import Status
from pubench.suite.reporting import PaperConfig, Rules

__all__ = ["CellProblem", "Report", "build_report"]


@dataclass(frozen=True, slots=True)
class CellProblem:
    """A cell that a reader should know about: which one, its status, and the reason in one line."""

    label: str
    status: str
    reason: str
    algorithm: str
    dataset: str


@dataclass(frozen=True, slots=True)
class Report:
    """All that is rendered.

    Attributes
    ----------
    title, description : str
        What the suite is called and says about itself.
    setting : str
        Which class prior was given, and how methods decide; empty where that is unknown.
    rows : tuple of Row
        The rows that the tables summarise.
    tables : tuple of ScoreTable
        One for each metric.
    comparisons : tuple of Comparison
        One for each table.
    board : Board
        The means of all tables, from which the leaderboard of any part of the run is computed.
    leaderboards : tuple of Leaderboard
        One for each table, of the whole run.
    rules : Rules
        How the algorithms were compared.
    status : mapping of str to int
        How many cells ended in each status.
    failures : tuple of CellProblem
        Cells that failed, timed out, crashed or ran out of memory.
    skipped, pending : tuple of CellProblem
        Cells that were not run, and those that have not ended yet.
    collapsed : tuple of CellProblem
        Cells that are ok, though the model puts all rows into one class.
    notes : tuple of str
        The notes of all cells, each note once.
    paper : PublishedComparison or None
        Published numbers next to ours.
    details : RunDetails
        Cards of data sets, provenance, trials of searches, and model introspection.
    """

    title: str
    description: str
    rows: tuple[Row, ...]
    tables: tuple[ScoreTable, ...]
    comparisons: tuple[Comparison, ...]
    board: Board
    leaderboards: tuple[Leaderboard, ...]
    rules: Rules
    status: Mapping[str, int]
    failures: tuple[CellProblem, ...] = ()
    skipped: tuple[CellProblem, ...] = ()
    pending: tuple[CellProblem, ...] = ()
    collapsed: tuple[CellProblem, ...] = ()
    notes: tuple[str, ...] = ()
    paper: PublishedComparison | None = None
    details: RunDetails = field(default_factory=RunDetails)
    setting: str = ""


def build_report(
    rows: Iterable[Row],
    title: str,
    metrics: Mapping[str, bool | None],
    *,
    description: str = "",
    rules: Rules | None = None,
    paper: PaperConfig | None = None,
    details: RunDetails | None = None,
) -> Report:
    """Make a report from the rows of a run.

    Parameters
    ----------
    rows : iterable of Row
        As :func:`pubench.stats.scores.score_table` takes them, and with replicate, error, and optionally
        ``collapsed`` (bool or text) and ``notes`` (a text or a list of texts).
    title : str
        The name of the suite.
    metrics : mapping of str to bool or None
        The metrics to show, each with whether greater is better.
    description : str
        What the suite says about itself.
    rules : Rules, optional
        How algorithms are compared.
    paper : PaperConfig, optional
        Published numbers to show next to ours.
    details : RunDetails, optional
        What the run folders hold next to their rows.

    Returns
    -------
    Report
    """
    with collector_paused():
        return _build(tuple(rows), title, metrics, description, rules, paper, details)


def _build(
    rows: tuple[Row, ...],
    title: str,
    metrics: Mapping[str, bool | None],
    description: str,
    rules: Rules | None,
    paper: PaperConfig | None,
    details: RunDetails | None,
) -> Report:
    rules, paper, details = rules or Rules(), paper or PaperConfig(), details or RunDetails()
    tables = tuple(score_table(rows, name, greater) for name, greater in metrics.items())
    problems = _problems(rows)
    board = make_board(tables, rows, rules, details.origins)
    return Report(
        title=title,
        description=description,
        rows=rows,
        tables=tables,
        comparisons=tuple(compare(table, rules, details.origins) for table in tables),
        board=board,
        leaderboards=tuple(leaderboard(board, place, rules) for place in range(len(tables))),
        rules=rules,
        status=dict(Counter(str(row["status"]) for row in rows)),
        failures=tuple(one for one in problems if Status(one.status).is_failure),
        skipped=tuple(one for one in problems if one.status == Status.SKIPPED),
        pending=tuple(one for one in problems if one.status == Status.PENDING),
        collapsed=_collapsed(rows),
        notes=tuple(dict.fromkeys(note for row in rows for note in _notes(row))),
        paper=compare_with_paper(paper, (*tables, *time_tables(rows, paper))),
        details=details,
    )


def _problems(rows: Iterable[Row]) -> list[CellProblem]:
    """Return the cells that did not end as ok."""
    others = (row for row in rows if row["status"] != Status.OK)
    return [_problem(row, str(row["status"]), _one_line(row.get("error"))) for row in others]


def _problem(row: Row, status: str, reason: str) -> CellProblem:
    return CellProblem(_label(row), status, reason, str(row["algorithm"]), str(row["dataset"]))


def _collapsed(rows: Iterable[Row]) -> tuple[CellProblem, ...]:
    found = ((row, row.get("collapsed")) for row in rows if row["status"] == Status.OK)
    return tuple(
        _problem(row, Status.OK, reason if isinstance(reason, str) else "all test rows in one class")
        for row, reason in found
        if reason
    )


def _label(row: Row) -> str:
    parts = (
        row["dataset"],
        row["labelling"],
        f"replicate {row['replicate']}",
        row["algorithm"],
        row["criterion"],
    )
    return " / ".join(str(part) for part in parts if part is not None)


def _one_line(error: object) -> str:
    """Return the first line of an error, or the last one of a traceback."""
    lines = [line for line in str(error or "").splitlines() if line.strip()]
    if not lines:
        return "no reason given"
    return (lines[-1] if lines[0].startswith("Traceback") else lines[0]).strip()


def _notes(row: Row) -> tuple[str, ...]:
    notes = row.get("notes") or ()
    return (notes,) if isinstance(notes, str) else tuple(str(note) for note in notes)
