"""The graph of mutual nearest neighbours and its Laplacian (equations 5 and 6); sparse throughout."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from sklearn.neighbors import NearestNeighbors

from pubench_pual._passes import nearest
from pubench_pual.kernels import distance_blocks

__all__ = ["EXACT_COLUMNS", "EXACT_ROWS", "Edges", "laplacian", "mutual_neighbours"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# In few dimensions a k-d tree finds exact neighbours at once; in many they cost n^2 d, minutes at 100,000 rows.
EXACT_ROWS, EXACT_COLUMNS = 10_000, 8
_LEAF = 64
_LEAVES_AT_ONCE = 32
_PAIRS_AT_ONCE = 4096


@dataclass(frozen=True, slots=True)
class Edges:
    """The m pairs of rows that are neighbours of one another.

    Attributes
    ----------
    first, second : int arrays of shape (m,)
        first < second.
    squared : array of shape (m,)
        Squared distances.
    n : int
        The number of rows, including those without a neighbour.
    """

    first: Ints
    second: Ints
    squared: Floats
    n: int

    @property
    def arrays(self) -> tuple[Ints, Ints, Floats]:
        """All that takes memory."""
        return self.first, self.second, self.squared


def mutual_neighbours(X: Floats, k: int) -> Edges:
    """Return the pairs of rows each of which is among the k nearest others of the other.

    Beyond :data:`EXACT_ROWS` rows of more than :data:`EXACT_COLUMNS` columns, neighbours are looked for only
    among the 60 or so rows that halving along the principal directions leaves together: a pair is then still
    one of close rows, yet many of the closest are missed.

    Parameters
    ----------
    X : array of shape (n, d)
        Centred, so that distances keep their digits.
    k : int
        Where there are fewer than k others, all of them count.
    """
    n, d = X.shape
    k = min(k, n - 1)
    if n <= EXACT_ROWS:
        return _mutual(_neighbours_among_all(X, k), X)
    if d > EXACT_COLUMNS:
        return _mutual(_neighbours_in_leaves(X, k), X)
    tree = NearestNeighbors(n_neighbors=k, algorithm="kd_tree", n_jobs=1).fit(X)
    return _mutual(np.asarray(tree.kneighbors(return_distance=False), dtype=np.int64), X)


def laplacian(edges: Edges, sigma: float) -> csr_array:
    """Return R = (W* - W) / n, shape (n, n), with weights exp(-squared distance / sigma) (equations 5 and 6).

    ``sigma`` is in units of the median squared distance of the edges, so that it means the same whatever the
    scale of the features; where that median is 0, most neighbours being duplicates, all weights are 1.
    """
    if not edges.first.size:
        return csr_array((edges.n, edges.n))
    unit = float(np.median(edges.squared))
    weights = np.exp(-edges.squared / (sigma * unit)) if unit > 0 else np.ones_like(edges.squared)
    degrees = np.bincount(
        np.concatenate([edges.first, edges.second]), np.concatenate([weights, weights]), edges.n
    )
    each = np.arange(edges.n)
    rows = np.concatenate([edges.first, edges.second, each])
    columns = np.concatenate([edges.second, edges.first, each])
    values = np.concatenate([-weights, -weights, degrees]) / edges.n
    return csr_array(coo_array((values, (rows, columns)), shape=(edges.n, edges.n)))


def _mutual(neighbours: Ints, X: Floats) -> Edges:
    """Keep the pairs that occur both ways; neighbours are (n, k), -1 standing for none."""
    n, k = neighbours.shape
    row, other = np.repeat(np.arange(n, dtype=np.int64), k), neighbours.ravel()
    kept = other >= 0
    row, other = row[kept], other[kept]
    # A pair has one number, whichever end it is seen from; numbers seen twice are mutual.
    number, count = np.unique(np.minimum(row, other) * n + np.maximum(row, other), return_counts=True)
    first, second = np.divmod(number[count == 2], n)
    return Edges(first, second, _squared_gaps(X, first, second), n)


def _squared_gaps(X: Floats, first: Ints, second: Ints) -> Floats:
    result = np.empty(len(first))
    for start in range(0, len(first), _PAIRS_AT_ONCE):
        pairs = slice(start, start + _PAIRS_AT_ONCE)
        gap = X[first[pairs]] - X[second[pairs]]
        result[pairs] = np.einsum("ij,ij->i", gap, gap)
    return result


def _neighbours_among_all(X: Floats, k: int) -> Ints:
    """Return the k nearest other rows of each row, shape (n, k)."""
    return np.concatenate([nearest(block, first, k) for first, block in distance_blocks(X)])


def _neighbours_in_leaves(X: Floats, k: int) -> Ints:
    """Return, shape (n, k), the nearest of the rows that share a leaf; -1 where there is none."""
    leaves = _leaves(X)
    result = np.full((X.shape[0], k), -1, dtype=np.int64)
    # A few leaves at a time stay in the processor's cache.
    for start in range(0, len(leaves), _LEAVES_AT_ONCE):
        some = leaves[start : start + _LEAVES_AT_ONCE]
        result[some[some >= 0]] = _nearest_in_leaves(X, some, k)[some >= 0]
    return result


def _nearest_in_leaves(X: Floats, leaves: Ints, k: int) -> Ints:
    """Return, shape (leaves, places, k), the nearest rows of each place's row; -1 where there is none."""
    points = X[leaves]
    distances = np.matmul(points, points.transpose(0, 2, 1))
    distances *= -2.0
    squares = np.einsum("lij,lij->li", points, points)
    # Infinite are the distances to oneself and to the places that leaves of unequal size leave empty.
    squares[leaves < 0] = np.inf
    distances += squares[:, None, :]
    each = np.arange(leaves.shape[1])
    distances[:, each, each] = np.inf
    nearest = np.argpartition(distances, k - 1, axis=2)[:, :, :k]
    found = np.take_along_axis(leaves[:, None, :], nearest, axis=2)
    found[np.isinf(np.take_along_axis(distances, nearest, axis=2))] = -1
    return found


def _leaves(X: Floats) -> Ints:
    """Split the rows in halves along one principal direction after the other.

    Returns
    -------
    int array of shape (leaves, places)
        Row numbers; -1 in the empty places that make all leaves of one size.
    """
    n, d = X.shape
    depth = int(np.ceil(np.log2(n / _LEAF)))
    _, directions = np.linalg.eigh(X.T @ X)
    # Empty places come last in every direction, and so end up in leaves of their own.
    total = 2**depth * -(-n // 2**depth)
    place = np.full((depth, total), np.inf)
    place[:, :n] = directions[:, ::-1][:, np.arange(depth) % d].T @ X.T
    order = np.arange(total)[None, :]
    for level in range(depth):
        half = order.shape[1] // 2
        halves = np.argpartition(place[level][order], half, axis=1)
        order = np.take_along_axis(order, halves, axis=1).reshape(2 * len(order), half)
    return np.where(order < n, order, -1)
