"""In the child: what a fitted model tells of itself, its scores after each stage and the weight of each column."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pubench.data.values import Matrix
    from pubench.protocol import Predictions

__all__ = ["Model", "look_inside", "offers", "show", "thinned"]

STAGES, NUMBERS, COLUMNS, PIXELS = 50, 2_000_000, 100, 10_000
"""What is kept at most: stages of one model, scores of all of them, columns, and pixels, which an image keeps all."""
_WEIGHTS = {"feature_importances_": "importance", "coef_": "coefficient"}
_STAGED = "staged_decision_function"


class Model(NamedTuple):
    """A fitted estimator, if it can be looked into, what it says of the test rows, and which criteria chose it.

    ``told`` goes along with its predictions: what it cost, and how it is judged on training rows.
    """

    predictions: Predictions
    told: dict[str, Any]
    estimator: Any
    X_test: Matrix
    criteria: list[str | None]
    image_shape: tuple[int, ...] = ()


def show(model: Model, send: Callable[[dict[str, Any], Sequence[NDArray[Any]]], None]) -> None:
    """Send what a model tells of itself, if it tells anything."""
    if model.estimator is not None and model.criteria:
        header, arrays = look_inside(model.estimator, model.X_test, model.predictions, model.image_shape)
        send({"kind": "inside", "criteria": model.criteria} | header, arrays)


def offers(estimator: Any) -> bool:
    """Whether there is anything to see; properties are not asked for their values."""
    return any(hasattr(type(estimator), name) or name in vars(estimator) for name in (_STAGED, *_WEIGHTS))


def look_inside(
    estimator: Any, X: Matrix, predictions: Predictions, image_shape: tuple[int, ...] = ()
) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Ask a fitted estimator for its stages and weights.

    Parameters
    ----------
    estimator : object
        Scores after each stage come from its ``staged_decision_function``, weights from its ``feature_importances_``
        or, without them, ``coef_``.
    X : matrix of shape (n, d)
        The test rows.
    predictions : Predictions
        What it said of these rows. Stages whose end is something else are not its own.
    image_shape : tuple of int
        Height and width where rows are images; else empty.

    Returns
    -------
    header, arrays
        ``stages`` (k numbers from 1), ``weights`` ([column, value] pairs, the largest first), ``of`` (what they are),
        ``size`` (d) and ``errors``; with stages, their scores, shape (k, n). What raises is told in a sentence. Weights
        of the pixels of an image are all there, as ``image``: its ``shape``, and ``pixels`` line by line.
    """
    header: dict[str, Any] = {"stages": [], "of": "", "weights": [], "size": 0, "errors": []}
    arrays: list[NDArray[Any]] = []
    try:
        header |= _weights(estimator, image_shape)
    except Exception as error:
        header["errors"].append(f"weights: {type(error).__name__}: {error}")
    try:
        if hasattr(estimator, _STAGED):
            numbers, scores = thinned(getattr(estimator, _STAGED)(X), X.shape[0])
            _check_end(scores, predictions)
            header["stages"], arrays = numbers, [scores]
    except Exception as error:
        header["errors"].append(f"stages: {type(error).__name__}: {error}")
    return header, arrays


def thinned(stages: Iterable[Any], n: int) -> tuple[list[int], NDArray[np.float64]]:
    """Keep a bounded number of stages, evenly apart, and the last one.

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
            # Every second one, and from now on twice as far apart.
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


def _weights(estimator: Any, image_shape: tuple[int, ...]) -> dict[str, Any]:
    """Return the largest weights with their columns, of images all of them; nothing where there are none."""
    for name, kind in _WEIGHTS.items():
        found = getattr(estimator, name, None)
        if found is None:
            continue
        values = np.asarray(found, dtype=np.float64).ravel()
        if not np.isfinite(values).all():
            raise ValueError(f"{name} holds NaN or infinity")
        order = np.argsort(-np.abs(values), kind="stable")[:COLUMNS]
        weights = [[int(column), _rounded(values[column])] for column in order if values[column] != 0]
        told = {"of": kind, "weights": weights, "size": values.size}
        # Preprocessing may have left out columns: what is left is no image.
        if image_shape and math.prod(image_shape) == values.size <= PIXELS:
            told["image"] = {"shape": list(image_shape), "pixels": [_rounded(value) for value in values]}
        return told
    return {}


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")
