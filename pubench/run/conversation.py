"""Run one job: label and split here, tune, fit and score in the sandbox, evaluate here again.

This process holds the truth and runs no algorithm; the child runs the algorithm and holds no truth.
"""

from __future__ import annotations

import time

import msgspec

from pubench.plan.jobs import Cell, Job
from pubench.plugins.imports import load_files
from pubench.protocol import (
    CellsRequest,
    CellStarted,
    End,
    Failed,
    Introspection,
    OracleQuestion,
    OracleValues,
    Predictions,
    ProtocolError,
    Ready,
    Reply,
    Result,
    Searched,
    Trial,
)
from pubench.results.record import Record, TrialRecord
from pubench.run.evaluation import evaluate, is_collapsed, model_record, regret
from pubench.run.labels import LabelledRows, label_job
from pubench.sandbox import Sandbox, SandboxError
from pubench.sandbox.wire import Envelope
from pubench.scoring import score_criteria
from pubench.specs import Array
from pubench.status import Problem, Status
from pubench.suite.columns import on_training
from pubench.tasks import CriterionPlan

__all__ = ["run_job"]

IMPORT_SECONDS = 120.0


def run_job(job: Job, sandbox: Sandbox) -> list[Record]:
    """Return one record for each cell of the job, whatever happens."""
    try:
        load_files(job.files)
        labelled = label_job(job)
    except Exception as error:
        return [Record.of_problem(cell.key, Problem.of(error)) for cell in job.cells]
    conversation = Conversation(job, sandbox, labelled)
    while conversation.pending:
        conversation.run()
    return [conversation.records[cell.key] for cell in job.cells]


