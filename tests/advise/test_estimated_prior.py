"""Laws of the prior of a person's table: estimated outside the driver, averaged over deals, refused in one sentence."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from pubench.advise import estimated_prior
from pubench.advise.estimated_prior import averaged, state_prior_of
from pubench.errors import PriorError
from pubench.plugins.discovery import discover
from pubench.priors import PriorEstimate, estimate_prior

SCENARIO = "single-training-set"


def rows(n=160, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.5
    s = (y & (rng.random(n) < 0.5)).astype(np.uint8)
    return rng.normal(size=(n, 3)) + 1.5 * y[:, None], s


def test_the_driver_estimates_nothing_itself(monkeypatch):
    X, s = rows()
    before = state_prior_of(X, s, scenario=SCENARIO, seed=4)
    for name in ("bbe", "profile"):
        module, _, function = discover().prior(name).spec.function.partition(":")
        monkeypatch.delattr(importlib.import_module(module), function)
    assert state_prior_of(X, s, scenario=SCENARIO, seed=4) == before


def test_the_statement_is_the_mean_of_deals(monkeypatch):
    asked = []
    known = estimated_prior._Asking._ask
    monkeypatch.setattr(
        estimated_prior._Asking,
        "_ask",
        lambda self, sandbox, spec, seed: asked.append((spec.name, seed)) or known(self, sandbox, spec, seed),
    )
    X, s = rows()
    found = state_prior_of(X, s, scenario=SCENARIO, seed=4)
    alone = {
        one: estimate_prior(X, s, scenario=SCENARIO, estimator=one[0], random_state=one[1]) for one in asked
    }
    points = [estimate.value for (name, _), estimate in alone.items() if name == "bbe"]
    assert len(points) == 3
    assert len(set(points)) > 1
    assert found.value == pytest.approx(np.mean(points))
    ends = [(estimate.low, estimate.high) for (name, _), estimate in alone.items() if name == "profile"]
    low, high = np.mean(ends, axis=0)
    assert found.determined == (low >= 0.4 * high)


def test_averages_lie_between_and_keep_the_doubts_of_the_middle():
    estimates = [
        PriorEstimate(value, value - 0.1, value + 0.1, doubts=(str(value),), upper=upper)
        for value, upper in ((0.3, 0.6), (0.5, 0.8), (0.4, 0.7))
    ]
    found = averaged(estimates)
    assert (found.value, found.low, found.high, found.upper) == pytest.approx((0.4, 0.3, 0.5, 0.7))
    assert found.doubts == ("0.4",)
    assert averaged(estimates[:1]) == estimates[0]


def test_an_estimator_beyond_its_limits_is_one_sentence(monkeypatch):
    monkeypatch.setattr(estimated_prior, "FIT_SECONDS", 0.01)
    with pytest.raises(PriorError, match=r"cannot be estimated: .*; if you know it, give it"):
        state_prior_of(*rows(), scenario=SCENARIO, seed=0)
