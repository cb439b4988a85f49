"""Fitting an algorithm for a check, and reading its answers as they are."""

from __future__ import annotations

import inspect
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pubench.plugins.imports import resolve
from pubench.specs import Algorithm
from pubench.testing.samples import Sample

__all__ = ["METHODS", "Answers", "answers", "difference", "factory_parameters", "fitted", "make"]

Answers = Mapping[str, NDArray[Any]]
METHODS = ("predict", "decision_function", "predict_proba")


def make(spec: Algorithm, sample: Sample, params: Mapping[str, Any]) -> Any:
    """Return a new estimator as pubench makes it: what it receives, what the spec fixes, and ``params``."""
    available: dict[str, Any] = {
        "prior": sample.prior,
        "scenario": sample.scenario,
        "random_state": 0,
        "categorical_features": [],
        "n_labelled": int(sample.s.sum()),
    }
    filled = {name: available[name] for name in spec.receives}
    return resolve(spec.estimator)(**{**filled, **spec.params, **params})


def fitted(spec: Algorithm, sample: Sample, params: Mapping[str, Any], *, world: int = 0) -> Any:
    """Return an estimator fitted to copies of the sample's rows; ``world`` seeds the global generators."""
    random.seed(world)
    np.random.seed(world)  # noqa: NPY002 - a plugin that draws from the global generator is to be found out
    labels = sample.y if spec.labels == "true" else sample.s
    model = make(spec, sample, params)
    found = model.fit(sample.X.copy(), labels.copy())
    return model if found is None else found


def answers(model: Any, X: Any) -> Answers:
    """Return what each of predict, decision_function and predict_proba says, where the model has it."""
    return {name: np.asarray(getattr(model, name)(X.copy())) for name in METHODS if hasattr(model, name)}


def difference(one: Answers, other: Answers, *, tolerance: float = 0.0) -> str:
    """Return the first method whose answers differ by more than the tolerance, or an empty text."""
    for name in one:
        if name not in other or one[name].shape != other[name].shape:
            return name
        if one[name].dtype.kind in "fc" and tolerance:
            same = np.allclose(one[name], other[name], rtol=tolerance, atol=tolerance, equal_nan=True)
        else:
            same = np.array_equal(one[name], other[name], equal_nan=one[name].dtype.kind in "fc")
        if not same:
            return name
    return ""


def factory_parameters(spec: Algorithm) -> set[str] | None:
    """Return the parameters of an algorithm's factory; None if it takes any."""
    known = inspect.signature(resolve(spec.estimator)).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
        return None
    return set(known)
