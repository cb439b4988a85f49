"""Fingerprints of prepared data: equal data have equal ones everywhere, altered data another."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pubench.prepared import Prepared

__all__ = ["fingerprint", "is_intact"]


def fingerprint(arrays: Iterable[NDArray[Any]], facts: object) -> str:
    """Return 32 hexadecimal digits that name the arrays, their types and shapes, and some facts about them."""
    sha = hashlib.sha256(repr(facts).encode())
    for array in arrays:
        sha.update(f"{array.dtype.str}{array.shape}".encode())
        sha.update(np.ascontiguousarray(array).view(np.uint8).data)
    return sha.hexdigest()[:32]


def is_intact(prepared: Prepared) -> bool:
    """Read all arrays of a prepared data set and tell whether they are still those that were saved."""
    try:
        arrays = [np.load(path, mmap_mode="r") for path in prepared.arrays()]
        return fingerprint(arrays, (prepared.classes, prepared.categorical)) == prepared.fingerprint
    except (OSError, ValueError):
        return False
