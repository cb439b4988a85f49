"""Accuracy of uPU and nnPU on real data; ``pytest -s`` prints the figures that docs/risk.md shows."""

from __future__ import annotations

import numpy as np
import pytest
from pubench_risk import pubench_algorithms
from pubench_risk.classifier import PURiskClassifier
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def accuracies(splits, **options):
    """Fit case-control data, U being all training rows, with the true prior; return the accuracies in percent."""
    found = []
    for seed, (X, y, positives, held_out, truth) in splits:
        rows = np.concatenate([X[positives], X])
        s = np.repeat([1, 0], [len(positives), len(X)])
        model = PURiskClassifier(y.mean(), random_state=seed, **{"scenario": "case-control"} | options).fit(
            rows, s
        )
        found.append(100 * np.mean(model.predict(held_out) == truth))
    print(f"{options}: {np.mean(found):.1f} +- {np.std(found, ddof=1):.1f}")
    return np.array(found)


def cancer(seeds):
    """Zhao et al. (2022): the first 455 rows train, benign is positive, 1000 labelled rows with replacement."""
    X, y = load_breast_cancer(return_X_y=True)
    for seed in seeds:
        drawn = np.random.RandomState(seed).choice(np.flatnonzero(y[:455]), 1000)
        yield seed, (X[:455], y[:455], drawn, X[455:], y[455:])


def digits(seeds, n_p=300):
    """Even digits are positive, 70 % of the rows train."""
    X, target = load_digits(return_X_y=True)
    for seed in seeds:
        y = (target % 2 == 0).astype(int)
        train, held_out, y, truth = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
        drawn = np.random.RandomState(seed).choice(np.flatnonzero(y), n_p, replace=False)
        yield seed, (train, y, drawn, held_out, truth)


def supervised(splits):
    """What all true classes of the training rows are worth to a perceptron of the same shape."""
    found = []
    for seed, (X, y, _, held_out, truth) in splits:
        network = MLPClassifier((100, 100), alpha=1.0, max_iter=300, random_state=seed)
        found.append(100 * make_pipeline(StandardScaler(), network).fit(X, y).score(held_out, truth))
    return np.array(found)


@pytest.mark.slow
def test_nnpu_on_breast_cancer():
    """Seeds that chose nothing. A prototype had 98.2 +- 0.7, the paper's nnPU-MLP 88.95 +- 6.22."""
    found = accuracies(cancer(range(5000, 5010)))
    assert found.mean() > 97.5
    # One test row is 0.9 points: there is nothing to be gained but what the classes themselves would give.
    assert found.mean() > supervised(cancer(range(5000, 5003))).mean() - 0.9


@pytest.mark.slow
def test_nnpu_on_digits():
    """Seeds that chose nothing. A prototype had 95.6."""
    assert accuracies(digits(range(5000, 5006))).mean() > 95.6


@pytest.mark.slow
def test_the_order_of_methods_on_digits():
    """nnPU's network above uPU's, which over-fits; radial functions above a line."""
    options = ({}, {"risk": "upu"}, {"risk": "upu", "model": "rbf", "loss": "quadratic"})
    network, unbiased, rbf = (accuracies(digits(range(3)), **option).mean() for option in options)
    linear = accuracies(digits(range(3)), risk="upu", model="linear", loss="quadratic").mean()
    assert network > unbiased + 3
    assert rbf > linear + 3
    assert rbf > 94


@pytest.mark.slow
def test_the_table_of_the_docs():
    """Many seeds that chose nothing; prints every line of the table in docs/risk.md."""
    for spec in pubench_algorithms():
        params = dict(spec.params)
        if spec.name != "pu-ffnn" and "torch" not in spec.estimator:
            print(spec.name)
            found = (
                accuracies(cancer(range(4000, 4060)), **params),
                accuracies(digits(range(4000, 4040)), **params),
            )
        if spec.name == "nnpu":
            nnpu = found
    print(f"supervised: {supervised(cancer(range(4000, 4010))).mean():.1f}")
    assert nnpu[0].mean() > 97.8
    # The logistic loss, which does not collapse on rare positives, costs two points here.
    assert nnpu[1].mean() > 93.0
