"""Limits of searches: trials in one process over as many fits that share nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from measure import Problem, paired_ratio, problem
from pual import drawn
from table import Figure

from pubench.estimators.sharing import SHARED
from pubench.plugins.discovery import discover
from pubench.plugins.imports import resolve

# Seconds of a trial differ by a factor of fifty.
TRIALS = {"puet": 20, "novelgb": 20, "pu-bagging-tree": 3, "nnpu-rbf": 5}
_WHY = {
    "puet": "cProfile: growing trees is 0.97 of a fit of 20 ms",
    "novelgb": "trees are most of it: binning, which is shared, takes 12 ms of a fit of 20 to 120",
    "pu-bagging-tree": "cProfile: fits and predictions of scikit-learn's trees, which differ by trial, are four fifths",
    "nnpu-rbf": "cProfile: Adam's epochs are 0.95 of it, and start anew with each rate and width",
}


def figures() -> Iterator[Figure]:
    registry, data = discover(third_party=False), problem(5_000, 20)
    for name, count in TRIALS.items():
        if name not in registry.all("algorithms"):
            continue
        spec = registry.algorithm(name).spec
        rng = np.random.default_rng(0)
        trials = [drawn_any(dict(spec.space), rng) for _ in range(count)]
        fits = [fit(spec, data, params) for params in trials]
        ratio = paired_ratio(lambda fits=fits: in_turn(fits), lambda fits=fits: each_alone(fits))
        yield Figure(f"{name}, n = 5000: {count} trials", "separate fits", 0.7, ratio, why=_WHY[name])


def drawn_any(space: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    return {
        name: drawn({name: param}, rng)[name]
        if not hasattr(param, "low") or isinstance(param.low, float)
        else int(rng.integers(param.low, param.high + 1))
        for name, param in space.items()
    }


def fit(spec: Any, data: Problem, params: dict[str, Any]) -> Callable[[], Any]:
    receives = {"prior": data.prior, "scenario": "case-control", "random_state": 0}
    given = {name: receives[name] for name in spec.receives if name in receives}
    return lambda: resolve(spec.estimator)(**{**spec.params, **given, **params}).fit(data.X, data.s)


def in_turn(fits: list[Callable[[], Any]]) -> None:
    SHARED.clear()
    for action in fits:
        action()


def each_alone(fits: list[Callable[[], Any]]) -> None:
    for action in fits:
        SHARED.clear()
        action()
