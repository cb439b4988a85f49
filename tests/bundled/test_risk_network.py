"""Laws of the perceptron and of Adam."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from pubench_risk.network import Network, Shape
from pubench_risk.perceptron import Perceptron
from pubench_risk.training import scores_to_both_sides
from scipy import sparse

SHAPES = {
    "linear": Shape(4),
    "relu": Shape(4, 3, 7),
    "softsign": Shape(4, 4, 5, "softsign"),
    "normalised": Shape(4, 3, 6, "softsign", batch_norm=True),
    "normalised relu": Shape(4, 2, 9, "relu", batch_norm=True),
    "dropout": Shape(4, 3, 8, "softsign", dropout=0.4),
    "all": Shape(4, 3, 8, "softsign", batch_norm=True, dropout=0.4),
}


def drawn(shape, seed=0):
    """A network in double precision, nothing in it at its initial 0 or 1."""
    rng = np.random.default_rng(seed)
    network = Network.drawn(shape, rng, np.float64)
    network.theta += 0.3 * rng.normal(size=len(network.theta))
    return network


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_slopes_agree_with_finite_differences(shape):
    network, rng = drawn(shape), np.random.default_rng(1)
    X, pull = rng.normal(size=(12, 4)), rng.normal(size=12)

    def value():
        return float(pull @ network.forward(X, np.random.default_rng(2)))

    value()
    network.backward(pull)
    slope = network.slope.copy()
    for i in range(len(network.theta)):
        kept = network.theta[i]
        network.theta[i] = kept + 1e-6
        high = value()
        network.theta[i] = kept - 1e-6
        low = value()
        network.theta[i] = kept
        assert slope[i] == pytest.approx((high - low) / 2e-6, abs=1e-6)


@pytest.mark.parametrize("shape", [SHAPES["linear"], SHAPES["relu"]])
def test_the_penalty_is_on_weights_and_not_on_biases(shape):
    network = drawn(shape)
    network.slope[:] = 0.0
    network.add_penalty(0.5)
    penalised = network.slope != 0
    np.testing.assert_array_equal(network.slope[penalised], 0.5 * network.theta[penalised])
    assert penalised.sum() == sum(a * b for a, b in pairwise(shape.sizes))


def test_training_and_scoring_agree_without_dropout_and_normalisation():
    network, X = drawn(SHAPES["relu"]), np.random.default_rng(0).normal(size=(9, 4))
    np.testing.assert_array_equal(network.forward(X, np.random.default_rng(0)), network.scores(X))


def test_a_plain_formula_says_the_same():
    """Two hidden layers written out."""
    network, X = drawn(Shape(4, 3, 7)), np.random.default_rng(0).normal(size=(9, 4))
    theta, sizes, H = network.theta.copy(), (4, 7, 7, 1), X
    for inputs, outputs in pairwise(sizes):
        weights, bias, theta = np.split(theta, [inputs * outputs, inputs * outputs + outputs])
        Z = H @ weights.reshape(inputs, outputs) + bias
        H = np.maximum(Z, 0)
    np.testing.assert_allclose(network.scores(X), Z[:, 0])


def test_running_statistics_tend_to_those_of_the_rows():
    network, X = drawn(SHAPES["normalised"]), np.random.default_rng(0).normal(size=(400, 4)) * 3 + 1
    for _ in range(200):
        trained = network.forward(X, np.random.default_rng(0))
    np.testing.assert_allclose(network.scores(X), trained, atol=1e-6)


def test_dropout_leaves_the_mean_as_it_is():
    network, X = drawn(SHAPES["dropout"]), np.random.default_rng(0).normal(size=(3, 4))
    rng = np.random.default_rng(0)
    seen = np.array([network.forward(X, rng) for _ in range(20_000)])
    np.testing.assert_allclose(seen.mean(axis=0), network.scores(X), atol=4 * seen.std(axis=0).max() / 141)
    assert seen.std(axis=0).min() > 0.01


def test_sparse_rows_give_the_same_numbers():
    network, rng = drawn(SHAPES["relu"]), np.random.default_rng(0)
    X = rng.normal(size=(20, 4)) * (rng.random((20, 4)) < 0.5)
    slopes = []
    for rows in (X, sparse.csr_array(X)):
        network.backward(network.forward(rows, rng))
        slopes.append(network.slope.copy())
    np.testing.assert_allclose(slopes[0], slopes[1], atol=1e-12)


def test_a_pickle_scores_alike_and_carries_no_batch():
    network, X = drawn(SHAPES["all"]), np.random.default_rng(0).normal(size=(5000, 4))
    network.forward(X, np.random.default_rng(0))
    data = pickle.dumps(network)
    np.testing.assert_array_equal(pickle.loads(data).scores(X), network.scores(X))
    assert len(data) < X.nbytes / 4


def test_adam_takes_the_steps_of_its_paper():
    """Kingma and Ba, Algorithm 1, on a linear model whose slope is known."""
    rng = np.random.default_rng(0)
    X, target = rng.normal(size=(50, 4)), rng.normal(size=50)
    model = Perceptron(Network.drawn(Shape(4), rng, np.float64), 0.1, 0.0, rng)
    rows = np.column_stack([X, np.ones(50)])
    theta, m, v = np.zeros(5), np.zeros(5), np.zeros(5)
    for t in range(1, 30):
        model.step(X, lambda scores: scores - target)
        g = rows.T @ (rows @ theta - target)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        theta = theta - 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        np.testing.assert_allclose(model.network.theta, theta, rtol=1e-10)


def test_going_back_to_a_state_forgets_the_steps_after_it():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4))
    model = Perceptron(Network.drawn(SHAPES["normalised"], rng), 0.1, 0.0, rng)
    model.step(X, lambda scores: scores - 1)
    state, scores = model.state(), model.scores(X)
    model.step(X, lambda scores: scores - 1)
    assert np.abs(model.scores(X) - scores).max() > 1e-3
    model.restore(state)
    np.testing.assert_array_equal(model.scores(X), scores)


@pytest.mark.parametrize(
    "values", [[-1.0, -2.0, 3.0, -1.0, -1.0], [1.0, 2.0, 3.0, 4.0, 5.0], [-1.0] * 5, [0.0, -1.0]]
)
def test_rows_are_scored_until_both_decisions_are_seen(values):
    X = np.array(values)[:, None]
    seen = scores_to_both_sides(lambda rows: rows[:, 0], X, block=2)
    whole = X[:, 0] >= 0
    assert 0 < np.mean(seen >= 0) < 1 if 0 < whole.mean() < 1 else len(seen) == len(X)
    np.testing.assert_array_equal(seen, X[: len(seen), 0])
