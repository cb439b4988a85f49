"""Fits of an algorithm for the checks of its contract, and its raw predictions."""

from __future__ import annotations

import inspect
import random
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from pubench.data.values import Array, Matrix
from pubench.plugins.imports import resolve
from pubench.specs import ROW_WISE, Algorithm, Params
from pubench.testing.samples import Sample

__all__ = [
    "METHODS",
    "Answers",
    "Estimator",
    "WithoutProbabilities",
    "answers",
    "difference",
    "factory_parameters",
    "fitted",
    "make",
    "row_wise",
]

Answers = Mapping[str, Array]
Estimator: TypeAlias = Any  # edge: scikit-learn has no type for any class with fit and predict
METHODS = ("predict", "decision_function", "predict_proba")


class WithoutProbabilities:
    """A fitted model as pubench uses it, without probabilities, which have their own check."""

    def __init__(self, model: Estimator) -> None:
        self.predict = model.predict
        if hasattr(model, "decision_function"):
            self.decision_function = model.decision_function
        elif hasattr(model, "predict_proba"):
            self.decision_function = lambda X: np.asarray(model.predict_proba(X))[:, 1] - 0.5
        if hasattr(model, "classes_"):
            self.classes_ = model.classes_


def make(spec: Algorithm, sample: Sample, params: Params) -> Estimator:
    """Return a new estimator as pubench creates it: with received and fixed parameters, and ``params``."""
    available: dict[str, object] = {
        "prior": sample.prior,
        "scenario": sample.scenario,
        "random_state": 0,
        "categorical_features": [],
        "n_labelled": int(sample.s.sum()),
        # Images of one line: all that the number of columns allows.
        "image_shape": [1, sample.X.shape[1]],
        "deadline": None,
    }
    filled = {name: available[name] for name in spec.receives if name not in ROW_WISE}
    return resolve(spec.estimator)(**{**filled, **spec.params, **params})


def fitted(spec: Algorithm, sample: Sample, params: Params, *, global_seed: int = 0) -> Estimator:
    """Return an estimator fitted to copies of the sample's rows; ``global_seed`` seeds the global generators."""
    random.seed(global_seed)
    np.random.seed(global_seed)  # noqa: NPY002 - a check detects plugins that use the global generator
    labels = sample.y if spec.labels == "true" else sample.s
    model = make(spec, sample, params)
    result = model.fit(sample.X.copy(), labels.copy(), **row_wise(spec, sample))
    return model if result is None else result


def row_wise(spec: Algorithm, sample: Sample) -> Mapping[str, Array]:
    """Return what pubench passes to ``fit`` next to rows and labels; positives of a sample are labelled at random."""
    share = float(np.clip(sample.s.sum() / max(int(sample.y.sum()), 1), 0.01, 0.99))
    return {name: np.full(sample.s.size, share) for name in spec.receives if name in ROW_WISE}


def answers(model: Estimator, X: Matrix) -> Answers:
    """Return the results of predict, decision_function and predict_proba, as far as the model has them."""
    return {name: np.asarray(getattr(model, name)(X.copy())) for name in METHODS if hasattr(model, name)}


def difference(first: Answers, second: Answers, *, tolerance: float = 0.0) -> str:
    """Return the first method whose results differ by more than the tolerance, or an empty text."""
    for name, values in first.items():
        if name not in second or values.shape != second[name].shape:
            return name
        is_float = values.dtype.kind in "fc"
        if is_float and tolerance:
            same = np.allclose(values, second[name], rtol=tolerance, atol=tolerance, equal_nan=True)
        else:
            same = np.array_equal(values, second[name], equal_nan=is_float)
        if not same:
            return name
    return ""


def factory_parameters(spec: Algorithm) -> set[str] | None:
    """Return the parameters of an algorithm's factory; None if it accepts any."""
    known = inspect.signature(resolve(spec.estimator)).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
        return None
    return set(known)
