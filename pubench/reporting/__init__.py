"""What a report says, as one frozen value; the modules beside this one only render it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pubench.reporting.paper import Paper, read_paper
from pubench.reporting.times import time_tables
from pubench.stats.comparison import Comparison, Rules, compare
from pubench.stats.scores import Row, ScoreTable, score_table

__all__ = ["CellProblem", "DataSet", "Report", "build_report"]


@dataclass(frozen=True, slots=True)
class CellProblem:
    """A cell that a reader should know of: which, its status, and one line of why."""

    label: str
    status: str
    reason: str


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set as a suite uses it: ``rows`` of ``all_rows``, ``counts`` of them positive and negative.

    ``labelled`` counts s = 1 where classes are unknown.
    """

    label: str
    rows: int
    all_rows: int
    features: int
    missing: int
    positive: tuple[str, ...]
    negative: tuple[str, ...]
    counts: tuple[int, int] | None
    prior: float | None
    labelled: int | None
    source: str
    licence: str
    differs: str
    citation: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Report:
    """All that is rendered.

    Attributes
    ----------
    tables : tuple of ScoreTable
        One for each metric.
    comparisons : tuple of Comparison
        One for each table.
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
        What the cells noted, each note once.
    datasets : tuple of DataSet
        The data sets of which a card is on record.
    paper : Paper or None
        Published numbers beside ours.
    """

    title: str
    description: str
    tables: tuple[ScoreTable, ...]
    comparisons: tuple[Comparison, ...]
    rules: Rules
    status: Mapping[str, int]
    failures: tuple[CellProblem, ...] = ()
    skipped: tuple[CellProblem, ...] = ()
    pending: tuple[CellProblem, ...] = ()
    collapsed: tuple[CellProblem, ...] = ()
    notes: tuple[str, ...] = ()
    datasets: tuple[DataSet, ...] = ()
    paper: Paper | None = None


def build_report(
    rows: Iterable[Row],
    suite_name: str,
    metrics: Mapping[str, bool | None],
    description: str = "",
    cards: Mapping[str, Mapping[str, Any]] | None = None,
    rules: Rules | None = None,
    paper: Mapping[str, Any] | None = None,
) -> Report:
    """Gather a report from the rows of a run.

    Parameters
    ----------
    rows : iterable of mappings
        As :func:`pubench.stats.scores.score_table` takes them, and with replicate, error, and optionally
        ``collapsed`` (bool or text) and ``notes`` (a text or a list of texts).
    suite_name : str
        The report's title.
    metrics : mapping of str to bool or None
        The metrics to show, each with whether greater is better.
    description : str
        What the suite says of itself.
    cards : mapping of str to mapping
        The card of each data set by its label, as :func:`pubench.data.cards.problem_card` makes them.
    rules : Rules
        How algorithms are compared.
    paper : mapping
        Published numbers, as :func:`pubench.reporting.paper.read_paper` takes them.

    Returns
    -------
    Report
    """
    rows = list(rows)
    other = [row for row in rows if row["status"] != "ok"]
    rules = rules or Rules()
    tables = tuple(score_table(rows, name, greater) for name, greater in metrics.items())
    return Report(
        title=suite_name,
        description=description,
        tables=tables,
        comparisons=tuple(compare(table, rules) for table in tables),
        rules=rules,
        status=dict(Counter(str(row["status"]) for row in rows)),
        failures=tuple(_cell_problem(row) for row in other if row["status"] not in ("skipped", "pending")),
        skipped=tuple(_cell_problem(row) for row in other if row["status"] == "skipped"),
        pending=tuple(_cell_problem(row) for row in other if row["status"] == "pending"),
        collapsed=tuple(_collapse(row) for row in rows if row["status"] == "ok" and row.get("collapsed")),
        notes=tuple(dict.fromkeys(note for row in rows for note in _notes(row))),
        datasets=tuple(_data_set(label, card) for label, card in (cards or {}).items()),
        paper=read_paper(paper or {}, (*tables, *time_tables(rows, paper or {}))),
    )


def _data_set(label: str, card: Mapping[str, Any]) -> DataSet:
    """Read a card; one that another version wrote may lack a part."""
    used = card.get("used") or {}
    unknown, all_rows = bool(card.get("pu")), int(card.get("rows") or 0)
    named = [str(card["title"])] if card.get("title") else []
    named += [f"{key} {card[key]}" for key in ("id", "version") if named and card.get(key)]
    return DataSet(
        label=label,
        rows=sum(map(int, used.values())) or all_rows,
        all_rows=all_rows,
        features=int(card.get("features") or 0),
        missing=int(card.get("missing") or 0),
        positive=() if unknown else tuple(map(str, card.get("positive") or ())),
        negative=() if unknown else tuple(map(str, card.get("negative") or ())),
        counts=None if unknown or not used else (int(used.get("positive", 0)), int(used.get("negative", 0))),
        prior=None if unknown else card.get("prior"),
        labelled=int(used.get("positive", 0)) if unknown else None,
        source="; ".join(part for part in (", ".join(named), str(card.get("source") or "")) if part),
        **{key: str(card.get(key) or "") for key in ("licence", "differs", "citation", "fingerprint")},
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


def _cell_problem(row: Row) -> CellProblem:
    return CellProblem(_label(row), str(row["status"]), _one_line(row.get("error")))


def _collapse(row: Row) -> CellProblem:
    why = row["collapsed"] if isinstance(row["collapsed"], str) else "all test rows in one class"
    return CellProblem(_label(row), "ok", why)


def _one_line(error: object) -> str:
    """Return the first line of an error, or the last where the text begins as a traceback does."""
    lines = [line for line in str(error or "").splitlines() if line.strip()]
    if not lines:
        return "no reason given"
    return (lines[-1] if lines[0].startswith("Traceback") else lines[0]).strip()


def _notes(row: Row) -> tuple[str, ...]:
    notes = row.get("notes") or ()
    return (notes,) if isinstance(notes, str) else tuple(str(note) for note in notes)
