"""Symmetric matrices of which LAPACK reads or writes one triangle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotri

__all__ = ["inverse_from_factor", "mirrored"]

Floats = NDArray[np.float64]

_CORNER = 64


def mirrored(upper: Floats) -> Floats:
    """Copy the upper triangle of a square matrix to the lower, in place and in blocks: strides of n are slow."""
    for start in range(0, len(upper), _CORNER):
        stop = min(start + _CORNER, len(upper))
        corner = upper[start:stop, start:stop]
        corner[:] = np.triu(corner) + np.triu(corner, 1).T
        upper[stop:, start:stop] = upper[start:stop, stop:].T
    return upper


def inverse_from_factor(lower: Floats) -> Floats:
    """Return the inverse of L L', symmetric, given L, of which the upper triangle is not read; L is kept."""
    half, _ = dpotri(lower, lower=1, overwrite_c=0)
    # Fortran's lower triangle, turned, is the upper one here.
    return mirrored(np.asarray(half).T)
