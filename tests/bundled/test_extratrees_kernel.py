"""The tree kernels against the formulas: risks, splits, masses, leaves, each computed again in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pubench_extratrees import columns
from pubench_extratrees.classifiers import PUDecisionTree, PUExtraTrees, PURandomForest
from pubench_extratrees.forest import LOSSES
from scipy import sparse
from scipy.optimize import minimize_scalar

from pubench.risk import loss_pair, signed_weights

RISKS = ("nnpu", "upu")
SCENARIOS = ("case-control", "single-training-set")


def make_pu(seed, n_labelled=30, n_unlabelled=120, d=4, decimals=1):
    """P around 1, U from both sides of 0; rounded, so that values repeat."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_labelled + n_unlabelled, d))
    X[: n_labelled + n_unlabelled // 2] += 1.0
    X[n_labelled + n_unlabelled // 2 :] -= 1.0
    order = rng.permutation(len(X))
    s = (np.arange(len(X)) < n_labelled).astype(int)
    return np.round(X, decimals)[order].astype(np.float32), s[order]


def masses(s, prior, scenario, n_p, n_u):
    weights = signed_weights(s, prior, scenario)
    return n_p * weights.positive_P, n_p * weights.negative_P + n_u * weights.negative_U


def twin_risk(w_p, w_n, loss, risk):
    """Closed forms in five lines."""
    w_n = np.maximum(w_n, 0) if risk == "nnpu" else w_n
    if loss == "sigmoid":
        return min(w_p, w_n)
    if loss == "logistic" and w_n < 0 and w_p > 0:
        return -np.inf
    if w_n < 0 and w_p > 0 and (loss == "savage" or w_p + w_n <= 0):
        return 4 * w_n if loss == "savage" else -np.inf
    both = np.array([w_p, w_n])
    if loss == "logistic":
        return -(both[both > 0] * np.log(both[both > 0] / both.sum())).sum()
    return 4 * w_p * w_n / (w_p + w_n) if w_p + w_n else 0.0


def risk_at(v, w_p, w_n, loss, risk):
    if_positive, if_negative = (part[0] for part in loss_pair([v], loss))
    negative = w_n * if_negative
    return w_p * if_positive + (max(0.0, negative) if risk == "nnpu" else negative)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("risk", RISKS)
@settings(deadline=None, max_examples=20)
@given(w_p=st.floats(1e-3, 1), w_n=st.floats(-1, 1))
def test_the_closed_forms_are_the_least_risks(loss, risk, w_p, w_n):
    w_n = max(w_n, -w_p)  # the node's share of the population is not negative
    closed = twin_risk(w_p, w_n, loss, risk)
    grid = [risk_at(v, w_p, w_n, loss, risk) for v in np.linspace(-40, 40, 401)]
    if np.isinf(closed):
        assert risk_at(1e9, w_p, w_n, loss, risk) < min(-1e3, *grid) or abs(w_n) < 1e-5
        return
    centre = float(np.linspace(-40, 40, 401)[int(np.argmin(grid))])
    # The least quadratic risk of a node with few U lies far out: 1 + 2 |W_n| / (W_p + W_n).
    far = 3 + 4 * w_p / (w_p + w_n) if loss == "quadratic" and w_p + w_n > 0 else centre + 1
    found = minimize_scalar(
        risk_at, (min(centre - 1, -2), max(far, centre + 1)), args=(w_p, w_n, loss, risk), tol=1e-12
    )
    least = min(found.fun, *grid)
    assert closed <= least + 1e-7 * max(1, abs(closed))
    if w_n > 1e-3 or risk == "nnpu" or loss in ("savage", "sigmoid"):
        assert closed == pytest.approx(least, abs=1e-6)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("risk", RISKS)
@pytest.mark.parametrize("loss", LOSSES)
def test_every_node_holds_its_rows_their_risk_and_their_share(loss, risk, scenario):
    X, s = make_pu(0)
    model = PUExtraTrees(3, prior=0.4, scenario=scenario, risk=risk, loss=loss, random_state=1).fit(X, s)
    trees = model.trees_
    for root in trees.roots:
        waiting = [(root, np.arange(len(X)))]
        while waiting:
            node, rows = waiting.pop()
            n_p, n_u = int(s[rows].sum()), int((1 - s[rows]).sum())
            assert (trees.n_labelled[node], trees.n_unlabelled[node]) == (n_p, n_u)
            w_p, w_n = masses(s, 0.4, scenario, n_p, n_u)
            np.testing.assert_allclose(trees.risk[node], twin_risk(w_p, w_n, loss, risk), atol=1e-14)
            share = 1.0 if w_n <= 0 else w_p / (w_p + w_n)
            assert trees.share[node] == pytest.approx(share, abs=1e-6)
            if not trees.is_leaf[node]:
                goes_left = X[rows, trees.feature[node]] <= trees.threshold[node]
                assert 0 < goes_left.sum() < len(rows)
                left = trees.left[node]
                waiting += [(left, rows[goes_left]), (left + 1, rows[~goes_left])]


def best_decrease(X, s, rows, prior, loss, risk):
    """Try every threshold of every feature."""

    def least(part):
        return twin_risk(*masses(s, prior, "case-control", s[part].sum(), (1 - s[part]).sum()), loss, risk)

    found = [-np.inf]
    for f in range(X.shape[1]):
        for value in np.unique(X[rows, f])[:-1]:
            left = X[rows, f] <= value
            found.append(least(rows) - least(rows[left]) - least(rows[~left]))
    return max(found)


def of_all_sizes(X):
    """Return rows in the same order, column by column, whose values have all exponents, both signs and both zeros."""
    return np.float32(np.sign(X)) * np.float32(10.0) ** np.float32(12 * np.abs(X) - 30) * (np.abs(X) > 0.3)


@pytest.mark.parametrize("rows", [(12, 40), (90, 300)], ids=["by-comparisons", "by-digits"])
@pytest.mark.parametrize(("risk", "loss"), [("nnpu", "quadratic"), ("nnpu", "logistic"), ("upu", "savage")])
def test_the_exact_tree_takes_the_best_split_at_every_node(risk, loss, rows):
    X, s = make_pu(2, *rows, d=3)
    X = of_all_sizes(X)
    assert {False, True} <= set(np.signbit(X[X == 0])) or rows == (12, 40)
    trees = (
        PUDecisionTree(prior=0.5, risk=risk, loss=loss, max_depth=6, random_state=0, scenario="case-control")
        .fit(X, s)
        .trees_
    )
    waiting, inner = [(0, np.arange(len(X)))], 0
    while waiting:
        node, rows = waiting.pop()
        if trees.is_leaf[node]:
            continue
        left = trees.left[node]
        taken = trees.risk[node] - trees.risk[left] - trees.risk[left + 1]
        assert taken == pytest.approx(best_decrease(X, s, rows, 0.5, loss, risk), abs=1e-12)
        goes_left = X[rows, trees.feature[node]] <= trees.threshold[node]
        waiting += [(left, rows[goes_left]), (left + 1, rows[~goes_left])]
        inner += 1
    assert inner >= 3


def test_exact_thresholds_lie_halfway_between_neighbours():
    X = np.array([[0.0], [1.0], [4.0], [9.0]])
    tree = PUDecisionTree(prior=0.5, scenario="single-training-set").fit(X, [0, 0, 1, 1]).trees_
    assert tree.threshold[0] == 2.5
    near = np.float32(1.0), np.nextafter(np.float32(1.0), np.float32(2.0))
    tree = (
        PUDecisionTree(prior=0.5, scenario="case-control")
        .fit(np.array([near, near]).reshape(-1, 1), [0, 1, 0, 1])
        .trees_
    )
    assert tree.threshold[0] == near[0]


def test_many_random_thresholds_come_near_the_best_one():
    X, s = make_pu(3, decimals=6)
    exact = PUDecisionTree(prior=0.5, max_leaf_nodes=2, scenario="case-control").fit(X, s)
    some = PUDecisionTree(
        prior=0.5, max_leaf_nodes=2, n_thresholds=2000, random_state=0, scenario="case-control"
    ).fit(X, s)
    few = PUDecisionTree(
        prior=0.5, max_leaf_nodes=2, n_thresholds=1, max_features=1, random_state=0, scenario="case-control"
    ).fit(X, s)
    total = [model.feature_importances_.sum() for model in (few, some, exact)]
    assert total[0] < total[1] <= total[2]
    assert total[1] == pytest.approx(total[2], rel=0.02)


@pytest.mark.parametrize("kind", [PUExtraTrees, PURandomForest])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_sparse_equals_dense_to_the_bit(kind, scenario):
    rng = np.random.default_rng(4)
    X = rng.poisson(0.3, size=(200, 30)).astype(np.float64) * rng.normal(size=(200, 30))
    s = (rng.random(200) < 0.3).astype(int)
    options = {"prior": 0.5, "scenario": scenario, "random_state": 5}
    dense = kind(5, **options).fit(X, s)
    for container in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array):
        thin = kind(5, **options).fit(container(X), s)
        np.testing.assert_array_equal(thin.trees_.steps, dense.trees_.steps)
        np.testing.assert_array_equal(thin.predict_proba(container(X)), dense.predict_proba(X))
        np.testing.assert_array_equal(thin.apply(container(X)), dense.apply(X))


def test_a_sparse_matrix_may_be_unsorted_hold_a_cell_twice_or_nothing():
    s = np.array([1, 0, 1, 0])
    rows, columns, values = [0, 0, 2, 2, 3], [1, 0, 1, 1, 0], [1.0, 2.0, 3.0, 4.0, -1.0]
    odd = sparse.csr_matrix((values, columns, [0, 2, 2, 4, 5]), shape=(4, 2))
    plain = sparse.coo_array((values, (rows, columns)), shape=(4, 2)).toarray()
    model, dense = (
        PUExtraTrees(5, random_state=0, prior=0.5, scenario="case-control").fit(X, s) for X in (odd, plain)
    )
    np.testing.assert_array_equal(model.trees_.steps, dense.trees_.steps)
    np.testing.assert_array_equal(model.predict_proba(odd), dense.predict_proba(plain))
    empty = PUExtraTrees(2, prior=0.5, scenario="case-control").fit(sparse.csr_matrix((4, 3)), s)
    assert len(empty.trees_.risk) == 2
    assert empty.predict(sparse.csr_matrix((1, 3))).shape == (1,)


def test_values_at_the_ends_of_float32_split_too():
    most = np.finfo(np.float32).max
    X = np.array([[-most], [most], [-most], [most]])
    for thresholds in (1, None):
        model = PUDecisionTree(prior=0.5, n_thresholds=thresholds, scenario="case-control").fit(
            X, [0, 1, 0, 0]
        )
        assert np.isfinite(model.trees_.threshold[0])
        np.testing.assert_array_equal(model.predict(X), [0, 1, 0, 1])


def test_what_rounding_leaves_of_the_mass_of_negatives_is_nothing():
    """W_n = 3/5 - .6 is 0, whatever floats say: the node is pure and stays whole, for nnPU and uPU alike."""
    X = np.array([[1.0], [2.0], [3.0], [1.0], [2.0], [3.0], [-1.0], [-2.0]])
    s = np.array([1, 1, 1, 0, 0, 0, 0, 0])
    tree = PUDecisionTree(prior=0.6, scenario="case-control").fit(X, s).trees_
    assert sorted(tree.risk.tolist()) == [0.0, 0.0, pytest.approx(0.96)]
    labelled = np.arange(9) < 5  # 1/9 - (5/9)/5 is -1.4e-17 in floats
    rows = np.where(labelled, 1.0, -1.0)[:, None] * np.arange(1, 10)[:, None]
    for loss in LOSSES:
        model = PUDecisionTree(prior=5 / 9, scenario="single-training-set", risk="upu", loss=loss)
        tree = model.fit(rows, labelled).trees_
        assert len(tree.risk) == 3
        assert tree.risk[1:].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("d", [1, 3, 12, 30], ids=["one", "few", "some", "many"])
@pytest.mark.parametrize("kind", [PUExtraTrees, PURandomForest])
def test_features_read_together_split_as_those_read_one_by_one(kind, d, monkeypatch):
    """Sparse columns are read one after another; features that are constant in a node end a group."""
    rng = np.random.default_rng(6)
    X = np.round(rng.normal(size=(900, d)), 1) * (rng.random((900, d)) < np.linspace(1, 0.01, d))
    s = (rng.random(len(X)) < 0.1 + 0.3 * (X[:, 0] > 1)).astype(int)
    options = {"prior": 0.5, "scenario": "case-control", "random_state": 7}
    monkeypatch.setattr(columns, "_SPREAD", 0)
    monkeypatch.setattr(columns, "_SHARE", 2.0)
    alone = kind(3, **options).fit(sparse.csr_matrix(X), s).trees_
    for spared in (0, 100):  # by column, by row
        monkeypatch.setattr(columns, "_SPARED", spared)
        together = kind(3, **options).fit(X, s).trees_
        np.testing.assert_array_equal(together.steps, alone.steps)
    monkeypatch.undo()
    spread = kind(3, **options).fit(sparse.csr_matrix(X), s).trees_
    np.testing.assert_array_equal(spread.steps, alone.steps)
    assert len(alone.risk) > 50


def test_joining_trees_keeps_every_node_in_order():
    X, s = make_pu(8)
    both = PUExtraTrees(6, prior=0.5, scenario="case-control", random_state=9).fit(X, s).trees_
    ends = [*both.roots[1:].tolist(), len(both.risk)]
    for root, end in zip(both.roots.tolist(), ends, strict=True):
        assert both.n_labelled[root] == s.sum()
        assert both.n_unlabelled[root] == (1 - s).sum()
        inner = np.flatnonzero(~both.is_leaf[root:end]) + root
        assert ((both.left[inner] > root) & (both.left[inner] + 1 < end)).all()
