"""The prior estimators: their errors and failures on data whose prior is known, and how they grow.

Run:  python benchmarks/priors.py            the table of errors (data sets of the data root if PUBENCH_DATA names one)
      python benchmarks/priors.py --cover    how often intervals hold the truth
      python benchmarks/priors.py --growth   CPU seconds and memory by the number of rows

Errors are estimate less truth, over seeds; "out" counts intervals that miss. Labels are drawn as suites draw them:
six positives of ten, from one training set, or as many in a second sample.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from measure import cpu_ratio, exponent, peak_megabytes
from numpy.typing import NDArray
from pubench_datasets.paper_specs import paper_datasets
from pubench_datasets.papers import paper
from pubench_datasets.synthetic import checkerboard, gaussians, moons, topics, trifurcate
from sklearn.preprocessing import StandardScaler

from pubench.data import Data
from pubench.data.labelling import Labelling
from pubench.data.labelling.assign import label_all
from pubench.errors import DataError, PriorError
from pubench.plugins.discovery import discover
from pubench.priors import estimate_prior
from pubench.specs import Scenario

EVERY = [*discover(third_party=False).all("priors")]
SCENARIOS: tuple[Scenario, ...] = ("case-control", "single-training-set")
FREQUENCY = 0.6
PRIOR = 0.3
DISTANCES = (6.0, 4.0, 3.0)
MOST_ROWS = 10_000
SEEDS = count()
# Where what most methods assume holds, and then three where it fails.
MADE: dict[str, Callable[[int], Data]] = {
    "gaussians, distance 6": lambda seed: gaussians(n=6000, d=5, prior=0.3, separation=6.0, seed=seed),
    "gaussians, distance 4": lambda seed: gaussians(n=6000, d=10, prior=0.3, separation=4.0, seed=seed),
    "checkerboard": lambda seed: checkerboard(n=6000, cells=2, prior=0.3, seed=seed),
    "moons": lambda seed: moons(n=6000, prior=0.3, spread=0.05, seed=seed),
    "trifurcate": lambda seed: trifurcate(mean_p2=50.0, n=6000, prior=0.2, seed=seed),
    "topics (sparse)": lambda seed: topics(
        n=6000, prior=0.3, length=200.0, vocabulary=500, separation=1.0, seed=seed
    ),
    "gaussians, distance 2": lambda seed: gaussians(n=6000, d=5, prior=0.3, separation=2.0, seed=seed),
    "gaussians, distance 1": lambda seed: gaussians(n=6000, d=5, prior=0.3, separation=1.0, seed=seed),
    "moons, a tenth mislabelled": lambda seed: moons(n=6000, prior=0.3, spread=0.05, noise=0.1, seed=seed),
}
TABLES = ("puet-mushrooms", "puet-unsw-nb15", "puet-covtype")


def data_sets(seed: int) -> Iterator[tuple[str, Any, NDArray[np.uint8]]]:
    """Yield the name, the rows and the true classes of each data set."""
    for name, make in MADE.items():
        made = make(seed)
        yield name, made.X, (made.target == 1).astype(np.uint8)
    positives = {spec.name: spec.positive for spec in paper_datasets()}
    for name in TABLES:
        try:
            table = paper(name)
        except DataError:
            continue
        kept = np.random.default_rng(seed).permutation(len(table.target))[:MOST_ROWS]
        X = table.X[kept]
        X = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=np.float64)
        y = np.isin(np.asarray(table.target).astype(str)[kept], positives[name])
        yield name, StandardScaler().fit_transform(X), y.astype(np.uint8)


def labelled(
    X: Any, y: NDArray[np.uint8], scenario: Scenario, seed: int
) -> tuple[Any, NDArray[np.uint8], float]:
    """Return rows, s and the prior."""
    made = label_all(y, Labelling(scenario, frequency=FREQUENCY), rng=np.random.default_rng(seed))
    assert made.prior is not None
    return X[made.train], made.s, made.prior


def print_errors(seeds: int, names: list[str]) -> None:
    print(f"| data set | scenario | prior | {' | '.join(names)} |")
    print("| --- | --- | ---: |" + " ---: |" * len(names))
    cells: dict[tuple[str, str], dict[str, list[tuple[float, bool, bool] | str]]] = {}
    priors: dict[tuple[str, str], list[float]] = {}
    for seed in range(seeds):
        for name, X, y in data_sets(seed):
            for scenario in SCENARIOS:
                rows, s, prior = labelled(X, y, scenario, seed)
                priors.setdefault((name, scenario), []).append(prior)
                for estimator in names:
                    found = asked(rows, s, scenario, estimator, seed, prior)
                    cells.setdefault((name, scenario), {}).setdefault(estimator, []).append(found)
    for key, row in cells.items():
        texts = [cell(row[estimator]) for estimator in names]
        print(f"| {key[0]} | {key[1]} | {np.mean(priors[key]):.3f} | {' | '.join(texts)} |")


def asked(
    X: Any,
    s: NDArray[np.uint8],
    scenario: Scenario,
    estimator: str,
    seed: int,
    prior: float,
    classifier: str = "auto",
) -> tuple[float, bool, bool] | str:
    """Return the error, whether the interval misses and whether there is a doubt; or that it was refused."""
    try:
        found = estimate_prior(
            X, s, scenario=scenario, estimator=estimator, random_state=seed, classifier=classifier
        )
    except PriorError:
        return "refused"
    return found.value - prior, not found.low <= prior <= found.high, bool(found.doubts)


def cell(found: list[tuple[float, bool, bool] | str]) -> str:
    kept = [one for one in found if not isinstance(one, str)]
    if not kept:
        return "–"
    error, out, doubted = (np.array(part) for part in zip(*kept, strict=True))
    marks = (f", {int(out.sum())} out" if out.any() else "") + (", doubted" if doubted.mean() >= 0.5 else "")
    return f"{error.mean():+.3f}{marks}"


def print_cover(turns: int, names: list[str]) -> None:
    """Print how often 90 % intervals hold the prior of two Gaussians, by their distance, with linear scores."""
    print(f"| distance | scenario | {' | '.join(names)} |")
    print("| ---: | --- |" + " ---: |" * len(names))
    for distance in DISTANCES:
        for scenario in SCENARIOS:
            texts = [covered(distance, scenario, estimator, turns) for estimator in names]
            print(f"| {distance:g} | {scenario} | {' | '.join(texts)} |", flush=True)


def covered(distance: float, scenario: Scenario, estimator: str, turns: int) -> str:
    """Return the share of intervals that hold the truth."""
    found = []
    for turn in range(turns):
        X, s = clouds(distance, scenario, turn)
        one = asked(X, s, scenario, estimator, turn, PRIOR, "logistic")
        if isinstance(one, str):
            return "–"
        found.append(one[1])
    return f"{1.0 - np.mean(found):.2f}"


def clouds(distance: float, scenario: Scenario, turn: int) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Return rows and s of two Gaussians in the plane, 3,000 rows (and P beside them in case-control data)."""
    rng, n = np.random.default_rng(turn), 3000
    y = rng.random(n) < PRIOR
    X = rng.standard_normal((n, 2)) + distance * np.outer(y, [1.0, 0.0])
    s = (y & (rng.random(n) < FREQUENCY)).astype(np.uint8)
    if scenario == "case-control":
        n_p = int(FREQUENCY * PRIOR * n)
        X = np.vstack([np.add(rng.standard_normal((n_p, 2)), [distance, 0.0]), X])
        s = (np.arange(n_p + n) < n_p).astype(np.uint8)
    return X, s


