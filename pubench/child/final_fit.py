"""In the child: fit on all training rows, predict the test rows, and look into the model."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from pubench.child.clock import Clock
from pubench.child.deciding import FittedModel
from pubench.child.fitting import predict
from pubench.child.introspection import estimated_propensity, is_open, look_inside, stage_number
from pubench.child.learning import Learning
from pubench.child.listening import TrainingListener
from pubench.child.memory import peak_mb, reset_peak
from pubench.child.plane import decision_plane
from pubench.child.rows import Fitting
from pubench.protocol import Predictions
from pubench.protocol.replies import End, Plane, Result
from pubench.protocol.requests import FitRequest
from pubench.scoring import score_criteria
from pubench.status import Problem

if TYPE_CHECKING:
    from pubench.sandbox.channel import Channel
    from pubench.specs import Array

__all__ = ["serve_fit"]


def serve_fit(request: FitRequest, arrays: Sequence[Array], channel: Channel) -> None:
    """Answer a request with the model's predictions, then with what it shows of itself."""
    reset_peak()
    learning = Learning(request.setting, arrays, TrainingListener(channel), Clock(request.seconds))
    fitting = learning.rows.fitting()
    X_test = fitting.preprocess.transform(learning.rows.test_rows())
    started = time.perf_counter()
    model = learning.fit(request.params, fitting)
    fitted = time.perf_counter()
    predictions = model.predict(X_test)
    scored, peak = time.perf_counter(), peak_mb()
    # Training rows come last: their cost is not the cell's.
    training, notes = _score_training(request, learning, model, fitting)
    result = Result(
        fit_seconds=fitted - started,
        score_seconds=scored - fitted,
        peak_memory_mb=peak,
        training=training,
        training_notes=notes,
    )
    channel.send(result, predictions.arrays())
    # Last of all: the result has been sent, whatever a model does when it is looked into.
    plane, errors = _plane(model, fitting)
    if is_open(model.estimator) or plane is not None or errors:
        image_shape = request.setting.data.image_shape
        decided = None if model.decisions is None else predictions
        own = predictions if decided is None else predict(model.estimator, X_test)
        found, stages = look_inside(model.estimator, X_test, own, image_shape, decided=decided)
        curves = _training_curves(request, learning, model, fitting, found.stages) if decided is None else {}
        whole = msgspec.structs.replace(found, plane=plane, training=curves, errors=(*found.errors, *errors))
        channel.send(whole, stages)
    propensities = estimated_propensity(model.estimator, fitting.X)
    if propensities is not None:
        channel.send(*propensities)
    channel.send(End())


def _training_curves(
    request: FitRequest, learning: Learning, model: FittedModel, fitting: Fitting, stages: Sequence[int]
) -> dict[str, tuple[float | None, ...]]:
    """Score the stages of a model by PU criteria on P and U; none where a stage or a criterion fails."""
    setting, kept = request.setting, set(stages)
    usable = [one for one in request.training if not (one.needs_prior and setting.prior_error)]
    if not usable or not kept:
        return {}
    X = fitting.preprocess.transform(learning.rows.X)
    found = []
    for place, scores in enumerate(model.estimator.staged_decision_function(X), start=1):
        if stage_number(model.estimator, place) in kept:
            score = np.asarray(scores, dtype=np.float64).reshape(-1)
            predictions = Predictions(score, (score >= 0).astype(np.uint8), None)
            found.append(
                score_criteria(
                    usable, learning.rows.s, predictions, setting.prior, setting.scenario, where="training"
                )[0]
            )
    if len(found) != len(kept):
        return {}
    return {str(one.name): tuple(values[str(one.name)] for values in found) for one in usable}


def _plane(model: FittedModel, fitting: Fitting) -> tuple[Plane | None, tuple[str, ...]]:
    """Return a model's decisions in the plane, or why there are none."""
    try:
        return decision_plane(model, fitting.X, fitting.labels), ()
    except Exception as error:
        return None, (f"boundary: {type(error).__name__}: {error}",)


def _score_training(
    request: FitRequest, learning: Learning, model: FittedModel, fitting: Fitting
) -> tuple[dict[str, float | None], tuple[str, ...]]:
    """Score a model by PU criteria on P and U, the rows it was trained on, where a suite asks for that."""
    criteria, setting, where = request.training, request.setting, "training"
    if not criteria:
        return {}, ()
    usable = [one for one in criteria if not (one.needs_prior and setting.prior_error)]
    none: dict[str, float | None] = {str(one.name): None for one in criteria}
    lost = [
        f"criterion '{one.name}' on {where} rows: {setting.prior_error}"
        for one in criteria
        if one not in usable
    ]
    try:
        predictions = model.predict(fitting.preprocess.transform(learning.rows.X))
    except Exception as raised:
        problem = Problem.of(raised).error
        return none, tuple(f"criterion '{one.name}' on {where} rows: {problem}" for one in criteria)
    s = learning.rows.s
    values, notes = score_criteria(usable, s, predictions, setting.prior, setting.scenario, where=where)
    return none | values, (*lost, *notes)
