"""Two clouds of points."""

from __future__ import annotations

import numpy as np

from pubench import Data

__all__ = ["load"]


def load(n: int = 300) -> Data:
    """Return n rows, two in five of them to the right."""
    rng = np.random.default_rng(0)
    right = rng.random(n) < 0.4
    X = rng.standard_normal((n, 3)) + 1.5 * right[:, np.newaxis]
    return Data(X=X, target=np.where(right, "right", "left"))
