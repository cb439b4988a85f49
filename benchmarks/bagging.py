"""PU bagging against pulearn's BaggingPuClassifier at equal bags. Prints ratios of CPU time, and wall time of two jobs.

Run:  pip install pulearn==0.2.0; python benchmarks/bagging.py [--bags N]
"""

from __future__ import annotations

import argparse
import warnings
from functools import partial
from typing import Any

from measure import Problem, cpu_ratio, line, problem, wall_seconds
from pubench_bagging.bagging import PUBagging
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

try:
    from pulearn import BaggingPuClassifier
except ImportError:
    BaggingPuClassifier = None

# The learner, and the most that ours may take. scikit-learn's own fit is nearly all of a tree that tries every feature.
LEARNERS: list[tuple[str, Any, float | None]] = [
    ("LR", LogisticRegression(max_iter=1000), 0.5),
    ("trees, sqrt(d) features", DecisionTreeClassifier(max_features="sqrt"), 0.8),
    ("extra trees", ExtraTreeClassifier(), 0.8),
    ("trees, all features", DecisionTreeClassifier(), None),
]


def ours(data: Problem, learner: Any, bags: int, **options: Any) -> PUBagging:
    return PUBagging(learner, n_estimators=bags, random_state=0, **options).fit(data.X, data.s)


def peer(data: Problem, learner: Any, bags: int, size: int) -> Any:
    model = BaggingPuClassifier(learner, n_estimators=bags, max_samples=size, random_state=0)
    return model.fit(data.X, data.s)


def compare(n: int, d: int, bags: int, *, full: bool = False) -> None:
    data = problem(n, d)
    n_p = int(data.s.sum())
    size = n - n_p if full else n_p
    for name, learner, limit in LEARNERS:
        models: dict[str, Any] = {}
        few = max(1, bags // 5) if full or limit is None else bags
        fit_ours, fit_peer = cpu_ratio(
            lambda learner=learner, few=few, models=models: models.update(
                ours=ours(data, learner, few, max_samples=size)
            ),
            lambda learner=learner, few=few, models=models: models.update(
                peer=peer(data, learner, few, size)
            ),
        )
        what = f"{n} x {d}, bags of {size} of U, {name}"
        # The limits are for the paper's bags, which are as large as P.
        print(line(f"fit, {what}", fit_ours / fit_peer, None if full else limit))
        asked = cpu_ratio(
            lambda models=models: models["ours"].predict_proba(data.X),
            lambda models=models: models["peer"].predict_proba(data.X),
        )
        print(line(f"predict, {what}", asked[0] / asked[1], 1.0))


def jobs(n: int, d: int, bags: int) -> None:
    data = problem(n, d)
    for name, learner, _ in LEARNERS[:2]:
        for backend in ("processes", "threads"):
            turns: dict[int, list[float]] = {1: [], 2: []}
            # In alternation, so that noise meets both alike; the first turn of two jobs starts their processes.
            for n_jobs in (2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2):
                fit = partial(ours, data, learner, bags, n_jobs=n_jobs, backend=backend)
                turns[n_jobs].append(wall_seconds(fit, repeats=1))
            one, two = min(turns[1]), min(turns[2])
            what = f"fit, {n} x {d}, {bags} bags, {name}: wall time of one over two {backend}"
            print(line(what, one / two, 1.7 if backend == "processes" else None, at_least=True))


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bags", type=int, default=50)
    bags = parser.parse_args().bags
    if BaggingPuClassifier is None:
        print("pulearn is not installed, so there is nothing to compare with: pip install pulearn==0.2.0")
    else:
        compare(20_000, 50, bags)
        compare(20_000, 50, bags, full=True)
    jobs(20_000, 50, 4 * bags)


if __name__ == "__main__":
    main()
