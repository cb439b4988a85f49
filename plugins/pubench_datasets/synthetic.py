"""Loaders of synthetic data with known Pr(y = 1 | x) for every row, so that reports can show the regret.

All loaders share four parameters. Of ``n`` rows, exactly ``round(prior * n)`` are positive; then the labels of
``round(noise * n)`` random rows are flipped; ``seed`` is the random seed. The posterior is that of a random row of the
data: it uses these exact shares and includes the flips. Rows are in random order, classes are 0 and 1 (positive). The
features do not depend on ``noise``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.special import expit, logsumexp, ndtr

from pubench.data import Data, refuse_in_child
from pubench.errors import DataError
from pubench_datasets.arguments import real, whole

__all__ = ["checkerboard", "gaussians", "gaussians_bayes_accuracy", "moons", "topics", "trifurcate"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Shape:
    """The numbers of rows, of positives among them, and of flipped labels."""

    n: int
    positives: int
    flips: int

    @property
    def log_odds(self) -> float:
        return math.log(self.positives / (self.n - self.positives))

    def classes(self, rng: np.random.Generator) -> Ints:
        """Return the classes of n rows, in random order."""
        return rng.permutation((np.arange(self.n) < self.positives).astype(np.int64))

    def data(self, rng: np.random.Generator, X: Floats | csr_array, y: Ints, log_odds: Floats) -> Data:
        """Flip labels; ``log_odds`` are those of the classes before flipping."""
        refuse_in_child()
        flipped = rng.permutation(self.n) < self.flips
        epsilon = self.flips / self.n
        posterior = (1.0 - 2.0 * epsilon) * expit(log_odds) + epsilon
        names = tuple(f"x{column + 1}" for column in range(X.shape[1]))
        return Data(X, np.where(flipped, 1 - y, y), names, posterior=posterior)


def trifurcate(
    mean_p2: float = 50.0, n: int = 800, prior: float = 0.5, noise: float = 0.0, seed: int = 0
) -> Data:
    """Return two groups of positives and one of negatives in the plane (PUAL, section 4.1.1).

    Half of the positives are N((15, 15), 50 I), half N((m, m), 50 I) with m = ``mean_p2`` (the paper takes 50,
    100, 200, 500 and 1000; one more in the second half if their number is odd); negatives are
    N((0, 0), [[50, 0.2], [0.2, 50]]). The defaults give the paper's 200 + 200 + 400 rows; X is (n, 2).
    """
    far = real("mean_p2", mean_p2, -1e6, 1e6)
    shape, rng = _start(n, prior, noise, seed)
    first = shape.positives // 2
    counts = [shape.n - shape.positives, first, shape.positives - first]
    means, covariances = np.array([0.0, 15.0, far]), np.array([0.2, 0.0, 0.0])
    group = rng.permutation(np.repeat([0, 1, 2], counts))
    X = math.sqrt(50.0) * rng.standard_normal((shape.n, 2))
    # Cholesky's factor of [[50, c], [c, 50]], written out.
    tilt = covariances[group] / 50.0
    X[:, 1] = tilt * X[:, 0] + np.sqrt(1.0 - tilt**2) * X[:, 1]
    X += means[group][:, None]
    logs = [_log_normal(X, m, c) for m, c in zip(means, covariances, strict=True)]
    positive = logsumexp(np.stack(logs[1:]), axis=0, b=np.array(counts[1:], dtype=float)[:, None])
    return shape.data(rng, X, (group > 0).astype(np.int64), positive - logs[0] - math.log(counts[0]))


def gaussians(
    n: int = 2000,
    d: int = 10,
    prior: float = 0.5,
    separation: float = 2.0,
    correlation: float = 0.0,
    noise: float = 0.0,
    seed: int = 0,
) -> Data:
    r"""Return two Gaussians with a common covariance, Σ_ij = ``correlation`` ** \|i - j\|.

    X is (n, d), of variance 1 within a class. The means are ±a (1, ..., 1) / 2 with a such that their Mahalanobis
    distance is ``separation``: the difficulty of the problem depends neither on ``d`` nor on ``correlation``. The log
    odds are linear, log(π / (1 - π)) + a 1ᵀ Σ⁻¹ x.
    """
    shape, rng = _start(n, prior, noise, seed)
    delta, rho = _gaussian_parameters(d, separation, correlation)
    y = shape.classes(rng)
    X = rng.standard_normal((shape.n, d))
    for column in range(1, d):
        X[:, column] = rho * X[:, column - 1] + math.sqrt(1.0 - rho**2) * X[:, column]
    # The row sums of Σ⁻¹, which is tridiagonal.
    weights = np.full(d, (1.0 - rho) / (1.0 + rho))
    weights[[0, -1]] = 1.0 / (1.0 + rho) if d > 1 else 1.0
    distance = delta / math.sqrt(weights.sum())
    X += (distance * (y - 0.5))[:, None]
    return shape.data(rng, X, y, shape.log_odds + distance * np.einsum("ij,j->i", X, weights))


def gaussians_bayes_accuracy(
    n: int = 2000,
    d: int = 10,
    prior: float = 0.5,
    separation: float = 2.0,
    correlation: float = 0.0,
    noise: float = 0.0,
    seed: int = 0,
) -> float:
    """Return the accuracy that no classifier exceeds in expectation on :func:`gaussians` of the same parameters.

    With δ = ``separation``, b = log(π / (1 - π)) / δ and a share ε of flipped labels it is (1 - 2ε) A + ε, where
    A = π Φ(δ/2 + b) + (1 - π) Φ(δ/2 - b).
    """
    shape, _ = _start(n, prior, noise, seed)
    delta, _ = _gaussian_parameters(d, separation, correlation)
    pi, epsilon = shape.positives / shape.n, shape.flips / shape.n
    best = max(pi, 1.0 - pi)
    if delta > 0:
        b = shape.log_odds / delta
        best = float(pi * ndtr(delta / 2 + b) + (1.0 - pi) * ndtr(delta / 2 - b))
    return (1.0 - 2.0 * epsilon) * best + epsilon


def moons(
    n: int = 2000, prior: float = 0.5, spread: float = 0.2, d: int = 2, noise: float = 0.0, seed: int = 0
) -> Data:
    """Return two interleaved half circles with normal noise of standard deviation ``spread``; X is (n, d).

    Negatives lie around (cos t, sin t), positives around (1 - cos t, 1/2 - sin t), t uniform on [0, π]. Features
    beyond the first two are standard normal and uninformative. A class's density is an integral over t, computed
    by Gaussian quadrature; the posterior is exact up to rounding.
    """
    shape, rng = _start(n, prior, noise, seed)
    blur = real("spread", spread, 0.01, 100.0)
    whole("d", d, 2, 10**6)
    y = shape.classes(rng)
    angle = math.pi * rng.random(shape.n)
    X = rng.standard_normal((shape.n, d))
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    X[:, :2] = np.where(y[:, None] == 1, [1.0, 0.5] - circle, circle) + blur * X[:, :2]
    # A rotation by 180 degrees about (1/2, 1/4) maps one moon to the other.
    positive, negative = _log_moon([1.0, 0.5] - X[:, :2], blur), _log_moon(X[:, :2], blur)
    return shape.data(rng, X, y, shape.log_odds + positive - negative)


def checkerboard(
    n: int = 2000, cells: int = 4, prior: float = 0.5, d: int = 2, noise: float = 0.0, seed: int = 0
) -> Data:
    """Return points distributed uniformly over the squares of a board, positive where row + column is even.

    X is (n, d); the board has ``cells`` x ``cells`` squares of side 1. Features beyond the first two are uniform on
    [0, cells) and uninformative. The posterior is 1 - ε on squares of positives and ε on the others, where ε is the
    share of flipped labels.
    """
    shape, rng = _start(n, prior, noise, seed)
    whole("cells", cells, 2, 1000)
    whole("d", d, 2, 10**6)
    y = shape.classes(rng)
    board = np.add.outer(np.arange(cells), np.arange(cells)) % 2
    of_positives, of_negatives = np.flatnonzero(board == 0), np.flatnonzero(board)
    square = np.where(y == 1, rng.choice(of_positives, shape.n), rng.choice(of_negatives, shape.n))
    X = rng.random((shape.n, d))
    X[:, 0] += square // cells
    X[:, 1] += square % cells
    X[:, 2:] *= cells
    return shape.data(rng, X, y, np.where(y == 1, np.inf, -np.inf))


def topics(
    n: int = 2000,
    vocabulary: int = 1000,
    topics: int = 10,
    length: float = 50.0,
    separation: float = 0.5,
    prior: float = 0.5,
    noise: float = 0.0,
    seed: int = 0,
) -> Data:
    """Return word counts of documents, each about one topic; X is CSR, (n, vocabulary), without stored zeros.

    Every other topic belongs to the positives; a class draws its topics uniformly, and a document has
    1 + Poisson(``length`` - 1) words. Word w = 1, 2, ... of topic k has probability φ_kw proportional to
    exp(``separation`` z_kw) / w with z_kw standard normal: Zipf's law, modified by each topic. A class's density is a
    mixture of its topics' multinomials, so the log odds are log(π / (1 - π)) + log mean_k exp(x · log φ_k) over
    the positives' topics, less the same mean over the negatives'.
    """
    shape, rng = _start(n, prior, noise, seed)
    whole("vocabulary", vocabulary, 2, 10**7)
    whole("topics", topics, 2, 1000)
    mean_length = real("length", length, 1.0, 1e6)
    sharpness = real("separation", separation, 0.0, 100.0)
    logs = sharpness * rng.standard_normal((topics, vocabulary)) - np.log(np.arange(1, vocabulary + 1))
    logs -= logsumexp(logs, axis=1, keepdims=True)
    y = shape.classes(rng)
    topic = 2 * np.floor(rng.random(shape.n) * ((topics + 1 - y) // 2)).astype(np.int64) + y
    X = _documents(rng, topic, 1 + rng.poisson(mean_length - 1.0, shape.n), np.exp(logs))
    scores = X @ logs.T
    means = [logsumexp(part, axis=1) - math.log(part.shape[1]) for part in (scores[:, ::2], scores[:, 1::2])]
    return shape.data(rng, X, y, shape.log_odds + means[1] - means[0])


def _documents(rng: np.random.Generator, topic: Ints, lengths: Ints, words: Floats) -> csr_array:
    """Draw ``lengths[i]`` words of topic ``topic[i]`` for each document i and count them."""
    document = np.repeat(np.arange(topic.size), lengths)
    word = np.empty(document.size, dtype=np.int64)
    topic_of_word = topic[document]
    for k, cumulative in enumerate(np.cumsum(words, axis=1)):
        of_topic = np.flatnonzero(topic_of_word == k)
        drawn = cumulative[-1] * rng.random(of_topic.size)
        word[of_topic] = np.searchsorted(cumulative, drawn, side="right")
    counts = coo_array((np.ones(word.size), (document, word)), shape=(topic.size, words.shape[1])).tocsr()
    counts.sort_indices()
    return counts


def _log_normal(X: Floats, mean: float, covariance: float) -> Floats:
    """Log density of N((mean, mean), [[50, c], [c, 50]]) at each row, up to a common constant."""
    determinant = 50.0**2 - covariance**2
    u, v = X[:, 0] - mean, X[:, 1] - mean
    quadratic = (50.0 * (u**2 + v**2) - 2.0 * covariance * u * v) / determinant
    return -(quadratic + math.log(determinant)) / 2.0


def _log_moon(points: Floats, spread: float) -> Floats:
    """Log density around (cos t, sin t) at each point, up to a common constant.

    Sixteen nodes for each interval of at most two standard deviations are exact up to rounding.
    """
    panels = 4 + math.ceil(2.0 / spread)
    nodes, weights = np.polynomial.legendre.leggauss(16)
    t = np.add.outer(np.arange(panels), (nodes + 1.0) / 2.0).ravel() * (math.pi / panels)
    result = np.empty(len(points))
    for start in range(0, len(points), 1000):
        part = points[start : start + 1000]
        exponents = np.square(part[:, :1] - np.cos(t)) + np.square(part[:, 1:] - np.sin(t))
        exponents /= -2.0 * spread**2
        top = exponents.max(axis=1)
        sums = np.einsum("ij,j->i", np.exp(exponents - top[:, None]), np.tile(weights, panels))
        result[start : start + 1000] = top + np.log(sums)
    return result


def _start(n: int, prior: float, noise: float, seed: int) -> tuple[_Shape, np.random.Generator]:
    """Check the parameters that all loaders share."""
    whole("n", n, 2, 10**8)
    share = real("prior", prior, 0.0, 1.0)
    # With more noise, rounding could flip more than half of a few rows.
    flipped = real("noise", noise, 0.0, 0.49)
    whole("seed", seed, 0, 2**63)
    shape = _Shape(n, round(share * n), round(flipped * n))
    if not 0 < shape.positives < n:
        kind = "positive" if shape.positives == 0 else "negative"
        raise DataError(f"prior {prior} of n = {n} rows leaves no {kind} row; change prior or increase n")
    return shape, np.random.default_rng(seed)


def _gaussian_parameters(d: int, separation: float, correlation: float) -> tuple[float, float]:
    whole("d", d, 1, 10**6)
    return real("separation", separation, 0.0, 100.0), real("correlation", correlation, -0.999, 0.999)
