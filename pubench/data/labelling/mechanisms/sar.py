"""SAR, selected at random: a hidden model of the features decides how likely a positive is to be labelled."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pubench.data.labelling.mechanisms.base import Mechanism
from pubench.data.preprocess import Preprocess, fit_preprocess
from pubench.errors import did_you_mean

if TYPE_CHECKING:
    from pubench.data.values import Matrix

__all__ = ["Sar"]

# Ridge penalty per training row of the hidden linear model: weak, yet enough for collinear columns.
_RIDGE = 0.01

Model = Literal["linear", "direction"]


@dataclass(frozen=True, slots=True)
class Sar(Mechanism):
    r"""A positive's propensity is :math:`1 / (1 + e^{-a z})`, a the strength, z its standardised hidden score.

    The score is standardised over the positives, so that a strength means the same for every data set.

    Attributes
    ----------
    model : str
        The hidden score: ``"linear"``, a ridge regression of y on x, or ``"direction"``, a random direction of x.
    strength : float
    """

    name: ClassVar[str] = "sar"
    summary: ClassVar[str] = "the probability of a label depends on the features"

    model: Model = field(
        default="linear",
        metadata={"description": "linear: a linear model of the true class; direction: a random projection."},
    )
    strength: float = field(
        default=2.0,
        metadata={
            "description": "Slope of the propensity in standard deviations of the model's score.",
            "ge": -1e6,
            "le": 1e6,
        },
    )

    def __post_init__(self) -> None:
        if self.model not in get_args(Model):
            raise ValueError(f"model = {self.model!r} is unknown{did_you_mean(self.model, get_args(Model))}")

    def log_weights(
        self, features: Callable[[], Matrix], y: NDArray[np.uint8], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        r"""Return the logarithm of each positive's propensity, :math:`-\log(1 + e^{-a z})`."""
        score = _hidden_score(features(), y, self.model, rng)[y == 1]
        weights: NDArray[np.float64] = -np.logaddexp(0.0, -self.strength * _standardised(score))
        return weights


def _hidden_score(
    X: Matrix, y: NDArray[np.uint8], model: Model, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the hidden model's score of each row, shape (n,); the model is fitted to the same rows."""
    Z = fit_preprocess(Preprocess("mean", "standard", "codes"), X, {}).transform(X)
    if model == "direction":
        return _product(Z, rng.standard_normal((Z.shape[1],)))
    from scipy.sparse.linalg import lsqr

    return _product(Z, lsqr(Z, y - y.mean(), damp=math.sqrt(_RIDGE * y.size), iter_lim=200)[0])


def _product(Z: Matrix, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    score: NDArray[np.float64] = Z @ weights
    return score


def _standardised(score: NDArray[np.float64]) -> NDArray[np.float64]:
    deviation = score - score.mean()
    size = float(np.abs(deviation).max())
    # Scores that differ only by rounding carry no information; dividing by their spread would amplify the noise.
    if size <= 1e-12 * (1.0 + float(np.abs(score).max())):
        return np.zeros_like(score)
    standardised: NDArray[np.float64] = deviation / deviation.std()
    return standardised
