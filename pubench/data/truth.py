"""The truth of a prepared data set: where it is kept, what must be hidden, and reading it where results are evaluated.

No child process that runs an algorithm imports this module.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pubench.data.cache import FEATURES, TRUTH, cache_root, digest
from pubench.specs import Array

__all__ = [
    "hidden_places",
    "lend_truth",
    "read_given",
    "read_posterior",
    "read_sides",
    "read_split",
    "read_target",
    "record_path",
    "return_truth",
    "truth_path",
]

# True classes that a driver has lent to this process, by the name that stands for their path: they are on no disk here.
_LENT: dict[str, Array] = {}


def truth_path(folder: Path) -> Path:
    """Return where the classes of the data set in ``folder`` are: in the same cache, under a name of their own.

    A process that knows the path of the features does not know the path of the truth: no file next to them names it.
    """
    return folder.parent.parent / TRUTH / f"{digest(['truth', folder.name])}.npy"


def record_path(folder: Path) -> Path:
    """Return the file that says what the data set in ``folder`` is.

    It names the file that the data were loaded from, and counts its classes, so it lies next to the truth.
    """
    return truth_path(folder).with_suffix(".json")


def hidden_places() -> tuple[str, ...]:
    """Return the folders that a process which runs algorithms must not see.

    Of the cache that is all but the features: the classes, and whatever plugins have downloaded, classes included. It
    is also the folder that ``PUBENCH_DATA`` names.
    """
    root, data = cache_root(), os.environ.get("PUBENCH_DATA", "").strip()
    for name in (FEATURES, TRUTH):
        (root / name).mkdir(parents=True, exist_ok=True)
    places = [entry for entry in sorted(root.iterdir()) if entry.name != FEATURES]
    places += [Path(data).expanduser().absolute()] if data else []
    return tuple(str(place) for place in places if place.exists())


@lru_cache(maxsize=4)
def read_target(truth: str) -> NDArray[np.int32]:
    """Return the class number of each row, shape (n,)."""
    codes: NDArray[np.int32] = _read(Path(truth))
    return codes


def read_sides(truth: str, classes: Mapping[int, int]) -> NDArray[np.int8]:
    """Return 1 for positive rows, 0 for negative ones and -1 for those of classes not in use, shape (n,)."""
    target = read_target(truth)
    sides = np.full(max(int(target.max(initial=-1)), *classes) + 1, -1, dtype=np.int8)
    sides[list(classes)] = list(classes.values())
    found: NDArray[np.int8] = sides[target]
    return found


@lru_cache(maxsize=4)
def read_split(truth: str) -> Array:
    """Return ``"train"`` or ``"test"`` of each row, shape (n,)."""
    return _read(Path(truth).with_suffix(".split.npy"))


@lru_cache(maxsize=4)
def read_posterior(truth: str) -> NDArray[np.float64]:
    """Return Pr(y = 1 | x) of each row, shape (n,), where the data set knows it."""
    posterior: NDArray[np.float64] = _read(Path(truth).with_suffix(".posterior.npy"))
    return posterior


@lru_cache(maxsize=4)
def read_given(truth: str) -> NDArray[np.int8]:
    """Return s and the true classes of test rows of each problem, shape (problems, 2, n); see ``GivenLabels``."""
    given: NDArray[np.int8] = _read(Path(truth).with_suffix(".given.npy"))
    return given


def _read(path: Path) -> Array:
    lent = _LENT.get(str(path))
    if lent is not None:
        return lent
    stored: Array = np.load(path)
    return stored


def lend_truth(arrays: Mapping[Path, Array]) -> None:
    """Keep true classes in memory, under paths at which there is no file."""
    _LENT.update({str(path): array for path, array in arrays.items()})


def return_truth() -> None:
    """Forget all true classes that were lent to this process."""
    _LENT.clear()
    for reader in (read_target, read_split, read_posterior, read_given):
        reader.cache_clear()
