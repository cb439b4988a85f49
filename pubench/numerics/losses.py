"""Losses of a margin m = y * score; :func:`pubench.risk.loss_pair` applies them to both classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

__all__ = ["MARGIN_LOSSES"]

Floats = NDArray[np.float64]


def _logistic(m: Floats) -> Floats:
    return np.logaddexp(0.0, -m)


def _sigmoid(m: Floats) -> Floats:
    # exp of a negative number cannot overflow, and keeps full precision in both tails.
    small = np.exp(-np.abs(m))
    result: Floats = np.where(m >= 0, small, 1.0) / (1.0 + small)
    return result


def _quadratic(m: Floats) -> Floats:
    result: Floats = np.square(1.0 - m)
    return result


def _savage(m: Floats) -> Floats:
    result: Floats = 4.0 * np.square(_sigmoid(m))
    return result


def _double_hinge(m: Floats) -> Floats:
    result: Floats = np.maximum(-m, np.maximum(0.0, (1.0 - m) / 2.0))
    return result


MARGIN_LOSSES: Mapping[str, Callable[[Floats], Floats]] = MappingProxyType(
    {
        "logistic": _logistic,
        "sigmoid": _sigmoid,
        "quadratic": _quadratic,
        "savage": _savage,
        "double-hinge": _double_hinge,
    }
)
