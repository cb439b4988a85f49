"""A plugin file with algorithms and criteria that harm others rather than themselves."""

from __future__ import annotations

import os

import numpy as np

from pubench import Algorithm, Criterion, Data, Dataset, Float, hookimpl


class Honest:
    """Scores by the first feature."""

    def __init__(self, c=1.0):
        self.c = c

    def fit(self, X, s):
        self.classes_ = np.array([0, 1])
        return self

    def decision_function(self, X):
        return X[:, 0]

    def predict(self, X):
        return (self.decision_function(X) >= 0).astype(int)


class Forker(Honest):
    """Returns from fit in two processes."""

    def fit(self, X, s):
        os.fork()
        return super().fit(X, s)

    def decision_function(self, X):
        return -X[:, 0]


class Patcher(Honest):
    """Breaks a library that others use."""

    def fit(self, X, s):
        from sklearn.linear_model import LogisticRegression

        LogisticRegression.predict = lambda self, X: np.zeros(len(X), dtype=int)
        return super().fit(X, s)


class Swapped(Honest):
    """Names its classes the other way round."""

    def fit(self, X, s):
        self.classes_ = np.array([1, 0])
        return self


class UnprintableError(Exception):
    """Cannot even be shown."""

    def __str__(self):
        raise RuntimeError("no words")


class Wordless(Honest):
    def fit(self, X, s):
        raise UnprintableError


class Talker(Honest):
    """Its error is long and cannot be encoded."""

    def fit(self, X, s):
        raise ValueError("\udcff" + "x" * 1_000_000)


class Imaginary(Honest):
    def decision_function(self, X):
        return X[:, 0] + 1j

    def predict(self, X):
        return (X[:, 0] >= 0).astype(int)


class Unequal(Honest):
    def predict_proba(self, X):
        return np.full((len(X), 2), 0.3)


def raises(validation):
    raise ValueError("no opinion")


def leaves(validation):
    os._exit(3)


def blobs():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    return Data(rng.normal(size=(120, 2)) + 2 * y[:, None] - 1, y)


@hookimpl
def pubench_algorithms():
    named = {"honest": Honest, "forker": Forker, "patcher": Patcher, "swapped": Swapped, "wordless": Wordless}
    named |= {"talker": Talker, "imaginary": Imaginary, "unequal": Unequal}
    space = {"c": Float(0.1, 1.0)}
    return [
        Algorithm(name=n, estimator=f"sly:{c.__name__}", version="1", space=space) for n, c in named.items()
    ]


@hookimpl
def pubench_criteria():
    return [
        Criterion(name="raises", function="sly:raises", version="1"),
        Criterion(name="leaves", function="sly:leaves", version="1"),
    ]


@hookimpl
def pubench_datasets():
    return [Dataset(name="blobs", loader="sly:blobs", version="1", positive=("1",))]
