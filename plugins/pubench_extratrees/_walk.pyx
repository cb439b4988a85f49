# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Follow rows down fitted trees, many rows in one call and without the interpreter."""

import numpy as np

from pubench_extratrees._node cimport TOGETHER, Step, descend, follow


def walk_dense(const int[:, ::1] steps, const int[::1] roots, const float[:, ::1] X, double[::1] sums, int[:, ::1] leaves):
    """Find the leaves of dense rows.

    Parameters
    ----------
    steps : int32 array of shape (n_nodes, 4)
        The nodes of all trees, as ``grow`` returns them.
    roots : int32 array of shape (n_trees,)
    X : float32 array of shape (n, d)
    sums : float64 array of shape (n,), or None
        To it is added the share of positives in each row's leaves, tree after tree.
    leaves : int32 array of shape (n, n_trees), or None
        Into it go the leaves themselves.
    """
    cdef const Step* nodes = <const Step*> &steps[0, 0]
    cdef bint adds = sums is not None, writes = leaves is not None
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], i, t, start = 0, count
    # A block of rows stays in the cache (about 1 MB) while the trees pass by.
    cdef Py_ssize_t block = max(TOGETHER, (1 << 18) // d)
    cdef int[::1] found = np.empty(max(1, min(block, n)), dtype=np.int32)
    with nogil:
        while start < n:
            count = min(block, n - start)
            for t in range(roots.shape[0]):
                descend(nodes, roots[t], &X[start, 0], d, count, &found[0])
                for i in range(count):
                    if adds:
                        sums[start + i] += nodes[found[i]].share
                    if writes:
                        leaves[start + i, t] = found[i]
            start += block


def walk_sparse(
    const int[:, ::1] steps,
    const int[::1] roots,
    const float[::1] values,
    const int[::1] columns,
    const int[::1] starts,
    Py_ssize_t n_features,
    double[::1] sums,
    int[:, ::1] leaves,
):
    """Find the leaves of the rows of a CSR matrix, given by its three arrays; otherwise as :func:`walk_dense`."""
    cdef const Step* nodes = <const Step*> &steps[0, 0]
    cdef bint adds = sums is not None, writes = leaves is not None
    # One row at a time lies spread out; after it, only what was set is cleared.
    cdef float[::1] spread = np.zeros(n_features, dtype=np.float32)
    cdef const float* rows[TOGETHER]
    cdef int at[TOGETHER]
    cdef Py_ssize_t i, t
    cdef int k, count
    with nogil:
        for k in range(TOGETHER):
            rows[k] = &spread[0]
        for i in range(starts.shape[0] - 1):
            for k in range(starts[i], starts[i + 1]):
                spread[columns[k]] = values[k]
            t = 0
            while t < roots.shape[0]:
                count = <int> min(TOGETHER, roots.shape[0] - t)
                for k in range(TOGETHER):
                    at[k] = roots[t + min(k, count - 1)]
                follow(nodes, at, rows)
                for k in range(count):
                    if adds:
                        sums[i] += nodes[at[k]].share
                    if writes:
                        leaves[i, t + k] = at[k]
                t += count
            for k in range(starts[i], starts[i + 1]):
                spread[columns[k]] = 0.0
