"""In the child: what a model says of each place of a plane, where rows have two columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pubench.protocol.replies import Plane

if TYPE_CHECKING:
    from pubench.child.deciding import FittedModel
    from pubench.data.values import Matrix

__all__ = ["decision_plane"]

SIDE, MARGIN, POINTS = 48, 0.05, 80
"""Places along each axis, the room around the rows as a share of their range, and rows of each kind that are kept."""


def decision_plane(model: FittedModel, X: Matrix, labels: NDArray[np.uint8]) -> Plane | None:
    """Ask a model for its decisions on a grid around its training rows.

    Parameters
    ----------
    model : FittedModel
    X : matrix of shape (n, d)
        The training rows as the model saw them.
    labels : int array of shape (n,)
        What it was given as positive (1).

    Returns
    -------
    Plane or None
        None unless rows are dense and have two columns that vary.
    """
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.shape[1] != 2:
        return None
    low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    room = MARGIN * (high - low)
    if not (np.isfinite(room) & (room > 0)).all():
        return None
    ends = [_ends(start, end) for start, end in zip(low - room, high + room, strict=True)]
    across, up = (np.linspace(*pair, SIDE) for pair in ends)
    grid = np.stack([axis.ravel() for axis in np.meshgrid(across, up)], axis=1).astype(X.dtype)
    decisions = model.predict(grid).decision
    return Plane(
        x=ends[0],
        y=ends[1],
        positive="".join("1" if one else "0" for one in decisions),
        labelled=_points(X[labels == 1]),
        unlabelled=_points(X[labels != 1]),
    )


def _ends(low: float, high: float) -> tuple[float, float]:
    return _rounded(low), _rounded(high)


def _points(X: NDArray[np.float64]) -> tuple[tuple[float, float], ...]:
    """Return some of the rows, evenly spaced in their order."""
    kept = np.linspace(0, max(len(X) - 1, 0), min(POINTS, len(X))).round().astype(int)
    return tuple((_rounded(X[i, 0]), _rounded(X[i, 1])) for i in kept)


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")
