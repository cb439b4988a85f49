"""Prepared data sets: arrays on disk that every process maps instead of copying, features and truth apart."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pubench.errors import DataError, did_you_mean

if TYPE_CHECKING:
    from pubench.data import Matrix

__all__ = ["Prepared", "positive_sets", "read_features", "row_order", "select_classes"]

_ROW_ORDER = 20030821


def row_order(n: int) -> NDArray[np.int64]:
    """Return which row of the loaded data stands at each place, shape (n,)."""
    return np.random.default_rng(_ROW_ORDER).permutation(n)


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is known of a prepared data set without opening its arrays.

    The rows stand in a fixed random order, so that a row's position says nothing about its class. ``missing`` counts
    empty numeric cells, ``missing_codes`` empty categorical ones. ``pu`` marks real PU data, whose target is s.
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
    params: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    image_shape: tuple[int, ...] = ()

    def to_json(self) -> str:
        """Return the meta file's text; it names no path, so that a cache can be moved."""
        fields = asdict(self)
        del fields["folder"], fields["truth"]
        return json.dumps(fields, indent=1)

    @classmethod
    def from_json(cls, text: str, *, folder: Path, truth: Path) -> Prepared:
        """Read the text of the meta file in ``folder``."""
        fields = json.loads(text) | {"folder": str(folder), "truth": str(truth)}
        for name in ("classes", "counts", "feature_names", "image_shape"):
            # What an older version wrote can still be listed; it knew of no images.
            fields[name] = tuple(fields.get(name, ()))
        fields["categorical"] = tuple((int(column), int(codes)) for column, codes in fields["categorical"])
        return cls(**fields)

    def for_child(self) -> dict[str, Any]:
        """Return what a process that is to see the features, and no class, must know."""
        names = ("folder", "sparse", "n_features", "categorical", "missing", "image_shape")
        return {name: getattr(self, name) for name in names}

    def arrays(self) -> list[Path]:
        """Return the files that must be there."""
        parts = ("data", "indices", "indptr") if self.sparse else ("X",)
        truth = Path(self.truth)
        extras = {"split": self.has_split, "posterior": self.has_posterior}
        kept = [truth.with_suffix(f".{name}.npy") for name, there in extras.items() if there]
        return [Path(self.folder) / f"{part}.npy" for part in parts] + [truth, *kept]


@lru_cache(maxsize=4)
def read_features(folder: str, sparse: bool, n_features: int) -> Matrix:
    """Map the features, shape (n, d), read-only; processes share the pages."""
    if not sparse:
        mapped: NDArray[Any] = np.load(Path(folder) / "X.npy", mmap_mode="r")
        return mapped
    from scipy.sparse import csr_array

    parts = [np.load(Path(folder) / f"{part}.npy", mmap_mode="r") for part in ("data", "indices", "indptr")]
    return csr_array(tuple(parts), shape=(len(parts[2]) - 1, n_features))


def positive_sets(prepared: Prepared, positive: tuple[str, ...] | str) -> list[tuple[str, ...]]:
    """Return the positive classes of each problem that a suite's ``positive`` makes of a data set.

    Names stand for themselves; ``"minority"`` is the rarest class (the first of equally rare ones);
    ``"one-versus-rest"`` makes a problem for each class.
    """
    if positive == "minority":
        return [(prepared.classes[int(np.argmin(prepared.counts))],)]
    if positive == "one-versus-rest":
        return [(name,) for name in prepared.classes]
    return [tuple(positive)]


def select_classes(
    prepared: Prepared, positive: tuple[str, ...], negative: tuple[str, ...] | None
) -> Mapping[int, int]:
    """Return class number -> 1 or 0 for the classes that are kept, or say which name is wrong."""
    known = {name: number for number, name in enumerate(prepared.classes)}
    if len(known) == 1:
        raise DataError(
            f"data set '{prepared.name}' has one class only, '{prepared.classes[0]}'; it needs rows of two"
        )
    positive = tuple(_known_class(prepared, name) for name in positive)
    negative = None if negative is None else tuple(_known_class(prepared, name) for name in negative)
    if not positive:
        raise DataError(
            f"data set '{prepared.name}' names no positive class; set positive = [...] from {', '.join(known)}"
        )
    rest = [name for name in known if name not in positive] if negative is None else list(negative)
    both = set(positive) & set(rest)
    if both:
        raise DataError(f"data set '{prepared.name}': class '{min(both)}' is both positive and negative")
    if not rest:
        raise DataError(
            f"data set '{prepared.name}' would have one class only; leave a class out of positive"
        )
    return {known[name]: 0 for name in rest} | {known[name]: 1 for name in positive}


def _known_class(prepared: Prepared, name: str) -> str:
    """Return the class of this name; a suite's true and false, here "True" and "False", may be text in the data."""
    if name in prepared.classes:
        return name
    alike = [known for known in prepared.classes if known.lower() == name.lower()]
    if name in ("True", "False") and len(alike) == 1:
        return alike[0]
    raise DataError(f"data set '{prepared.name}' has no class '{name}'{did_you_mean(name, prepared.classes)}")
