"""From the cache back to what the loader returned: rows in their order, classes of their type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pubench.cached import read_categories
from pubench.data import Data
from pubench.prepared import Prepared, read_features, row_order
from pubench.truth import read_posterior, read_split, read_target

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["as_loaded"]


def as_loaded(prepared: Prepared) -> Data:
    """Return a prepared data set as its loader returned it: true classes and all, in arrays of its own."""
    place = np.empty(prepared.n_rows, dtype=np.int64)
    place[row_order(prepared.n_rows)] = np.arange(prepared.n_rows)
    mapped: Any = read_features(prepared.folder, prepared.sparse, prepared.n_features)
    X: Any = mapped[place]
    return Data(
        X=X if prepared.sparse else np.asarray(X),
        target=_classes(prepared)[read_target(prepared.truth)[place]],
        feature_names=prepared.feature_names,
        categorical=read_categories(prepared),
        split=read_split(prepared.truth)[place] if prepared.has_split else None,
        posterior=read_posterior(prepared.truth)[place] if prepared.has_posterior else None,
        pu=prepared.pu,
        image_shape=prepared.image_shape,
    )


def _classes(prepared: Prepared) -> NDArray[Any]:
    """Return the classes by their number; in the cache their names are texts, whatever they were."""
    names = prepared.classes
    if not prepared.target_type:
        return np.asarray(names)
    kind = np.dtype(prepared.target_type)
    if kind.kind == "b":
        return np.asarray([name == "True" for name in names])
    return np.asarray([float(name) if kind.kind == "f" else int(name) for name in names], dtype=kind)
