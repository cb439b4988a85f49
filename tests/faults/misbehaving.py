"""A plugin file with one algorithm for each way to misbehave, good ones beside them, and a small data set."""

from __future__ import annotations

import ctypes
import mmap
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
import zlib

import numpy as np

import pubench

HERE = "misbehaving"


def wait_at_gate(shrink):
    """Note a fit, and wait until the test that holds fits back lets this one through; see Gate in fault_tools."""
    if "FITS_GATE" not in os.environ or "PUBENCH_WARM_UP" in os.environ:
        return
    folder = pathlib.Path(os.environ["FITS_GATE"])
    with open(folder / "fits", "a") as fits:
        print(shrink, file=fits)
    with open(folder / "begun", "ab", buffering=0) as begun:
        begun.write(b".")
        number = begun.tell()
    waiting = folder / f"waiting-{os.getpid()}"
    while number > int((folder / "allowed").read_text()):
        waiting.touch()
        time.sleep(0.01)
    waiting.unlink(missing_ok=True)


def note_hang():
    """Tell the test that from now on this process does nothing more."""
    if "PUBENCH_WARM_UP" in os.environ:
        raise RuntimeError("a warm-up that hangs has a test of its own")
    with open(os.environ["HANGS"], "a") as hangs:
        print(os.getpid(), file=hangs)


class Good:
    """The difference of class means as a direction, the middle between them as a threshold."""

    def __init__(self, shrink=0.0):
        self.shrink = shrink

    def fit(self, X, s):
        wait_at_gate(self.shrink)
        positive, rest = np.asarray(X[s == 1].mean(axis=0)), np.asarray(X[s == 0].mean(axis=0))
        self.direction_ = (positive - rest) * (1 - self.shrink)
        self.threshold_ = float((positive + rest) @ self.direction_) / 2
        self.classes_ = np.array([0, 1])
        return self

    def decision_function(self, X):
        return X @ self.direction_ - self.threshold_

    def predict(self, X):
        return (self.decision_function(X) >= 0).astype(int)


class Sensitive(Good):
    """Probabilities that change with whatever another cell may have left behind in the process."""

    def fit(self, X, s):
        super().fit(X, s)
        warnings.warn("not an error unless somebody made it one", stacklevel=1)
        variables = [os.environ.get(name) for name in ("LEFT_BEHIND", "HOME", "OMP_NUM_THREADS")]
        surroundings = repr((variables, os.getcwd(), np.geterr()))
        drawn = np.random.random() + random.random()  # noqa: NPY002 - the global generator is the point
        self.threshold_ += (zlib.crc32(surroundings.encode()) % 1009 / 1009 + drawn) / 100
        return self

    def predict_proba(self, X):
        positive = 1 / (1 + np.exp(-self.decision_function(X)))
        return np.column_stack([1 - positive, positive])


class RaiseInFit(Good):
    def fit(self, X, s):
        raise ValueError("fit does not want to")


class RaiseInPredict(Good):
    def predict(self, X):
        raise ValueError("predict does not want to")


class Segfault(Good):
    def fit(self, X, s):
        ctypes.string_at(0)


class HardExit(Good):
    def fit(self, X, s):
        os._exit(3)


class SoftExit(Good):
    def fit(self, X, s):
        sys.exit("fit leaves")


class Interrupt(Good):
    def fit(self, X, s):
        raise KeyboardInterrupt


class HangInPython(Good):
    def fit(self, X, s):
        note_hang()
        while True:
            time.sleep(0.001)


class HangInC(Good):
    def fit(self, X, s):
        note_hang()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        ctypes.PyDLL(None).sleep(1000)  # PyDLL keeps the interpreter's lock: no thread of the child can run


class EatSlowly(Good):
    def fit(self, X, s):
        kept = []
        while True:
            kept.append(np.ones(20 * 2**17))


class EatShared(Good):
    """Shared pages, which the system's own limit on data does not count."""

    def fit(self, X, s):
        kept = []
        while True:
            kept.append(mmap.mmap(-1, 20 * 2**20))
            kept[-1].write(b"x" * (20 * 2**20))


class EatAtOnce(Good):
    def fit(self, X, s):
        return np.ones(2**40)


