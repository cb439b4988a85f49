"""Several runs as one, for reports and exports."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from pubench.errors import PubenchError
from pubench.plan.jobs import Cell, Plan, PlannedMetric
from pubench.results.draws import refuse_other_draws, replicate_notes
from pubench.results.record import AFTER_METRICS, BEFORE_METRICS, MEASURED
from pubench.results.shards import part_sentence
from pubench.results.table import Results, Row, read_results
from pubench.status import Status
from pubench.suite.reporting import PaperConfig

__all__ = ["merge_results", "read_runs"]

_ROUNDING = 1e-6
_PLACE = ("dataset", "labelling", "replicate", "algorithm", "criterion")


def read_runs(folders: Sequence[Path]) -> Results:
    """Read the runs of some folders as one."""
    return merge_results([read_results(folder) for folder in folders])


def merge_results(several: Sequence[Results]) -> Results:
    """Put the rows of several runs together.

    A cell that two runs share, by key and names, is taken once, from the run that has finished it. Rules of comparison
    are those of the first run; where another has different ones, a problem says so. Shards of one suite are put in the
    order of the suite.

    Raises
    ------
    PubenchError
        If two runs draw different splits of a data set, have different cells under the same names, or differ in what
        a metric is.
    """
    first, *others = several
    if not others:
        return first
    refuse_other_draws(several)
    problems = [problem for results in several for problem in results.problems]
    for other in others:
        if other.plan.report != first.plan.report:
            problems.append(f"{other.folder}: has other keys in [report]; those of {first.folder} are used")
    problems += replicate_notes(several)
    plans = [results.plan for results in several]
    about = [*(plan.description for plan in plans), part_sentence(plans)]
    plan = Plan(
        suite=" + ".join(dict.fromkeys(plan.suite for plan in plans)),
        description=" ".join(dict.fromkeys(filter(None, about))),
        metrics=_metrics(several),
        shown=tuple(dict.fromkeys(name for plan in plans for name in plan.shown)),
        cells=_cells(plans),
        report=first.plan.report,
        paper=next((plan.paper for plan in plans if plan.paper.citation), PaperConfig()),
        parts=tuple({part.place: part for plan in plans for part in plan.parts}.values()),
        cut=_cut(plans),
        priors=_priors(plans),
    )
    rows = [_aligned(row, plan) for row in _rows(several)]
    order = {tuple(getattr(cell, name) for name in _PLACE): number for number, cell in enumerate(plan.cells)}
    rows.sort(key=lambda row: order[_place(row)])
    return Results(first.folder, plan, tuple(rows), tuple(problems))


def _priors(plans: Sequence[Plan]) -> tuple[str, ...]:
    """Return where the class prior comes from; nothing where a run does not say it."""
    if not all(plan.priors for plan in plans):
        return ()
    return tuple(dict.fromkeys(words for plan in plans for words in plan.priors))


def _cut(plans: Sequence[Plan]) -> tuple[str, ...] | None:
    """Return the algorithms that are cut at the prior; None where a run does not say it, or two do not agree."""
    if any(plan.cut is None for plan in plans):
        return None
    cut = dict.fromkeys(name for plan in plans for name in plan.cut or ())
    own = {
        cell.algorithm for plan in plans for cell in plan.own_cells if cell.algorithm not in (plan.cut or ())
    }
    return None if own & cut.keys() else tuple(cut)


def _cells(plans: Sequence[Plan]) -> tuple[Cell, ...]:
    """Return the cells of all plans, those of parts of one plan in its order."""
    own = dict.fromkeys(cell for plan in plans for cell in plan.own_cells)
    if any(plan.cells != plans[0].cells for plan in plans):
        return tuple(own)
    return tuple(cell for cell in plans[0].cells if cell in own)


def _aligned(row: Row, plan: Plan) -> Row:
    """Return a row with all metrics, in the order of exports: a run may lack one that another has."""
    if [name for name in row if name in plan.metrics] == [*plan.metrics]:
        return row
    before, after = ([column.name for column in columns] for columns in (BEFORE_METRICS, AFTER_METRICS))
    return {name: row.get(name) for name in (*before, *plan.metrics, *after)}


def _place(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in _PLACE)


def _metrics(several: Sequence[Results]) -> Mapping[str, PlannedMetric]:
    found: dict[str, PlannedMetric] = {}
    for results in several:
        for name, metric in results.plan.metrics.items():
            if found.setdefault(name, metric) != metric:
                raise PubenchError(
                    f"{several[0].folder} and {results.folder} differ in what metric '{name}' is; "
                    "run both with the same version"
                )
    return found


def _rows(several: Sequence[Results]) -> list[Row]:
    rows: dict[tuple[object, ...], Row] = {}
    places: dict[tuple[object, ...], tuple[str, Results]] = {}
    for results in several:
        for row in results.rows:
            key, place = row["key"], _place(row)
            taken, by = places.setdefault(place, (key, results))
            if taken != key and by is not results:
                raise PubenchError(
                    f"{by.folder} and {results.folder} have different results for {_words(place)}; "
                    "give one of them another name in its suite"
                )
            if place not in rows or rows[place]["status"] == Status.PENDING:
                rows[place] = row
            elif _contradicts(rows[place], row):
                raise PubenchError(
                    f"{by.folder} and {results.folder} have different results of the same cell, {_words(place)}: one "
                    "was altered, or its algorithm is not reproducible; `pubench compare` shows what differs"
                )
    return list(rows.values())


def _words(place: tuple[object, ...]) -> str:
    return " / ".join(str(part) for part in place if part is not None)


def _contradicts(mine: Row, theirs: Row) -> bool:
    """Whether two finished rows of one cell differ by more than the rounding of two machines; times may."""
    if not mine["status"] == theirs["status"] == Status.OK:
        return False
    pairs = ((mine[name], theirs.get(name)) for name in mine if name not in MEASURED)
    return any(
        not math.isclose(one, other, rel_tol=_ROUNDING, abs_tol=_ROUNDING)
        for one, other in pairs
        if isinstance(one, float) and isinstance(other, float)
    )
