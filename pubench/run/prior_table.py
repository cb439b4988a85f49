"""The priors that several estimators find in one data set, beside the truth where it is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pubench.data.labelling import Labelling
from pubench.errors import DataError
from pubench.plan.datasets import ResolvedDataset
from pubench.plugins.registry import Registered
from pubench.protocol.replies import PriorFound
from pubench.protocol.requests import Prepare, PriorRequest
from pubench.run.asking import TaskError, out_of_turn, replies
from pubench.run.labels import label_whole
from pubench.run.workplace import Workplace
from pubench.sandbox import SandboxError, TaskLimits
from pubench.specs import Array, PriorEstimator, Scenario

__all__ = ["PriorRow", "PriorTable", "prior_table"]


@dataclass(frozen=True, slots=True)
class PriorRow:
    """What one estimator says: its estimate and interval, or why there is none (``error``)."""

    estimator: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    seconds: float | None = None
    doubts: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class PriorTable:
    """The data as they were labelled, the true prior (None if nobody knows it), and a row for each estimator."""

    dataset: str
    scenario: Scenario
    labelling: str
    n_p: int
    n_u: int
    truth: float | None
    rows: tuple[PriorRow, ...]


def prior_table(
    dataset: ResolvedDataset,
    labelling: Labelling,
    estimators: Sequence[Registered[PriorEstimator]],
    *,
    seed: int = 0,
    files: Sequence[str] = (),
    seconds: float = 3600,
    memory_mb: int = 16_384,
) -> PriorTable:
    """Label a data set and ask each estimator, in a process that holds no true class.

    Parameters
    ----------
    dataset : ResolvedDataset
    labelling : Labelling
        No rows are kept for testing, whatever it says.
    estimators : sequence of Registered
        Those that do not support the scenario or the rows say so in their row.
    seed : int
        Random seed of the labels and of the estimators.
    files : sequence of str
        Plugin files that the estimators need.
    seconds, memory_mb
        What each estimator may use.
    """
    data = dataset.plan
    refused = data if isinstance(data, str) else dataset.unfit(labelling)
    if isinstance(data, str) or refused:
        raise DataError(refused)
    labelled = label_whole(data, labelling, seed)
    assignment = labelled.assignment
    workplace, limits = Workplace(), TaskLimits(seconds, memory_mb)

    def row(spec: PriorEstimator) -> PriorRow:
        request = PriorRequest(
            data=data.stored.for_child(),
            preprocess=data.preprocess,
            scenario=labelling.scenario,
            seed=seed,
            name=spec.name,
            function=spec.function,
            params=dict(spec.params),
        )
        arrays: list[Array] = [labelled.train, assignment.s]
        return _refusal(spec, dataset, labelling.scenario) or _ask(
            request, arrays, tuple(files), limits, workplace
        )

    try:
        rows = tuple(row(entry.spec) for entry in estimators)
    finally:
        workplace.close()
    n_p = int(assignment.s.sum())
    counts = n_p, len(assignment.s) - n_p
    scenario = labelling.scenario
    return PriorTable(dataset.label, scenario, labelling.label, *counts, assignment.prior, rows)


def _refusal(spec: PriorEstimator, dataset: ResolvedDataset, scenario: Scenario) -> PriorRow | None:
    reason = dataset.refused_by(f"prior estimator '{spec.name}'", spec.accepts)
    if scenario not in spec.scenarios:
        reason = f"prior estimator '{spec.name}' does not support {scenario} data"
    return PriorRow(spec.name, error=reason) if reason else None


def _ask(
    request: PriorRequest,
    arrays: Sequence[Array],
    files: tuple[str, ...],
    limits: TaskLimits,
    workplace: Workplace,
) -> PriorRow:
    try:
        with workplace.algorithms.task(Prepare(files=files, imports=(request.function,)), limits) as sandbox:
            found = next(replies(sandbox, request, arrays)).message
            if not isinstance(found, PriorFound):
                raise out_of_turn(sandbox, found)
    except (TaskError, SandboxError) as failure:
        return PriorRow(request.name, error=failure.problem.error)
    return PriorRow(
        request.name, found.value, found.low, found.high, found.level, found.seconds, found.doubts
    )
