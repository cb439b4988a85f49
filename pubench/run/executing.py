"""In a worker: carry out one task. Rows are labelled here, where the truth is; plugins run in other processes."""

from __future__ import annotations

from typing import assert_never

import msgspec

from pubench.plan.jobs import Job
from pubench.protocol.replies import PriorFound
from pubench.protocol.requests import Prepare, PriorRequest
from pubench.run.asking import TaskError, out_of_turn, replies, task_limits
from pubench.run.final_fit import run_fit
from pubench.run.given_prior import estimated_prior, known_prior
from pubench.run.labels import LabelledRows
from pubench.run.tasks import (
    FitTask,
    GivenPrior,
    Outcome,
    PriorTask,
    RowCounts,
    RowsTask,
    Task,
    TrialTask,
    timeout,
)
from pubench.run.trial import run_trial
from pubench.run.workplace import Workplace
from pubench.sandbox import SandboxError
from pubench.specs import Array
from pubench.status import Problem, Status

__all__ = ["execute"]


def execute(task: Task, workplace: Workplace) -> Outcome:
    """Return the outcome of a task, whatever a plugin does.

    Raises
    ------
    OSError
        If the stored data set cannot be read: that is no result of a cell.
    """
    outcome = _outcome(task, workplace)
    # The process of metrics makes its imports before the final fit, and not while the first trial waits for those of
    # algorithms.
    workplace.metrics.begin()
    return outcome


def _outcome(task: Task, workplace: Workplace) -> Outcome:
    try:
        labelled = workplace.rows(task.job)
    except OSError:
        raise
    except Exception as error:
        return Outcome(None, Problem.of(error))
    rows = _counts(labelled)
    try:
        return _execute(task, labelled, rows, workplace)
    except TaskError as failure:
        return Outcome(rows, _in_time(failure.problem, task.job), failure.blamed)
    except SandboxError as failure:
        return Outcome(rows, failure.problem)


def _in_time(problem: Problem, job: Job) -> Problem:
    """Say how long the limit of a cell is, not what was left of it for a task."""
    if problem.status is not Status.TIMEOUT:
        return problem
    return msgspec.structs.replace(problem, error=timeout(job).error)


def _execute(task: Task, labelled: LabelledRows, rows: RowCounts, workplace: Workplace) -> Outcome:
    match task:
        case RowsTask():
            return Outcome(rows, None)
        case PriorTask(job=job):
            return Outcome(rows, _run_prior(job, labelled, workplace))
        case TrialTask(job=job):
            prior = _prior(job, task.prior, labelled)
            return Outcome(rows, run_trial(task, prior, labelled, workplace))
        case FitTask(job=job):
            prior = _prior(job, task.prior, labelled)
            return Outcome(rows, run_fit(task, prior, labelled, workplace), prior=prior)
        case _:
            assert_never(task)


def _counts(labelled: LabelledRows) -> RowCounts:
    assignment = labelled.assignment
    n_p = int(assignment.s.sum())
    counts = n_p, len(assignment.s) - n_p, len(assignment.test)
    return RowCounts(*counts, assignment.prior, assignment.notes)


def _prior(job: Job, given: GivenPrior | None, labelled: LabelledRows) -> GivenPrior:
    prior = known_prior(job, labelled) if given is None else given
    if prior.error and job.algorithm.uses_prior:
        raise TaskError(Problem(Status.FAILED, prior.error))
    return prior


def _run_prior(job: Job, labelled: LabelledRows, workplace: Workplace) -> GivenPrior | Problem:
    """Ask the prior estimator of a job about its training rows."""
    plan = job.prior
    request = PriorRequest(
        data=job.data.stored.for_child(),
        preprocess=job.data.preprocess,
        scenario=job.labelling.scenario,
        seed=job.seeds.prior % 2**32,
        name=plan.name,
        function=plan.function,
        params=plan.params,
    )
    arrays: list[Array] = [labelled.train, labelled.assignment.s]
    prepare = Prepare(files=job.files, imports=(plan.function,))
    with workplace.algorithms.task(prepare, task_limits(job)) as sandbox:
        message = next(replies(sandbox, request, arrays)).message
        if not isinstance(message, PriorFound):
            raise out_of_turn(sandbox, message)
    prior = estimated_prior(job, message)
    return Problem(Status.FAILED, prior.error) if prior.error else prior
