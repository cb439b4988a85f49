"""PU extra trees against scikit-learn's extra trees on the true labels. Prints ratios of CPU time, memory, growth.

Run:  python benchmarks/trees.py [--trees N]
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from measure import Problem, cpu_ratio, exponent, line, peak_megabytes, problem, wall_seconds
from pubench_extratrees.classifiers import PUExtraTrees
from sklearn.ensemble import ExtraTreesClassifier


def ours(data: Problem, trees: int, **options: Any) -> PUExtraTrees:
    return PUExtraTrees(
        trees, prior=data.prior, random_state=0, **{"scenario": "case-control"} | options
    ).fit(data.X, data.s)


def peer(data: Problem, trees: int) -> ExtraTreesClassifier:
    return ExtraTreesClassifier(trees, random_state=0, n_jobs=1).fit(data.X, data.y)


def compare(n: int, d: int, trees: int, labelled: float) -> None:
    data = problem(n, d, labelled=labelled)
    what = f"{n} x {d}, {labelled:.0%} labelled, {trees} trees"
    models: dict[str, Any] = {}
    fit_ours, fit_peer = cpu_ratio(
        lambda: models.update(ours=ours(data, trees)),
        lambda: models.update(peer=peer(data, trees)),
        repeats=3 if n < 50_000 else 1,
    )
    print(line(f"fit, {what}: over ExtraTreesClassifier ({fit_peer:.2f} s)", fit_ours / fit_peer, 0.40))
    predict_ours, predict_peer = cpu_ratio(
        lambda: models["ours"].predict_proba(data.X), lambda: models["peer"].predict_proba(data.X)
    )
    print(line(f"predict, {what}: over ExtraTreesClassifier", predict_ours / predict_peer, 1.0))


def threads(n: int, d: int, trees: int) -> None:
    data = problem(n, d)
    one, two = (wall_seconds(lambda jobs=jobs: ours(data, trees, n_jobs=jobs)) for jobs in (1, 2))
    print(line(f"fit, {n} x {d}: wall time with one thread over two", one / two, 1.7, at_least=True))


def _fit(data: Problem, trees: int, warm_up: bool) -> None:
    part = problem(200, 4) if warm_up else data
    ours(part, 1 if warm_up else trees)


def memory(n: int, d: int, trees: int) -> None:
    data = problem(n, d)
    model = sum(part.nbytes for part in _arrays(ours(data, trees))) / 2**20
    size = data.X.nbytes / 2**20
    above = peak_megabytes(_fit, data, trees) - model
    print(
        line(
            f"fit, {n} x {d}: peak memory, input included, less the model, over input", 1 + above / size, 2.0
        )
    )


def _arrays(forest: PUExtraTrees) -> list[np.ndarray[Any, Any]]:
    kept = forest.trees_
    return [kept.steps, kept.roots, kept.n_labelled, kept.n_unlabelled, kept.risk]


def _seconds(n: int, d: int, trees: int) -> float:
    data = problem(n, d)
    return wall_seconds(lambda: ours(data, trees), repeats=2)


def growth(trees: int) -> None:
    rows = (5_000, 10_000, 20_000, 40_000, 80_000)
    columns = (10, 20, 40, 80, 160)
    by_rows = [_seconds(n, 50, trees) for n in rows]
    by_columns = [_seconds(10_000, d, trees) for d in columns]
    print(
        line(f"growth with n, {rows[0]} to {rows[-1]} rows of 50 columns: exponent", exponent(rows, by_rows))
    )
    print(
        line(f"growth with d, {columns[0]} to {columns[-1]} columns: exponent", exponent(columns, by_columns))
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=100)
    trees = parser.parse_args().trees
    for n in (20_000, 100_000):
        for labelled in (0.1, 0.4):
            compare(n, 50, trees, labelled)
    threads(20_000, 50, trees)
    memory(100_000, 50, trees)
    growth(max(1, trees // 4))


if __name__ == "__main__":
    main()
