"""From a job to the requests that a worker sends: what the child and the evaluator are told, and what they may use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pubench.plan.jobs import Job
from pubench.protocol import Predictions
from pubench.protocol.parts import MetricPlan
from pubench.protocol.replies import Evaluated, Failed, Reply, Scoring, Stages, TrainingStep
from pubench.protocol.requests import EvaluateRequest, Prepare, Request, Setting, StagesRequest, WarmUp
from pubench.run.labels import LabelledRows
from pubench.run.tasks import GivenPrior
from pubench.run.workplace import Workplace
from pubench.sandbox import Sandbox, SandboxError, TaskLimits
from pubench.sandbox.wire import Envelope
from pubench.specs import Array
from pubench.status import Problem

__all__ = [
    "Evaluator",
    "TaskError",
    "learner_arrays",
    "out_of_turn",
    "prepare_algorithm",
    "replies",
    "setting",
    "task_limits",
]

R = TypeVar("R", Evaluated, Stages)


def prepare_algorithm(job: Job) -> tuple[Prepare, WarmUp | None]:
    """Return what a process must import before it can run the tasks of a job, and the fit that warms it up.

    What uses a GPU is not warmed up: a process that has used one cannot be forked.
    """
    scorers = (*job.criteria, *job.watched, *job.training)
    functions = dict.fromkeys(scorer.function for scorer in scorers if scorer.function)
    prepare = Prepare(files=job.files, imports=(job.algorithm.estimator, *sorted(functions)))
    # Parameters that a suite sets are left out: one process serves all entries of an estimator.
    algorithm = job.algorithm
    warm_up = WarmUp(
        estimator=algorithm.estimator,
        receives=algorithm.receives,
        labels=algorithm.labels,
        scenario=algorithm.scenarios[0],
    )
    return prepare, None if algorithm.gpu else warm_up


def task_limits(job: Job, seconds: float | None = None, gpu: str = "") -> TaskLimits:
    """Return what one task of a job may use; ``gpu`` names the GPU that it has, where it has one."""
    limits = job.limits
    return TaskLimits(
        seconds=limits.seconds if seconds is None else seconds,
        memory_mb=limits.memory_mb,
        threads=limits.threads,
        # A process that has used a GPU cannot be given another one.
        shared=limits.isolation == "package" and not job.algorithm.gpu,
        gpu=gpu,
    )


def setting(job: Job, prior: GivenPrior) -> Setting:
    """Return what all fits of a job share."""
    return Setting(
        data=job.data.stored.for_child(),
        preprocess=job.data.for_algorithm,
        scenario=job.labelling.scenario,
        algorithm=job.algorithm,
        prior=prior.value,
        prior_error=prior.error,
        seeds=job.seeds,
    )


def learner_arrays(job: Job, labelled: LabelledRows) -> list[Array]:
    """Return the arrays that go with a fit; true labels or propensities only for a reference algorithm."""
    assignment = labelled.assignment
    arrays: list[Array] = [labelled.train, assignment.s, labelled.test]
    if job.algorithm.labels == "true":
        return [*arrays, labelled.truth.train]
    if job.algorithm.uses_propensity:
        assert assignment.propensity is not None, "cells without known propensities are not run"
        return [*arrays, assignment.propensity]
    return arrays


class TaskError(Exception):
    """A task has no result.

    ``blamed`` is the criterion or metric that was being computed, if there was one; ``out_of_turn`` marks a process
    that broke the protocol, so that nothing it said before is believed.
    """

    def __init__(self, problem: Problem, blamed: str | None = None, *, out_of_turn: bool = False) -> None:
        super().__init__(problem.error)
        self.problem, self.blamed, self.out_of_turn = problem, blamed, out_of_turn


def out_of_turn(sandbox: Sandbox, message: Reply) -> TaskError:
    """End a process that sent something nobody asked for, and return the error to raise."""
    problem = sandbox.misbehaved(f"broke the protocol: {type(message).__name__} out of turn").problem
    return TaskError(problem, out_of_turn=True)


def replies(
    sandbox: Sandbox,
    request: Request,
    arrays: Sequence[Array],
    on_step: Callable[[TrainingStep], None] | None = None,
) -> Iterator[Envelope[Reply]]:
    """Send a request and yield what comes back; ``on_step`` is told how far training is.

    Raises
    ------
    TaskError
        If the process reports a problem, dies, hangs or breaks the protocol, also in who reads the replies.
    """
    blamed: str | None = None
    try:
        sandbox.send(request, arrays)
        while True:
            envelope = sandbox.receive()
            match envelope.message:
                case Scoring(name=blamed):
                    continue
                case TrainingStep() as step:
                    if on_step is not None:
                        on_step(step)
                case Failed(problem=problem):
                    raise TaskError(problem)
                case _:
                    yield envelope
    except SandboxError as failure:
        raise TaskError(failure.problem, blamed) from None


class Evaluator:
    """Scores predictions with the metrics and criteria of a job, in the evaluator's process."""

    def __init__(self, job: Job, workplace: Workplace) -> None:
        self._job, self._processes = job, workplace.metrics
        oracles = [one.oracle for one in job.criteria if one.oracle is not None]
        functions = dict.fromkeys(one.function for one in (*job.metrics, *oracles))
        functions |= dict.fromkeys(one.function for one in job.pu_criteria)
        # Most plugin files hold algorithms, and importing them takes longer than most metrics.
        modules = {function.partition(":")[0] for function in functions}
        files = job.files if modules & {Path(file).stem for file in job.files} else ()
        self._prepare = Prepare(files=files, imports=tuple(functions))
        self.output = ""

    def evaluate(
        self, metrics: Iterable[MetricPlan], y: NDArray[np.uint8], predictions: Predictions
    ) -> Mapping[str, float | None]:
        """Return the value of each metric, None where it is undefined."""
        request = EvaluateRequest(metrics=tuple(metrics))
        return self._ask(request, [y, *predictions.arrays()], Evaluated).values

    def evaluate_test(self, y: NDArray[np.uint8], predictions: Predictions, prior: float | None) -> Evaluated:
        """Score the test rows: by metrics, or by PU criteria where true classes are unknown."""
        job = self._job
        request = EvaluateRequest(
            metrics=job.metrics,
            criteria=job.pu_criteria,
            prior=prior,
            scenario=job.labelling.scenario,
        )
        return self._ask(request, [y, *predictions.arrays()], Evaluated)

    def evaluate_stages(self, y: NDArray[np.uint8], scores: Array) -> Mapping[str, tuple[float | None, ...]]:
        """Return each metric after each of k stages with scores of shape (k, n)."""
        return self._ask(StagesRequest(metrics=self._job.metrics), [y, scores], Stages).values

    def _ask(self, request: Request, arrays: Sequence[Array], kind: type[R]) -> R:
        try:
            with self._processes.task(self._prepare, task_limits(self._job)) as sandbox:
                envelope = next(replies(sandbox, request, arrays))
                if not isinstance(envelope.message, kind):
                    raise out_of_turn(sandbox, envelope.message)
                self.output += sandbox.output()
                return envelope.message
        except SandboxError as failure:
            raise TaskError(failure.problem) from None
