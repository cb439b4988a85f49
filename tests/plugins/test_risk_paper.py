"""Accuracy of uPU and nnPU on real data; ``pytest -s`` prints the figures that docs/risk.md shows."""

from __future__ import annotations

import numpy as np
import pytest
from pubench_risk.classifier import PURiskClassifier
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import train_test_split


def accuracies(splits, **options):
    """Fit case-control data, U being all training rows, with the true prior; return the accuracies in percent."""
    found = []
    for seed, (X, y, positives, held_out, truth) in splits:
        rows = np.concatenate([X[positives], X])
        s = np.repeat([1, 0], [len(positives), len(X)])
        model = PURiskClassifier(y.mean(), random_state=seed, **options).fit(rows, s)
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


def test_nnpu_on_breast_cancer():
    """The seeds by which the default l2 was chosen; the paper's nnPU-MLP has 88.95 +- 6.22, a prototype had 98.2."""
    assert accuracies(cancer(range(10))).mean() > 98.0


def test_nnpu_on_digits():
    """A prototype had 95.6."""
    assert accuracies(digits(range(5))).mean() > 95.6


def test_the_order_of_methods_on_digits():
    """nnPU's network above uPU's, which over-fits; radial functions above a line."""
    options = ({}, {"risk": "upu"}, {"risk": "upu", "model": "rbf", "loss": "quadratic"})
    network, unbiased, rbf = (accuracies(digits(range(3)), **option).mean() for option in options)
    linear = accuracies(digits(range(3)), risk="upu", model="linear", loss="quadratic").mean()
    assert network > unbiased + 3
    assert rbf > linear + 3
    assert rbf > 94


@pytest.mark.slow
def test_nnpu_on_other_seeds():
    """Seeds that no default was chosen by: 97.9 and 95.2 when this was written, with errors of 0.1 and 0.3."""
    assert accuracies(cancer(range(100, 130))).mean() > 97.6
    assert accuracies(digits(range(100, 120))).mean() > 94.4
