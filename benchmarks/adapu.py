"""What Ada-PU costs beside AdaBoost on the true labels, how that grows, and its accuracy by beta.

Run:  OMP_NUM_THREADS=1 python benchmarks/adapu.py [--accuracy]

Times are CPU seconds of one thread; only their ratios mean anything on another machine. --accuracy prints, instead,
the test accuracies from which the defaults of beta and thresholds were chosen; data sets of the data root are left
out if PUBENCH_DATA does not name one.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from measure import Problem, cpu_ratio, exponent, line, peak_megabytes, problem
from numpy.typing import NDArray
from pubench_adapu.adapu import AdaPU
from pubench_datasets.paper_specs import paper_datasets
from pubench_datasets.papers import paper
from pubench_datasets.synthetic import gaussians, moons
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from pubench.errors import DataError

ROUNDS = 100
BETAS = (0.00125, 0.01, 0.03, 0.1, 0.3, 1.0)
TABLES = ("puet-unsw-nb15", "puet-covtype", "puet-mushrooms", "novelgb-pima")


def ours(data: Problem) -> AdaPU:
    # Neither the guard nor a perfect stump may spare us a round.
    model = AdaPU(
        ROUNDS, thresholds="all", beta=0.02, guard=None, prior=data.prior, scenario="case-control"
    ).fit(data.X, data.s)
    if model.n_estimators_ != ROUNDS:
        raise RuntimeError(f"stopped after {model.n_estimators_} rounds: {model.stopped_}")
    return model


def theirs(data: Problem) -> AdaBoostClassifier:
    stump = DecisionTreeClassifier(max_depth=1)
    return AdaBoostClassifier(stump, n_estimators=ROUNDS, random_state=0).fit(data.X, data.y)


def fit_for_memory(data: Problem, *, warm_up: bool) -> None:
    part = slice(-500, None)
    s = np.arange(500) % 2
    ours(Problem(data.X[part], s, data.y[part], 0.5) if warm_up else data)


def print_ratios(n: int, d: int) -> None:
    data = problem(n, d)
    fitted: dict[str, Any] = {}
    fits = cpu_ratio(
        lambda: fitted.update(ours=ours(data)),
        lambda: fitted.update(theirs=theirs(data)),
        repeats=1 if n > 50_000 else 3,
    )
    print(line(f"fit, {n} x {d}, {ROUNDS} stumps, all thresholds: over AdaBoost", fits[0] / fits[1], 0.03))
    predictions = cpu_ratio(
        lambda: fitted["ours"].predict(data.X), lambda: fitted["theirs"].predict(data.X), repeats=5
    )
    print(line(f"predict, {n} x {d}: over AdaBoost", predictions[0] / predictions[1], 1.0))
    megabytes = data.X.nbytes / 2**20
    peak = peak_megabytes(fit_for_memory, data)
    print(line(f"fit, {n} x {d}: peak memory, input included, over input", 1 + peak / megabytes, 2.0))


def growth(shapes: list[tuple[int, int]]) -> list[float]:
    """Return the CPU seconds of a fit for each shape."""
    seconds = []
    for n, d in shapes:
        data = problem(n, d)
        seconds.append(cpu_ratio(lambda data=data: ours(data), lambda: None)[0])
    return seconds


def print_growth() -> None:
    rows, columns = [5_000, 10_000, 20_000, 50_000, 100_000], [10, 20, 50, 100]
    print(line("fit: growth exponent in n, 5k to 100k x 50", exponent(rows, growth([(n, 50) for n in rows]))))
    print(
        line(
            "fit: growth exponent in d, 20k x 10 to 100",
            exponent(columns, growth([(20_000, d) for d in columns])),
        )
    )


def data_sets() -> Iterator[tuple[str, NDArray[np.float64], NDArray[np.bool_]]]:
    for name, (X, y) in {
        "cancer": load_breast_cancer(return_X_y=True),
        "digits": load_digits(return_X_y=True),
    }.items():
        yield name, X, y == 1 if name == "cancer" else y % 2 == 0
    for prior in (0.3, 0.5, 0.8):
        made = gaussians(n=6000, prior=prior, separation=2.5, seed=1)
        yield f"gaussians, prior {prior}", made.X, made.target == 1
    made = moons(n=6000, d=5, seed=1)
    yield "moons", made.X, made.target == 1
    positives = {spec.name: spec.positive for spec in paper_datasets()}
    for name in TABLES:
        try:
            table = paper(name)
        except DataError as reason:
            print(f"{name} is left out: {reason}")
            continue
        y = np.isin(np.asarray(table.target).astype(str), positives[name])
        kept = np.random.default_rng(0).permutation(len(y))[:20_000]
        X = table.X[kept]
        yield name, X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=np.float64), y[kept]


def accuracy(X: NDArray[np.float64], y: NDArray[np.bool_], seed: int, **params: Any) -> float:
    """Return the accuracy on 30 % of the rows; half of the others are U, P is drawn from the positives in the rest."""
    rng = np.random.default_rng(seed)
    rest, test = np.split(rng.permutation(len(y)), [int(0.7 * len(y))])
    pool, unlabelled = np.split(rest, 2 * [len(rest) // 2])[::2]
    labelled = rng.choice(pool[y[pool]], min(1000, len(y) // 8))
    rows = np.concatenate([labelled, unlabelled])
    s = np.arange(len(rows)) < len(labelled)
    model = AdaPU(
        prior=float(y[rest].mean()), random_state=seed, **{"scenario": "case-control"} | params
    ).fit(X[rows], s)
    return float(np.mean((model.decision_function(X[test]) >= 0) == y[test]))


def print_accuracies(repeats: int = 5) -> None:
    print(f"{'accuracy, %, at beta':<40}" + "".join(f"{beta:>8g}" for beta in BETAS))
    for name, X, y in data_sets():
        for thresholds in ("all", 10):
            means = [
                np.mean([accuracy(X, y, seed, beta=beta, thresholds=thresholds) for seed in range(repeats)])
                for beta in BETAS
            ]
            row = f"{name}, thresholds {thresholds}"
            print(f"{row:<40}" + "".join(f"{100 * mean:8.1f}" for mean in means))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--accuracy", action="store_true", help="print accuracies by beta instead of costs")
    if parser.parse_args().accuracy:
        print_accuracies()
        return
    for n in (20_000, 100_000):
        print_ratios(n, 50)
    print_growth()


if __name__ == "__main__":
    main()
