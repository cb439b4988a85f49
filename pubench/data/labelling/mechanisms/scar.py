"""SCAR, selected completely at random: every positive is equally likely to be labelled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from pubench.data.labelling.mechanisms.base import WeightedMechanism

if TYPE_CHECKING:
    from pubench.data.values import Matrix

__all__ = ["Scar"]


@dataclass(frozen=True, slots=True)
class Scar(WeightedMechanism):
    """Every positive is equally likely to be labelled."""

    name: ClassVar[str] = "scar"
    summary: ClassVar[str] = "every positive is equally likely to be labelled"

    def log_weights(
        self, features: Callable[[], Matrix], y: NDArray[np.uint8], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return zeros."""
        return np.zeros(y.size)
