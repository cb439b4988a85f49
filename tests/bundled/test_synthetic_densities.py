"""Each synthetic data set follows its stated densities, and its posterior is Bayes' rule for them."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest
from pubench_datasets.synthetic import (
    checkerboard,
    gaussians,
    gaussians_bayes_accuracy,
    moons,
    topics,
    trifurcate,
)
from scipy.integrate import quad
from scipy.sparse import issparse
from scipy.stats import chi2, multivariate_normal, norm


def clean(posterior, epsilon):
    """Undo what flipping a share epsilon of the labels does to a posterior."""
    return (posterior - epsilon) / (1 - 2 * epsilon)


def test_trifurcate_is_the_papers_generator():
    data = trifurcate()
    near, far = (data.X[data.target == 1].sum(axis=1) > 65) == np.array([[False], [True]])
    assert data.X.shape == (800, 2)
    assert (data.target == 0).sum() == 400
    # 65 lies 3.5 standard deviations from both groups.
    assert (near.sum(), far.sum()) == (pytest.approx(200, abs=1), pytest.approx(200, abs=1))


@pytest.mark.parametrize("mean_p2", [100.0, 1000.0])
def test_trifurcates_groups_have_the_papers_moments(mean_p2):
    data = trifurcate(mean_p2=mean_p2, n=400_000)
    positives, far = data.X[data.target == 1], data.X.sum(axis=1) > 15 + mean_p2
    groups = {0.0: data.X[data.target == 0], 15.0: data.X[(data.target == 1) & ~far], mean_p2: data.X[far]}
    assert len(positives) == 200_000
    for mean, rows in groups.items():
        assert len(rows) == (200_000 if mean == 0 else 100_000)
        error = math.sqrt(50 / len(rows))
        assert np.abs(rows.mean(axis=0) - mean).max() < 4.5 * error
        # A variance has standard error σ² √(2/n), a covariance σ² / √n.
        expected = np.array([[50, 0.2 * (mean == 0)], [0.2 * (mean == 0), 50]])
        assert np.abs(np.cov(rows.T) - expected).max() < 4.5 * 50 * math.sqrt(2 / len(rows))


def test_the_negatives_covariance_is_used():
    """0.2 of 50 is too small to see in a sample of this size, but not in the posterior."""
    data = trifurcate(mean_p2=-30.0, n=600, prior=0.25, noise=0.1)
    normals = [
        (450, 0.0, [[50, 0.2], [0.2, 50]]),
        (75, 15.0, 50 * np.eye(2)),
        (75, -30.0, 50 * np.eye(2)),
    ]
    weighted = [c * multivariate_normal([m, m], cov).pdf(data.X) for c, m, cov in normals]
    share = 1 - weighted[0] / np.sum(weighted, axis=0)
    assert data.posterior == pytest.approx(0.9 * share + 0.1 * (1 - share), rel=1e-9)


@pytest.mark.parametrize(("d", "correlation"), [(1, 0.5), (2, -0.6), (5, 0.8), (10, 0.0)])
def test_gaussians_posterior_is_bayes_rule_for_the_stated_densities(d, correlation):
    separation, prior = 1.7, 0.3
    data = gaussians(n=500, d=d, prior=prior, separation=separation, correlation=correlation, noise=0.1)
    covariance = correlation ** np.abs(np.subtract.outer(np.arange(d), np.arange(d))) + 0.0
    ones = np.ones(d)
    half = ones * separation / math.sqrt(ones @ np.linalg.solve(covariance, ones)) / 2
    positive = prior * multivariate_normal(half, covariance).pdf(data.X)
    negative = (1 - prior) * multivariate_normal(-half, covariance).pdf(data.X)
    assert clean(data.posterior, 0.1) == pytest.approx(positive / (positive + negative), rel=1e-8)


@pytest.mark.parametrize("correlation", [-0.5, 0.0, 0.9])
def test_gaussians_have_the_stated_covariance_and_distance(correlation):
    data, d, n = gaussians(n=200_000, d=4, prior=0.4, correlation=correlation, separation=3.0), 4, 80_000
    positive, negative = (data.X[data.target == value] for value in (1, 0))
    expected = float(correlation) ** np.abs(np.subtract.outer(np.arange(d), np.arange(d)))
    for rows in (positive, negative):
        assert np.abs(np.cov(rows.T) - expected).max() < 4.5 * math.sqrt(2 / n)
    gap = positive.mean(axis=0) - negative.mean(axis=0)
    assert gap @ np.linalg.solve(expected, gap) == pytest.approx(9.0, abs=0.2)


BAYES = [
    {"separation": 2.0},
    {"separation": 1.0, "prior": 0.2, "correlation": 0.6},
    {"separation": 1.5, "prior": 0.8, "noise": 0.2},
    {"separation": 0.0, "prior": 0.3},
]


@pytest.mark.parametrize("params", BAYES)
def test_bayes_rule_reaches_the_closed_form_and_no_simple_rule_beats_it(params):
    n = 200_000
    data = gaussians(n=n, d=5, seed=2, **params)
    right = (data.posterior > 0.5) == data.target
    best = gaussians_bayes_accuracy(n=n, d=5, seed=2, **params)
    error = math.sqrt(best * (1 - best) / n)
    assert right.mean() == pytest.approx(best, abs=4 * error)
    rules = {f"threshold {t}": data.posterior > t for t in (0.3, 0.4, 0.45, 0.55, 0.6, 0.7)}
    rules |= {f"feature {j}": data.X[:, j] > 0 for j in range(5)}
    rules |= {"sum": data.X.sum(axis=1) > 0, "all": np.ones(n, bool), "none": np.zeros(n, bool)}
    for name, decided in rules.items():
        gain = (decided == data.target).astype(float) - right
        assert gain.mean() < 4 * gain.std() / math.sqrt(n) + 1e-12, name
    if params["separation"] and "prior" in params:
        # Forgetting the prior costs more than chance explains: the test above can see a bad rule.
        assert (rules["sum"] == data.target).mean() < best - 10 * error


def test_bayes_accuracy_has_the_known_special_cases():
    assert gaussians_bayes_accuracy(separation=2.0) == pytest.approx(norm.cdf(1.0))
    assert gaussians_bayes_accuracy(separation=0.0, prior=0.3) == pytest.approx(0.7)
    assert gaussians_bayes_accuracy(separation=1e-9, prior=0.3) == pytest.approx(0.7)
    assert gaussians_bayes_accuracy(separation=100.0, noise=0.1) == pytest.approx(0.9)
    assert gaussians_bayes_accuracy(prior=0.2) == pytest.approx(gaussians_bayes_accuracy(prior=0.8))
    assert list(inspect.signature(gaussians).parameters) == list(
        inspect.signature(gaussians_bayes_accuracy).parameters
    )


@pytest.mark.parametrize("spread", [0.05, 0.2, 1.0])
def test_moons_posterior_is_bayes_rule_for_the_integrated_densities(spread):
    data = moons(n=30, prior=0.4, spread=spread, d=3, seed=1)

    def density(x, sign, centre):
        def blurred(t):
            return math.exp(
                -(math.dist(x, centre + sign * np.array([math.cos(t), math.sin(t)])) ** 2) / spread**2 / 2
            )

        # Told where the peak is, adaptive quadrature cannot step over it.
        peak = math.atan2(*(sign * (x - centre))[::-1])
        return quad(
            blurred, 0, math.pi, epsabs=0, epsrel=1e-11, limit=500, points=[min(max(peak, 0), math.pi)]
        )[0]

    for x, p in zip(data.X[:, :2], data.posterior, strict=True):
        positive = 0.4 * density(x, -1, np.array([1.0, 0.5]))
        assert p == pytest.approx(positive / (positive + 0.6 * density(x, 1, np.zeros(2))), abs=1e-9)


def test_moons_are_close_to_their_half_circles():
    data = moons(n=1000, spread=0.01)
    upper, lower = data.X[data.target == 0], [1.0, 0.5] - data.X[data.target == 1]
    for rows in (upper, lower):
        assert np.abs(np.hypot(*rows.T) - 1).max() < 0.06
        assert rows[:, 1].min() > -0.06


@pytest.mark.parametrize("cells", [2, 3, 5])
def test_the_checkerboard_is_a_checkerboard(cells):
    n, noise = 20_000, 0.1
    data = checkerboard(n=n, cells=cells, prior=0.4, d=3, noise=noise)
    row, column, _ = np.floor(data.X).astype(int).T
    even = (row + column) % 2 == 0
    assert even.sum() == 8_000
    assert data.posterior == pytest.approx(np.where(even, 0.9, 0.1))
    for rows, squares in ((even, (cells**2 + 1) // 2), (~even, cells**2 // 2)):
        counts = np.unique(row[rows] * cells + column[rows], return_counts=True)[1]
        assert len(counts) == squares
        expected = rows.sum() / squares
        assert np.sum((counts - expected) ** 2 / expected) <= chi2.ppf(0.9999, max(squares - 1, 1))


@pytest.mark.parametrize("loader", [moons, checkerboard])
def test_further_features_are_uninformative(loader):
    data = loader(n=20_000, d=5)
    for column in range(2, 5):
        rows = data.X[:, column]
        gap = rows[data.target == 1].mean() - rows[data.target == 0].mean()
        assert abs(gap) < 4.5 * rows.std() * math.sqrt(4 / 20_000)
        assert rows.std() > 0.9


def test_topics_are_counts_without_stored_zeros():
    data = topics(n=5000, vocabulary=200, length=20.0)
    assert issparse(data.X)
    assert data.X.format == "csr"
    assert data.X.shape == (5000, 200)
    assert data.X.data.min() >= 1
    assert (data.X.data == np.floor(data.X.data)).all()
    assert data.X.has_canonical_format
    assert topics(n=1000, length=1.5).X.sum(axis=1).min() == 1
    assert data.X.sum(axis=1).mean() == pytest.approx(20.0, abs=4.5 * math.sqrt(19 / 5000))


def test_documents_with_the_same_counts_are_positive_as_often_as_the_posterior_says():
    """With three words every count vector recurs, so the posterior given all of x can be seen."""
    data = topics(n=60_000, vocabulary=3, topics=5, length=4.0, separation=1.0, prior=0.4, seed=4)
    _, group = np.unique(data.X.toarray(), axis=0, return_inverse=True)
    group = group.ravel()  # NumPy 2.0 returns a column
    for k in range(group.max() + 1):
        p, y = data.posterior[group == k], data.target[group == k]
        assert np.ptp(p) < 1e-12
        if (variance := len(p) * p[0] * (1 - p[0])) > 10:
            assert abs(np.sum(y - p)) < 4.5 * math.sqrt(variance)
    assert np.ptp(data.posterior) > 0.2


def test_longer_documents_and_sharper_topics_are_easier():
    def bayes(**params):
        posterior = topics(n=4000, vocabulary=300, **params).posterior
        return np.maximum(posterior, 1 - posterior).mean()

    assert bayes(separation=0.0) == pytest.approx(0.5)
    assert bayes(length=5.0) < bayes(length=50.0) < bayes(length=200.0)
    assert bayes(separation=0.2) < bayes(separation=0.5) < bayes(separation=1.0)
