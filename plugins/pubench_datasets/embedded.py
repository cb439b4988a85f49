"""Loaders of the data sets included in scikit-learn; targets are class names."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from pubench.data import Data, refuse_in_child

__all__ = ["breast_cancer", "digits", "iris", "wine"]


def _named(bunch: Any) -> Data:
    """Convert a scikit-learn bunch to rows, class names and feature names."""
    refuse_in_child()
    names = np.asarray(bunch.target_names).astype(str)
    return Data(
        X=np.ascontiguousarray(bunch.data, dtype=np.float64),
        target=names[bunch.target],
        feature_names=tuple(str(name) for name in bunch.feature_names),
    )


def breast_cancer() -> Data:
    """Return 569 rows of 30 features; classes malignant (212) and benign (357)."""
    return _named(load_breast_cancer())


def digits() -> Data:
    """Return 1797 rows of 64 pixels in 0..16; classes "0" to "9"."""
    return _named(load_digits())


def wine() -> Data:
    """Return 178 rows of 13 features; classes class_0 (59), class_1 (71) and class_2 (48)."""
    return _named(load_wine())


def iris() -> Data:
    """Return 150 rows of 4 features; classes setosa, versicolor and virginica (50 each)."""
    return _named(load_iris())
