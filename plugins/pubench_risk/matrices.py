"""Small linear algebra: weighted Gram matrices of dense or sparse columns, and solving with them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import LinAlgError, LinAlgWarning, cho_factor, cho_solve

__all__ = ["factorised", "is_sparse", "solve_positive", "weighted_gram"]

Floats = NDArray[np.float64]

# What a diagonal is raised by, relative to its largest entry, when the ridge is lost in rounding.
_LIFT = 1e-12


def is_sparse(A: Any) -> bool:
    """Whether a matrix is one of scipy's sparse ones."""
    return bool(sparse.issparse(A))


def weighted_gram(A: Any, weights: Floats) -> Floats:
    """Return [A 1]' diag(weights) [A 1], shape (p + 1, p + 1), for weights of at least 0.

    A dense A is gone through in one copy of its own size.
    """
    p = A.shape[1]
    gram = np.empty((p + 1, p + 1))
    if is_sparse(A):
        gram[:p, :p] = (A.T @ (sparse.diags_array(weights) @ A)).toarray()
    else:
        scaled = A * np.sqrt(weights)[:, None]
        gram[:p, :p] = scaled.T @ scaled
    gram[:p, p] = gram[p, :p] = A.T @ weights
    gram[p, p] = weights.sum()
    return gram


def factorised(matrix: Floats) -> Any:
    """Return the Cholesky factor of a positive definite matrix, as scipy's ``cho_solve`` takes it.

    Where rounding has made it singular, the diagonal is raised, with a warning.
    """
    try:
        return cho_factor(matrix, check_finite=False)
    except LinAlgError:
        pass
    warnings.warn(
        "l2 is lost in rounding next to the features; solved with a diagonal raised by "
        f"{_LIFT:g} of its largest entry. Drop columns that are sums of others, or raise l2",
        LinAlgWarning,
        stacklevel=6,
    )
    raised = matrix.copy()
    raised[np.diag_indices_from(raised)] += _LIFT * max(float(np.max(np.diagonal(raised))), 1.0)
    return cho_factor(raised, check_finite=False)


def solve_positive(matrix: Floats, right: Floats) -> Floats:
    """Return the solution of a positive definite system."""
    solution: Floats = cho_solve(factorised(matrix), right, check_finite=False)
    return solution
