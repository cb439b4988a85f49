"""Prepared data sets: arrays on disk that every process maps instead of copying, features and truth apart."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pubench.errors import DataError, did_you_mean

if TYPE_CHECKING:
    from pubench.data import Matrix

__all__ = ["Prepared", "positive_sets", "read_features", "select_classes"]


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is known of a prepared data set without opening its arrays.

    The rows stand in a fixed random order, so that a row's position says nothing about its class. ``missing`` counts
    empty numeric cells, ``missing_codes`` empty categorical ones. ``pu`` marks real PU data, whose target is s.
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

    def to_json(self) -> str:
        """Return the meta file's text."""
        return json.dumps(asdict(self), indent=1)

    @classmethod
    def from_json(cls, text: str) -> Prepared:
        """Read the meta file's text."""
        fields = json.loads(text)
        for name in ("classes", "counts", "feature_names"):
            fields[name] = tuple(fields[name])
        fields["categorical"] = tuple((int(column), int(codes)) for column, codes in fields["categorical"])
        return cls(**fields)

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
    for name in (*positive, *(negative or ())):
        if name not in known:
            raise DataError(f"data set '{prepared.name}' has no class '{name}'{did_you_mean(name, known)}")
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
