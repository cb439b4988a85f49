"""PU extra trees against the figures of their paper and of its authors' code."""

from __future__ import annotations

import numpy as np
import pytest
from pubench_extratrees.classifiers import PUExtraTrees
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import train_test_split

import pubench

SEEDS = range(5)


def digits_even():
    X, y = load_digits(return_X_y=True)
    return X, (y % 2 == 0).astype(int)


def cancer(positive):
    X, y = load_breast_cancer(return_X_y=True)
    return X, (y == positive).astype(int)


def accuracy(train, test, n_p, seed, **options):
    """Sample P without replacement, let U be all training rows, and give the true prior."""
    (X, y), (new_X, new_y) = train, test
    P = np.random.RandomState(seed).choice(np.flatnonzero(y == 1), n_p, replace=False)
    model = PUExtraTrees(
        100, prior=y.mean(), random_state=seed, n_jobs=2, **{"scenario": "case-control"} | options
    )
    model.fit(np.concatenate([X[P], X]), np.repeat([1, 0], [n_p, len(X)]))
    return float((model.predict(new_X) == new_y).mean())


def mean_accuracy(data, n_p, **options):
    found = []
    for seed in SEEDS:
        X, new_X, y, new_y = train_test_split(*data, test_size=0.3, stratify=data[1], random_state=seed)
        found.append(accuracy((X, y), (new_X, new_y), n_p, seed, **options))
    return float(np.mean(found))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "n_p", "options", "figure", "sd"),
    [
        (digits_even(), 100, {}, 0.9144, 0.0142),
        (digits_even(), 300, {}, 0.9633, 0.0163),
        (digits_even(), 300, {"loss": "logistic"}, 0.9622, 0.0122),
        (digits_even(), 300, {"risk": "upu"}, 0.6507, 0.0154),
        (digits_even(), 600, {}, 0.9878, 0.0038),
        (cancer(0), 50, {}, 0.9322, 0.0250),
        (cancer(0), 100, {}, 0.9333, 0.0121),
        (cancer(1), 50, {}, 0.9368, 0.0212),
        (cancer(1), 100, {}, 0.9392, 0.0243),
        (cancer(1), 200, {}, 0.9520, 0.0133),
    ],
    ids=lambda value: "" if isinstance(value, tuple) else str(value),
)
def test_accuracy_is_within_one_sd_of_the_authors_code(data, n_p, options, figure, sd):
    assert mean_accuracy(data, n_p, **options) == pytest.approx(figure, abs=sd)


@pytest.mark.slow
def test_risks_and_losses_come_in_the_papers_order():
    """nnPU above uPU with the logistic loss, far above uPU with the quadratic one."""
    found = {
        (risk, loss): mean_accuracy(digits_even(), 100, risk=risk, loss=loss)
        for risk in ("nnpu", "upu")
        for loss in ("quadratic", "logistic")
    }
    upu_logistic = found["upu", "logistic"]
    assert min(found["nnpu", "quadratic"], found["nnpu", "logistic"]) > upu_logistic
    assert upu_logistic > found["upu", "quadratic"] + 0.2


@pytest.mark.slow
def test_mushrooms_as_in_the_papers_tables_2_and_4(data_root):
    data = pubench.load_dataset("puet-mushrooms")
    X, y = data.X.astype(np.float32), (data.target == "edible").astype(int)
    found = []
    for seed in SEEDS:
        rows, new_rows = train_test_split(np.arange(len(y)), test_size=0.2, random_state=seed)
        found.append(accuracy((X[rows], y[rows]), (X[new_rows], y[new_rows]), 1000, seed))
    assert 100 * np.mean(found) == pytest.approx(99.70, abs=1.0)


@pytest.mark.slow
@pytest.mark.parametrize(("options", "figure"), [({}, 93.60), ({"loss": "logistic"}, 94.01)])
def test_mnist_as_in_the_papers_tables_2_and_4(data_root, options, figure):
    data = pubench.load_dataset("puet-mnist")
    X, y = data.X.astype(np.float32), np.isin(data.target, list("02468")).astype(int)
    train, test = (data.split == part for part in ("train", "test"))
    found = [accuracy((X[train], y[train]), (X[test], y[test]), 1000, seed, **options) for seed in SEEDS]
    assert 100 * np.mean(found) == pytest.approx(figure, abs=1.0)
