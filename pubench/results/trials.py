"""The trials of a run: those of each tuned cell, and all of them as one table for studies of selection rules."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pubench.plan.jobs import Cell
from pubench.protocol.replies import Trial
from pubench.results.record import EvaluatedTrial, Record, StoredTrial, TrialRecord
from pubench.results.run_folder import read_plan
from pubench.results.store import read_evaluated, read_records, read_searches
from pubench.results.table import Row

__all__ = ["read_judged", "read_trials", "trial_rows"]

_CELL = ("dataset", "scenario", "labelling", "replicate", "algorithm")
_SEPARATOR = ";"


def read_trials(folder: Path) -> dict[str, tuple[TrialRecord, ...]]:
    """Return the trials of each tuned cell by its key, with the value of the criterion that the cell was chosen by."""
    searches = read_searches(folder)
    if not searches:
        return {}
    return {
        key: tuple(_trial_record(line.trial, record.criterion) for line in _own(searches, record))
        for key, record in read_records(folder)[0].items()
        if record.search in searches
    }


def _own(searches: Mapping[str, Sequence[StoredTrial]], record: Record) -> list[StoredTrial]:
    """Return the trials that a cell was chosen from: others of its search came in later."""
    return [
        line for line in searches[record.search] if record.n_trials is None or line.number < record.n_trials
    ]


def _trial_record(trial: Trial, criterion: str) -> TrialRecord:
    error = trial.error or trial.problems.get(criterion, "")
    return TrialRecord(trial.params, trial.value(criterion), trial.seconds, error, trial.pruned)


def read_judged(folder: Path) -> dict[str, dict[int, Mapping[str, float | None]]]:
    """Return, for each tuned cell by its key, the metrics of the trials of its search that were judged on test rows."""
    evaluated = read_evaluated(folder)
    return {
        key: {line.number: line.metrics for line in evaluated[record.search]}
        for key, record in read_records(folder)[0].items()
        if record.search in evaluated
    }


@dataclass(frozen=True, slots=True)
class _Searched:
    """A search that has ended: a cell that it served, its trials, how they do on test rows, and who chose which."""

    suite: str
    cell: Cell
    trials: Sequence[StoredTrial]
    evaluated: Mapping[str, EvaluatedTrial]
    chosen: Mapping[str, tuple[str, ...]]


def trial_rows(folders: Iterable[Path], *, times: bool = True) -> list[Row]:
    """Return one row for each trial of the searches that have ended, in the order of plans and proposals.

    A row has the mean of each criterion over the folds and its value on each fold, the criteria that chose the trial
    and, where the suite has ``trials = true`` under ``[store]``, each metric on the test rows. A setting that a search
    proposed twice has one fit, and its metrics stand in each of its rows.
    """
    found: dict[str, _Searched] = {}
    for folder in folders:
        for key, searched in _searches(folder).items():
            found.setdefault(key, searched)
    trials = [line.trial for searched in found.values() for line in searched.trials]
    folds: dict[str, int] = {}
    for trial in trials:
        for name, values in trial.folds.items():
            folds[name] = max(folds.get(name, 0), len(values))
    judged = [line for searched in found.values() for line in searched.evaluated.values()]
    metrics = tuple(dict.fromkeys(name for line in judged for name in line.metrics))
    return [
        _row(key, searched, line, folds, metrics, times=times)
        for key, searched in found.items()
        for line in searched.trials
    ]


def _searches(folder: Path) -> dict[str, _Searched]:
    plan, records = read_plan(folder), read_records(folder)[0]
    searches, evaluated = read_searches(folder), read_evaluated(folder)
    served: dict[str, list[tuple[Cell, Record]]] = {}
    for cell in plan.own_cells:
        record = records.get(cell.key)
        if record is not None and record.search in searches:
            served.setdefault(record.search, []).append((cell, record))
    found = {}
    for key, pairs in served.items():
        trials = max((_own(searches, record) for _, record in pairs), key=len)
        names = {line.number: _name(line.trial) for line in searches[key]}
        judged = {names[line.number]: line for line in evaluated.get(key, ()) if line.number in names}
        found[key] = _Searched(plan.suite, pairs[0][0], trials, judged, _chosen(pairs))
    return found


def _chosen(pairs: Iterable[tuple[Cell, Record]]) -> dict[str, tuple[str, ...]]:
    """Return, by setting, the criteria that chose it."""
    found: dict[str, tuple[str, ...]] = {}
    for _, record in pairs:
        if record.params is not None:
            name = json.dumps(record.params, sort_keys=True)
            found[name] = (*found.get(name, ()), record.criterion)
    return found


def _name(trial: Trial) -> str:
    return json.dumps(trial.params, sort_keys=True)


def _row(
    key: str,
    searched: _Searched,
    line: StoredTrial,
    folds: Mapping[str, int],
    metrics: Sequence[str],
    *,
    times: bool,
) -> Row:
    trial, name = line.trial, _name(line.trial)
    judged = searched.evaluated.get(name)
    row: Row = {"suite": searched.suite}
    row |= {column: getattr(searched.cell, column) for column in _CELL}
    row |= {"search": key, "trial": line.number, "params": name, "pruned": trial.pruned}
    row |= {"error": trial.error or None, "chosen_by": _SEPARATOR.join(searched.chosen.get(name, ())) or None}
    for criterion, number in folds.items():
        row[f"criterion:{criterion}"] = trial.value(criterion)
        values = trial.folds.get(criterion, ())
        for fold in range(number):
            row[f"criterion:{criterion}:{fold + 1}"] = values[fold] if fold < len(values) else None
    row |= {f"metric:{metric}": judged and judged.metrics.get(metric) for metric in metrics}
    row |= {"collapsed": judged and judged.collapsed, "fit_error": (judged and judged.error) or None}
    return row | {"seconds": trial.seconds} if times else row
