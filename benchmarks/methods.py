"""What a fit of every registered method costs: CPU time over that of scikit-learn's extra trees on the same rows.

Run:  OMP_NUM_THREADS=1 python benchmarks/methods.py

It prints the table of docs/cost.md. Times are CPU seconds of one thread, from one run.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from measure import Problem, problem
from sklearn.ensemble import ExtraTreesClassifier

import pubench
from pubench.plugins import discover
from pubench.specs import Algorithm

SIZES = ((1_000, 20), (4_000, 20))
IMAGE = (4, 5)


def specs() -> Iterator[Algorithm]:
    """Yield the algorithms by name."""
    for registered in discover(third_party=False).all("algorithms").values():
        yield registered.spec


def model(spec: Algorithm, data: Problem) -> Any:
    """Return the estimator with all that a suite would give it."""
    scenario = spec.scenarios[0]
    given = {
        "prior": data.prior,
        "scenario": scenario,
        "random_state": 0,
        "n_labelled": int(data.s.sum()),
        "image_shape": IMAGE,
    }
    received = {name: given[name] for name in spec.receives if name in given}
    return pubench.make(spec.name, **{**received, **spec.params})


def fit(spec: Algorithm, data: Problem) -> Callable[[], Any]:
    """Return a fit on labels, or on true classes for a reference."""
    labels = data.y if spec.labels == "true" else data.s
    extra = {"propensity": np.full(len(labels), 0.1)} if "propensity" in spec.receives else {}
    return lambda: model(spec, data).fit(data.X, labels, **extra)


def seconds(action: Callable[[], Any]) -> float:
    """Return the lesser CPU time of two runs."""
    times = []
    for _ in range(2):
        begin = time.process_time()
        action()
        times.append(time.process_time() - begin)
    return min(times)


def main() -> None:
    """Print a row for each method: the ratio at both sizes, and the exponent of its growth with the rows."""
    warnings.simplefilter("ignore")
    problems = [problem(n, d) for n, d in SIZES]
    base = [
        seconds(lambda data=data: ExtraTreesClassifier(random_state=0).fit(data.X, data.s))
        for data in problems
    ]
    print("| method |", " | ".join(f"{n:,} x {d}" for n, d in SIZES), "| exponent |")
    print("| --- |" + " ---: |" * (len(SIZES) + 1))
    growth = np.log(SIZES[1][0] / SIZES[0][0])
    for spec in specs():
        times = [seconds(fit(spec, data)) for data in problems]
        ratios = " | ".join(f"{ours / peer:.2g}" for ours, peer in zip(times, base, strict=True))
        print(f"| `{spec.name}` | {ratios} | {np.log(times[1] / times[0]) / growth:.1f} |", flush=True)
    print("extra trees:", " ".join(f"{value:.3f} s" for value in base))


if __name__ == "__main__":
    main()
