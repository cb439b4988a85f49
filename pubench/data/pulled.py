"""Data sets that a worker pulls from its driver: features are kept in its cache, true classes only in its memory."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np

from pubench.data.cache import FEATURES, cache_root, write_together
from pubench.data.loading import read_stored
from pubench.data.stored import StoredDataset, fingerprint
from pubench.data.truth import lend_truth
from pubench.errors import DataError
from pubench.specs import Array

__all__ = ["Parcel", "pull_dataset"]


class Parcel(Protocol):
    """The content of a file that a driver has made available to its workers."""

    def pull(self) -> bytes:
        """Fetch the content."""


def pull_dataset(stored: StoredDataset, parcels: Sequence[Parcel]) -> StoredDataset:
    """Return a data set of the driver with the places that its arrays have here.

    The worker's own cache comes first. Else features that were pulled before are used if they are intact, and what is
    missing is pulled. True classes are written nowhere.

    Parameters
    ----------
    stored : StoredDataset
        As the driver knows it.
    parcels : sequence of Parcel
        The files of ``stored.arrays()``, in that order.

    Raises
    ------
    DataError
        If what was pulled is not what the driver has stored.
    """
    own = read_stored(cache_root() / FEATURES / Path(stored.folder).name)
    if own is not None and own.fingerprint == stored.fingerprint:
        return replace(stored, folder=own.folder, truth=own.truth)
    folder = cache_root() / FEATURES / f"pulled-{stored.fingerprint}"
    here = replace(stored, folder=str(folder), truth=str(folder / "in-memory.npy"))
    files = here.arrays()
    n_features = files.index(Path(here.truth))
    truth = [_array(parcel.pull()) for parcel in parcels[n_features:]]
    if not _is_intact(here, _kept(files[:n_features]), truth):
        pulled = [parcel.pull() for parcel in parcels[:n_features]]
        if not _is_intact(here, list(map(_array, pulled)), truth):
            raise DataError(f"data set '{stored.name}' was damaged on its way to a worker")
        write_together(dict(zip(files[:n_features], pulled, strict=True)))
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
