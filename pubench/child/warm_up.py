"""In the child: one fit to fixed rows, so that what a plugin imports when it is first used is imported once."""

from __future__ import annotations

import os

import numpy as np

from pubench.child.fitting import Recipe, fit, predict
from pubench.plugins.imports import resolve
from pubench.protocol.requests import WarmUp
from pubench.specs import ROW_WISE, JSONValue

__all__ = ["WARMING_UP", "warm_up"]

WARMING_UP = "PUBENCH_WARM_UP"
"""The environment variable that is set while an algorithm is fitted only to warm up."""
_SEED = 0


def warm_up(request: WarmUp) -> None:
    """Fit an estimator with its default parameters to 60 rows of two overlapping clouds, and predict them.

    The rows, the parameters and the seed are the same for everyone, so that it does not matter what else is run.
    """
    rng = np.random.default_rng(_SEED)
    y = np.arange(60) % 3 == 0
    X = rng.normal(size=(60, 4)) + 1.5 * y[:, None]
    labels = (y if request.labels == "true" else y & (np.arange(60) % 2 == 0)).astype(np.uint8)
    available: dict[str, JSONValue] = {
        "prior": 1 / 3,
        "scenario": request.scenario,
        "random_state": _SEED,
        "categorical_features": [],
        "n_labelled": int(labels.sum()),
        "image_shape": [2, 2],
        "deadline": None,
    }
    filled = {name: available[name] for name in request.receives if name not in ROW_WISE}
    os.environ[WARMING_UP] = "1"
    try:
        propensity = np.full(60, 0.5) if "propensity" in request.receives else None
        recipe = Recipe(resolve(request.estimator), {}, filled)
        estimator = fit(recipe, {}, X, labels, _SEED, propensity=propensity)
        predict(estimator, X)
    finally:
        del os.environ[WARMING_UP]
