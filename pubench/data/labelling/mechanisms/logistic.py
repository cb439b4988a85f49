"""Mechanisms whose propensity is logistic: in one feature, in a random direction, or by groups of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from pubench.data.labelling.mechanisms.base import Mechanism
from pubench.data.labelling.mechanisms.hidden import column_values, product, standardised, standardised_rows
from pubench.data.labelling.mechanisms.solving import logistic, solve
from pubench.errors import DataError

if TYPE_CHECKING:
    from pubench.data.values import Matrix

__all__ = ["Direction", "Feature", "Groups"]

Floats = NDArray[np.float64]
_SLOPE = {
    "description": "Slope of the log odds in standard deviations of the score; 0 is SCAR.",
    "ge": -1e3,
    "le": 1e3,
}
_COLUMN = {"description": "The number of the column, from 0; default: drawn for each replicate.", "ge": 0}


class _OfColumn(Mechanism):
    """A mechanism that may be told a column."""

    __slots__ = ()
    column: int | None

    def check_columns(self, number: int) -> None:
        """Raise DataError if rows of this many columns do not have the column."""
        if self.column is not None and self.column >= number:
            raise DataError(
                f"{self.name}.column = {self.column}, but the data have columns 0 to {number - 1}; choose one of them"
            )


@dataclass(frozen=True, slots=True)
class Feature(_OfColumn):
    r"""The propensity is :math:`1 / (1 + e^{-(a z + b)})`, z one standardised feature, a the strength, b solved for.

    Attributes
    ----------
    strength : float
    column : int or None
        The feature; None draws one of those that differ between positives.
    """

    name: ClassVar[str] = "feature"
    summary: ClassVar[str] = "the propensity is logistic in one feature"

    strength: float = field(default=2.0, metadata=_SLOPE)
    column: int | None = field(default=None, metadata=_COLUMN)

    def propensities(
        self, features: Callable[[], Matrix], y: NDArray[np.uint8], frequency: float, rng: np.random.Generator
    ) -> Floats:
        """Return the logistic function of the feature."""
        Z = standardised_rows(features())
        self.check_columns(Z.shape[1])
        column = _drawn_column(Z, y, rng) if self.column is None else self.column
        score = standardised(column_values(Z, column), y)
        return solve(logistic, self.strength * score, y, frequency)


@dataclass(frozen=True, slots=True)
class Direction(Mechanism):
    r"""The propensity is :math:`1 / (1 + e^{-(a z + b)})`, z a random projection of x, a the strength, b solved for."""

    name: ClassVar[str] = "direction"
    summary: ClassVar[str] = "the propensity is logistic in a random direction of the features"

    strength: float = field(default=2.0, metadata=_SLOPE)

    def propensities(
        self, features: Callable[[], Matrix], y: NDArray[np.uint8], frequency: float, rng: np.random.Generator
    ) -> Floats:
        """Return the logistic function of the projection."""
        Z = standardised_rows(features())
        score = standardised(product(Z, rng.standard_normal((Z.shape[1],))), y)
        return solve(logistic, self.strength * score, y, frequency)


@dataclass(frozen=True, slots=True)
class Groups(_OfColumn):
    """Each group of rows has one propensity, as if hospitals or countries reported at different rates.

    The groups' log odds are evenly spaced from -strength to strength, in random order, and then shifted together.

    Attributes
    ----------
    strength : float
    groups : int
        The number of groups: the rows closest to each of that many random rows.
    column : int or None
        Rows with the same value here are a group instead.
    """

    name: ClassVar[str] = "groups"
    summary: ClassVar[str] = "each group of rows has its own propensity"

    strength: float = field(
        default=2.0,
        metadata={"description": "Half the range of the groups' log odds; 0 is SCAR.", "ge": 0, "le": 1e3},
    )
    groups: int = field(
        default=4,
        metadata={"description": "The number of groups, around as many random rows.", "ge": 2, "le": 1000},
    )
    column: int | None = field(
        default=None,
        metadata={"description": "The number of a column whose values are the groups, from 0.", "ge": 0},
    )

    def propensities(
        self, features: Callable[[], Matrix], y: NDArray[np.uint8], frequency: float, rng: np.random.Generator
    ) -> Floats:
        """Return the propensity of each row's group."""
        Z = standardised_rows(features())
        self.check_columns(Z.shape[1])
        if self.column is None:
            group = _nearest(Z, rng.choice(y.size, min(self.groups, y.size), replace=False))
        else:
            group = np.unique(column_values(Z, self.column), return_inverse=True)[1]
        odds = rng.permutation(np.linspace(-self.strength, self.strength, int(group.max()) + 1))
        return solve(logistic, odds[group], y, frequency)


def _drawn_column(Z: Matrix, y: NDArray[np.uint8], rng: np.random.Generator) -> int:
    """Draw a column that differs between positives; the first one if none does."""
    for column in rng.permutation(Z.shape[1]):
        if np.ptp(column_values(Z, int(column))[y == 1]) > 0:
            return int(column)
    return 0


def _nearest(Z: Matrix, centres: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of the closest centre of each row, shape (n,)."""
    rows = Z[centres]
    dense = rows if isinstance(rows, np.ndarray) else rows.toarray()
    # The squared length of the row itself is the same for all centres.
    distance = (dense**2).sum(axis=1) - 2 * np.asarray(Z @ dense.T)
    nearest: NDArray[np.int64] = np.argmin(distance, axis=1)
    return nearest
