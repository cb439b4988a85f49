"""What dense and sparse preprocessing share."""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

__all__ = ["Vector", "rounding"]

Vector = NDArray[np.float64]


def rounding(n: int, mean: Vector) -> Vector:
    """Return the largest standard deviation that rounding alone can give to a constant column."""
    bound: Vector = n * sys.float_info.epsilon * np.abs(mean)
    return bound
