"""All that a run folder holds, to be put together with others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pubench.errors import DamagedFileError
from pubench.plan.jobs import Plan
from pubench.results.predictions import StoredPredictions
from pubench.results.record import EvaluatedTrial, ModelRecord, Record, RescoredValue, StoredTrial
from pubench.results.run_folder import read_plan, read_provenance
from pubench.results.store import (
    detail_problems,
    read_evaluated,
    read_inside,
    read_predictions_index,
    read_records,
    read_rescored,
    read_searches,
)
from pubench.specs import JSONValue

__all__ = ["RunContent", "read_content"]


@dataclass(frozen=True, slots=True)
class RunContent:
    """The content of one run folder; ``problems`` says what could not be read."""

    folder: Path
    plan: Plan
    records: dict[str, Record]
    trials: dict[tuple[str, int], StoredTrial]
    evaluated: dict[tuple[str, int], EvaluatedTrial]
    inside: dict[str, ModelRecord]
    predictions: dict[str, StoredPredictions]
    rescored: dict[tuple[str, str], RescoredValue]
    provenance: list[JSONValue]
    problems: tuple[str, ...]


def read_content(folder: Path) -> RunContent:
    """Read a run folder; what is damaged is left out and named in ``problems``."""
    plan = read_plan(folder)
    records, problems = read_records(folder)
    finished = {key: record for key, record in records.items() if record.status.is_finished}
    trials = {trial.key: trial for lines in read_searches(folder).values() for trial in lines}
    evaluated = {judged.key: judged for lines in read_evaluated(folder).values() for judged in lines}
    try:
        provenance = read_provenance(folder)
    except DamagedFileError as error:
        provenance, problems = [], (*problems, str(error))
    found = *problems, *detail_problems(folder)
    index, rescored = read_predictions_index(folder)[0], {line.key: line for line in read_rescored(folder)[0]}
    beside = trials, evaluated, read_inside(folder), index, rescored
    return RunContent(folder, plan, finished, *beside, provenance, found)
