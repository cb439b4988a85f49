"""A plugin file with an algorithm that sleeps: what is left of two workers' advantage is pubench's own cost."""

from __future__ import annotations

import time

import numpy as np

from pubench import Algorithm, Float, hookimpl

SECONDS = 0.1
"""Of one fit; a trial of two folds takes twice as long."""


class Nap:
    """Sleeps instead of learning."""

    def __init__(self, shift=0.0):
        self.shift = shift

    def fit(self, X, s):
        time.sleep(SECONDS)
        self.classes_ = np.array([0, 1])
        return self

    def decision_function(self, X):
        return X[:, 0] - np.median(X[:, 0]) + self.shift

    def predict(self, X):
        return (self.decision_function(X) >= 0).astype(int)


@hookimpl
def pubench_algorithms():
    return [
        Algorithm(
            name="nap",
            estimator="napping:Nap",
            version="1",
            licence="BSD-3-Clause",
            space={"shift": Float(-2.0, 2.0)},
        )
    ]
