"""A plugin file with an algorithm that does nothing and a small data set: what is left is pubench's own cost."""

from __future__ import annotations

import numpy as np

from pubench import Algorithm, Data, Dataset, hookimpl


class DoNothing:
    """Decides nothing and learns nothing."""

    def __init__(self, number=0):
        self.number = number

    def fit(self, X, s):
        self.classes_ = np.array([0, 1])
        return self

    def decision_function(self, X):
        return X[:, 0]

    def predict(self, X):
        return (X[:, 0] >= 0).astype(int)


def two_gaussians(n=300, d=5):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    return Data(rng.normal(size=(n, d)) + y[:, None], y)


@hookimpl
def pubench_algorithms():
    return [
        Algorithm(name="do-nothing", estimator="do_nothing:DoNothing", version="1", licence="BSD-3-Clause")
    ]


@hookimpl
def pubench_datasets():
    return [Dataset(name="two-gaussians", loader="do_nothing:two_gaussians", version="1", positive=("1",))]
