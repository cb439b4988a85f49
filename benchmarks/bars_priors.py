"""Limits of the prior estimators: seconds at two sizes, and all of them beside the dearest."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from measure import Ratio
from pubench_datasets.synthetic import gaussians
from table import Figure

from pubench.estimators.sharing import SHARED
from pubench.plugins.discovery import discover
from pubench.priors import estimate_prior

_WHY = (
    "cProfile, bbe: 100 resamples of all rows are half of it, predictions and folds a sixth each, fits of"
    " boosting an eighth"
)
_TOGETHER = (
    "the shared scores are half of the dearest; each estimator's own resamples or likelihoods come on top"
)


def rows(n: int) -> tuple[np.ndarray, np.ndarray]:
    made = gaussians(n=n, d=20, prior=0.3, separation=4.0, seed=0)
    drawn = np.random.default_rng(0).random(n) < 0.6
    return made.X, ((made.target == 1) & drawn).astype(np.uint8)


def alone(X: np.ndarray, s: np.ndarray, name: str, seed: int = 0) -> float:
    """Return the CPU seconds of an estimate that finds no scores kept."""
    SHARED.clear()
    return seconds(X, s, name, seed)


def seconds(X: np.ndarray, s: np.ndarray, name: str, seed: int) -> float:
    start = time.process_time()
    estimate_prior(X, s, scenario="single-training-set", estimator=name, random_state=seed)
    return time.process_time() - start


def figures() -> Iterator[Figure]:
    names = [*discover(third_party=False).all("priors")]
    X, s = rows(20_000)
    for name in names:
        found = sorted(alone(X, s, name, seed) for seed in range(5))
        yield Figure(
            f"prior by {name}, 20000 x 20", "seconds", 0.5, Ratio(found[2], found[0], found[-1]), why=_WHY
        )
    yield together(X, s, names)
    X, s = rows(500_000)
    for name in names:
        taken = alone(X, s, name)
        yield Figure(f"prior by {name}, 500000 x 20", "seconds", 5.0, Ratio(taken, taken, taken), why=_WHY)


def together(X: np.ndarray, s: np.ndarray, names: list[str]) -> Figure:
    found = []
    for seed in range(5):
        dearest = max(alone(X, s, name, seed) for name in names)
        SHARED.clear()
        found.append(sum(seconds(X, s, name, seed) for name in names) / dearest)
    found.sort()
    return Figure(
        f"prior by all {len(names)}, 20000 x 20",
        "the dearest alone",
        2.0,
        Ratio(found[2], found[0], found[-1]),
        why=_TOGETHER,
    )
