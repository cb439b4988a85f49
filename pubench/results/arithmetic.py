"""How this machine computes: processors and libraries differ in the last digits of the same functions."""

from __future__ import annotations

import hashlib
from functools import cache

import numpy as np

__all__ = ["arithmetic"]


@cache
def arithmetic() -> str:
    """Return a digest of what elementary functions and linear algebra give here for fixed numbers.

    Machines of one digest give, as far as that can be tried in a few milliseconds, the same bits; where digests
    differ, rounding errors do, and with them the last digits of results.
    """
    x = np.linspace(-20.0, 20.0, 4001)
    A = np.sin(np.outer(x[:97], np.arange(1.0, 62.0)))
    gram = A.T @ A + np.eye(A.shape[1])
    parts = (
        np.sin(x),
        np.cos(x),
        np.tanh(x),
        np.exp(x),
        np.log1p(np.abs(x)),
        np.sqrt(np.abs(x)),
        np.power(np.abs(x), 3.7),
        A.sum(axis=0),
        A @ x[:61],
        gram,
        np.linalg.cholesky(gram),
        np.linalg.eigvalsh(gram),
    )
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:12]
