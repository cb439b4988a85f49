"""Data sets that come to a worker from its driver: features are kept in its cache, true classes only in its memory."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from pubench.data.cache import FEATURES, cache_root, write_together
from pubench.data.loading import read_stored
from pubench.data.stored import StoredDataset, fingerprint
from pubench.data.truth import lend_truth
from pubench.errors import DataError
from pubench.specs import Array

__all__ = ["find_dataset", "keep_dataset"]


def find_dataset(stored: StoredDataset) -> StoredDataset | None:
    """Return a data set of a driver as this machine's own cache has it, or None."""
    own = read_stored(cache_root() / FEATURES / Path(stored.folder).name)
    if own is None or own.fingerprint != stored.fingerprint:
        return None
    return replace(stored, folder=own.folder, truth=own.truth)


def keep_dataset(stored: StoredDataset, contents: Sequence[bytes]) -> StoredDataset:
    """Return a data set that came from a driver with the places that its arrays have here.

    Features are written to the cache, unless they are there from an earlier run; true classes are written nowhere.

    Parameters
    ----------
    stored : StoredDataset
        As the driver knows it.
    contents : sequence of bytes
        The files of ``stored.arrays()``, in that order.

    Raises
    ------
    DataError
        If what came is not what the driver has stored.
    """
    folder = cache_root() / FEATURES / f"pulled-{stored.fingerprint}"
    here = replace(stored, folder=str(folder), truth=str(folder / "in-memory.npy"))
    files = here.arrays()
    n_features = files.index(Path(here.truth))
    truth = [_array(content) for content in contents[n_features:]]
    if not _is_intact(here, _kept(files[:n_features]), truth):
        features = contents[:n_features]
        if not _is_intact(here, list(map(_array, features)), truth):
            raise DataError(f"data set '{stored.name}' was damaged on its way to a worker")
        write_together(dict(zip(files[:n_features], features, strict=True)))
    lend_truth(dict(zip(files[n_features:], truth, strict=True)))
    return here


def _kept(files: Sequence[Path]) -> list[Array]:
    """Return the features that were pulled before, or nothing."""
    try:
        return [np.load(file, mmap_mode="r") for file in files]
    except (OSError, ValueError):
        return []


def _is_intact(stored: StoredDataset, features: list[Array], truth: list[Array]) -> bool:
    arrays = [*features, *truth]
    if len(arrays) != len(stored.arrays()):
        return False
    return fingerprint(arrays, (stored.classes, stored.categorical)) == stored.fingerprint


def _array(data: bytes) -> Array:
    array: Array = np.load(io.BytesIO(data))
    return array
