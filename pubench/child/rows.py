"""In the child: the rows of a request, split for tuning and preprocessed by what the fitting side alone says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pubench.child.fitting import take_rows
from pubench.data.preprocess import Fitted, fit_preprocess
from pubench.data.preprocess.resampling import resample_rows
from pubench.data.spatial import spatial_folds
from pubench.data.splits import folds, validation_share
from pubench.data.stored import read_coordinates, read_features
from pubench.errors import DataError
from pubench.protocol.parts import SearchPlan
from pubench.protocol.requests import Setting

if TYPE_CHECKING:
    from pubench.data.values import Matrix
    from pubench.specs import Array

__all__ = ["Fitting", "Fold", "RequestRows"]


@dataclass(frozen=True, slots=True)
class Fitting:
    """What an estimator is fitted to: rows, labels, and how many of all training rows are labelled.

    ``propensity`` is the true propensity of each row, for a reference that is given it.
    """

    X: Matrix
    labels: NDArray[np.uint8]
    n_labelled: int
    preprocess: Fitted
    propensity: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True)
class Fold:
    """The two sides of a tuning split; ``validation`` are positions among the training rows."""

    fitting: Fitting
    X_validation: Matrix
    validation: NDArray[np.int64]


class RequestRows:
    """The training and test rows of a request: s of all training rows, and the labels that the algorithm learns from.

    Parameters
    ----------
    setting : Setting
    arrays : sequence of arrays
        Training rows, s, test rows; and, for a reference algorithm, true labels or true propensities.
    """

    def __init__(self, setting: Setting, arrays: Sequence[Array]) -> None:
        self._setting = setting
        self.rows, self.s, test_rows = arrays[:3]
        self.labels = arrays[3] if setting.algorithm.labels == "true" else self.s
        self._propensity = arrays[3] if setting.algorithm.uses_propensity else None
        features = read_features(setting.data)
        self.X = take_rows(features, self.rows)
        self._features, self._test = features, test_rows

    def test_rows(self) -> Matrix:
        """Return the test rows as they are stored."""
        return take_rows(self._features, self._test)

    def fit_preprocess(self, X: Matrix) -> Fitted:
        """Learn how to preprocess from some rows."""
        data, dtype = self._setting.data, self._setting.algorithm.dtype
        return fit_preprocess(
            self._setting.preprocess, X, dict(data.categorical), missing=bool(data.missing), dtype=dtype
        )

    def fitting(self, positions: NDArray[np.int64] | None = None) -> Fitting:
        """Return some of the training rows, or all, ready for an estimator."""
        positions = np.arange(len(self.s)) if positions is None else positions
        n_labelled = int(self.s[positions].sum())
        positions = self._population(positions)
        X = take_rows(self.X, positions)
        fitted = self.fit_preprocess(X)
        propensity = None if self._propensity is None else self._propensity[positions]
        X, labels = fitted.transform(X), self.labels[positions]
        if self._setting.preprocess.resample != "none" and propensity is None:
            X, labels = resample_rows(X, labels, self._setting.seeds.fit)
        return Fitting(X, labels, n_labelled, fitted, propensity)

    def folds(self, search: SearchPlan) -> list[Fold]:
        """Return the tuning splits: a validation share, or the folds of a cross-validation."""
        rng = np.random.default_rng(self._setting.seeds.folds)
        if search.validation is not None:
            masks = [validation_share(self.s, self.rows, search.validation, rng)]
        else:
            assert search.folds is not None
            if search.spatial:
                number = spatial_folds(self.s, self._places(), search.folds, rng)
            else:
                number = folds(self.s, self.rows, search.folds, rng)
            masks = [number == fold for fold in range(search.folds)]
        return [self._fold(mask) for mask in masks]

    def _places(self) -> NDArray[np.float64]:
        places = read_coordinates(self._setting.data)
        if places is None:
            raise DataError("spatial folds need the coordinates of rows, which these data do not have")
        return np.asarray(places[self.rows])

    def _fold(self, mask: NDArray[np.bool_]) -> Fold:
        fitting, validation = self.fitting(np.flatnonzero(~mask)), np.flatnonzero(mask)
        return Fold(fitting, fitting.preprocess.transform(take_rows(self.X, validation)), validation)

    def _population(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Let a reference learn from the population sample: all rows, or U where P was drawn separately."""
        if self._setting.algorithm.labels == "true" and self._setting.scenario == "case-control":
            sample: NDArray[np.int64] = positions[self.s[positions] == 0]
            return sample
        return positions
