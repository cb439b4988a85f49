"""What is computed from predictions and true classes by pubench itself, without any plugin's function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from pubench.metrics import collapsed, reliability
from pubench.protocol import Predictions
from pubench.protocol.replies import Introspection, Plane
from pubench.results.record import ModelRecord, PropensityRecord
from pubench.suite.columns import on_training

__all__ = ["is_collapsed", "model_record", "propensity_record", "regret", "reliability_curve"]

_GROUPS = 10


def is_collapsed(predictions: Predictions) -> bool:
    """Whether every row got the same decision."""
    return bool(collapsed(predictions.decision))


def regret(posterior: NDArray[np.float64], predictions: Predictions) -> float:
    r"""Return the expected accuracy lost against the Bayes rule on these rows.

    With p = Pr(y = 1 | x) and decision f it is the mean of max(p, 1 - p) - (p if f = 1 else 1 - p), free of the noise
    of counting true classes.
    """
    chosen = np.where(predictions.decision == 1, posterior, 1 - posterior)
    return float(np.mean(np.maximum(posterior, 1 - posterior) - chosen))


def reliability_curve(y: NDArray[np.uint8], predictions: Predictions) -> tuple[tuple[int, float, float], ...]:
    """Return the points of the reliability curve, rounded; none without probabilities."""
    if predictions.probability is None:
        return ()
    return tuple(
        (rows, _short(p), _short(share)) for rows, p, share in reliability(y, predictions.probability)
    )


def propensity_record(true: NDArray[np.float64], estimated: NDArray[np.float64]) -> PropensityRecord:
    """Compare the estimated propensities of positives with the true ones, both of shape (n,)."""
    order = np.argsort(true, kind="stable")
    groups = 1 if np.ptp(true) < 1e-9 else min(_GROUPS, true.size)
    points = [
        (part.size, true[part].mean(), estimated[part].mean()) for part in np.array_split(order, groups)
    ]
    varies = min(np.ptp(true), np.ptp(estimated)) > 1e-9
    return PropensityRecord(
        points=tuple((size, _short(e), _short(found)) for size, e, found in points),
        error=_short(float(np.abs(true - estimated).mean())),
        correlation=_short(float(np.corrcoef(true, estimated)[0, 1])) if varies else None,
    )


def model_record(
    found: Introspection,
    curves: Mapping[str, tuple[float | None, ...]],
    names: Sequence[str] = (),
    reliability: tuple[tuple[int, float, float], ...] = (),
    propensity: PropensityRecord | None = None,
) -> ModelRecord | None:
    """Return a model's introspection with each metric after each of its stages in place of the stages' scores.

    Parameters
    ----------
    found : Introspection
    curves : mapping of str to tuple of k float or None
        Each metric after each stage; those that no stage defines are left out.
    names : sequence of str
        Weights have the names of their columns where there is one for each.
    reliability : tuple of (int, float, float)
        See :func:`reliability_curve`.
    propensity : PropensityRecord, optional

    Returns
    -------
    ModelRecord or None
        None where nothing is left.
    """
    named = len(names) == found.size
    weights = tuple(
        (str(names[column]) if named else f"column {column}", value) for column, value in found.weights
    )
    trained = {on_training(name): curve for name, curve in found.training.items()} if curves else {}
    kept = {
        name: tuple(map(_rounded, curve))
        for name, curve in {**curves, **trained}.items()
        if any(value is not None for value in curve)
    }
    record = ModelRecord(
        of=found.of,
        size=found.size,
        errors=found.errors,
        image=found.image,
        normalized=found.normalized,
        plane=_named(found.plane, names),
        weights=weights,
        stages=found.stages if curves else (),
        metrics=kept,
        reliability=reliability,
        propensity=propensity,
    )
    return None if record == ModelRecord() else record


def _named(plane: Plane | None, names: Sequence[str]) -> Plane | None:
    if plane is None or len(names) != 2:
        return plane
    return msgspec.structs.replace(plane, columns=(str(names[0]), str(names[1])))


def _rounded(value: float | None) -> float | None:
    return None if value is None else _short(value)


def _short(value: float) -> float:
    return float(f"{value:.6g}")
