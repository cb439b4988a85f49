"""The predictions of a model, as they travel from the child to where they are evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pubench.protocol.encoding import ProtocolError
from pubench.specs import Array

__all__ = ["Predictions"]

_DECISIONS = ["<f8", "|u1"]


@dataclass(frozen=True, slots=True)
class Predictions:
    """Predictions for n rows: real scores (>= 0 means positive), 0/1 decisions, and probabilities if there are any."""

    score: NDArray[np.float64]
    decision: NDArray[np.uint8]
    probability: NDArray[np.float64] | None

    @classmethod
    def from_arrays(cls, arrays: Sequence[Array]) -> Predictions:
        """Read what :meth:`arrays` made, as it comes with a message."""
        kinds = [array.dtype.str for array in arrays]
        shapes = {array.shape for array in arrays}
        if kinds not in (_DECISIONS, [*_DECISIONS, "<f8"]) or len(shapes) != 1 or len(*shapes) != 1:
            raise ProtocolError("predictions must be scores, decisions and, at most, probabilities of n rows")
        return cls(arrays[0], arrays[1], arrays[2] if len(arrays) > 2 else None)

    def arrays(self) -> list[Array]:
        """Return the arrays to send: two of shape (n,), or three where there are probabilities."""
        arrays: list[Array] = [self.score, self.decision]
        return arrays if self.probability is None else [*arrays, self.probability]

    def of(self, rows: NDArray[np.bool_]) -> Predictions:
        """Return the predictions for some of the rows."""
        return Predictions.from_arrays([array[rows] for array in self.arrays()])
