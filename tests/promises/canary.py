"""A plugin file whose algorithms look for true labels in everything their process can reach."""

from __future__ import annotations

import gc
import os
import pickle
import sys
import time
from pathlib import Path

import numpy as np

from pubench import Algorithm, Data, Dataset, GivenLabels, hookimpl

N = 400


class Canary:
    """Writes down every sequence it can reach, then waits so that its memory can be read from outside."""

    def __init__(self, folder=""):
        self.folder = folder

    def fit(self, X, s):
        self.classes_ = np.array([0, 1])
        if "PUBENCH_WARM_UP" in os.environ:
            return self
        folder = Path(self.folder)
        (folder / "found.pickle").write_bytes(pickle.dumps(reachable_sequences()))
        # Renamed when it is complete: its reader must not see half of it.
        (folder / "half").write_text(str(os.getpid()))
        (folder / "half").rename(folder / "pid")
        while not (folder / "seen").exists():
            time.sleep(0.02)
        return self

    def decision_function(self, X):
        return X[:, 0]

    def predict(self, X):
        return (X[:, 0] >= 0).astype(int)


class SupervisedCanary(Canary):
    """The positive control: it is handed true labels, so the search must find them."""


def reachable_sequences():
    """Return every array and every long list, tuple or text that the collector, modules and frames lead to."""
    seen, queue, found = set(), [*gc.get_objects(), *sys.modules.values(), *frames()], []
    while queue:
        value = queue.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, np.ndarray):
            if value.ndim <= 2 and value.size <= 100_000 and value.dtype.kind in "biufSU":
                found.append(np.array(value))
            queue.append(value.base)
        elif (
            isinstance(value, list | tuple)
            and len(value) >= 50
            and all(isinstance(v, int | float | str) for v in value)
        ):
            found.append(list(value))
        elif isinstance(value, bytes | bytearray) and len(value) >= 50:
            found.append(bytes(value[:100_000]))
        else:
            queue.extend(gc.get_referents(value))
    return found


def frames():
    for top in sys._current_frames().values():
        frame = top
        while frame is not None:
            yield from frame.f_locals.values()
            frame = frame.f_back


def noise(seed=0):
    """Features that say nothing of the class: whatever resembles y is y."""
    rng = np.random.default_rng(seed)
    return Data(rng.normal(size=(N, 3)), rng.permutation(np.arange(N) % 2))


def surveyed(seed=0):
    """The same with labels of their own for two problems, and true classes for the second half of the rows."""
    rng = np.random.default_rng(seed)
    tests = np.arange(N) >= N // 2
    problems = {}
    for name in ("one", "two"):
        y = rng.permutation(np.arange(N) % 2)
        problems[name] = GivenLabels(np.where(tests, -1, y * (rng.random(N) < 0.5)), np.where(tests, y, -1))
    s = (problems["one"].s == 1).astype(int)
    return Data(rng.normal(size=(N, 3)), s, pu=True, given=problems)


@hookimpl
def pubench_algorithms():
    return [
        Algorithm(name="canary", estimator="canary:Canary", version="1"),
        Algorithm(name="supervised-canary", estimator="canary:SupervisedCanary", version="1", labels="true"),
    ]


@hookimpl
def pubench_datasets():
    return [
        Dataset(name="noise", loader="canary:noise", version="1", positive=("1",)),
        Dataset(name="surveyed", loader="canary:surveyed", version="1"),
    ]
