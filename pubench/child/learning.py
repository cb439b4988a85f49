"""In the child: an algorithm on the rows of a request; trials and final fits are both fitted here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from pubench.child.deciding import FittedModel, fit_deciding
from pubench.child.fitting import Estimator, MisbehaviourError, Recipe, fit
from pubench.child.rows import Fitting, RequestRows
from pubench.plugins.imports import resolve
from pubench.protocol.requests import Setting
from pubench.specs import ROW_WISE
from pubench.tasks import THRESHOLD

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pubench.data.values import Matrix
    from pubench.specs import Array, JSONValue, Params

__all__ = ["Learning"]


class Learning:
    """An algorithm, the rows of a request, and what pubench fills in.

    Parameters
    ----------
    setting : Setting
    arrays : sequence of arrays
        Training rows, s, test rows; and, for a reference algorithm, true labels or true propensities.
    """

    def __init__(self, setting: Setting, arrays: Sequence[Array]) -> None:
        self.setting = setting
        self.rows = RequestRows(setting, arrays)
        self._factory = resolve(setting.algorithm.estimator)
        self._seed = setting.seeds.fit % 2**32
        # One-hot blocks are plain numbers, and have moved the columns behind them.
        coded: list[JSONValue] = []
        if setting.preprocess.categorical == "codes":
            coded.extend(sorted(column for column, _ in setting.data.categorical))
        self._available: dict[str, JSONValue] = {
            "prior": setting.prior,
            "scenario": setting.scenario,
            "random_state": self._seed,
            "categorical_features": coded,
        }

    def fit(self, params: Params, fitting: Fitting) -> FittedModel:
        """Make an estimator and fit it; what depends on the fitted rows varies by fold."""
        algorithm, shape = self.setting.algorithm, self.setting.data.image_shape
        # Preprocessing may have dropped columns: what is left is not an image.
        image: list[JSONValue] = [*shape] if math.prod(shape) == fitting.X.shape[1] else []
        available = self._available | {"n_labelled": fitting.n_labelled, "image_shape": image}
        filled = {name: available[name] for name in algorithm.receives if name not in ROW_WISE}
        recipe = Recipe(self._factory, algorithm.params, filled)
        chosen = dict(params)
        threshold = chosen.pop(THRESHOLD, "own") if algorithm.threshold == "search" else algorithm.threshold

        def fitted(X: Matrix, labels: NDArray[np.uint8]) -> Estimator:
            return fit(recipe, chosen, X, labels, self._seed)

        cut, calibrated = threshold == "prior", algorithm.probability == "calibrated"
        if not (cut or calibrated):
            return FittedModel(
                fit(recipe, chosen, fitting.X, fitting.labels, self._seed, propensity=fitting.propensity)
            )
        return fit_deciding(
            fitted,
            fitting.X,
            fitting.labels,
            prior_of=partial(self._prior, chosen),
            scenario=self.setting.scenario,
            cut=cut,
            calibrated=calibrated,
            seed=self._seed,
        )

    def _prior(self, chosen: Params, fitted: Estimator) -> float:
        """Return the prior for the cut and the probabilities: that of the model's own parameters, or the suite's."""
        algorithm = self.setting.algorithm
        value: JSONValue = self.setting.prior
        if algorithm.own_prior != "none":
            value = {"prior": value, **algorithm.params, **chosen}["prior"]
        if isinstance(value, str):
            value = getattr(fitted, "prior_", None)
            if not isinstance(value, float) or not 0.0 < value < 1.0:
                raise MisbehaviourError(
                    f"prior_ is {value!r} after the fit, and should be the prior that the parameter prior names; "
                    'give this prior as a number, or set threshold = "own" and probability = "own"'
                )
        assert isinstance(value, int | float), "cells without the prior that they need are not run"
        return float(value)
