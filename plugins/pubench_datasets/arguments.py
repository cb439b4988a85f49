"""What loaders check of their arguments."""

from __future__ import annotations

import numpy as np

from pubench.errors import DataError

__all__ = ["real", "whole"]


def whole(name: str, value: object, low: int, high: int) -> None:
    """Refuse what is not a whole number in the range."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        raise DataError(f"{name} must be a whole number from {low} to {high}, not {value!r}")


def real(name: str, value: object, low: float, high: float) -> float:
    """Return a number in the range; refuse what is none."""
    kinds = (int, float, np.integer)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        raise DataError(f"{name} must be a number from {low:g} to {high:g}, not {value!r}")
    return float(value)
