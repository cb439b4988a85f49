"""A plugin file for tests: a quick learner that keeps a diary, and small data sets of every kind.

The diary is the file named by the environment variable ``TOY_DIARY``: one line of JSON for each fit.
"""

from __future__ import annotations

import json
import os

import numpy as np

from pubench import (
    Algorithm,
    Choice,
    Criterion,
    Data,
    Dataset,
    Float,
    GivenLabels,
    Metric,
    PriorEstimator,
    hookimpl,
)


def note(**entry):
    # A fit that only warms a process up is none of a cell's.
    if "TOY_DIARY" in os.environ and "PUBENCH_WARM_UP" not in os.environ:
        with open(os.environ["TOY_DIARY"], "a") as diary:
            diary.write(json.dumps(entry) + "\n")


class Toy:
    """Scores by the direction between the means of the labelled and the other rows, minus ``shift``."""

    def __init__(self, shift=0.0, mode="plain", **received):
        self.shift, self.mode, self.received = shift, mode, received

    def fit(self, X, s):
        if self.mode == "fragile" and "TOY_FAIL" in os.environ:
            raise RuntimeError("fragile as told")
        dense = X if isinstance(X, np.ndarray) else X.toarray()
        holes = int(np.isnan(dense).sum())
        note(
            shift=self.shift,
            received=self.received,
            sparse=not isinstance(X, np.ndarray),
            shape=list(X.shape),
            labels=s.tolist(),
            mean=np.nanmean(dense, axis=0).tolist(),
            sd=np.nanstd(dense, axis=0).tolist(),
            holes=holes,
            draw=float(np.random.random()),  # noqa: NPY002
        )
        dense = np.nan_to_num(dense)
        self.classes_ = np.array([0, 1])
        self.direction_ = dense[s == 1].mean(axis=0) - dense[s == 0].mean(axis=0)
        if "random_state" in self.received:
            # Chance of both kinds, large enough to show in every metric.
            own = np.random.default_rng(self.received["random_state"]).normal(size=X.shape[1])
            self.direction_ += own + np.random.normal(size=X.shape[1])  # noqa: NPY002
        return self

    def decision_function(self, X):
        dense = X if isinstance(X, np.ndarray) else X.toarray()
        return np.nan_to_num(dense) @ self.direction_ - self.shift

    def predict(self, X):
        return (self.decision_function(X) >= 0).astype(int)


class SarToy(Toy):
    """Takes every propensity for 1/4, or fails to say it."""

    def predict_propensity(self, X):
        if self.mode == "silent":
            raise RuntimeError("no idea")
        return np.full(len(X), 0.25)


class OracleToy(Toy):
    """Notes the propensities that it is given."""

    def fit(self, X, s, propensity):
        note(propensity=propensity.tolist())
        return super().fit(X, s)


def blobs(n=90, gap=2.0):
    rng = np.random.default_rng(7)
    y = np.arange(n) % 3 == 0
    return Data(rng.normal(5.0, 3.0, size=(n, 3)) + gap * y[:, None], np.where(y, "yes", "no"))


