"""SAR, selected at random: a hidden model of the features decides how likely a positive is to be labelled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pubench.data.labelling.mechanisms.base import WeightedMechanism
from pubench.data.labelling.mechanisms.hidden import linear_score, product, standardised, standardised_rows
from pubench.errors import did_you_mean

if TYPE_CHECKING:
    from pubench.data.values import Matrix

__all__ = ["Sar"]

Model = Literal["linear", "direction"]


@dataclass(frozen=True, slots=True)
class Sar(WeightedMechanism):
    r"""A positive's weight is :math:`1 / (1 + e^{-a z})`, a the strength, z its standardised hidden score.

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

    @property
    def label(self) -> str:
        """The name alone, as in tables of earlier versions."""
        return self.name

    def log_weights(
        self, features: Callable[[], Matrix], y: NDArray[np.uint8], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        r"""Return the logarithm of each row's weight, :math:`-\log(1 + e^{-a z})`."""
        Z = standardised_rows(features())
        drawn = self.model == "direction"
        score = product(Z, rng.standard_normal((Z.shape[1],))) if drawn else linear_score(Z, y)
        weights: NDArray[np.float64] = -np.logaddexp(0.0, -self.strength * standardised(score, y))
        return weights