class Flood(Good):
    """100 MB each to stdout, stderr and the bare descriptor."""

    def fit(self, X, s):
        megabyte = "x" * 2**20
        for _ in range(100):
            sys.stdout.write(megabyte)
            sys.stderr.write(megabyte)
            os.write(1, megabyte.encode())
        print("the end of the flood")
        return super().fit(X, s)


class NotANumber(Good):
    def decision_function(self, X):
        return np.full(X.shape[0], np.nan)

    def predict(self, X):
        return np.zeros(X.shape[0], dtype=int)


class NanDecision(Good):
    def predict(self, X):
        return np.where(np.arange(X.shape[0]) == 0, np.nan, 1.0)


class TooShort(Good):
    def predict(self, X):
        return super().predict(X)[:-1]


class TooLong(Good):
    def decision_function(self, X):
        return np.zeros(X.shape[0] + 1)

    def predict(self, X):
        return np.zeros(X.shape[0], dtype=int)


class NarrowProbability(Good):
    def predict_proba(self, X):
        return np.full((X.shape[0], 1), 0.5)


class AboveOne(Good):
    def predict_proba(self, X):
        return np.tile([-0.5, 1.5], (X.shape[0], 1))


class WriteFeatures(Good):
    def fit(self, X, s):
        X[0, 0] = 1e9
        return super().fit(X, s)


class WriteSparse(Good):
    def fit(self, X, s):
        X.data[:] = 1e9
        return super().fit(X, s)


class WriteLabels(Good):
    def fit(self, X, s):
        s[:] = 1
        return super().fit(X, s)


class WriteTest(Good):
    def predict(self, X):
        X[:] = 0
        return super().predict(X)


class LeaveBehind(Good):
    """A child process and threads that never end; the cell itself is fine."""

    def fit(self, X, s):
        subprocess.Popen(["sleep", "600"])
        threading.Thread(target=time.sleep, args=(600,)).start()
        return super().fit(X, s)


class Pollute(Good):
    def fit(self, X, s):
        os.environ["LEFT_BEHIND"] = "yes"
        os.environ.pop("HOME", None)
        os.chdir("/")
        os.environ["OMP_NUM_THREADS"] = "64"
        np.random.seed(666)  # noqa: NPY002 - the global generator is the point
        random.seed(666)
        np.seterr(all="raise")
        warnings.simplefilter("error")
        return super().fit(X, s)


class SpeakOutOfTurn(Good):
    """Garbage into every descriptor, the channel to the worker among them."""

    def fit(self, X, s):
        # Their numbers grow with what the worker has open.
        for number in sorted(map(int, os.listdir("/proc/self/fd")))[3:]:
            try:
                os.write(number, b"garbage" * 10)
            except OSError:
                continue
        return super().fit(X, s)


class SomeTrials(Good):
    """Refuses some settings: ``shrink`` above a half."""

    def fit(self, X, s):
        if self.shrink > 0.5:
            raise ValueError("shrink above a half")
        return super().fit(X, s)


class AllTrials(Good):
    def fit(self, X, s):
        raise ValueError("no setting is good enough")


class FinalFit(Good):
    """Is well behaved on a part of the training rows and crashes on all of them."""

    def fit(self, X, s):
        if X.shape[0] > 80:
            ctypes.string_at(0)
        return super().fit(X, s)


def _dashed(name):
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("-")


ALGORITHMS = {_dashed(made.__name__): made for made in (Good, *Good.__subclasses__())}


@pubench.hookimpl
def pubench_algorithms():
    space = {"shrink": pubench.Choice((0.0, 0.25, 0.75))}
    return [
        pubench.Algorithm(
            name=name, estimator=f"{HERE}:{made.__name__}", version="1", space=space, accepts=("sparse",)
        )
        for name, made in ALGORITHMS.items()
    ]


def blobs(sparse=False):
    """120 rows in two overlapping clouds, 48 of them positive."""
    from scipy.sparse import csr_array

    rng = np.random.default_rng(7)
    positive = np.arange(120) % 5 < 2
    X = rng.normal(size=(120, 4)) + positive[:, None]
    return pubench.Data(X=csr_array(X) if sparse else X, target=np.where(positive, "yes", "no"))


@pubench.hookimpl
def pubench_datasets():
    return [pubench.Dataset(name="blobs", loader=f"{HERE}:blobs", version="1", positive=("yes",))]