class Conversation:
    """The requests and replies about one job, and the records that come of them."""

    def __init__(self, job: Job, sandbox: Sandbox, labelled: LabelledRows) -> None:
        self.job, self.sandbox, self.labelled = job, sandbox, labelled
        self.truth, self.assignment = labelled.truth, labelled.assignment
        self.pending: list[tuple[Cell, CriterionPlan]] = list(zip(job.cells, job.criteria, strict=True))
        self.records: dict[str, Record] = {}
        self._searched: Searched | None = None
        self._current: tuple[Cell, CriterionPlan] | None = None
        self._sent: list[tuple[Cell, CriterionPlan]] = []
        self._alone = False

    def run(self) -> None:
        """Send what is pending and listen until the child has answered, failed or died."""
        self._searched = self._current = None
        self._sent = self.pending[:1] if self._alone else list(self.pending)
        limits = self.job.limits
        try:
            self.sandbox.send(self._request(), self._arrays(), seconds=max(limits.seconds, IMPORT_SECONDS))
            deadline = time.monotonic() + max(limits.seconds, IMPORT_SECONDS)
            while True:
                envelope = self.sandbox.receive(seconds=max(0.0, deadline - time.monotonic()))
                if isinstance(envelope.message, End):
                    return self._check_complete()
                # The clock starts when imports are done, and again for each further cell.
                if isinstance(envelope.message, Ready | Result):
                    deadline = time.monotonic() + limits.seconds
                if self._hear(envelope):
                    return None
        except SandboxError as failure:
            self._lost(failure.problem)

    def _check_complete(self) -> None:
        """Refuse an end that leaves cells without an answer; they would be asked for without end."""
        if self._open():
            raise self.sandbox.misbehaved("ended without a result for each cell")

    def _hear(self, envelope: Envelope[Reply]) -> bool:
        """Take a reply; return whether it was the last one of the request."""
        try:
            match envelope.message:
                case Ready():
                    pass
                case Searched():
                    self._searched = envelope.message
                case CellStarted(criterion=name):
                    self._current = self._pending(name)
                case OracleQuestion():
                    self._answer_oracle(envelope.message, envelope.arrays)
                case Result():
                    self._keep_result(envelope.message, envelope.arrays)
                case Introspection():
                    self._keep_introspection(envelope.message, envelope.arrays)
                case Failed(problem=problem):
                    return self._keep_problem(problem)
                case other:
                    raise ProtocolError(f"{type(other).__name__} out of turn")
        except ProtocolError as error:
            raise self.sandbox.misbehaved(f"broke the protocol: {error}") from None
        return False

    def _pending(self, name: str | None) -> tuple[Cell, CriterionPlan]:
        """Return the pending cell of a criterion that was asked for."""
        for cell, criterion in self._open():
            if criterion.name == name:
                return cell, criterion
        raise ProtocolError(f"no cell of criterion '{name}' is open")

    def _lost(self, problem: Problem) -> None:
        """Record that the child is gone."""
        unanswered = self._open()
        if not unanswered:
            # Only introspection was under way.
            return
        if problem.status is Status.TIMEOUT:
            reason = f"did not finish within {self.job.limits.seconds:g} seconds"
            problem = msgspec.structs.replace(problem, error=reason)
        if self._current is not None and self._current in unanswered:
            # Only the fit of this cell was under way; the others are asked for again in a new child.
            self._finish(self._current, Record.of_problem("", problem))
        elif len(unanswered) > 1:
            # One of the criteria may be to blame: from now on each searches on its own.
            self._alone = True
        else:
            self._finish(unanswered[0], Record.of_problem("", problem))

    def _open(self) -> list[tuple[Cell, CriterionPlan]]:
        """Return the cells of the request that have no record yet."""
        return [pair for pair in self._sent if pair in self.pending]

    def _keep_problem(self, problem: Problem) -> bool:
        unanswered = self._open()
        if self._current is not None and self._current in unanswered:
            self._finish(self._current, Record.of_problem("", problem))
            return False
        for pair in unanswered:
            self._finish(pair, Record.of_problem("", problem))
        return True

    def _finish(self, pair: tuple[Cell, CriterionPlan], record: Record, doubts: tuple[str, ...] = ()) -> None:
        """Complete a cell's record with what is known of the job."""
        cell, criterion = pair
        self.pending = [other for other in self.pending if other != pair]
        n_p = int(self.assignment.s.sum())
        notes = [*self.job.data.notes, *self.assignment.notes, *record.notes]
        if self._uses_prior(criterion):
            notes += [f"prior by {self.job.prior.name}: {doubt}" for doubt in doubts]
        else:
            record = msgspec.structs.replace(record, prior=None, prior_low=None, prior_high=None)
        self.records[cell.key] = msgspec.structs.replace(
            record,
            key=cell.key,
            n_p=n_p,
            n_u=len(self.assignment.s) - n_p,
            n_test=len(self.assignment.test),
            true_prior=self.assignment.prior,
            output=record.output or self.sandbox.output(),
            notes=tuple(notes),
            trials=self._trials(criterion.name),
        )

    def _uses_prior(self, criterion: CriterionPlan) -> bool:
        """Whether the cell used a prior, whatever the others of its job were given."""
        scorers = (criterion, *self.job.training)
        return "prior" in self.job.algorithm.receives or any(one.needs_prior for one in scorers)

    def _trials(self, name: str | None) -> tuple[TrialRecord, ...] | None:
        if self._searched is None or not self._searched.trials:
            return None

        def stored(trial: Trial) -> TrialRecord:
            return TrialRecord(trial.params, trial.values.get(str(name)), trial.seconds, trial.error)

        return tuple(map(stored, self._searched.trials))

    def _keep_introspection(self, found: Introspection, arrays: tuple[Array, ...]) -> None:
        """Keep a model's introspection beside the cells that it is the model of."""
        if any(not 0 <= column < found.size for column, _ in found.weights):
            raise ProtocolError("a weight of a column that does not exist")
        names = self.job.data.column_names
        record = model_record(self.job.metrics, self.truth.test, found, arrays, names)
        if record is not None:
            for cell, criterion in zip(self.job.cells, self.job.criteria, strict=True):
                if criterion.name in found.criteria and cell.key in self.records:
                    known = self.records[cell.key]
                    self.records[cell.key] = msgspec.structs.replace(known, inside=record)

    def _keep_result(self, result: Result, arrays: tuple[Array, ...]) -> None:
        pair, predictions = self._pending(result.criterion), Predictions.from_arrays(arrays)
        if len(predictions.score) != len(self.truth.test):
            reason = "scores came back for another number of rows"
            self._finish(pair, Record.of_problem("", Problem(Status.FAILED, reason)))
            return
        metrics, notes = self._evaluate(predictions, result)
        record = Record(
            key="",
            status=Status.OK,
            metrics=metrics,
            metric_versions={metric.name: metric.version for metric in self.job.metrics},
            notes=(*notes, *result.training_notes),
            params=result.params,
            prior=result.prior,
            prior_low=result.prior_low,
            prior_high=result.prior_high,
            tune_seconds=self._searched.seconds if self._searched else 0.0,
            fit_seconds=result.fit_seconds,
            score_seconds=result.score_seconds,
            peak_memory_mb=result.peak_memory_mb,
            collapsed=is_collapsed(predictions),
            regret=None if self.truth.posterior is None else regret(self.truth.posterior, predictions),
        )
        self._finish(pair, record, result.doubts)

    def _evaluate(
        self, predictions: Predictions, result: Result
    ) -> tuple[dict[str, float | None], tuple[str, ...]]:
        """Score the test rows: by metrics, or by PU criteria where true classes are unknown."""
        values, notes = evaluate(self.job.metrics, self.truth.test, predictions)
        if self.job.data.stored.pu:
            scenario = self.job.labelling.scenario
            pu_values, pu_notes = score_criteria(
                self.job.pu_criteria, self.truth.test, predictions, result.prior, scenario, where="test"
            )
            values, notes = values | pu_values, (*notes, *pu_notes)
        return values | {on_training(name): value for name, value in result.training.items()}, notes

    def _answer_oracle(self, question: OracleQuestion, arrays: tuple[Array, ...]) -> None:
        if not arrays:
            raise ProtocolError("a question without predictions")
        validation, predictions = arrays[0], Predictions.from_arrays(arrays[1:])
        whole = validation.dtype.kind in "iu" and validation.shape == predictions.score.shape
        if not whole or not ((validation >= 0) & (validation < len(self.truth.train))).all():
            raise ProtocolError("predictions for rows that are not training rows")
        y = self.truth.train[validation]
        if self.job.labelling.scenario == "case-control":
            # P was drawn separately: only U is a sample of the population.
            sample = self.assignment.s[validation] == 0
            y, predictions = y[sample], predictions.of(sample)
        metrics = [c.oracle for _, c in self._sent if c.oracle and c.name in question.criteria]
        found, _ = evaluate(metrics, y, predictions)
        values = OracleValues(values={f"oracle-{name}": value for name, value in found.items()})
        self.sandbox.send(values, seconds=self.job.limits.seconds)

    def _arrays(self) -> list[Array]:
        arrays: list[Array] = [self.labelled.train, self.assignment.s, self.labelled.test]
        return [*arrays, self.truth.train] if self.job.algorithm.labels == "true" else arrays

    def _request(self) -> CellsRequest:
        job = self.job
        prior = job.prior
        if prior.source == "true":
            prior = msgspec.structs.replace(prior, value=self.assignment.prior)
        return CellsRequest(
            files=job.files,
            data=job.data.stored.for_child(),
            preprocess=job.data.preprocess,
            scenario=job.labelling.scenario,
            algorithm=job.algorithm,
            criteria=tuple(criterion for _, criterion in self._sent),
            training=job.training,
            tuning=job.tuning,
            prior=prior,
            seeds=job.seeds,
        )
