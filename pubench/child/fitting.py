"""Fitting a plugin's estimator and reading its answers, with every answer checked before it is believed."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pubench.errors import PubenchError
from pubench.estimators.rows import Estimator
from pubench.protocol import Predictions

if TYPE_CHECKING:
    from pubench.data.values import Matrix
    from pubench.specs import Params

__all__ = [
    "Estimator",
    "MisbehaviourError",
    "Recipe",
    "decide",
    "fit",
    "predict",
    "protect",
    "seed_global_generators",
    "take_rows",
]

_FEW = 1e-12


class MisbehaviourError(PubenchError):
    """A plugin returned something that cannot be used."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to make an estimator: its factory, its fixed parameters, and what pubench fills in."""

    factory: Callable[..., Estimator]
    params: Params
    filled: Params

    def make(self, chosen: Params) -> Estimator:
        """Return a new estimator; what a suite says outranks what pubench fills in."""
        return self.factory(**{**self.filled, **self.params, **chosen})


def take_rows(X: Matrix, rows: NDArray[np.int64]) -> Matrix:
    """Copy rows out of the shared features."""
    taken: Matrix = X[rows]
    return np.array(taken) if isinstance(taken, np.memmap) else taken


def protect(X: Matrix) -> Matrix:
    """Make a matrix read-only: a plugin that writes into its input fails instead of spoiling the next trial."""
    parts = (X,) if isinstance(X, np.ndarray) else (X.data, X.indices, X.indptr)
    for part in parts:
        part.flags.writeable = False
    return X


def seed_global_generators(seed: int) -> None:
    """Seed the generators that plugins may draw from without saying so."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - plugins that draw from the global generator must be reproducible too
    # A folder of that name, on the path of whoever imports what may be there, is not PyTorch.
    seed_torch = getattr(sys.modules.get("torch"), "manual_seed", None)
    if seed_torch is not None:
        seed_torch(seed)


def fit(
    recipe: Recipe,
    chosen: Params,
    X: Matrix,
    labels: NDArray[np.uint8],
    seed: int,
    *,
    propensity: NDArray[np.float64] | None = None,
) -> Estimator:
    """Make an estimator and fit it; global generators are seeded so that what ran before cannot matter."""
    seed_global_generators(seed)
    estimator = recipe.make(chosen)
    frozen = labels.astype(np.int64)
    frozen.flags.writeable = False
    more = {} if propensity is None else {"propensity": propensity.copy()}
    fitted = estimator.fit(protect(X), frozen, **more)
    return estimator if fitted is None else fitted


def predict(estimator: Estimator, X: Matrix) -> Predictions:
    """Ask a fitted estimator for n rows and check what comes back."""
    n = X.shape[0]
    decision = decide(estimator, X)
    probability = None
    if hasattr(estimator, "predict_proba"):
        probability = _probabilities(estimator.predict_proba(X), n)
    if hasattr(estimator, "decision_function"):
        score = _vector("decision_function", estimator.decision_function(X), n)
    elif probability is not None:
        inside = np.clip(probability, _FEW, 1 - _FEW)
        score = np.log(inside) - np.log1p(-inside)
    else:
        score = decision.astype(np.float64) - 0.5
    return Predictions(score, decision, probability)


def decide(estimator: Estimator, X: Matrix) -> NDArray[np.uint8]:
    """Ask a fitted estimator which of n rows are positive, shape (n,), and check what comes back."""
    return _decisions(estimator, estimator.predict(protect(X)), X.shape[0])


def _decisions(estimator: Estimator, answer: object, n: int) -> NDArray[np.uint8]:
    values = np.asarray(answer)
    if values.shape != (n,):
        raise MisbehaviourError(f"predict returned shape {values.shape} for {n} rows; expected ({n},)")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise MisbehaviourError(
            f"predict returned NaN or infinity for {int((~np.isfinite(values)).sum())} of {n} rows"
        )
    classes = getattr(estimator, "classes_", (0, 1))
    if len(classes) != 2:
        raise MisbehaviourError(
            f"learned {len(classes)} {'class' if len(classes) == 1 else 'classes'}; expected the unlabelled and the "
            "labelled one"
        )
    if not classes[0] < classes[1]:
        raise MisbehaviourError(
            f"classes_ is {list(classes)}; expected the unlabelled class before the labelled one"
        )
    strange = ~np.isin(values, classes)
    if strange.any():
        raise MisbehaviourError(f"predict returned {values[strange][0]!r}, which is none of its classes")
    positive: NDArray[np.uint8] = (values == classes[-1]).astype(np.uint8)
    return positive


def _probabilities(answer: object, n: int) -> NDArray[np.float64]:
    values = _numbers("predict_proba", answer)
    if values.shape != (n, 2):
        raise MisbehaviourError(
            f"predict_proba returned shape {values.shape} for {n} rows; expected ({n}, 2)"
        )
    positive = _vector("predict_proba", values[:, 1], n)
    if positive.size and (positive.min() < -1e-9 or positive.max() > 1 + 1e-9):
        raise MisbehaviourError("predict_proba returned values outside [0, 1]")
    if np.abs(values.sum(axis=1) - 1).max(initial=0.0) > 1e-6:
        raise MisbehaviourError("predict_proba returned rows that do not add up to 1")
    return np.clip(positive, 0.0, 1.0)


def _numbers(name: str, answer: object) -> NDArray[np.float64]:
    if np.ma.is_masked(answer) or np.asarray(answer).dtype.kind == "c":
        raise MisbehaviourError(f"{name} returned masked or complex values; expected real numbers")
    return np.asarray(answer, dtype=np.float64)


def _vector(name: str, answer: object, n: int) -> NDArray[np.float64]:
    values = _numbers(name, answer)
    if values.shape == (n, 1):
        values = values[:, 0]
    if values.shape != (n,):
        raise MisbehaviourError(f"{name} returned shape {values.shape} for {n} rows; expected ({n},)")
    bad = int((~np.isfinite(values)).sum())
    if bad:
        raise MisbehaviourError(f"{name} returned NaN or infinity for {bad} of {n} rows")
    return np.ascontiguousarray(values)
