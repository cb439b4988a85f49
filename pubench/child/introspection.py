"""In the child: model introspection, the scores after each stage and the weight of each column."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from pubench.child.forests import normalized_importances
from pubench.protocol import Predictions
from pubench.protocol.replies import EstimatedPropensity, Introspection, PixelWeights

if TYPE_CHECKING:
    from pubench.child.fitting import Estimator
    from pubench.data.values import Matrix
    from pubench.specs import Array

__all__ = ["estimated_propensity", "is_open", "look_inside", "stage_number", "thinned"]

STAGES, NUMBERS, COLUMNS, PIXELS = 50, 2_000_000, 100, 10_000
"""What is kept at most: stages of one model, scores of all of them, columns, and pixels, which an image keeps all."""
_WEIGHTS = {"feature_importances_": "importance", "coef_": "coefficient"}
_STAGED = "staged_decision_function"


def is_open(estimator: Estimator) -> bool:
    """Whether a model has stages or weights; properties are not asked for their values."""
    return any(hasattr(type(estimator), name) or name in vars(estimator) for name in (_STAGED, *_WEIGHTS))


def look_inside(
    estimator: Estimator,
    X: Matrix,
    predictions: Predictions,
    image_shape: tuple[int, ...] = (),
    *,
    decided: Predictions | None = None,
) -> tuple[Introspection, list[Array]]:
    """Ask a fitted estimator for its stages and weights.

    Parameters
    ----------
    estimator : object
        Scores after each stage come from its ``staged_decision_function``, weights from its ``feature_importances_``
        or, without them, ``coef_``.
    X : matrix of shape (n, d)
        The test rows.
    predictions : Predictions
        Its predictions for these rows. Stages that end in other predictions are not its own.
    image_shape : tuple of int
        Height and width where rows are images; else empty.
    decided : Predictions, optional
        Those with the decisions that replace its own. Each stage then calls as many rows positive as they do.

    Returns
    -------
    introspection, arrays
        With stages, ``arrays`` holds their scores, shape (k, n). What raises is reported in ``errors``. The weights of
        an image's pixels are all kept, as ``image``.
    """
    errors: list[str] = []
    weights = Introspection()
    numbers: tuple[int, ...] = ()
    arrays: list[Array] = []
    try:
        weights = _weights(estimator, image_shape)
    except Exception as error:
        errors.append(f"weights: {type(error).__name__}: {error}")
    try:
        if hasattr(estimator, _STAGED):
            stages, scores = thinned(getattr(estimator, _STAGED)(X), X.shape[0])
            _check_end(scores, predictions)
            numbers = tuple(stage_number(estimator, stage) for stage in stages)
            arrays = [scores if decided is None else _as_decided(scores, decided)]
    except Exception as error:
        errors.append(f"stages: {type(error).__name__}: {error}")
    return msgspec.structs.replace(weights, stages=numbers, errors=tuple(errors)), arrays


def stage_number(estimator: Estimator, place: int) -> int:
    """Return the number of the stage at a place, from 1: the estimator's ``stage_numbers_`` may leave some out."""
    numbers = getattr(estimator, "stage_numbers_", None)
    return place if numbers is None else int(numbers[place - 1])


def estimated_propensity(estimator: Estimator, X: Matrix) -> tuple[EstimatedPropensity, list[Array]] | None:
    """Ask a fitted estimator for Pr(s = 1 | y = 1, x) of rows of shape (n, d); None if it estimates none.

    They come from its ``predict_propensity(X)``, which returns n numbers in [0, 1].
    """
    if not hasattr(estimator, "predict_propensity"):
        return None
    try:
        found = np.asarray(estimator.predict_propensity(X), dtype=np.float64)
        if found.shape != (X.shape[0],) or not ((found >= 0) & (found <= 1)).all():
            raise ValueError(f"expected {X.shape[0]} numbers in [0, 1]")
    except Exception as error:
        return EstimatedPropensity(error=f"propensities: {type(error).__name__}: {error}"), []
    return EstimatedPropensity(), [found]


def thinned(stages: Iterable[ArrayLike], n: int) -> tuple[list[int], NDArray[np.float64]]:
    """Keep a bounded number of stages, evenly spaced, and the last one.

    Returns
    -------
    numbers : list of k int
        Which they are, from 1.
    scores : array of shape (k, n)
    """
    most = min(STAGES, NUMBERS // max(n, 1))
    if most < 2:
        raise ValueError(f"{n} rows are too many to keep")
    kept: list[tuple[int, NDArray[np.float64]]] = []
    step, number, last = 1, 0, None
    for number, stage in enumerate(stages, start=1):
        last = number, np.array(stage, dtype=np.float64).reshape(n)
        if number % step == 0:
            kept.append(last)
        if len(kept) > most:
            # Every second one, and from now on at twice the distance.
            kept, step = kept[1::2], 2 * step
    if last is None:
        raise ValueError("there is no stage")
    if not kept or kept[-1][0] != number:
        kept = [*kept[: most - 1], last]
    return [number for number, _ in kept], np.stack([scores for _, scores in kept])


def _check_end(scores: NDArray[np.float64], predictions: Predictions) -> None:
    if not np.isfinite(scores).all():
        raise ValueError("a score is NaN or infinite")
    same = np.allclose(scores[-1], predictions.score, rtol=1e-6, atol=1e-9)
    if not (same and np.array_equal(scores[-1] >= 0, predictions.decision == 1)):
        raise ValueError("the last stage is not what the model says of the rows")


def _as_decided(scores: NDArray[np.float64], decided: Predictions) -> NDArray[np.float64]:
    """Return the scores of stages, shape (k, n), less a cut each that keeps the share of positive rows."""
    from pubench.estimators.prior_cut import cut_at

    share = float(np.mean(decided.decision))
    return np.stack([*(stage - cut_at(stage, share) for stage in scores[:-1]), decided.score])


def _weights(estimator: Estimator, image_shape: tuple[int, ...]) -> Introspection:
    """Return the largest weights with their columns, and all of them for images."""
    for name, kind in _WEIGHTS.items():
        found = getattr(estimator, name, None)
        if found is None:
            continue
        values = np.asarray(found, dtype=np.float64).ravel()
        if not np.isfinite(values).all():
            raise ValueError(f"{name} holds NaN or infinity")
        order = np.argsort(-np.abs(values), kind="stable")[:COLUMNS]
        weights = tuple((int(column), _rounded(values[column])) for column in order if values[column] != 0)
        # Preprocessing may have dropped columns: what is left is not an image.
        whole = bool(image_shape) and math.prod(image_shape) == values.size <= PIXELS
        image = PixelWeights(shape=image_shape, pixels=tuple(map(_rounded, values))) if whole else None
        normalized = _normalized(estimator, image_shape) if whole and kind == "importance" else None
        return Introspection(of=kind, weights=weights, size=values.size, image=image, normalized=normalized)
    return Introspection()


def _normalized(estimator: Estimator, image_shape: tuple[int, ...]) -> PixelWeights | None:
    """Return the normalised importances of pixels: an estimator's own, or those of scikit-learn's forests."""
    found = getattr(estimator, "normalized_feature_importances_", None)
    if found is None:
        found = normalized_importances(estimator)
    if found is None or found.size != math.prod(image_shape):
        return None
    return PixelWeights(shape=image_shape, pixels=tuple(map(_rounded, found)))


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")
