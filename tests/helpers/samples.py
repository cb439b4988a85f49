"""Small PU samples."""

import numpy as np


def make_pu(seed=0, n_labelled=15, n_unlabelled=60, d=4):
    """Gaussian P around 1, U half around 1 and half around -1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_labelled + n_unlabelled, d))
    X += np.where(np.arange(len(X)) < n_labelled + n_unlabelled // 2, 1.0, -1.0)[:, None]
    return X, (np.arange(len(X)) < n_labelled).astype(np.uint8)
