"""Two runs of the same cells: what changed, what stayed to the bit, and what cannot be compared."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pubench.reporting.details import Provenance, RunDetails, read_details
from pubench.reporting.run_comparison import OnlyIn, RunComparison, StatusChange
from pubench.results.draws import same_draw
from pubench.results.record import MEASURED
from pubench.results.table import Results, Row, read_results
from pubench.stats.changes import PairedScore, block_changes, overall_changes
from pubench.stats.scores import Block
from pubench.status import Status

__all__ = ["cell_label", "compare", "compare_runs"]

_PLACE = ("dataset", "labelling", "replicate", "algorithm", "criterion")
_NOT_RESULTS = {*MEASURED, "suite", "key"}


def compare(first: str | os.PathLike[str], second: str | os.PathLike[str]) -> RunComparison:
    """Compare two runs cell by cell: what changed, and whether it is beyond noise.

    Cells are paired where data set, labelling, replicate, algorithm and criterion have the same names, and the splits
    and labels are the same. Runs with different seeds share no cell.

    Parameters
    ----------
    first, second : path
        Run folders, the earlier one first: differences are second minus first.

    Returns
    -------
    RunComparison

    Raises
    ------
    PubenchError
        If a folder is not a run folder.

    Examples
    --------
    >>> before = pubench.run_suite("quickstart-smoke", out="runs/before")
    >>> after = pubench.run_suite("quickstart-smoke", out="runs/after")
    >>> found = pubench.compare("runs/before", "runs/after")
    >>> {change.verdict.value for change in found.changes}
    {'identical'}
    """
    runs = read_results(Path(first)), read_results(Path(second))
    return compare_runs(*runs, *(read_details([run.folder]) for run in runs))


def compare_runs(
    first: Results, second: Results, before: RunDetails | None = None, after: RunDetails | None = None
) -> RunComparison:
    """Compare the rows of two runs; the details say which data sets share rows, and which versions differ."""
    before, after = before or RunDetails(), after or RunDetails()
    paired = _pair(first, second)
    metrics, problems = _metrics(first, second)
    rows = paired.rows
    origins = RunDetails(cards={**before.cards, **after.cards}).origins
    alpha = first.plan.report.alpha
    scores = {name: _scores(rows, name) for name in metrics}
    same = [_is_same(*pair, metrics) for pair in rows]
    same_key = [mine["key"] == theirs["key"] for mine, theirs in rows]
    return RunComparison(
        first=first.folder,
        second=second.folder,
        paired=len(rows),
        identical=sum(same),
        redefined=len(rows) - sum(same_key),
        irreproducible=sum(
            key and not equal and _has_ended(*pair)
            for pair, key, equal in zip(rows, same_key, same, strict=True)
        ),
        other_splits=paired.other,
        unknown_splits=paired.unknown,
        only_first=_only_in(first, second),
        only_second=_only_in(second, first),
        statuses=_status_changes(rows),
        changes=tuple(
            one for name, found in scores.items() for one in overall_changes(name, found, origins, alpha)
        ),
        blocks=tuple(one for name, found in scores.items() for one in block_changes(name, found, alpha)),
        greater_is_better=metrics,
        software=tuple(_software(before.provenance, after.provenance)),
        problems=(*first.problems, *second.problems, *problems),
        alpha=alpha,
    )


class _Paired(NamedTuple):
    rows: list[tuple[Row, Row]]
    other: int
    unknown: int


def _pair(first: Results, second: Results) -> _Paired:
    """Pair the rows of equal names and splits, in the order of the second run."""
    mine = {_place(row): row for row in first.rows}
    found: list[tuple[Row, Row]] = []
    counts: Counter[bool | None] = Counter()
    for row in second.rows:
        match = mine.get(_place(row))
        if match is None:
            continue
        # One key is one definition: seed, rows and labelling are part of it.
        same = match["key"] == row["key"] or same_draw(
            first.plan, second.plan, (row["dataset"], row["labelling"])
        )
        counts[same] += 1
        if same:
            found.append((match, row))
    return _Paired(found, counts[False], counts[None])


def _place(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in _PLACE)


def _metrics(first: Results, second: Results) -> tuple[dict[str, bool | None], list[str]]:
    """Return the metrics that both runs have and one of them shows, and why others are left out."""
    mine, theirs = first.plan.metrics, second.plan.metrics
    shown = dict.fromkeys((*second.plan.shown, *first.plan.shown))
    known = {name for name in shown if name in mine and name in theirs}
    problems = [
        f"metric '{name}' is not the same in both runs ({_difference(first, second, name)}); it is not compared"
        for name in shown
        if name in known and mine[name] != theirs[name]
    ]
    problems += [
        f"metric '{name}' is in one run only; it is not compared" for name in shown if name not in known
    ]
    kept = [name for name in shown if name in known and mine[name] == theirs[name]]
    return {name: theirs[name].greater_is_better for name in kept}, problems


def _difference(first: Results, second: Results, name: str) -> str:
    mine, theirs = first.plan.metrics[name], second.plan.metrics[name]
    if mine.version != theirs.version:
        return f"version {mine.version} and {theirs.version}"
    words = {True: "higher is better", False: "lower is better", None: "no direction"}
    return f"{words[mine.greater_is_better]} and {words[theirs.greater_is_better]}"


def _scores(rows: Sequence[tuple[Row, Row]], metric: str) -> list[PairedScore]:
    """Return the scores of the cells in which both runs have one."""
    return [
        PairedScore(
            theirs["algorithm"],
            Block(theirs["dataset"], theirs["labelling"], theirs["criterion"]),
            float(mine[metric]),
            float(theirs[metric]),
            _overlap(theirs),
        )
        for mine, theirs in rows
        if _has(mine, metric) and _has(theirs, metric)
    ]


def _has(row: Row, metric: str) -> bool:
    return row["status"] == Status.OK and row.get(metric) is not None and not math.isnan(row[metric])


def _overlap(row: Row) -> float:
    train = (row.get("n_p") or 0) + (row.get("n_u") or 0)
    return float(row["n_test"] / train) if train and row.get("n_test") else math.nan


def _is_same(mine: Row, theirs: Row, metrics: Mapping[str, object]) -> bool:
    """Whether two rows are equal in every column that both have, times and keys aside."""
    shared = (mine.keys() & theirs.keys()) - _NOT_RESULTS
    return all(mine[name] == theirs[name] for name in shared) and all(name in shared for name in metrics)


def _only_in(own: Results, other: Results) -> OnlyIn:
    theirs = {_place(row) for row in other.rows}
    algorithms = dict.fromkeys(row["algorithm"] for row in own.rows)
    places = dict.fromkeys((row["dataset"], row["labelling"]) for row in own.rows)
    known = (
        {row["algorithm"] for row in other.rows},
        {(row["dataset"], row["labelling"]) for row in other.rows},
    )
    return OnlyIn(
        tuple(name for name in algorithms if name not in known[0]),
        tuple(" / ".join(place) for place in places if place not in known[1]),
        sum(_place(row) not in theirs for row in own.rows),
    )


def _has_ended(*pair: Row) -> bool:
    """Whether both runs have a result: a cell that is pending, or met a limit, may end differently elsewhere."""
    return all(row["status"] in (Status.OK, Status.FAILED) for row in pair)


def _status_changes(rows: Sequence[tuple[Row, Row]]) -> tuple[StatusChange, ...]:
    groups: dict[tuple[str, str], list[Row]] = {}
    for mine, theirs in rows:
        if mine["status"] != theirs["status"]:
            groups.setdefault((mine["status"], theirs["status"]), []).append(theirs)
    return tuple(
        StatusChange(before, after, len(found), cell_label(found[0]), str(found[0]["error"] or ""))
        for (before, after), found in groups.items()
    )


def cell_label(row: Row) -> str:
    """Return the names of a cell as one text."""
    names = (row["dataset"], row["labelling"], row["algorithm"], row["criterion"])
    return " / ".join([*(str(name) for name in names if name is not None), f"replicate {row['replicate']}"])


def _software(before: Sequence[Provenance], after: Sequence[Provenance]) -> Iterator[str]:
    """Name what the last run into each folder was made with, where it differs."""
    if not before or not after:
        return
    mine, theirs = (_versions(runs[-1]) for runs in (before, after))
    for name in dict.fromkeys((*mine, *theirs)):
        if mine.get(name) != theirs.get(name):
            yield f"{name}: {mine.get(name, 'none')} and {theirs.get(name, 'none')}"


def _versions(run: Provenance) -> dict[str, str]:
    plugins = {f"plugin {one.plugin}": one.version for one in run.plugins}
    return {"Python": run.python, "arithmetic": run.arithmetic, **run.packages, **plugins}
