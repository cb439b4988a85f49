"""Fixed seeds are found wherever they are given, and outcomes are readable by CI."""

from __future__ import annotations

import itertools
import random
import sys
from unittest import mock
from xml.etree.ElementTree import fromstring

import numpy as np
import pytest
from numpy.random import default_rng

from pubench import Algorithm
from pubench.testing import AlgorithmContract
from pubench.testing.contract import ContractError
from pubench.testing.junit import junit_xml
from pubench.testing.running import Outcome
from pubench.testing.seeding import DEFAULT


class Noisy:
    """The direction between two means, with noise from a function ``(X, s, seed) -> noise``."""

    def __init__(self, *, random_state: int | None = None) -> None:
        self.random_state = random_state

    def noise(self, X, s, seed):
        return default_rng(seed).normal(size=X.shape[1])

    def fit(self, X, s):
        self.classes_ = np.array([0, 1])
        noise = np.asarray(self.noise(X, s, self.random_state))[: X.shape[1]]
        self.coef_ = X[s == 1].mean(axis=0) - X[s == 0].mean(axis=0) + 0.1 * noise
        return self

    def decision_function(self, X):
        return X @ self.coef_

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)


def boosted(X, s, **params):
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(n_estimators=3, subsample=0.5, subsample_freq=1, n_jobs=1, verbose=-1, **params)
    return model.fit(X, s).predict_proba(X)[:, 1]


def trained(X, s, seed):
    import lightgbm

    params = {
        "objective": "binary",
        "bagging_fraction": 0.5,
        "bagging_freq": 1,
        "num_threads": 1,
        "verbose": -1,
    }
    return lightgbm.train({**params, "seed": seed}, lightgbm.Dataset(X, s), 3).predict(X)


def forest(X, s, seed):
    from sklearn.ensemble import ExtraTreesClassifier

    return ExtraTreesClassifier(3, max_depth=2, random_state=seed).fit(X, s).predict_proba(X)[:, 1]


def globally_seeded(X, s, seed):
    np.random.seed(7)  # noqa: NPY002 - what the check is about
    return np.random.normal(size=X.shape[1])  # noqa: NPY002


def python_random(seed, width):
    generator = random.Random(seed)
    return [generator.random() for _ in range(width)]


FIXED = {
    "numpy.random.default_rng": lambda X, s, seed: np.random.default_rng(seed=7).normal(size=X.shape[1]),
    "default_rng": lambda X, s, seed: default_rng([7, 1]).normal(size=X.shape[1]),
    "numpy.random.seed": globally_seeded,
    "numpy.random.RandomState": lambda X, s, seed: forest(X, s, 7),
    "random.Random": lambda X, s, seed: python_random(7, X.shape[1]),
    "random_state of LightGBM": lambda X, s, seed: boosted(X, s, random_state=7),
    "seed of LightGBM": lambda X, s, seed: trained(X, s, 7),
    DEFAULT: lambda X, s, seed: boosted(X, s),
}
PASSED_ON = {
    "numpy": Noisy().noise,
    "scikit-learn": forest,
    "python": lambda X, s, seed: python_random(seed, X.shape[1]),
    "LightGBM": lambda X, s, seed: boosted(X, s, random_state=seed),
    "without effect": lambda X, s, seed: 0 * default_rng(7).normal(size=X.shape[1]),
}

NUMBERS = itertools.count()


def said(noise, receives=("random_state",)):
    """Return what the contract says about the seeds of a method with such noise."""
    # Import strings are resolved once, so each class has a name of its own.
    name = f"Mine{next(NUMBERS)}"
    estimator = type(name, (Noisy,), {"noise": lambda self, X, s, seed: noise(X, s, seed)})
    spec = Algorithm(name="mine", estimator=f"{__name__}:{name}", receives=receives)
    contract = type("Contract", (AlgorithmContract,), {"spec": spec})()
    with mock.patch.object(sys.modules[__name__], name, estimator, create=True):
        try:
            contract.test_random_state()
        except ContractError as error:
            return str(error)
    return ""


@pytest.mark.parametrize("where", FIXED)
@pytest.mark.parametrize("receives", [("random_state",), ()])
def test_a_fixed_seed_that_matters_is_found_and_named(where, receives):
    message = said(FIXED[where], receives)
    assert "repetitions are more alike than they should be" in message
    assert ("gives LightGBM no seed" if where == DEFAULT else "the fixed seed 7 instead") in message
    assert where == DEFAULT or where in message
    assert ("add the parameter random_state" in message) == (not receives)


def test_a_fixed_seed_beside_one_that_is_passed_on_is_found():
    both = said(lambda X, s, seed: default_rng(seed).normal(size=X.shape[1]) * default_rng(7).normal())
    assert "the fixed seed 7 instead of random_state (numpy.random.default_rng)" in both


@pytest.mark.parametrize("how", PASSED_ON)
def test_a_seed_that_is_passed_on_or_has_no_effect_is_no_finding(how):
    assert said(PASSED_ON[how]) == ""


@pytest.mark.torch
@pytest.mark.parametrize("of_its_own", [False, True])
def test_fixed_seeds_of_pytorch_are_found(of_its_own):
    torch = pytest.importorskip("torch")

    def noise(X, s, seed):
        generator = torch.Generator() if of_its_own else torch.default_generator
        (generator if of_its_own else torch).manual_seed(7)
        return torch.randn(X.shape[1], generator=generator).numpy()

    label = "torch.Generator" if of_its_own else "torch.manual_seed"
    assert f"the fixed seed 7 instead of random_state ({label})" in said(noise)


def test_the_outcome_as_junit_counts_and_names_each_check():
    outcomes = [
        Outcome("algorithms", "mine", "test_a", "A <law>", "ok"),
        Outcome("algorithms", "mine", "test_b", "B", "finding", "broken & bad"),
        Outcome("metrics", "m", "test_c", "C", "skipped", "no"),
    ]
    root = fromstring(junit_xml(outcomes))
    first, second = root
    assert (first.get("tests"), first.get("failures"), second.get("skipped")) == ("2", "1", "1")
    assert first[1].find("failure").get("message") == "broken & bad"
