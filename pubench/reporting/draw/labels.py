"""Where labels of a drawing go so that none covers another: deterministic, in points of 1/72 inch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

__all__ = ["Box", "place_labels", "spread"]

DIRECTIONS = (0, 180, 90, 270, 45, 315, 135, 225, 22, 338, 158, 202)
"""In degrees, the preferred one first: beside the point, then above and below it."""
DISTANCES = (5.0, 9.0, 14.0, 20.0, 28.0, 38.0, 50.0, 64.0)


class Box(NamedTuple):
    """A rectangle: left, bottom, right and top."""

    left: float
    bottom: float
    right: float
    top: float

    def overlaps(self, other: Box) -> bool:
        """Whether the two share more than an edge."""
        beside = self.right <= other.left or other.right <= self.left
        return not (beside or self.top <= other.bottom or other.top <= self.bottom)

    def within(self, other: Box) -> bool:
        """Whether it lies inside the other."""
        across = other.left <= self.left and self.right <= other.right
        return across and other.bottom <= self.bottom and self.top <= other.top


def place_labels(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    bounds: Box,
    marker: float,
) -> list[Box | None]:
    """Find room for the label of each point; the first ones choose first.

    Parameters
    ----------
    points : sequence of (x, y)
    sizes : sequence of (width, height)
        Of the labels.
    bounds : Box
        What labels must not leave.
    marker : float
        Half the width of the mark at each point, which labels must not cover.

    Returns
    -------
    list of Box or None
        None for a label that has no room near its point.
    """
    taken = [Box(x - marker, y - marker, x + marker, y + marker) for x, y in points]
    placed: list[Box | None] = []
    for point, size in zip(points, sizes, strict=True):
        boxes = (_beside(point, size, distance, angle) for distance in DISTANCES for angle in DIRECTIONS)
        free = (box for box in boxes if box.within(bounds) and not any(map(box.overlaps, taken)))
        found = next(free, None)
        placed.append(found)
        if found is not None:
            taken.append(found)
    return placed


def _beside(point: tuple[float, float], size: tuple[float, float], distance: float, angle: float) -> Box:
    """Return the box of which the side or corner nearest to the point lies in this direction."""
    across, up = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    middle_x = point[0] + distance * across + size[0] / 2 * _side(across)
    middle_y = point[1] + distance * up + size[1] / 2 * _side(up)
    half_width, half_height = size[0] / 2, size[1] / 2
    return Box(middle_x - half_width, middle_y - half_height, middle_x + half_width, middle_y + half_height)


def _side(part: float) -> float:
    return 0.0 if abs(part) < 1e-9 else math.copysign(1.0, part)


def spread(values: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move values apart until neighbours are ``gap`` from each other, each as little as possible.

    Parameters
    ----------
    values : sequence of float
    gap : float
        Reduced if there is no room for all.
    low, high : float
        The values stay between these.

    Returns
    -------
    list of float
        In the order of ``values``.
    """
    from scipy.optimize import isotonic_regression

    wished = np.asarray(values, dtype=np.float64)
    order = np.argsort(wished, kind="stable")
    steps = min(gap, (high - low) / max(wished.size - 1, 1)) * np.arange(wished.size)
    # Less their steps, values with room between them are in order: the nearest such values are a regression.
    moved = isotonic_regression(wished[order] - steps).x.clip(low, high - steps[-1]) + steps
    return [float(moved[place]) for place in np.argsort(order)]
