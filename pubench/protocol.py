"""What worker and child say to each other, as typed values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Predictions"]


@dataclass(frozen=True, slots=True)
class Predictions:
    """Answers for n rows: real scores (>= 0 speaks for positive), 0/1 decisions, probabilities where there are any."""

    score: NDArray[np.float64]
    decision: NDArray[np.uint8]
    probability: NDArray[np.float64] | None

    @classmethod
    def from_arrays(cls, arrays: Sequence[NDArray[Any]]) -> Predictions:
        """Read what :meth:`arrays` made, as it comes out of a message."""
        return cls(arrays[0], arrays[1], arrays[2] if len(arrays) > 2 else None)

    def arrays(self) -> list[NDArray[Any]]:
        """Return the answers to send: two arrays of shape (n,), or three where there are probabilities."""
        found: list[NDArray[Any]] = [self.score, self.decision]
        return found if self.probability is None else [*found, self.probability]

    def of(self, rows: NDArray[np.bool_]) -> Predictions:
        """Return the answers for some of the rows."""
        return Predictions.from_arrays([array[rows] for array in self.arrays()])
