"""In a worker: the final fit of a cell, evaluated with true labels, as a record without a key."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from pubench.plan.jobs import Job
from pubench.protocol import Predictions, ProtocolError
from pubench.protocol.replies import End, EstimatedPropensity, Introspection, Result
from pubench.protocol.requests import FitRequest
from pubench.results.predictions import PackedPredictions
from pubench.results.record import ModelRecord, PropensityRecord, Record
from pubench.run.asking import (
    Evaluator,
    TaskError,
    learner_arrays,
    out_of_turn,
    prepare_algorithm,
    replies,
    setting,
    task_limits,
)
from pubench.run.evaluation import (
    is_collapsed,
    model_record,
    propensity_record,
    regret,
    reliability_curve,
)
from pubench.run.labels import LabelledRows
from pubench.run.tasks import FitTask, GivenPrior, timeout
from pubench.run.workplace import Workplace
from pubench.sandbox import Sandbox
from pubench.specs import Array
from pubench.status import Problem, Status
from pubench.suite.columns import on_training

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["run_fit"]


@dataclass(frozen=True, slots=True)
class _Fitted:
    """What the child said of a model, and what it printed."""

    result: Result
    predictions: Predictions
    inside: Introspection | None
    stages: Array | None
    output: str
    propensity: Array | None = None


def run_fit(
    task: FitTask, prior: GivenPrior, labelled: LabelledRows, workplace: Workplace
) -> Record | Problem:
    """Return the record of a fit, without key and counts, or why there is none."""
    job = task.job
    # It starts while the model is fitted.
    workplace.metrics.begin()
    fitted = _fit(task, prior, labelled, workplace)
    if len(fitted.predictions.score) != len(labelled.truth.test):
        return Problem(Status.FAILED, "scores came back for another number of rows", output=fitted.output)
    evaluator = Evaluator(job, workplace)
    try:
        evaluated = evaluator.evaluate_test(labelled.truth.test, fitted.predictions, prior.value)
    except TaskError as failure:
        return _blaming(failure, job)
    training = {on_training(name): value for name, value in fitted.result.training.items()}
    posterior, result = labelled.truth.posterior, fitted.result
    packed = PackedPredictions.of(fitted.predictions, labelled.truth.test) if job.keep_predictions else None
    return Record(
        key="",
        status=Status.OK,
        metrics={**evaluated.values, **training},
        metric_versions={metric.name: metric.version for metric in job.metrics},
        notes=(*evaluated.notes, *result.training_notes),
        params=task.params,
        fit_seconds=result.fit_seconds,
        score_seconds=result.score_seconds,
        peak_memory_mb=result.peak_memory_mb,
        collapsed=is_collapsed(fitted.predictions),
        regret=None if posterior is None else regret(posterior, fitted.predictions),
        output=fitted.output + evaluator.output,
        inside=_inside(fitted, labelled, evaluator, job),
        predictions=packed,
    )


def _fit(task: FitTask, prior: GivenPrior, labelled: LabelledRows, workplace: Workplace) -> _Fitted:
    """Let the child fit and predict; what happens after it has sent its result does not spoil the result."""
    job, result, inside, propensity = task.job, None, None, None
    request = FitRequest(
        setting=setting(job, prior), params=task.params, training=job.training, seconds=job.limits.seconds
    )
    prepare, warm_up = prepare_algorithm(job)
    with workplace.algorithms.task(prepare, task_limits(job, gpu=task.gpu), warm_up) as sandbox:
        try:
            for envelope in replies(sandbox, request, learner_arrays(job, labelled), workplace.on_step(task)):
                match envelope.message:
                    case Result() if result is None:
                        result = envelope.message, _predictions(sandbox, envelope.arrays)
                        sandbox.allow(job.limits.seconds)
                    case Introspection() if result is not None and inside is None:
                        inside = _checked(sandbox, envelope.message), envelope.arrays
                    case EstimatedPropensity() if result is not None and propensity is None:
                        propensity = envelope.message, envelope.arrays
                    case End() if result is not None:
                        break
                    case other:
                        raise out_of_turn(sandbox, other)
        except TaskError as failure:
            if result is None or failure.out_of_turn:
                raise
        output = sandbox.output()
    assert result is not None
    stages = inside[1][0] if inside is not None and inside[1] else None
    found = inside[0] if inside is not None else None
    if propensity is not None and propensity[0].error:
        found = found or Introspection()
        found = msgspec.structs.replace(found, errors=(*found.errors, propensity[0].error))
    estimated = propensity[1][0] if propensity is not None and propensity[1] else None
    return _Fitted(*result, found, stages, output, estimated)


def _predictions(sandbox: Sandbox, arrays: tuple[Array, ...]) -> Predictions:
    try:
        return Predictions.from_arrays(arrays)
    except ProtocolError as error:
        raise _broken(sandbox, str(error)) from None


def _checked(sandbox: Sandbox, found: Introspection) -> Introspection:
    if any(not 0 <= column < found.size for column, _ in found.weights):
        raise _broken(sandbox, "a weight of a column that does not exist")
    if any(len(curve) != len(found.stages) for curve in found.training.values()):
        raise _broken(sandbox, "a curve of another length than its stages")
    if found.plane is not None and not _is_square(found.plane.positive):
        raise _broken(sandbox, "a plane that is not a square of decisions")
    return found


def _is_square(decisions: str) -> bool:
    return math.isqrt(len(decisions)) ** 2 == len(decisions) > 0 and set(decisions) <= {"0", "1"}


def _broken(sandbox: Sandbox, reason: str) -> TaskError:
    problem = sandbox.misbehaved(f"broke the protocol: {reason}").problem
    return TaskError(problem, out_of_turn=True)


def _blaming(failure: TaskError, job: Job) -> Problem:
    """Say which metric has ended the evaluator."""
    problem = failure.problem
    error = problem.error
    if problem.status is Status.TIMEOUT:
        error = timeout(job).error
    who = "the evaluation" if failure.blamed is None else f"metric '{failure.blamed}'"
    return msgspec.structs.replace(problem, error=f"{who} {error}")


def _inside(fitted: _Fitted, labelled: LabelledRows, evaluator: Evaluator, job: Job) -> ModelRecord | None:
    """Return a model's introspection; a metric that fails on the stages of a model leaves no curves."""
    found, scores, y = fitted.inside or Introspection(), fitted.stages, labelled.truth.test
    curves: Mapping[str, tuple[float | None, ...]] = {}
    if found.stages and job.metrics and scores is not None and scores.shape == (len(found.stages), len(y)):
        with contextlib.suppress(TaskError):
            curves = evaluator.evaluate_stages(y, scores)
    # Without metrics the true classes are unknown.
    points = reliability_curve(y, fitted.predictions) if job.metrics else ()
    compared = _propensities(fitted.propensity, labelled)
    return model_record(found, curves, job.data.column_names, points, compared)


def _propensities(estimated: Array | None, labelled: LabelledRows) -> PropensityRecord | None:
    """Compare propensities of the training positives with the true ones; None where either is unknown."""
    true, positive = labelled.assignment.propensity, labelled.truth.train == 1
    if true is None or estimated is None or estimated.shape != true.shape or estimated.dtype.kind != "f":
        return None
    return propensity_record(true[positive], estimated[positive])
