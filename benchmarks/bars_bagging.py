"""Limits of PU bagging with trees at equal bags."""

from __future__ import annotations

from collections.abc import Iterator

from bagging import BaggingPuClassifier, ours, peer
from measure import paired_ratio, problem
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier
from table import Figure

BAGS = 20
_WHY = (
    "cProfile: four fifths of the time are scikit-learn's own fits, which both make; perf finds its sort of a node's "
    "values and its criterion there; validation, copies of rows and out-of-bag scores are the rest"
)


def figures() -> Iterator[Figure]:
    data = problem(20_000, 50)
    size = int(data.s.sum())
    tree = DecisionTreeClassifier(max_features="sqrt")
    if BaggingPuClassifier is not None:
        fit = paired_ratio(
            lambda: ours(data, tree, BAGS, max_samples=size), lambda: peer(data, tree, BAGS, size)
        )
        yield Figure("pu-bagging of trees fit, 20000 x 50", "pulearn", 0.4, fit, why=_WHY)
    plain = BaggingClassifier(tree, n_estimators=BAGS, max_samples=2 * size, random_state=0)
    fit = paired_ratio(lambda: ours(data, tree, BAGS, max_samples=size), lambda: plain.fit(data.X, data.s))
    yield Figure("pu-bagging of trees fit, 20000 x 50, equal bags", "BaggingClassifier", 0.6, fit, why=_WHY)
