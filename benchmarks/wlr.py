"""What weighted logistic regression costs beside scikit-learn's LogisticRegression with the same cost and tolerance.

Run:  OMP_NUM_THREADS=1 python benchmarks/wlr.py

LogisticRegression penalises the bias, as the paper does, with one solver only, liblinear: it is the peer. Times are CPU
seconds of one thread; only their ratios mean anything on another machine. The sparse rows are like texts: unit length,
85 terms of 30,000 each, few of them frequent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from measure import cpu_ratio, exponent, line, peak_megabytes, problem
from pubench_linear.wlr import WeightedLogisticRegression
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler, normalize

TERMS = 85


def dense(n: int, d: int) -> tuple[Any, Any]:
    data = problem(n, d)
    return StandardScaler().fit_transform(data.X), data.s


def texts(n: int, d: int, seed: int = 0) -> tuple[Any, Any]:
    """Return rows of terms, the k-th most frequent with probability 1 / k; those of positive rows are shifted."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.1
    ranks = np.floor(d ** rng.random((n, TERMS))).astype(np.int64) - 1
    own = rng.random((n, TERMS)) < 0.1
    ranks[own] = ((2 * ranks + 50 * y[:, np.newaxis]) % d)[own]
    counts = sparse.csr_matrix(
        (np.ones(ranks.size), (np.repeat(np.arange(n), TERMS), ranks.ravel())), shape=(n, d)
    )
    return normalize(counts), (y & (rng.random(n) < 0.5)).astype(np.int64)


def ours(X: Any, s: Any, c: float) -> WeightedLogisticRegression:
    return WeightedLogisticRegression(c, cost="printed").fit(X, s)


def peer(X: Any, s: Any, c: float) -> LogisticRegression:
    weight = {0: 1.0, 1: (s == 0).sum() / s.sum()}
    model = LogisticRegression(
        C=1 / (2 * c), class_weight=weight, solver="liblinear", tol=1e-6, max_iter=1000
    )
    return model.fit(X, s)


def compare(what: str, X: Any, s: Any) -> None:
    # The paper's values of c and more on either side; times n / 3.98 they mean the same under the printed cost.
    for update_c in (1e-4, 1e-2, 1.0):
        c = update_c * len(s) / 3.98
        kept: dict[str, Any] = {}
        mine, theirs = cpu_ratio(
            lambda c=c, kept=kept: kept.update(ours=ours(X, s, c)),
            lambda c=c, kept=kept: kept.update(peer=peer(X, s, c)),
            repeats=5,
        )
        print(
            line(f"fit, {what}, c {update_c:g}: over LogisticRegression ({theirs:.3f} s)", mine / theirs, 1.2)
        )
    mine, theirs = cpu_ratio(lambda: kept["ours"].predict(X), lambda: kept["peer"].predict(X), repeats=9)
    print(line(f"predict, {what}: over LogisticRegression", mine / theirs, 1.2))


def fit_for_memory(X: Any, s: Any, *, warm_up: bool) -> None:
    ours(*(dense(200, 4) if warm_up else (X, s)), 1.0)


def print_memory(what: str, X: Any, s: Any) -> None:
    size = (X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes) / 2**20
    peak = peak_megabytes(fit_for_memory, X, s)
    print(line(f"fit, {what}: peak memory, input included, over input", 1 + peak / size, 2.0))


def print_growth() -> None:
    rows = (5_000, 10_000, 20_000, 40_000)
    for name, make, d in (("dense", dense, 50), ("texts", texts, 30_000)):
        seconds = []
        for n in rows:
            X, s = make(n, d)
            seconds.append(cpu_ratio(lambda X=X, s=s: ours(X, s, 1e-2 * len(s) / 3.98), lambda: None)[0])
        print(line(f"fit, {name}: growth exponent in n, 5k to 40k x {d}", exponent(rows, seconds)))


def main() -> None:
    for what, X, s in (
        ("20000 x 50", *dense(20_000, 50)),
        ("100000 x 50", *dense(100_000, 50)),
        ("texts 18846 x 30000", *texts(18_846, 30_000)),
    ):
        compare(what, X, s)
        print_memory(what, X, s)
    print_growth()


if __name__ == "__main__":
    main()
