"""A product of scaled attributes: the mechanism of the experiments with SAR-PU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from pubench.data.labelling.mechanisms.base import Mechanism
from pubench.data.labelling.mechanisms.hidden import column_values, standardised_rows
from pubench.data.labelling.mechanisms.solving import capped, solve

if TYPE_CHECKING:
    from pubench.data.values import Matrix

__all__ = ["Attributes"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Attributes(Mechanism):
    r"""The propensity is the geometric mean of scaled attributes (Bekker, Robberechts and Davis, 2019, section 6).

    An attribute is scaled from its range to :math:`[e^{-a}, 1]`, a the strength; the paper's range from 0.2 to 0.8 is
    a = log 4 = 1.39. The product is multiplied by the factor, and cut at 1, that gives the frequency asked for.

    Attributes
    ----------
    strength : float
    number : int
        How many attributes are drawn for each replicate, of those that vary.
    """

    name: ClassVar[str] = "attributes"
    summary: ClassVar[str] = "the propensity is a geometric mean of scaled attributes, as in SAR-PU"

    strength: float = field(
        default=1.386,
        metadata={
            "description": "Logarithm of the largest over the smallest factor; 0 is SCAR.",
            "ge": 0,
            "le": 100,
        },
    )
    number: int = field(
        default=4, metadata={"description": "The number of attributes, drawn for each replicate.", "ge": 1}
    )

    def propensities(
        self, features: Callable[[], Matrix], y: NDArray[np.uint8], frequency: float, rng: np.random.Generator
    ) -> Floats:
        """Return the scaled geometric mean of the attributes."""
        Z = standardised_rows(features())
        logs: list[Floats] = []
        for column in rng.permutation(Z.shape[1]):
            values = column_values(Z, int(column))
            if np.ptp(values) > 0:
                logs.append(np.log(_scaled(values, np.exp(-self.strength))))
            if len(logs) == self.number:
                break
        score = np.mean(logs, axis=0) if logs else np.zeros(y.size)
        return solve(capped, score, y, frequency)


def _scaled(values: Floats, low: float) -> Floats:
    scaled: Floats = low + (1.0 - low) * (values - values.min()) / np.ptp(values)
    return scaled
