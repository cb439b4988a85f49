"""The truth of a prepared data set, read only where results are evaluated; no child process imports this module."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["read_posterior", "read_split", "read_target"]


@lru_cache(maxsize=4)
def read_target(truth: str) -> NDArray[np.int32]:
    """Return the class number of each row, shape (n,)."""
    codes: NDArray[np.int32] = np.load(truth)
    return codes


@lru_cache(maxsize=4)
def read_split(truth: str) -> NDArray[Any]:
    """Return ``"train"`` or ``"test"`` of each row, shape (n,)."""
    split: NDArray[Any] = np.load(Path(truth).with_suffix(".split.npy"))
    return split


@lru_cache(maxsize=4)
def read_posterior(truth: str) -> NDArray[np.float64]:
    """Return Pr(y = 1 | x) of each row, shape (n,), where the data set knows it."""
    posterior: NDArray[np.float64] = np.load(Path(truth).with_suffix(".posterior.npy"))
    return posterior
