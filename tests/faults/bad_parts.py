"""A plugin file with data sets, criteria, a prior estimator and a metric that go wrong."""

from __future__ import annotations

import ctypes

import numpy as np

import pubench

HERE = "bad_parts"


def raises():
    raise OSError("the server is on holiday")


def crashes():
    ctypes.string_at(0)


def wrong_type():
    return [1, 2, 3]


def texts():
    return pubench.Data(X=np.array([["a"], ["b"]]), target=np.array([0, 1]))


def short_target():
    return pubench.Data(X=np.zeros((4, 2)), target=np.array([0, 1, 0]))


def nothing():
    return pubench.Data(X=np.zeros((0, 2)), target=np.array([]))


def infinite():
    return pubench.Data(X=np.array([[0.0], [np.inf]]), target=np.array([0, 1]))


def one_class():
    return pubench.Data(X=np.arange(40.0)[:, None], target=np.repeat("yes", 40))


def holes():
    X = np.random.default_rng(0).normal(size=(60, 3))
    X[:5, 0] = np.nan
    return pubench.Data(X=X, target=np.where(np.arange(60) % 2, "yes", "no"))


LOADERS = (raises, crashes, wrong_type, texts, short_target, nothing, infinite, one_class, holes)


@pubench.hookimpl
def pubench_datasets():
    return [
        pubench.Dataset(
            name=loader.__name__.replace("_", "-"),
            loader=f"{HERE}:{loader.__name__}",
            version="1",
            positive=("yes",),
        )
        for loader in LOADERS
    ]


def bad_criterion(validation):
    raise ValueError("no opinion")


def bad_metric(y, decision):
    raise ValueError("no number for this")


def bad_prior(X, s, *, scenario, random_state):
    return 1.5


@pubench.hookimpl
def pubench_criteria():
    return [
        pubench.Criterion(name="bad-criterion", function=f"{HERE}:bad_criterion", version="1"),
        pubench.Criterion(
            name="case-control-only",
            function=f"{HERE}:bad_criterion",
            version="1",
            scenarios=("case-control",),
        ),
    ]


@pubench.hookimpl
def pubench_metrics():
    return [pubench.Metric(name="bad-metric", function=f"{HERE}:bad_metric", version="1")]


@pubench.hookimpl
def pubench_priors():
    return [pubench.PriorEstimator(name="bad-prior", function=f"{HERE}:bad_prior", version="1")]


class Picky:
    """Never fitted here: what it needs is not there."""


@pubench.hookimpl
def pubench_algorithms():
    common = {"estimator": f"{HERE}:Picky", "version": "1"}
    return [
        pubench.Algorithm(name="dense-only", **common),
        pubench.Algorithm(name="needs-prior", receives=("prior",), needs=("prior",), **common),
        pubench.Algorithm(name="single-only", scenarios=("single-training-set",), **common),
    ]