def estimate(X: Any, s: Any, estimator: str, *, warm_up: bool = False) -> None:
    part = slice(-400, None) if warm_up else slice(None)
    labels = np.arange(400) % 2 if warm_up else s
    # A new seed each time: scores of the last call are kept.
    seed = next(SEEDS)
    estimate_prior(X[part], labels, scenario="single-training-set", estimator=estimator, random_state=seed)


def print_growth(names: list[str]) -> None:
    sizes = [2_500, 5_000, 10_000, 20_000]
    made = {n: gaussians(n=n, d=20, prior=0.3, separation=4.0, seed=0) for n in sizes}
    rows = {
        n: labelled(data.X, (data.target == 1).astype(np.uint8), "single-training-set", 0)[:2]
        for n, data in made.items()
    }
    print(
        "| estimator | seconds at 20,000 rows | time grows as n^ | MB at 20,000 rows | memory grows as n^ |"
    )
    print("| --- | ---: | ---: | ---: | ---: |")
    for estimator in names:
        estimate(*rows[sizes[0]], estimator, warm_up=True)
        seconds = [
            cpu_ratio(partial(estimate, *rows[n], estimator), lambda: None, repeats=1)[0] for n in sizes
        ]
        megabytes = [peak_megabytes(estimate, *rows[n], estimator) for n in sizes[1:]]
        print(
            f"| {estimator} | {seconds[-1]:.1f} | {exponent(sizes, seconds):.2f} | {megabytes[-1]:.0f} | "
            f"{exponent(sizes[1:], megabytes):.2f} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cover", action="store_true", help="print how often intervals hold the truth")
    parser.add_argument(
        "--growth", action="store_true", help="print seconds and memory by the number of rows"
    )
    parser.add_argument(
        "--turns", type=int, default=0, help="seeds of the errors (3), or samples for --cover (40)"
    )
    parser.add_argument("--estimator", action="append", choices=EVERY, help="only this one; may be repeated")
    options = parser.parse_args()
    names = options.estimator or EVERY
    if options.growth:
        print_growth(names)
    elif options.cover:
        print_cover(options.turns or 40, names)
    else:
        print_errors(options.turns or 3, names)


if __name__ == "__main__":
    main()
