"""The parts that the PUAL family is made of: graph, kernels, and what is kept between fits."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pubench_pual import graph
from pubench_pual._passes import congruence, nearest
from pubench_pual.graph import EXACT_COLUMNS, Edges, laplacian, mutual_neighbours
from pubench_pual.kernels import (
    distance_blocks,
    distances,
    expansion,
    gram,
    nystroem_root,
    rbf,
    rbf_gram,
)
from pubench_pual.losses import MEMBERS
from pubench_pual.pual import PUAL
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.neighbors import kneighbors_graph

from pubench.estimators.sharing import SHARED, Matrix, Store, digest

# Rows without a class to find, and parameters of no meaning.
pytestmark = pytest.mark.filterwarnings("ignore:.* predicts all rows of the fit")


def points(seed, n=150, d=3):
    X = np.random.default_rng(seed).normal(size=(n, d))
    return X - X.mean(axis=0)


def pairs(edges):
    return set(zip(edges.first.tolist(), edges.second.tolist(), strict=True))


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(2, 60), st.integers(1, 4), st.integers(1, 8))
def test_edges_join_rows_that_are_neighbours_of_each_other(seed, n, d, k):
    X = points(seed, n, d)
    one_way = kneighbors_graph(X, min(k, n - 1), include_self=False).toarray() > 0
    both = np.triu(one_way & one_way.T)
    edges = mutual_neighbours(X, k)
    assert pairs(edges) == set(zip(*(side.tolist() for side in np.nonzero(both)), strict=True))
    np.testing.assert_allclose(edges.squared, ((X[edges.first] - X[edges.second]) ** 2).sum(axis=1))


@pytest.mark.parametrize("d", [EXACT_COLUMNS, EXACT_COLUMNS + 12])
def test_beyond_the_exact_limit_edges_still_join_close_rows(monkeypatch, d):
    X = points(0, 2000, d)
    exact = mutual_neighbours(X, 5)
    monkeypatch.setattr(graph, "EXACT_ROWS", 1999)
    edges = mutual_neighbours(X, 5)
    assert len(edges.first) > 0.7 * len(exact.first)
    if d <= EXACT_COLUMNS:
        assert pairs(edges) == pairs(exact)
    else:
        random = ((X[:1000] - X[1000:]) ** 2).sum(axis=1)
        assert np.median(edges.squared) < 1.5 * np.median(exact.squared) < np.median(random)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.integers(65, 900), st.integers(1, 3))
def test_every_row_has_a_place_in_one_leaf(seed, n, d):
    leaves = graph._leaves(points(seed, n, d))
    assert sorted(leaves[leaves >= 0].tolist()) == list(range(n))
    assert leaves.shape[1] <= 64


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.floats(0.01, 100.0))
def test_the_local_term_sums_squared_differences_of_neighbours(seed, sigma):
    X = points(seed, 40)
    edges = mutual_neighbours(X, 5)
    R = laplacian(edges, sigma)
    f = np.random.default_rng(seed).normal(size=40)
    weight = np.exp(-edges.squared / (sigma * np.median(edges.squared)))
    expected = (weight * (f[edges.first] - f[edges.second]) ** 2).sum() / 40
    assert f @ (R @ f) == pytest.approx(expected)
    np.testing.assert_allclose(R @ np.ones(40), 0, atol=1e-15)
    assert sparse.issparse(R)
    assert R.nnz <= 40 + 2 * len(edges.first)


def test_rows_that_are_the_same_weigh_one_and_no_edge_is_no_term():
    same = mutual_neighbours(np.zeros((4, 2)), 5)
    np.testing.assert_allclose(laplacian(same, 1.0).toarray(), np.eye(4) - 1 / 4)
    none = Edges(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0), 4)
    assert laplacian(none, 1.0).nnz == 0


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 90), st.floats(0.01, 0.3))
def test_congruence_is_two_products(seed, n, density):
    rng = np.random.default_rng(seed)
    A = sparse.random_array((n, n), density=density, format="csr", rng=rng)
    K = rng.normal(size=(n, n))
    K = K + K.T
    A.indptr, A.indices = A.indptr.astype(np.int32), A.indices.astype(np.int32)
    S = congruence(A.indptr, A.indices, A.data, K, 0.5)
    np.testing.assert_allclose(np.triu(S), np.triu(A @ K @ A.T + 0.5 * np.eye(n)), atol=1e-12)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(1, 6))
def test_nearest_sorts_and_gives_ties_to_the_left(seed, n, k):
    D = np.random.default_rng(seed).integers(0, 6, size=(n, n)).astype(float)
    k = min(k, n - 1)
    twin = D.copy()
    np.fill_diagonal(twin, np.inf)
    np.testing.assert_array_equal(nearest(D, 0, k), np.argsort(twin, axis=1, kind="stable")[:, :k])


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 400])
def test_distances_and_kernels_are_what_they_should_be(n):
    X, Y = points(1, n), points(2, 30)
    expected = cdist(X, X, "sqeuclidean")
    for squared in (distances(X), np.concatenate([block.copy() for _, block in distance_blocks(X)])):
        np.testing.assert_allclose(squared, expected, atol=1e-12)
    K = rbf_gram(X, 0.7)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_allclose(K, np.exp(-0.7 * expected), atol=1e-12)
    np.testing.assert_allclose(gram(distances(X), 0.7), K, atol=1e-12)
    across = np.exp(-0.7 * cdist(X, Y, "sqeuclidean"))
    np.testing.assert_allclose(rbf(X, Y, 0.7), across, atol=1e-12)
    np.testing.assert_allclose(expansion(X, Y, 0.7, np.arange(30.0)), across @ np.arange(30.0), atol=1e-10)


def test_nystroem_features_of_all_rows_are_the_kernel():
    X = np.vstack([points(3, 40), points(3, 40)])  # rows twice: a singular matrix
    K = rbf_gram(X, 0.5)
    features = K @ nystroem_root(K)
    assert features.shape[1] <= 40
    np.testing.assert_allclose(features @ features.T, K, atol=1e-7)


def fitted(model):
    return [
        model.intercept_,
        getattr(model, "coef_", None),
        getattr(model, "dual_coef_", None),
        model.residuals_,
    ]


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("loss", MEMBERS)
def test_fits_that_find_something_kept_are_the_same_to_the_bit(loss, kernel, monkeypatch):
    X = points(4, 120, 5)
    s = (np.arange(120) % 4 == 0).astype(int)
    trials = [
        {"C_u": c, "ridge": r, "sigma": 2.0, "width": w}
        for c in (0.1, 0.5)
        for r in (1e-3, 0.1)
        for w in (0.3, 1)
    ]
    SHARED.clear()
    kept = [
        fitted(PUAL(loss, kernel=kernel, **{"scenario": "case-control"} | trial).fit(X, s))
        for trial in [*trials, *trials]
    ]
    monkeypatch.setattr("pubench_pual.pual.SHARED", Store(entries=1, megabytes=0))
    monkeypatch.setattr("pubench_pual.models.SHARED", Store(entries=1, megabytes=0))
    for trial, *found in zip(trials, kept[: len(trials)], kept[len(trials) :], strict=True):
        alone = fitted(PUAL(loss, kernel=kernel, **{"scenario": "case-control"} | trial).fit(X, s))
        for one in found:
            for a, b in zip(alone, one, strict=True):
                np.testing.assert_array_equal(a, b)


def test_a_store_keeps_no_more_than_it_may():
    made = []

    def value(name, numbers=2**17):  # a megabyte
        return Matrix(np.full(numbers, made.append(name) or 0.0))

    store = Store(entries=3, megabytes=2.5)
    for name in "aab":
        store.get(name, lambda name=name: value(name))
    assert made == ["a", "b"]
    store.get("a", lambda: value("a"))
    store.get("c", lambda: value("c"))  # beyond the memory: b, used least recently, goes
    for name in "acb":
        store.get(name, lambda name=name: value(name))
    assert made == ["a", "b", "c", "b"]
    store.get("big", lambda: value("big", 2**20))
    assert len(store) == 2
    for name in "defg":
        store.get(name, lambda name=name: value(name, 1))
    assert len(store) == 3


def test_what_is_kept_cannot_be_changed():
    store = Store(entries=1, megabytes=1)
    with pytest.raises(ValueError, match="read-only"):
        store.get("a", lambda: Matrix(np.zeros(3))).values[0] = 1.0


def test_digests_tell_contents_and_shapes_apart():
    X = points(5, 6, 4)
    changed = X.copy()
    changed[3, 2] = np.nextafter(changed[3, 2], np.inf)
    assert digest(X) == digest(np.asfortranarray(X)) == digest(X.copy())
    assert len({digest(rows) for rows in (X, changed, X.reshape(4, 6), X[::-1])}) == 4


def test_threads_share_a_store_and_get_the_same_fits():
    X = points(6, 100, 4)
    s = (np.arange(100) % 3 == 0).astype(int)
    trials = [(0.1 + 0.1 * (i % 4), (0.3, 1.0)[i % 2]) for i in range(12)]
    expected = [
        PUAL(kernel="rbf", C_u=c, width=w, scenario="case-control").fit(X, s).dual_coef_ for c, w in trials
    ]
    SHARED.clear()
    found = [None] * len(trials)

    def work(i):
        c, w = trials[i]
        found[i] = PUAL(kernel="rbf", C_u=c, width=w, scenario="case-control").fit(X, s).dual_coef_

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(trials))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_array_equal(a, b)
