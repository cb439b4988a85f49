# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Passes over dense matrices that NumPy would make several times, or over twice the memory."""

import numpy as np

from libc.math cimport INFINITY
from libc.string cimport memset

cdef enum:
    # Columns that are carried along together: two cache lines' worth of vector registers, and a strip of n rows of
    # them still fits the second-level cache for thousands of rows.
    STRIP = 32


def congruence(
    const int[::1] indptr,
    const int[::1] indices,
    const double[::1] data,
    const double[:, ::1] K,
    double ridge,
):
    """Return A K A' + ridge I for a sparse A and a symmetric K, the upper triangle only.

    Parameters
    ----------
    indptr, indices, data : arrays
        A, shape (n, n), by compressed rows.
    K : array of shape (n, n)
    ridge : float

    Returns
    -------
    ndarray of shape (n, n)
        What lies below the diagonal is not set.
    """
    cdef Py_ssize_t n = K.shape[0], block, first, width, column, tile, c, i, t, k
    cdef double a
    result = np.empty((n, n))
    cdef double[:, ::1] S = result
    cdef double[:, ::1] lines = np.empty((STRIP, n)), strip = np.empty((n, STRIP))
    cdef double total[STRIP]
    cdef double* line
    cdef const double* source
    with nogil:
        for block in range((n + STRIP - 1) // STRIP):
            first = block * STRIP
            width = min(<Py_ssize_t>STRIP, n - first)
            for c in range(width):
                line = &lines[c, 0]
                memset(line, 0, n * sizeof(double))
                for t in range(indptr[first + c], indptr[first + c + 1]):
                    source = &K[indices[t], 0]
                    a = data[t]
                    for i in range(n):
                        line[i] += a * source[i]
            # Turned a few rows at a time: a whole line at once would touch n cache lines again and again.
            for tile in range((n + 7) // 8):
                for c in range(width):
                    for i in range(8 * tile, min(8 * tile + 8, n)):
                        strip[i, c] = lines[c, i]
            for column in range(first, n):
                memset(total, 0, STRIP * sizeof(double))
                for t in range(indptr[column], indptr[column + 1]):
                    k = indices[t]
                    a = data[t]
                    for c in range(STRIP):
                        total[c] += a * strip[k, c]
                for c in range(min(width, column - first + 1)):
                    S[first + c, column] = total[c]
        for i in range(n):
            S[i, i] += ridge
    return result


def nearest(const double[:, ::1] distances, Py_ssize_t first, Py_ssize_t k):
    """Return the k columns with the least distances in each row, its own column left out; ties go to the left.

    Parameters
    ----------
    distances : array of shape (r, n)
        Rows first to first + r of the matrix of distances among n points.
    first : int
    k : int
        At most n - 1.

    Returns
    -------
    int array of shape (r, k)
        The nearest first.
    """
    cdef Py_ssize_t rows = distances.shape[0], n = distances.shape[1], i, j, place
    cdef double d
    result = np.empty((rows, k), dtype=np.int64)
    cdef long long[:, ::1] found = result
    cdef double[::1] best = np.empty(k)
    with nogil:
        for i in range(rows):
            for place in range(k):
                best[place] = INFINITY
                found[i, place] = -1
            for j in range(n):
                d = distances[i, j]
                if d < best[k - 1] and j != first + i:
                    place = k - 1
                    while place > 0 and best[place - 1] > d:
                        best[place] = best[place - 1]
                        found[i, place] = found[i, place - 1]
                        place -= 1
                    best[place] = d
                    found[i, place] = j
    return result
