"""The priors that several estimators find in one data set, next to the truth where it is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pubench.data.labelling import Labelling
from pubench.errors import DataError
from pubench.estimators.prior_statement import RANGE, PriorStatement, combine_estimates
from pubench.plan.datasets import ResolvedDataset
from pubench.plugins.registry import Registered
from pubench.priors import DEFAULT, PriorEstimate
from pubench.protocol.replies import PriorFound
from pubench.protocol.requests import Prepare, PriorRequest
from pubench.run.asking import TaskError, out_of_turn, replies
from pubench.run.labels import label_whole
from pubench.run.workplace import Workplace
from pubench.sandbox import Sandbox, SandboxError, TaskLimits
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
    upper: float | None = None
    error: str = ""

    def estimate(self) -> PriorEstimate | None:
        """Return the estimate, None if there is none."""
        if self.value is None or self.low is None or self.high is None or self.level is None:
            return None
        return PriorEstimate(self.value, self.low, self.high, self.level, self.doubts, self.upper)


@dataclass(frozen=True, slots=True)
class PriorTable:
    """The data as they were labelled, the true prior (None if nobody knows it), and what the estimators say.

    ``statement`` sums up the default estimator and ``profile``; it is None if one of them has no estimate, and
    ``missing`` says why.
    """

    dataset: str
    scenario: Scenario
    labelling: str
    n_p: int
    n_u: int
    truth: float | None
    statement: PriorStatement | None
    rows: tuple[PriorRow, ...]
    missing: str = ""


def prior_table(
    dataset: ResolvedDataset,
    labelling: Labelling,
    estimators: Sequence[Registered[PriorEstimator]],
    *,
    seed: int = 0,
    files: Sequence[str] = (),
    seconds: float = 3600,
    memory_mb: int = 16_384,
    on_start: Callable[[str], None] = lambda name: None,
) -> PriorTable:
    """Label a data set and ask each estimator, in a process that holds no true class.

    Estimators of one package that follow each other share a process, so that what they have in common, such as the
    scores of the rows, may be computed once.

    Parameters
    ----------
    dataset : ResolvedDataset
    labelling : Labelling
        No rows are kept for testing, whatever it says.
    estimators : sequence of Registered
        Those that do not support the scenario or the rows say so in their row. The statement needs ``bbe`` and
        ``profile``.
    seed : int
        Random seed of the labels and of the estimators.
    files : sequence of str
        Plugin files that the estimators need.
    seconds, memory_mb
        What each estimator may use.
    on_start : callable
        Is given the name of each estimator before it starts.
    """
    data = dataset.plan
    refused = data if isinstance(data, str) else dataset.unfit(labelling)
    if isinstance(data, str) or refused:
        raise DataError(refused)
    labelled = label_whole(data, labelling, seed)
    assignment = labelled.assignment
    requests = [
        _refusal(entry.spec, dataset, labelling.scenario)
        or PriorRequest(
            data=data.stored.for_child(),
            preprocess=data.preprocess,
            scenario=labelling.scenario,
            seed=seed,
            name=entry.spec.name,
            function=entry.spec.function,
            params=dict(entry.spec.params),
        )
        for entry in estimators
    ]
    workplace, limits = Workplace(), TaskLimits(seconds, memory_mb)
    asking = _Asking(workplace, limits, tuple(files), [labelled.train, assignment.s], on_start)
    try:
        rows = tuple(asking.rows(requests))
    finally:
        workplace.close()
    n_p, statement = int(assignment.s.sum()), _statement(rows)
    return PriorTable(
        dataset=dataset.label,
        scenario=labelling.scenario,
        labelling=labelling.label,
        n_p=n_p,
        n_u=len(assignment.s) - n_p,
        truth=assignment.prior,
        statement=statement,
        rows=rows,
        missing="" if statement else _missing(rows),
    )


def _statement(rows: Sequence[PriorRow]) -> PriorStatement | None:
    found = {row.estimator: row.estimate() for row in rows}
    point, plausible = found.get(DEFAULT), found.get(RANGE)
    return combine_estimates(point, plausible) if point and plausible else None


def _missing(rows: Sequence[PriorRow]) -> str:
    """Say why there is no statement: who has no estimate, and the reason."""
    errors = {row.estimator: row.error for row in rows if row.value is None}
    name = DEFAULT if DEFAULT in errors else RANGE
    reason = errors.get(name) or f"'{name}' was not asked"
    if len(errors) == len(rows):
        return f"Nothing can be said about the prior, because no estimator can serve these data: {reason}."
    return f"There is no verdict on the prior, because it needs an estimate of '{name}': {reason}."


def _refusal(spec: PriorEstimator, dataset: ResolvedDataset, scenario: Scenario) -> PriorRow | None:
    reason = dataset.refused_by(f"prior estimator '{spec.name}'", spec.accepts)
    if scenario not in spec.scenarios:
        reason = f"prior estimator '{spec.name}' does not support {scenario} data"
    return PriorRow(spec.name, error=reason) if reason else None


@dataclass(frozen=True, slots=True)
class _Asking:
    """Asks estimators about the same rows."""

    workplace: Workplace
    limits: TaskLimits
    files: tuple[str, ...]
    arrays: list[Array]
    on_start: Callable[[str], None]

    def rows(self, requests: Sequence[PriorRequest | PriorRow]) -> Iterator[PriorRow]:
        """Yield a row for each request, and rows that are there already."""
        for package, group in groupby(requests, key=_package):
            if package is None:
                yield from (row for row in group if isinstance(row, PriorRow))
            else:
                yield from self._together([one for one in group if isinstance(one, PriorRequest)])

    def _together(self, requests: list[PriorRequest]) -> Iterator[PriorRow]:
        """Ask in one process, and in a new one after a failure."""
        while requests:
            prepare = Prepare(
                files=self.files, imports=tuple(dict.fromkeys(one.function for one in requests))
            )
            try:
                with self.workplace.algorithms.task(prepare, self.limits) as sandbox:
                    while requests:
                        yield self._ask(sandbox, requests[0])
                        requests = requests[1:]
            except (TaskError, SandboxError) as failure:
                yield PriorRow(requests[0].name, error=failure.problem.error)
                requests = requests[1:]

    def _ask(self, sandbox: Sandbox, request: PriorRequest) -> PriorRow:
        self.on_start(request.name)
        sandbox.allow(self.limits.seconds)
        found = next(replies(sandbox, request, self.arrays)).message
        if not isinstance(found, PriorFound):
            raise out_of_turn(sandbox, found)
        return PriorRow(
            estimator=request.name,
            value=found.value,
            low=found.low,
            high=found.high,
            level=found.level,
            seconds=found.seconds,
            doubts=found.doubts,
            upper=found.upper,
        )


def _package(request: PriorRequest | PriorRow) -> str | None:
    """Return the package that an estimator comes from, None for one that is not asked."""
    return None if isinstance(request, PriorRow) else request.function.partition(":")[0].partition(".")[0]
