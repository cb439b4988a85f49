"""Metrics that are added to finished cells: scored from stored predictions, without fitting anything again.

Test rows and labels follow from the plan. Each metric runs in the evaluator's process under the limits of its cell, and
each value is stored when it is known.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pubench.errors import PubenchError
from pubench.plan.jobs import Cell, Job
from pubench.plan.planning import ExecutionPlan
from pubench.plan.scorers import Scorer
from pubench.protocol.parts import CriterionPlan, MetricPlan
from pubench.protocol.replies import Evaluated
from pubench.results.predictions import StoredPredictions, labels_digest, read_predictions
from pubench.results.record import Record, RescoredValue
from pubench.results.rescored import is_computed
from pubench.results.run_folder import read_plan
from pubench.results.store import Store, read_predictions_index, read_records, read_rescored
from pubench.run.asking import Evaluator, TaskError
from pubench.run.given_prior import known_prior
from pubench.run.tasks import timeout
from pubench.run.workplace import Workplace
from pubench.sandbox.linux import is_protected, protect_memory, unprotect_memory
from pubench.status import Status

__all__ = ["Rescoring", "rescore_cells"]

_SHOWN_PROBLEMS = 5


@dataclass(frozen=True, slots=True)
class Rescoring:
    """What came of rescoring a run.

    Attributes
    ----------
    added : mapping of str to int
        How many cells each metric was added to; 0 where all finished cells had it.
    undefined : mapping of str to int
        In how many of those it is undefined; notes of the rows say why where it raised.
    missing : mapping of str to int
        How many finished cells still lack it.
    problems : tuple of str
        One sentence for each reason why a metric is missing somewhere; empty if none is.
    """

    added: Mapping[str, int]
    undefined: Mapping[str, int]
    missing: Mapping[str, int]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Pending:
    """A finished cell that lacks some metrics."""

    cell: Cell
    job: Job | None
    record: Record
    scorers: tuple[Scorer, ...]
    predictions: StoredPredictions | None


@dataclass(slots=True)
class _Findings:
    """What has been found so far: values, and what is in the way of others."""

    added: Counter[str] = field(default_factory=Counter)
    undefined: Counter[str] = field(default_factory=Counter)
    sentences: list[str] = field(default_factory=list)
    unplanned: list[Cell] = field(default_factory=list)
    without: list[Cell] = field(default_factory=list)
    relabelled: list[Cell] = field(default_factory=list)
    dropped: set[str] = field(default_factory=set)


def rescore_cells(folder: Path, planned: ExecutionPlan, scorers: Sequence[Scorer]) -> Rescoring:
    """Add metrics to the finished cells of a run folder, which the caller has locked.

    Parameters
    ----------
    folder : Path
    planned : ExecutionPlan
        The suite of the folder, planned again: its jobs say how rows are split and labelled.
    scorers : sequence of Scorer
        Cells that have a value of the same version keep it.

    Raises
    ------
    PubenchError
        If one of them can score none of the data.
    """
    _refuse_unfit(folder, planned, scorers)
    found, index = _Findings(), read_predictions_index(folder)
    found.sentences += index[1]
    pending = _pending(folder, planned, scorers, index[0])
    store = Store(folder, files=())
    try:
        with _workplace() as workplace:
            for one in pending:
                _rescore(one, folder, workplace, store, found)
    finally:
        store.close()
    if not any(record.status is Status.OK for record in read_records(folder)[0].values()):
        found.sentences.append(f"{folder} has no cell that ended as ok; run its suite first")
    names = [scorer.name for scorer in scorers]
    lacking = Counter(scorer.name for one in pending for scorer in one.scorers)
    return Rescoring(
        {name: found.added[name] for name in names},
        {name: found.undefined[name] for name in names},
        {name: lacking[name] - found.added[name] for name in names},
        (*_shortened(found.sentences), *_left_out(found)),
    )


def _refuse_unfit(folder: Path, planned: ExecutionPlan, scorers: Sequence[Scorer]) -> None:
    for scorer in scorers:
        if not planned.jobs or any(scorer.judges(job) for job in planned.jobs):
            continue
        if scorer.needs_classes:
            raise PubenchError(
                f"metric '{scorer.name}' needs true classes, which are unknown for all data in {folder}; "
                "name a criterion"
            )
        raise PubenchError(f"'{scorer.name}' is a criterion and judges PU data only; name a metric")


@contextlib.contextmanager
def _workplace() -> Iterator[Workplace]:
    """Open a workplace; while there is truth in this process, its memory is closed to those that it starts."""
    was_protected = is_protected()
    protect_memory()
    workplace = Workplace()
    try:
        yield workplace
    finally:
        workplace.close()
        if not was_protected:
            unprotect_memory()


def _pending(
    folder: Path, planned: ExecutionPlan, scorers: Sequence[Scorer], index: Mapping[str, StoredPredictions]
) -> list[_Pending]:
    """Return the finished cells that lack one of the metrics, each key once."""
    records, lines = read_records(folder)[0], {line.key: line for line in read_rescored(folder)[0]}
    jobs = {_place(cell): job for job in planned.jobs for cell in job.cells}
    cells = {cell.key: cell for cell in read_plan(folder).cells if not cell.skip}
    found = []
    for key, cell in cells.items():
        record, job = records.get(key), jobs.get(_place(cell))
        if record is None or record.status is not Status.OK:
            continue
        lacking = tuple(
            scorer
            for scorer in scorers
            if not is_computed(record, scorer.name, scorer.described.version)
            and not _is_rescored(lines.get((key, scorer.name)), scorer)
            and (job is None or scorer.judges(job))
        )
        if lacking:
            found.append(_Pending(cell, job, record, lacking, index.get(key)))
    return found


def _is_rescored(line: RescoredValue | None, scorer: Scorer) -> bool:
    """Whether a value stands; where the metric raised, it may have been fixed since."""
    return line is not None and line.version == scorer.described.version and not line.note


def _place(cell: Cell) -> tuple[object, ...]:
    return cell.dataset, cell.labelling, cell.replicate, cell.algorithm, cell.criterion


def _rescore(one: _Pending, folder: Path, workplace: Workplace, store: Store, found: _Findings) -> None:
    if one.predictions is None:
        found.without.append(one.cell)
        return
    if one.job is None:
        found.unplanned.append(one.cell)
        return
    try:
        predictions, labelled = read_predictions(folder, one.predictions), workplace.rows(one.job)
    except PubenchError as error:
        found.sentences.append(str(error))
        return
    y = labelled.truth.test
    if labels_digest(y) != one.predictions.labels:
        found.relabelled.append(one.cell)
        return
    prior = one.record.prior
    if prior is None:
        prior = known_prior(one.job, labelled).value
    for scorer in one.scorers:
        if scorer.name in found.dropped:
            continue
        try:
            evaluated = _evaluator(scorer, one.job, workplace).evaluate_test(y, predictions, prior)
        except TaskError as failure:
            found.dropped.add(scorer.name)
            found.sentences.append(_blaming(failure, scorer, one))
        else:
            value = _value(scorer, one.cell, evaluated)
            store.append_rescored(value)
            found.added[scorer.name] += 1
            found.undefined[scorer.name] += value.value is None


def _evaluator(scorer: Scorer, job: Job, workplace: Workplace) -> Evaluator:
    metrics = (scorer.plan,) if isinstance(scorer.plan, MetricPlan) else ()
    criteria = (scorer.plan,) if isinstance(scorer.plan, CriterionPlan) else ()
    return Evaluator(replace(job, criteria=(), metrics=metrics, pu_criteria=criteria), workplace)


def _value(scorer: Scorer, cell: Cell, evaluated: Evaluated) -> RescoredValue:
    return RescoredValue(
        cell=cell.key,
        metric=scorer.name,
        version=scorer.described.version,
        greater_is_better=scorer.described.greater_is_better,
        value=evaluated.values[scorer.name],
        note="; ".join(evaluated.notes),
    )


def _blaming(failure: TaskError, scorer: Scorer, one: _Pending) -> str:
    assert one.job is not None
    problem = failure.problem
    error = timeout(one.job).error if problem.status is Status.TIMEOUT else problem.error
    colon = ":" if problem.status is Status.FAILED else ""
    return (
        f"metric '{scorer.name}'{colon} {error} ({_name(one.cell)}); the values computed before are kept, "
        "all others are missing: fix the metric, then run the same command again"
    )


def _left_out(found: _Findings) -> Iterator[str]:
    """Yield a sentence for each reason why cells could not be rescored."""
    if found.without:
        yield (
            f"{_some(found.without)} no stored predictions ([store] predictions = true was not set when they were "
            "run, or their line was damaged); set it and run the suite with --force, which computes all cells again"
        )
    if found.unplanned:
        yield (
            f"{_some(found.unplanned)} no place in the suite as planned now; "
            "make its data available, or run the suite again"
        )
    if found.relabelled:
        yield (
            f"{_some(found.relabelled)} other test labels than when they were run, because the data or pubench have "
            "changed since; run the suite with --force, which computes all cells again"
        )


def _some(cells: Sequence[Cell]) -> str:
    if len(cells) == 1:
        return f"1 cell ({_name(cells[0])}) has"
    return f"{len(cells)} cells ({_name(cells[0])}, and others) have"


def _name(cell: Cell) -> str:
    names = [cell.dataset, cell.labelling, cell.algorithm, cell.criterion, f"replicate {cell.replicate}"]
    return ", ".join(name for name in names if name)


def _shortened(sentences: Sequence[str]) -> list[str]:
    distinct = list(dict.fromkeys(sentences))
    more = len(distinct) - _SHOWN_PROBLEMS
    return [*distinct[:_SHOWN_PROBLEMS], f"{more} more problems of this kind"] if more > 1 else distinct
