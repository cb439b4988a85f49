"""A plugin file whose algorithms leave state behind in their process, and show whatever state they find there."""

from __future__ import annotations

import gc
import locale
import os
import resource
import signal
import sys
import zlib

import numpy as np

from pubench import Algorithm, hookimpl

RNG = np.random.default_rng(0)
FITS = []


class Stateful:
    """Scores along a direction that depends on what it finds; then changes that."""

    def __init__(self, shift=0.0):
        self.shift = shift

    def fit(self, X, s):
        self.direction_ = self.drawn(X.shape[1])
        self.classes_ = np.array([0, 1])
        return self

    def decision_function(self, X):
        scores = X @ self.direction_
        return scores - np.median(scores) - self.shift

    def predict(self, X):
        return (self.decision_function(X) >= 0).astype(int)


class Counting(Stateful):
    """A generator of its module, and a list that grows."""

    def drawn(self, d):
        FITS.append(1)
        return RNG.normal(size=d) + len(FITS)


class Hashing(Stateful):
    """Hashes of texts, and the order of a set of texts."""

    def drawn(self, d):
        lengths = [len(name) for name in {f"{'c' * i}{i}" for i in range(d)}]
        return np.random.default_rng(hash("pubench") % 2**32).normal(size=d) * lengths


class Sharing(Stateful):
    """A file in shared memory, under a name that every fit knows."""

    def drawn(self, d):
        path = f"/dev/shm/pubench-stateful-{os.getuid()}"
        found = os.path.exists(path)
        with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
            file.write(b"1")
        return np.full(d, -1.0 if found else 1.0)


class Settling(Stateful):
    """Everything that a process can be told: each fit finds it as it was, and leaves it changed."""

    def drawn(self, d):
        import sklearn

        umask = os.umask(0o77)
        found = [
            umask,
            signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL,
            resource.getrlimit(resource.RLIMIT_NOFILE)[0],
            gc.isenabled(),
            sys.getrecursionlimit(),
            os.nice(0),
            sorted(os.sched_getaffinity(0)),
            locale.setlocale(locale.LC_NUMERIC),
            sklearn.get_config()["assume_finite"],
            os.environ.get("LEFT_BEHIND"),
            os.getcwd(),
            np.geterr()["over"],
        ]
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_NOFILE, (200, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        gc.disable()
        sys.setrecursionlimit(3000)
        os.nice(1)
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        sklearn.set_config(assume_finite=True)
        os.environ["LEFT_BEHIND"] = "this"
        os.chdir("/")
        np.seterr(over="ignore")
        return np.random.default_rng(zlib.crc32(repr(found).encode())).normal(size=d)


@hookimpl
def pubench_algorithms():
    kinds = {"counting": Counting, "hashing": Hashing, "settling": Settling, "sharing": Sharing}
    return [
        Algorithm(name=name, estimator=f"stateful:{kind.__name__}", version="1")
        for name, kind in kinds.items()
    ]
