"""Kernel mean embedding with a threshold on the gradient (KM2; Ramaswamy, Scott and Tewari, 2016)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.optimize import nnls

from pubench_priors.estimating import mixture_estimator
from pubench_priors.places import tally
from pubench_priors.problem import Floats

__all__ = ["Embedding", "distance_to_hull", "first_rise", "km2", "share_of_positives"]

_LANDMARKS = 50
_WIDTH = 0.2
_SLOPE = 0.2
_NOISE = 0.5
_CLOSEST = 0.005
_SUM = 1e3


def share_of_positives(labelled: Floats, unlabelled: Floats) -> float:
    r"""Estimate the prior by how much of P can be taken out of U before what is left is no distribution.

    With the kernel means :math:`\mu_U` and :math:`\mu_P`, what remains of U without a share :math:`\kappa` of P is
    :math:`\lambda \mu_U + (1 - \lambda) \mu_P` with :math:`\lambda = 1 / (1 - \kappa)`. Its distance from the convex
    hull C of points,

    .. math::

        d(\lambda) = \min_{w \in \Delta} \| \lambda \mu_U + (1 - \lambda) \mu_P - \Phi w \|,

    is convex, and zero up to the share of positives in U. The estimate is where its slope first exceeds
    :math:`0.2 \|\mu_U - \mu_P\| + 0.5 \sqrt{1/n_p + 1/n_u}`: a part of the slope that it has in the end, and of that
    which noise in the means gives it.

    The kernel is Gaussian, of width 0.2 on a scale of ranks from 0 to 1, half of it P's. Means are represented by
    50 evenly spaced landmarks (Nystroem), which also span the hull: time and memory grow with n as the scores do.
    """
    on_p, on_u = _places(labelled, unlabelled)
    embedding = _embedding()
    noise = math.sqrt(1.0 / len(labelled) + 1.0 / len(unlabelled))
    return _taken_out(embedding, embedding.mean(on_p), embedding.mean(on_u), _NOISE * noise)


km2 = mixture_estimator("km2", share_of_positives)


@cache
def _embedding() -> Embedding:
    return Embedding(_LANDMARKS, _WIDTH)


def _places(labelled: Floats, unlabelled: Floats) -> tuple[Floats, Floats]:
    """Return for the scores of P and of U the mean of their ranks among P and among U, each in [0, 1], ascending.

    So P takes up half of the scale, however few its like are among U.
    """
    found = tally(labelled, unlabelled)
    # The shares of P and of U below each score, half of its equals included.
    among_p = (2 * found.below_p + found.of_p) / (2.0 * len(labelled))
    among_u = (2 * found.below_u + found.of_u) / (2.0 * len(unlabelled))
    mean: Floats = (among_p + among_u) / 2.0
    return np.repeat(mean, found.of_p), np.repeat(mean, found.of_u)


class Embedding:
    """Nystroem features of a Gaussian kernel on [0, 1]: ``points`` are those of the landmarks, shape (m, k)."""

    def __init__(self, n_landmarks: int, width: float) -> None:
        self._landmarks = (np.arange(n_landmarks) + 0.5) / n_landmarks
        self._width = width
        values, vectors = np.linalg.eigh(self._kernel(self._landmarks))
        kept = values > 1e-8 * values[-1]
        self._map = vectors[:, kept] / np.sqrt(values[kept])
        self.points: Floats = self._kernel(self._landmarks) @ self._map

    def _kernel(self, x: Floats) -> Floats:
        kernel: Floats = np.exp(-0.5 * ((x[:, None] - self._landmarks) / self._width) ** 2)
        return kernel

    def mean(self, x: Floats) -> Floats:
        """Return the kernel mean of a sample (n,) of numbers in [0, 1], shape (k,)."""
        # On a fine grid the sample is its histogram: the kernel is far wider than a cell.
        edges = np.linspace(0.0, 1.0, 20 * len(self._landmarks) + 1)
        # Scores are in order already, or nearly so; the last cell holds its upper edge.
        counts = np.diff(np.append(np.searchsorted(np.sort(x), edges[:-1]), len(x)))
        mean: Floats = (counts / len(x)) @ self._kernel((edges[1:] + edges[:-1]) / 2.0) @ self._map
        return mean


def distance_to_hull(point: Floats, corners: Floats) -> float:
    """Return the distance of a point (k,) from the convex hull of the corners (m, k)."""
    # A quadratic program; the weights' sum is held at 1 by a row that outweighs all others.
    matrix = np.vstack([corners.T, np.full(len(corners), _SUM)])
    weights, _ = nnls(matrix, np.append(point, _SUM), maxiter=50 * len(corners))
    return float(np.linalg.norm(corners.T @ weights - point))


def first_rise(slope: Callable[[float], float], least: float) -> float:
    """Return the least share in [0, 1) at which a non-decreasing slope exceeds ``least``, by bisection."""
    low, high = 0.0, 1.0 - _CLOSEST
    if slope(high) <= least:
        return 1.0
    while high - low > _CLOSEST / 4:
        middle = (low + high) / 2.0
        low, high = (low, middle) if slope(middle) > least else (middle, high)
    return (low + high) / 2.0


def _taken_out(embedding: Embedding, of_p: Floats, of_u: Floats, noise: float) -> float:
    gap = float(np.linalg.norm(of_u - of_p))
    if gap < 1e-6:
        return 1.0

    def distance(share: float) -> float:
        factor = 1.0 / (1.0 - share)
        return distance_to_hull(factor * of_u + (1.0 - factor) * of_p, embedding.points)

    def slope(share: float) -> float:
        beside = share - _CLOSEST if share > _CLOSEST else share + _CLOSEST
        near, far = sorted((share, beside))
        step = 1.0 / (1.0 - far) - 1.0 / (1.0 - near)
        return (distance(far) - distance(near)) / step

    return first_rise(slope, _SLOPE * gap + noise)
