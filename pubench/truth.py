"""The truth of a prepared data set: where it is kept, and reading it where results are evaluated.

No child process that runs an algorithm imports this module.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pubench.cache import digest

__all__ = ["read_posterior", "read_split", "read_target", "truth_path"]


def truth_path(folder: Path) -> Path:
    """Return where the classes of the data set in ``folder`` are: in the same cache, under a name of their own.

    Whoever is told where the features are is not told where the truth is: no file beside them names it.
    """
    return folder.parent.parent / "truth" / f"{digest(['truth', folder.name])}.npy"


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
