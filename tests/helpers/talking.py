"""A plugin that says how far it is, and stops at its deadline."""

from __future__ import annotations

import time

import pubench
from pubench.base import PUClassifier, validate_rows

STEPS = 9


class Talking(PUClassifier):
    def __init__(self, rate=1.0, until_deadline=False, random_state=None, deadline=None):
        self.rate = rate
        self.until_deadline = until_deadline
        self.random_state = random_state
        self.deadline = deadline

    def _fit(self, X, s):
        self.slope_ = X[s == 1].mean(axis=0) - X[s == 0].mean(axis=0)
        for step in range(1, STEPS + 1):
            pubench.progress(step, STEPS, abs(self.rate - 0.3) / step)
        while self.until_deadline and time.monotonic() < self.deadline:
            time.sleep(0.01)

    def decision_function(self, X):
        return validate_rows(self, X) @ self.slope_ * self.rate


@pubench.hookimpl
def pubench_algorithms():
    return [
        pubench.Algorithm(
            name="talking",
            estimator="talking:Talking",
            version="1",
            space={"rate": pubench.Float(0.01, 1.0)},
            receives=("random_state", "deadline"),
        )
    ]
