"""Stored data sets: arrays on disk that every process maps instead of copying, features and truth separate."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pubench.protocol.parts import Features
from pubench.specs import Array, Params

if TYPE_CHECKING:
    from pubench.data.values import Matrix

__all__ = [
    "StoredDataset",
    "fingerprint",
    "has_categories",
    "is_intact",
    "read_categories",
    "read_coordinates",
    "read_features",
    "row_order",
]

_ROW_ORDER = 20030821


def row_order(n: int) -> NDArray[np.int64]:
    """Return which row of the loaded data stands at each place, shape (n,)."""
    return np.random.default_rng(_ROW_ORDER).permutation(n)


@dataclass(frozen=True, slots=True)
class StoredDataset:
    """What is known of a stored data set without opening its arrays.

    The rows stand in a fixed random order, so that a row's position says nothing about its class. ``missing`` counts
    empty numeric cells, ``missing_codes`` empty categorical ones. ``pu`` marks real PU data, whose target is s.
    ``given`` names the learning problems whose labels come with the data, and whose test rows have true classes.
    ``target_type`` is the NumPy type of the classes as they were loaded, empty for text; ``params`` is what the user
    asked for, ``facts`` what the plugin knows of the data besides, and ``image_shape`` empty where rows are no images.
    """

    name: str
    folder: str
    truth: str
    fingerprint: str
    n_rows: int
    n_features: int
    sparse: bool
    missing: int
    missing_codes: int
    classes: tuple[str, ...]
    counts: tuple[int, ...]
    categorical: tuple[tuple[int, int], ...]
    has_split: bool
    has_posterior: bool = False
    pu: bool = False
    feature_names: tuple[str, ...] = ()
    target_type: str = ""
    params: Params = field(default_factory=dict)
    facts: Params = field(default_factory=dict)
    image_shape: tuple[int, ...] = ()
    given: tuple[str, ...] = ()
    has_coordinates: bool = False

    @property
    def judged(self) -> bool:
        """Whether the true classes of test rows are known."""
        return not self.pu or bool(self.given)

    def to_json(self) -> str:
        """Return the meta file's text; it names no path, so that a cache can be moved."""
        fields = asdict(self)
        del fields["folder"], fields["truth"]
        return json.dumps(fields, indent=1)

    @classmethod
    def from_json(cls, text: str, *, folder: Path, truth: Path) -> StoredDataset:
        """Read the text of the meta file in ``folder``."""
        fields = json.loads(text) | {"folder": str(folder), "truth": str(truth)}
        for name in ("classes", "counts", "feature_names", "image_shape", "given"):
            # What an older version wrote can still be listed; it knew of no images.
            fields[name] = tuple(fields.get(name, ()))
        fields["categorical"] = tuple((int(column), int(codes)) for column, codes in fields["categorical"])
        return cls(**fields)

    def for_child(self) -> Features:
        """Return what a process that sees the features, and no class, must know."""
        return Features(
            folder=self.folder,
            sparse=self.sparse,
            n_features=self.n_features,
            categorical=self.categorical,
            missing=self.missing,
            image_shape=self.image_shape,
            coordinates=self.has_coordinates,
        )

    def arrays(self) -> list[Path]:
        """Return the files that must be there."""
        parts = ["data", "indices", "indptr"] if self.sparse else ["X"]
        parts += ["coordinates"] if self.has_coordinates else []
        truth = Path(self.truth)
        extras = {"split": self.has_split, "posterior": self.has_posterior, "given": bool(self.given)}
        kept = [truth.with_suffix(f".{name}.npy") for name, there in extras.items() if there]
        return [Path(self.folder) / f"{part}.npy" for part in parts] + [truth, *kept]


def read_features(features: Features) -> Matrix:
    """Map the features, shape (n, d), read-only; processes share the pages."""
    return _mapped(features.folder, features.sparse, features.n_features)


@lru_cache(maxsize=4)
def _mapped(folder: str, sparse: bool, n_features: int) -> Matrix:
    if not sparse:
        mapped: Array = np.load(Path(folder) / "X.npy", mmap_mode="r")
        return mapped
    from scipy.sparse import csr_array

    parts = [np.load(Path(folder) / f"{part}.npy", mmap_mode="r") for part in ("data", "indices", "indptr")]
    return csr_array(tuple(parts), shape=(len(parts[2]) - 1, n_features))


def read_coordinates(features: Features) -> NDArray[np.float64] | None:
    """Map where the rows were observed, shape (n, 2), read-only; None where the data do not say."""
    if not features.coordinates:
        return None
    places: NDArray[np.float64] = np.load(Path(features.folder) / "coordinates.npy", mmap_mode="r")
    return places


def read_categories(stored: StoredDataset) -> dict[int, tuple[str, ...]]:
    """Return the names of the codes of each categorical column."""
    if not stored.categorical:
        return {}
    found = json.loads((Path(stored.folder) / "categories.json").read_text(encoding="utf-8"))
    return {int(column): tuple(names) for column, names in found.items()}


def has_categories(stored: StoredDataset) -> bool:
    """Whether the names of all codes are still on the disk."""
    try:
        found = read_categories(stored)
    except (OSError, ValueError, AttributeError, TypeError):
        return False
    return tuple(sorted((column, len(names)) for column, names in found.items())) == stored.categorical


def fingerprint(arrays: Iterable[Array], facts: object) -> str:
    """Return 32 hexadecimal digits that name the arrays, their types and shapes, and some facts about them."""
    sha = hashlib.sha256(repr(facts).encode())
    for array in arrays:
        sha.update(f"{array.dtype.str}{array.shape}".encode())
        sha.update(np.ascontiguousarray(array).view(np.uint8).data)
    return sha.hexdigest()[:32]


def is_intact(stored: StoredDataset) -> bool:
    """Read all arrays of a stored data set and tell whether they are still those that were saved."""
    try:
        arrays = [np.load(path, mmap_mode="r") for path in stored.arrays()]
        return fingerprint(arrays, (stored.classes, stored.categorical)) == stored.fingerprint
    except (OSError, ValueError):
        return False
