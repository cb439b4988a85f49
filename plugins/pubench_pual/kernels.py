"""The radial basis kernel: squared distances, Gram matrices, and Nystroem's features."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from pubench_pual.matrices import mirrored

__all__ = [
    "blocks",
    "distance_blocks",
    "distances",
    "expansion",
    "gram",
    "nystroem_root",
    "rbf",
    "rbf_gram",
    "unit_distance",
]

Floats = NDArray[np.float64]

# A block of rows this large goes through distances and exponentials within the processor's cache.
_BLOCK_NUMBERS = 2**16
# One over it is still a number, whatever the width.
_SMALLEST = 1e-280


def unit_distance(X: Floats) -> float:
    """Return the mean squared distance of two rows drawn with replacement: twice the total variance.

    X is centred, shape (n, d). Where all rows are the same, or their squares too small for a number, it is 1, as any
    number would do.
    """
    spread = 2.0 * float(np.einsum("ij,ij->", X, X)) / len(X)
    return spread if spread > _SMALLEST else 1.0


def distances(X: Floats) -> Floats:
    """Return the squared distances among the rows of X, (n, d): shape (n, n), symmetric, never below 0."""
    result = np.empty((len(X), len(X)))
    left, right = _products(X, X, 1.0)
    for rows in blocks(*result.shape):
        upper = result[rows, rows.start :]
        np.matmul(left[rows], right[:, rows.start :], out=upper)
        np.maximum(upper, 0.0, out=upper)
    np.fill_diagonal(result, 0.0)
    return mirrored(result)


def distance_blocks(X: Floats) -> Iterator[tuple[int, Floats]]:
    """Yield the squared distances of all rows to all rows, some rows at a time: the first row and the block.

    Blocks share their memory. Rounding may leave distances just below 0.
    """
    for rows, block in _multiplied(*_products(X, X, 1.0)):
        yield rows.start, block


def gram(squared: Floats, gamma: float) -> Floats:
    """Return exp(-gamma * squared distance), shape as given."""
    result = np.empty_like(squared)
    for rows in blocks(*result.shape):
        np.multiply(squared[rows], -gamma, out=result[rows])
        np.exp(result[rows], out=result[rows])
    return result


def rbf_gram(X: Floats, gamma: float) -> Floats:
    """Return the kernel among the rows of X, shape (n, n), symmetric: half as many exponentials as :func:`rbf`."""
    result = np.empty((len(X), len(X)))
    left, right = _products(X, X, -gamma)
    for rows in blocks(*result.shape):
        upper = result[rows, rows.start :]
        np.matmul(left[rows], right[:, rows.start :], out=upper)
        _exponentials(upper)
    np.fill_diagonal(result, 1.0)
    return mirrored(result)


def rbf(X: Floats, Y: Floats, gamma: float) -> Floats:
    """Return the kernel of the rows of X and of Y, shape (n, m)."""
    result = np.empty((len(X), len(Y)))
    for rows, block in _rbf_blocks(X, Y, gamma):
        result[rows] = block
    return result


def expansion(X: Floats, Y: Floats, gamma: float, coefficients: Floats) -> Floats:
    """Return the sums over the rows of Y of kernel times coefficient, shape (n,): no matrix of all pairs is made."""
    result = np.empty(len(X))
    for rows, block in _rbf_blocks(X, Y, gamma):
        result[rows] = block @ coefficients
    return result


def _rbf_blocks(X: Floats, Y: Floats, gamma: float) -> Iterator[tuple[slice, Floats]]:
    """Yield the kernel of some rows of X at a time; blocks share their memory."""
    left, right = _products(X, Y, -gamma)
    for rows, block in _multiplied(left, right):
        _exponentials(block)
        yield rows, block


def nystroem_root(K: Floats) -> Floats:
    """Return A, shape (m, r), with A A' the pseudo-inverse of the landmarks' Gram matrix K, shape (m, m).

    k(x, landmarks) A are then r features whose products approximate the kernel. Directions in which K is 0 up to
    rounding are left out.
    """
    values, vectors = eigh(K, check_finite=False)
    kept = values > values[-1] * len(K) * np.finfo(np.float64).eps
    result: Floats = vectors[:, kept] / np.sqrt(values[kept])
    return result


def _exponentials(block: Floats) -> None:
    # Rounding may leave the distance of a row to itself below 0, which a narrow kernel would blow up.
    np.minimum(block, 0.0, out=block)
    np.exp(block, out=block)


def _products(X: Floats, Y: Floats, scale: float) -> tuple[Floats, Floats]:
    """Return two factors, (n, d + 2) and (d + 2, m), whose product holds the squared distances times ``scale``."""
    of_x, of_y = np.einsum("ij,ij->i", X, X), np.einsum("ij,ij->i", Y, Y)
    left = np.column_stack([(-2.0 * scale) * X, scale * of_x, np.full(len(X), scale)])
    right = np.column_stack([Y, np.ones(len(Y)), of_y])
    return left, np.ascontiguousarray(right.T)


def _multiplied(left: Floats, right: Floats) -> Iterator[tuple[slice, Floats]]:
    n, m = len(left), right.shape[1]
    memory = np.empty((min(n, _height(m)), m))
    for rows in blocks(n, m):
        block = memory[: min(rows.stop, n) - rows.start]
        np.matmul(left[rows], right, out=block)
        yield rows, block


def blocks(height: int, width: int) -> list[slice]:
    """Return the blocks of rows in which a matrix of this shape is gone through."""
    rows = _height(width)
    return [slice(start, start + rows) for start in range(0, height, rows)]


def _height(width: int) -> int:
    return max(1, _BLOCK_NUMBERS // max(1, width))
