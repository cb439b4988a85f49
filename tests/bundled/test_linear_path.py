"""A path of weighted logistic regressions holds the separate fits."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.samples import make_pu
from pubench_linear.wlr import WeightedLogisticRegression, wlr_path
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

STRENGTHS = [1.0, 1e-5, 100.0, 0.03, 1.0]


def theta_of(model):
    return np.append(model.coef_[0], model.intercept_)


@pytest.mark.parametrize("cost", ["update", "printed"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_each_model_is_the_separate_fit(seed, cost, scale):
    X, s = make_pu(seed)
    X = X * np.geomspace(1.0, scale, X.shape[1])
    path = wlr_path(X, s, STRENGTHS, cost=cost, tol=1e-9)
    for c, model in zip(STRENGTHS, path, strict=True):
        alone = WeightedLogisticRegression(c, cost=cost, tol=1e-9).fit(X, s)
        assert model.get_params() == alone.get_params()
        np.testing.assert_allclose(theta_of(model), theta_of(alone), rtol=1e-5, atol=1e-8)
        np.testing.assert_array_equal(model.classes_, alone.classes_)


def test_sparse_rows_and_many_columns_have_a_path_too():
    X, s = make_pu(0)
    wide = np.tile(X, 301)
    for rows in (sparse.csr_array(X), wide):
        for c, model in zip([1.0, 0.1], wlr_path(rows, s, [1.0, 0.1]), strict=True):
            alone = WeightedLogisticRegression(c).fit(rows, s)
            np.testing.assert_array_equal(theta_of(model), theta_of(alone))


def test_too_few_steps_warn():
    X, s = make_pu(0)
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        wlr_path(X, s, [1e-3], max_iter=1)


def test_no_strengths_make_no_models():
    X, s = make_pu(0)
    assert wlr_path(X, s, []) == []
