"""Missing numbers predicted from the other columns: a ridge regression for each column that has gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Filling", "fill_gaps", "learn_fillings"]

_ROUNDS = 3
_PENALTIES = (0.003, 0.03, 0.3)
"""Added to the diagonal of a covariance matrix of standardised columns."""
_LEAST_ROWS = 30
_MOST_COLUMNS = 600
_HELD = 3
"""Every third row is held out when penalties are compared."""
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Filling:
    """How a missing cell of one encoded column follows from the others.

    Attributes
    ----------
    place : int
        Of the encoded column.
    weights : tuple of float
        One for each encoded column; its own is 0.
    offset : float
    low, high : float
        The range of the training rows; a prediction is moved into it.
    """

    place: int
    weights: tuple[float, ...]
    offset: float
    low: float
    high: float

    def predict(self, X: Floats) -> Floats:
        """Return the cells of encoded rows of shape (n, d), shape (n,)."""
        found: Floats = np.clip(X @ np.asarray(self.weights) + self.offset, self.low, self.high)
        return found


def fill_gaps(X: Floats, missing: Mask, fillings: Sequence[Filling]) -> None:
    """Replace missing cells in place; they hold a first guess, and later rounds use the better ones.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    missing : ndarray of shape (n, d)
    fillings : sequence of Filling
    """
    gaps = [(one, np.flatnonzero(missing[:, one.place])) for one in fillings]
    gaps = [(one, rows) for one, rows in gaps if len(rows)]
    for _ in range(_ROUNDS if len(gaps) > 1 else 1):
        for one, rows in gaps:
            X[rows, one.place] = one.predict(X[rows])


def learn_fillings(X: Floats, missing: Mask) -> tuple[Filling, ...]:
    """Learn how missing cells follow from the other columns, where these predict better than the median.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Encoded rows; a missing cell holds the column's median. They are not changed.
    missing : ndarray of shape (n, d)
    """
    X = X.copy()
    places = [int(place) for place in np.flatnonzero(missing.any(axis=0))]
    enough = [place for place in places if np.count_nonzero(~missing[:, place]) >= _LEAST_ROWS]
    if not enough or X.shape[1] < 2 or X.shape[1] > _MOST_COLUMNS:
        return ()
    penalties = _best_penalties(X, missing, enough)
    found: tuple[Filling, ...] = ()
    for _ in range(_ROUNDS):
        found = _regressions(X, missing, penalties)
        fill_gaps(X, missing, found)
    return found


def _best_penalties(X: Floats, missing: Mask, places: Sequence[int]) -> dict[int, float]:
    """Return the penalty of each column that predicts rows held out best; none where the median is as good."""
    held = np.arange(len(X)) % _HELD == 0
    errors = {place: [_error(X, np.median(X[:, place]), missing, place, held)] for place in places}
    for penalty in _PENALTIES:
        for one in _regressions(X[~held], missing[~held], dict.fromkeys(places, penalty)):
            errors[one.place].append(_error(X, one.predict(X), missing, one.place, held))
    best = {place: int(np.argmin(found)) for place, found in errors.items()}
    return {place: _PENALTIES[number - 1] for place, number in best.items() if number > 0}


def _error(X: Floats, guess: Floats | np.floating, missing: Mask, place: int, held: Mask) -> float:
    """Return the mean squared error of a guess in the rows held out where the cell is known."""
    known = held & ~missing[:, place]
    return float(np.mean((X[:, place] - guess)[known] ** 2)) if known.any() else np.inf


def _regressions(X: Floats, missing: Mask, penalties: dict[int, float]) -> tuple[Filling, ...]:
    """Return the regression of each column on all others: one inverse of the covariance serves all of them."""
    mean, covariance = X.mean(axis=0), np.atleast_2d(np.cov(X, rowvar=False, bias=True))
    precisions = {
        penalty: np.linalg.inv(covariance + penalty * np.eye(len(mean)))
        for penalty in sorted(set(penalties.values()))
    }
    found = []
    for place, penalty in penalties.items():
        weights = -precisions[penalty][place] / precisions[penalty][place, place]
        weights[place] = 0.0
        known = X[~missing[:, place], place]
        offset = float(mean[place] - weights @ mean)
        found.append(
            Filling(place, tuple(map(float, weights)), offset, float(known.min()), float(known.max()))
        )
    return tuple(found)