def family():
    """Three problems with 10 to 12 labelled rows of their own, one U of 60 rows, and 30 surveyed rows."""
    rng = np.random.default_rng(7)
    X, problems = rng.normal(size=(123, 3)), {}
    for k, name in enumerate("abc"):
        own = slice(60 + 10 * k + k * (k - 1) // 2, 70 + 10 * k + k * (k + 1) // 2)
        s, y = np.full(123, -1), np.full(123, -1)
        s[:60], s[own] = 0, 1
        X[own, k] += 6.0
        y[-30:] = X[-30:, k] > 0
        problems[name] = GivenLabels(s, y)
    places = rng.random((123, 2)) ** 2
    return Data(X, (np.arange(123) >= 60).astype(int), pu=True, given=problems, coordinates=places)


def sparse_blobs():
    from scipy.sparse import csr_array

    data = blobs()
    return Data(csr_array(np.where(data.X > 5, data.X, 0.0)), data.target)


def holed_blobs():
    data = blobs()
    data.X[::7, 1] = np.nan
    return data


def coded_blobs():
    data = blobs()
    data.X[:, 1] = np.arange(90) % 4
    return Data(data.X, data.target, categorical={1: ("a", "b", "c", "d")})


def split_blobs():
    data = blobs()
    return Data(data.X, data.target, split=np.where(np.arange(90) < 60, "train", "test"))


def file_stamp(path):
    return os.path.getsize(path)


def file_blobs(path):
    return blobs(gap=float(os.path.getsize(path)))


def mean_score(validation, sign=1.0):
    return sign * float(np.mean(validation.score))


def prior_seen(validation):
    """Choose another way where a prior is shown: that must not depend on what other criteria need."""
    return mean_score(validation, 1.0 if validation.prior is None else -1.0)


def guess(X, s, *, scenario, random_state, value=0.25):
    note(guess=value, scenario=scenario, rows=len(s))
    return value


def half(y, values):
    return 0.5


@hookimpl
def pubench_algorithms():
    space = {"shift": Float(-2.0, 2.0, points=5)}
    toy = {"estimator": "toy_plugin:Toy", "version": "1", "space": space}
    return [
        Algorithm(name="toy", **toy),
        Algorithm(name="toy-seeded", receives=("random_state", "scenario"), **toy),
        Algorithm(name="toy-prior", receives=("prior",), needs=("prior",), **toy),
        Algorithm(name="toy-cc", scenarios=("case-control",), **toy),
        Algorithm(
            name="toy-any",
            receives=("categorical_features",),
            accepts=("sparse", "missing", "categorical"),
            **toy,
        ),
        Algorithm(name="toy-modes", **(toy | {"space": {"mode": Choice(("plain", None, True, 1))}})),
        Algorithm(name="pn-toy", labels="true", **toy),
        Algorithm(name="toy-sar", **{**toy, "estimator": "toy_plugin:SarToy"}),
        Algorithm(
            name="oracle-toy", receives=("propensity",), **{**toy, "estimator": "toy_plugin:OracleToy"}
        ),
        Algorithm(name="toy-counted", receives=("n_labelled",), **toy),
        Algorithm(name="pn-toy-counted", receives=("n_labelled",), labels="true", **toy),
    ]


@hookimpl
def pubench_datasets():
    loaders = {"blobs": blobs, "sparse": sparse_blobs, "holed": holed_blobs, "coded": coded_blobs}
    loaders["split"] = split_blobs
    plain = [
        Dataset(name=f"toy-{name}", loader=f"toy_plugin:{f.__name__}", version="1", positive=("yes",))
        for name, f in loaders.items()
    ]
    stamped = Dataset(
        name="toy-file",
        loader="toy_plugin:file_blobs",
        identity="toy_plugin:file_stamp",
        version="1",
        positive=("yes",),
    )
    return [*plain, stamped, Dataset(name="toy-family", loader="toy_plugin:family", version="1")]


@hookimpl
def pubench_criteria():
    return [
        Criterion(name="toy-high", function="toy_plugin:mean_score", version="1"),
        Criterion(name="toy-low", function="toy_plugin:mean_score", version="1", greater_is_better=False),
        Criterion(name="toy-cc-only", function="toy_plugin:mean_score", scenarios=("case-control",)),
        Criterion(name="toy-prior-seen", function="toy_plugin:prior_seen", version="1"),
    ]


@hookimpl
def pubench_priors():
    return [
        PriorEstimator(name="toy-guess", function="toy_plugin:guess", version="1"),
        PriorEstimator(name="toy-guess-cc", function="toy_plugin:guess", scenarios=("case-control",)),
    ]


@hookimpl
def pubench_metrics():
    return [Metric(name="toy-half", function="toy_plugin:half", version="1")]
