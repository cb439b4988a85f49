"""Which methods a model is made of, their weights, and their out-of-fold scores."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pubench.advise.choosing import one_se, softmax_weights
from pubench.advise.gathering import Comparison
from pubench.advise.settings import SINGLE

__all__ = ["Choice"]

_LEAST_WEIGHT = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The methods of a model, the heaviest first.

    Attributes
    ----------
    names : tuple of str
    weights : tuple of float
    at_prior : tuple of bool
        Whether decisions of the method are cut at the prior.
    margins : ndarray of shape (methods, n)
        Out-of-fold scores.
    """

    names: tuple[str, ...]
    weights: tuple[float, ...]
    at_prior: tuple[bool, ...]
    margins: NDArray[np.float64]

    @classmethod
    def of(cls, comparison: Comparison, method: str) -> Self:
        """Choose by a comparison: all methods by their weights, or the one-SE choice for ``method="single"``."""
        if method == SINGLE:
            weights = np.zeros(len(comparison.names))
            weights[comparison.names.index(one_se(comparison.values, comparison.names))] = 1.0
        else:
            weights = softmax_weights(comparison.values)
        # A method of almost no weight costs as much time and space as any other.
        kept = [
            int(place) for place in np.argsort(-weights, kind="stable") if weights[place] >= _LEAST_WEIGHT
        ]
        return cls(
            tuple(comparison.names[place] for place in kept),
            tuple(float(weights[place]) for place in kept),
            tuple(bool(np.isfinite(comparison.cuts[place])) for place in kept),
            comparison.margins[kept],
        )

    def of_methods(self, names: Collection[str]) -> Self:
        """Return the choice without other methods."""
        kept = [place for place, name in enumerate(self.names) if name in names]
        return replace(
            self,
            names=tuple(self.names[place] for place in kept),
            weights=tuple(self.weights[place] for place in kept),
            at_prior=tuple(self.at_prior[place] for place in kept),
            margins=self.margins[kept],
        )

    def of_rows(self, rows: NDArray[np.int64]) -> Self:
        """Return the choice with the scores of some rows only."""
        return replace(self, margins=self.margins[:, rows])
