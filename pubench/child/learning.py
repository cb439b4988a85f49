"""In the child: an algorithm on the rows of a request; trials and final fits are both fitted here."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from pubench.child.clock import Clock
from pubench.child.deciding import FITS, FittedModel, fit_deciding
from pubench.child.fitting import Estimator, MisbehaviourError, Recipe, fit
from pubench.child.listening import TrainingListener
from pubench.child.rows import Fitting, RequestRows
from pubench.plugins.imports import resolve
from pubench.protocol.parts import THRESHOLD
from pubench.protocol.requests import Setting
from pubench.specs import ROW_WISE

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
    listener : TrainingListener, optional
        Hears what the algorithm says while it trains.
    clock : Clock, optional
        Says when fits should have ended; without it they have no deadline.
    """

    def __init__(
        self,
        setting: Setting,
        arrays: Sequence[Array],
        listener: TrainingListener | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.setting, self._listener, self._clock = setting, listener, clock
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

    def fit(self, params: Params, fitting: Fitting, left: int = 1) -> FittedModel:
        """Make an estimator and fit it; so many calls of this share the time that is left."""
        algorithm, chosen = self.setting.algorithm, dict(params)
        threshold = chosen.pop(THRESHOLD, "own") if algorithm.threshold == "search" else algorithm.threshold
        cut, calibrated = threshold == "prior", algorithm.probability == "calibrated"
        fits = iter(range(left * (1 if not (cut or calibrated) else FITS), 0, -1))

        def fitted(
            X: Matrix, labels: NDArray[np.uint8], propensity: NDArray[np.float64] | None = None
        ) -> Estimator:
            recipe = Recipe(self._factory, algorithm.params, self._filled(fitting, next(fits, 1)))
            with contextlib.nullcontext() if self._listener is None else self._listener.fit():
                return fit(recipe, chosen, X, labels, self._seed, propensity=propensity)

        if not (cut or calibrated):
            return FittedModel(fitted(fitting.X, fitting.labels, fitting.propensity))
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

    def _filled(self, fitting: Fitting, fits: int) -> Params:
        """Return what the algorithm receives; what depends on the fitted rows and on the time varies by fit."""
        shape = self.setting.data.image_shape
        # Preprocessing may have dropped columns: what is left is not an image.
        image: list[JSONValue] = [*shape] if math.prod(shape) == fitting.X.shape[1] else []
        available = self._available | {
            "n_labelled": fitting.n_labelled,
            "image_shape": image,
            "deadline": None if self._clock is None else self._clock.deadline(fits),
        }
        return {name: available[name] for name in self.setting.algorithm.receives if name not in ROW_WISE}

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
