"""Synthetic data have exact counts, depend only on the seed, and come with true posteriors."""

from __future__ import annotations

import hashlib
import inspect
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pubench_datasets import synthetic
from pubench_datasets.synthetic import (
    checkerboard,
    gaussians,
    gaussians_bayes_accuracy,
    moons,
    topics,
    trifurcate,
)
from scipy.sparse import issparse

from pubench.data import Data
from pubench.errors import DataError

LOADERS = [trifurcate, gaussians, moons, checkerboard, topics]
loaders = pytest.mark.parametrize("loader", LOADERS, ids=lambda loader: loader.__name__)


def dense(data):
    return data.X.toarray() if issparse(data.X) else data.X


def checksum(data):
    arrays = (
        [data.X.data, data.X.indices, data.X.indptr, data.target, data.posterior]
        if issparse(data.X)
        else [data.X, data.target, data.posterior]
    )
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()


@loaders
@settings(max_examples=40, deadline=None)
@given(n=st.integers(2, 300), prior=st.floats(0, 1), noise=st.floats(0, 0.49), seed=st.integers(0, 2**63))
def test_counts_are_exact_and_noise_only_flips_labels(loader, n, prior, noise, seed):
    positives, flips = round(prior * n), round(noise * n)
    if positives in (0, n):
        with pytest.raises(DataError, match=f"prior .* of n = {n} rows leaves no"):
            loader(n=n, prior=prior, noise=noise, seed=seed)
        return
    before, after = (loader(n=n, prior=prior, noise=share, seed=seed) for share in (0, noise))
    assert isinstance(before, Data)
    assert before.X.shape[0] == n
    assert len(set(before.feature_names)) == before.X.shape[1]
    assert set(before.target) == {0, 1}
    assert before.target.dtype.kind == "i"
    assert before.target.sum() == positives
    assert np.array_equal(dense(before), dense(after))
    assert (before.target != after.target).sum() == flips
    assert after.posterior == pytest.approx(before.posterior + flips / n * (1 - 2 * before.posterior))
    assert ((before.posterior >= 0) & (before.posterior <= 1)).all()


@loaders
def test_data_depend_only_on_the_seed(loader):
    assert checksum(loader(seed=3, noise=0.1)) == checksum(loader(seed=3, noise=0.1))
    assert len({checksum(loader(seed=seed, noise=0.1)) for seed in range(5)}) == 5


def test_another_process_draws_the_same_bytes():
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import test_synthetic as t; "
        "print(*(t.checksum(loader(seed=5, noise=0.2)) for loader in t.LOADERS))"
    )
    folder = __file__.rpartition("/")[0]
    ran = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == [checksum(loader(seed=5, noise=0.2)) for loader in LOADERS]


@loaders
def test_rows_are_shuffled(loader):
    """The number of runs of equal classes in a random order of n/2 and n/2 is n/2 + 1, give or take √n / 2."""
    y = loader(n=2000).target
    runs = 1 + np.count_nonzero(np.diff(y))
    assert abs(runs - 1001) < 4 * math.sqrt(2000) / 2


CALIBRATED = [
    (trifurcate, {"mean_p2": 20.0, "prior": 0.3}),
    (trifurcate, {"mean_p2": -15.0, "prior": 0.5, "noise": 0.2}),
    (gaussians, {"prior": 0.2, "separation": 1.0, "correlation": 0.7}),
    (gaussians, {"d": 1, "noise": 0.1}),
    (moons, {"prior": 0.4, "spread": 0.5}),
    (moons, {"prior": 0.6, "spread": 0.3, "d": 4, "noise": 0.1}),
    (checkerboard, {"prior": 0.3, "cells": 3, "noise": 0.25}),
    (topics, {"prior": 0.3, "length": 5.0, "separation": 0.8}),
    (topics, {"topics": 3, "length": 10.0, "noise": 0.1}),
]


@pytest.mark.parametrize(("loader", "params"), CALIBRATED)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_share_p_of_rows_with_posterior_p_is_positive(loader, params, seed):
    data = loader(n=40_000, seed=seed, **params)
    bins = np.floor(data.posterior * 20)
    for chosen in (bins == value for value in np.unique(bins)):
        p, y = data.posterior[chosen], data.target[chosen]
        if (variance := np.sum(p * (1 - p))) > 5:
            assert abs(np.sum(y - p)) < 4.5 * math.sqrt(variance)


@loaders
def test_the_mean_posterior_is_the_share_of_positives(loader):
    data = loader(n=40_000, prior=0.3, noise=0.1)
    assert data.posterior.mean() == pytest.approx(0.9 * 0.3 + 0.1 * 0.7, abs=4.5 * 0.5 / 200)


BAD = {
    "n": [1, 0, -5, 2.0, 10.5, "many", None, True, 10**30],
    "prior": [-0.1, 1.5, "half", None, True, math.nan, 0.0, 1.0, 10**400],
    "noise": [-0.1, 0.5, 0.6, False, 1, "some", None, math.nan],
    "seed": [-1, 1.5, "x", None, True, 2**70],
    "d": [0, -1, 2.0, "x", 10**12],
    "mean_p2": [math.inf, math.nan, "50", None, [50], 1e300],
    "separation": [-1, math.inf, math.nan, "far", 1e9],
    "correlation": [1, -1, 2.0, math.nan, "x"],
    "spread": [0, -1, math.inf, "x"],
    "cells": [1, 0, 2.5, "x", 10**9],
    "vocabulary": [1, 0, 2.5, "x", 10**12],
    "topics": [1, 0, 2.5, "x", 10**9],
    "length": [0, 0.5, math.inf, "x", 1e12],
}
CASES = [
    pytest.param(loader, name, value, id=f"{loader.__name__}-{name}-{str(value)[:8]}")
    for loader in [*LOADERS, gaussians_bayes_accuracy]
    for name in inspect.signature(loader).parameters
    for value in BAD[name]
]


@pytest.mark.parametrize(("loader", "name", "value"), CASES)
def test_a_bad_parameter_is_named(loader, name, value):
    with pytest.raises(DataError) as caught:
        loader(**{name: value})
    assert str(caught.value).startswith(f"{name} ")
    assert "\n" not in str(caught.value)


def test_every_public_name_is_tested_here():
    assert {loader.__name__ for loader in LOADERS} == set(synthetic.__all__) - {"gaussians_bayes_accuracy"}
