"""What a fitted model says of rows: scores, those after earlier epochs, and probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils.metaestimators import available_if

from pubench.base import PUClassifier, Rows, validate_rows
from pubench_risk.basis import Basis
from pubench_risk.losses import Loss
from pubench_risk.scaling import Scaling
from pubench_risk.training import blockwise

__all__ = ["RiskScores"]

Floats = NDArray[np.float64]

_PROBABLE = ("logistic", "quadratic")


class RiskScores(PUClassifier):
    """Base class of estimators with a score that is linear, a sum of radial basis functions or a network's."""

    model: str
    loss: Loss
    stages: int
    coef_: Floats
    intercept_: Floats
    basis_: Basis
    basis_coef_: Floats
    network_: Any
    scaling_: Scaling
    stages_: tuple[Any, ...]

    def decision_function(self, X: Rows) -> Floats:
        """Return the scores f(x), shape (n,); at least 0 means positive."""
        return blockwise(self._scores, validate_rows(self, X))

    def _scores(self, X: Rows) -> Floats:
        if self.model == "linear":
            return np.asarray(X @ self.coef_[0] + self.intercept_[0])
        if self.model == "cnn":
            return np.asarray(self.network_.scores(X))
        Z = self._inputs(X)
        if self.model == "mlp":
            return np.asarray(self.network_.scores(Z))
        return np.asarray(Z @ self.basis_coef_ + self.intercept_[0])

    def _inputs(self, X: Rows) -> Any:
        """Return what the network, or the sum of basis functions, is given for rows."""
        if self.model == "cnn":
            return X
        Z = self.scaling_.apply(X)
        return self.basis_.features(Z) if self.model == "rbf" else Z

    def _of_network(self, network: Any, X: Rows) -> Floats:
        return np.asarray(network.scores(self._inputs(X)))

    @available_if(lambda self: self.stages > 0)
    def staged_decision_function(self, X: Rows) -> Iterator[Floats]:
        """Yield the scores, shape (n,), of the networks that ``stages`` keeps; the last are decision_function(X)."""
        X = validate_rows(self, X)
        for network in self.stages_[:-1]:
            yield blockwise(partial(self._of_network, network), X)
        yield blockwise(self._scores, X)

    @available_if(lambda self: self.loss in _PROBABLE)
    def predict_proba(self, X: Rows) -> Floats:
        """Return the estimated probabilities of both classes, shape (n, 2): those under which f minimises the risk.

        With the logistic loss this is the logistic function of f, with the quadratic loss (1 + f) / 2 clipped to
        [0, 1]. Other losses define no probabilities.
        """
        decision = self.decision_function(X)
        positive = expit(decision) if self.loss == "logistic" else np.clip((1.0 + decision) / 2.0, 0.0, 1.0)
        return np.column_stack([1.0 - positive, positive])
