"""In a worker: one trial of a search, with the oracle criteria answered where the truth is."""

from __future__ import annotations

import msgspec

from pubench.protocol import Predictions, ProtocolError
from pubench.protocol.replies import OracleQuestion, Trial
from pubench.protocol.requests import OracleValues, TrialRequest
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
from pubench.run.labels import LabelledRows
from pubench.run.tasks import GivenPrior, TrialTask
from pubench.run.workplace import Workplace
from pubench.specs import Array

__all__ = ["run_trial"]

_ORACLE = "oracle-"


def run_trial(task: TrialTask, prior: GivenPrior, labelled: LabelledRows, workplace: Workplace) -> Trial:
    """Return the trial of one set of parameters.

    Raises
    ------
    TaskError
        If its process ends without an answer.
    """
    job = task.job
    assert job.tuning is not None
    request = TrialRequest(
        setting=setting(job, prior),
        search=job.tuning,
        criteria=task.criteria,
        params=task.params,
        seconds=task.seconds,
        pruning=task.pruning,
    )
    prepare, warm_up = prepare_algorithm(job)
    with workplace.algorithms.task(prepare, task_limits(job, task.seconds, task.gpu), warm_up) as sandbox:
        for envelope in replies(sandbox, request, learner_arrays(job, labelled), workplace.on_step(task)):
            match envelope.message:
                case Trial():
                    return msgspec.structs.replace(envelope.message, params=task.params)
                case OracleQuestion(criteria=names):
                    try:
                        rows = _validation(envelope.arrays, labelled)
                    except ProtocolError as error:
                        raise TaskError(sandbox.misbehaved(f"broke the protocol: {error}").problem) from None
                    values = _oracle_values(task, names, rows, labelled, workplace)
                    sandbox.send(OracleValues(values=values))
                case other:
                    raise out_of_turn(sandbox, other)
    raise AssertionError("the replies to a request have no end")


def _validation(arrays: tuple[Array, ...], labelled: LabelledRows) -> tuple[Array, Predictions]:
    """Return the rows of a question, as positions among the training rows, and the predictions for them."""
    if not arrays:
        raise ProtocolError("a question without predictions")
    validation, predictions = arrays[0], Predictions.from_arrays(arrays[1:])
    whole = validation.dtype.kind in "iu" and validation.shape == predictions.score.shape
    if not whole or not ((validation >= 0) & (validation < len(labelled.truth.train))).all():
        raise ProtocolError("predictions for rows that are not training rows")
    return validation, predictions


def _oracle_values(
    task: TrialTask,
    names: tuple[str, ...],
    rows: tuple[Array, Predictions],
    labelled: LabelledRows,
    workplace: Workplace,
) -> dict[str, float | None]:
    """Return the value of each oracle criterion on validation rows."""
    validation, predictions = rows
    y = labelled.truth.train[validation]
    if task.job.labelling.scenario == "case-control":
        # P was drawn separately: only U is a sample of the population.
        sample = labelled.assignment.s[validation] == 0
        y, predictions = y[sample], predictions.of(sample)
    metrics = [one.oracle for one in task.criteria if one.oracle and one.name in names]
    try:
        found = Evaluator(task.job, workplace).evaluate(metrics, y, predictions)
    except TaskError as failure:
        blamed = None if failure.blamed is None else f"{_ORACLE}{failure.blamed}"
        raise TaskError(failure.problem, blamed) from None
    return {f"{_ORACLE}{name}": value for name, value in found.items()}
