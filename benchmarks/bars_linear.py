"""Limits of weighted logistic regression and of linear PUAL."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from measure import paired_ratio, problem
from pual import linear
from pubench_linear.wlr import WeightedLogisticRegression, wlr_path
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from table import Figure
from wlr import dense, texts

_WHY = (
    "cProfile: products with X are two thirds of the fit, which ends at tol = 1e-6; LogisticRegression ends at 1e-4. "
    "Fewer products would change the last bits of committed results"
)


def figures() -> Iterator[Figure]:
    for what, (X, s) in (
        ("5000 x 50", dense(5_000, 50)),
        ("100000 x 50", dense(100_000, 50)),
        ("texts 18846 x 34000", texts(18_846, 34_000)),
    ):
        c = 1e-2 if what.startswith("texts") else 1.0
        fit = paired_ratio(
            lambda X=X, s=s, c=c: WeightedLogisticRegression(c).fit(X, s),
            lambda X=X, s=s: LogisticRegression(class_weight="balanced", max_iter=500).fit(X, s),
        )
        yield Figure(f"wlr fit, {what}", "LogisticRegression", 1.1, fit, why=_WHY)
    yield path()
    data = problem(100_000, 50)
    fit = paired_ratio(linear(data), lambda: LinearSVC().fit(data.X, data.s))
    yield Figure("pual fit, 100000 x 50", "LinearSVC", 1.0, fit)


def path() -> Figure:
    """Return what the eight strengths of the search space cost in one path over separate fits."""
    X, s = dense(20_000, 50)
    strengths = np.geomspace(1e-5, 100.0, 8).tolist()
    fit = paired_ratio(
        lambda: wlr_path(X, s, strengths),
        lambda: [WeightedLogisticRegression(c).fit(X, s) for c in strengths],
    )
    return Figure(
        "wlr path over 8 values of c, 20000 x 50",
        "separate fits",
        0.3,
        fit,
        why="cProfile: products with X are two thirds, of steps that start near their end",
    )
