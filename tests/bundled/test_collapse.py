"""Defaults that do not collapse: where positives are rare or features say little, both classes are still predicted."""

from __future__ import annotations

import numpy as np
import pytest
from pubench_datasets.synthetic import gaussians

import pubench
from pubench.specs import SCENARIOS


def decisions(name, scenario, prior, separation):
    """Return predictions for the second half of two Gaussians, and its classes; 3 in 10 positives are labelled."""
    data = gaussians(n=1200, prior=prior, separation=separation, seed=21)
    y = data.target == 1
    train, test = np.arange(600), np.arange(600, 1200)
    positives = train[y[train]]
    labelled = positives[: round(0.3 * len(positives))]
    if scenario == "case-control":
        rows = np.concatenate([labelled, train])
        s = np.arange(len(rows)) < len(labelled)
    else:
        rows, s = train, np.isin(train, labelled)
    model = pubench.make(name, scenario=scenario, random_state=0)
    if "prior" in model.get_params():
        model.set_params(prior=float(y[train].mean()))
    return model.fit(data.X[rows], s).predict(data.X[test]), y[test]


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("name", ["nnpu-rbf", "pu-ffnn", "dist-pu", "imbalanced-nnpu"])
def test_rare_positives_are_found(name, scenario):
    positive, y = decisions(name, scenario, prior=0.06, separation=3.0)
    assert 0.005 < positive.mean() < 0.2
    assert y[positive].mean() > 4 * y.mean()


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("name", ["bsvm", "bsvm-rbf"])
def test_weak_features_do_not_make_all_rows_positive(name, scenario):
    positive, y = decisions(name, scenario, prior=0.5, separation=1.0)
    assert 0.1 < positive.mean() < 0.9
    assert y[positive].mean() > y.mean() + 0.05
