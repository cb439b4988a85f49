"""The preprocessing that a suite asks for, as a frozen value."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pubench.errors import did_you_mean

__all__ = ["Impute", "Norm", "Preprocess", "Scale", "Vector", "rounding"]

Impute = Literal["mean", "median", "most-frequent", "none"]
Scale = Literal["standard", "minmax", "maxabs", "robust", "none"]
Categorical = Literal["one-hot", "codes"]
Norm = Literal["none", "l1", "l2"]
Vector = NDArray[np.float64]
_CHOICES = {
    "impute": get_args(Impute),
    "scale": get_args(Scale),
    "categorical": get_args(Categorical),
    "norm": get_args(Norm),
}


@dataclass(frozen=True, slots=True)
class Preprocess:
    """How features are preprocessed before a learner receives them.

    Attributes
    ----------
    impute : str
        The replacement of a missing number: the training rows' ``"mean"``, ``"median"`` or ``"most-frequent"``
        value (the smallest of several); ``"none"`` leaves NaN.
    scale : str
        ``"standard"`` (mean 0, sd 1), ``"minmax"`` (0 to 1), ``"maxabs"`` (largest absolute value 1), ``"robust"``
        (median 0, interquartile range 1) or ``"none"``. Sparse data are never shifted: see `fit_preprocess`.
    categorical : str
        ``"one-hot"``, or ``"codes"`` to keep the codes, missing ones included.
    min_count : int
        Columns whose sum over the training rows is smaller are dropped; for counts such as term frequencies.
    norm : str
        ``"l2"`` or ``"l1"`` divides each row by that norm, after scaling; ``"none"`` does not.
    """

    impute: Impute = "median"
    scale: Scale = "standard"
    categorical: Categorical = "one-hot"
    min_count: int = 0
    norm: Norm = "none"

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise ValueError(f"{name} = {value!r} is unknown{did_you_mean(str(value), choices)}")
        if self.min_count < 0:
            raise ValueError(f"min_count = {self.min_count} must be at least 0")


def rounding(n: int, mean: Vector) -> Vector:
    """Return the largest standard deviation that rounding alone can give to a constant column."""
    bound: Vector = n * sys.float_info.epsilon * np.abs(mean)
    return bound
