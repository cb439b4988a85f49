"""Input that is hard on the PUAL family: a right answer, a warning that says what happened, or one clear error."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from pubench_pual.losses import MEMBERS
from pubench_pual.pual import PUAL
from scipy.linalg import LinAlgWarning
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

ALL = [(loss, kernel) for loss in MEMBERS for kernel in ("linear", "rbf")]
HINGED = [pair for pair in ALL if pair[0] in ("pual", "bsvm")]
ONE_DECISION = (
    "predicts all rows of the fit (positive|negative): with C_p = .*, C_u = .* and ridge = .*lower ridge"
)


def make_pu(seed=0, n_labelled=20, n_unlabelled=60, d=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_labelled + n_unlabelled, d))
    X += np.where(np.arange(len(X)) < n_labelled + n_unlabelled // 2, 1.0, -1.0)[:, None]
    return X, (np.arange(len(X)) < n_labelled).astype(int)


def quiet(X, s, loss, kernel, **params):
    """Fit without a warning; return finite scores."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = PUAL(loss, kernel=kernel, **{"scenario": "case-control"} | params).fit(X, s)
        scores = model.decision_function(X)
    assert np.isfinite(scores).all()
    return scores


@pytest.mark.parametrize(("loss", "kernel"), ALL)
def test_one_labelled_row_is_enough(loss, kernel):
    X, s = make_pu(n_labelled=1)
    scores = quiet(X, s, loss, kernel)
    assert scores[0] > np.median(scores[1:])


@pytest.mark.parametrize(("loss", "kernel"), ALL)
def test_two_rows_are_enough(loss, kernel):
    X, s = np.array([[1.0], [0.0]]), np.array([1, 0])
    # In case-control PUF is 0 unless the one row of U is called positive.
    scores = quiet(X, s, loss, kernel, intercept="fit")
    assert scores[0] >= scores[1]


@pytest.mark.parametrize(("loss", "kernel"), ALL)
@pytest.mark.parametrize("s", [np.ones(80, dtype=int), np.zeros(80, dtype=int)])
def test_one_kind_of_row_only_is_refused(loss, kernel, s):
    with pytest.raises(ValueError, match="one class only"):
        PUAL(loss, kernel=kernel, scenario="case-control").fit(make_pu()[0], s)


@pytest.mark.parametrize(("loss", "kernel"), ALL)
def test_constant_features_change_nothing(loss, kernel):
    X, s = make_pu()
    with_constant = np.column_stack([X, np.full(len(X), 7.0)])
    np.testing.assert_allclose(
        quiet(with_constant, s, loss, kernel), quiet(X, s, loss, kernel), rtol=0, atol=1e-5
    )


@pytest.mark.parametrize(("loss", "kernel"), ALL)
def test_where_all_rows_are_the_same_so_are_the_scores(loss, kernel):
    _, s = make_pu()
    X = np.full((80, 3), 2.5)
    with pytest.warns(UserWarning, match=ONE_DECISION):
        assert (
            np.ptp(PUAL(loss, kernel=kernel, scenario="case-control").fit(X, s).decision_function(X)) < 1e-9
        )


@pytest.mark.parametrize("loss", MEMBERS)
def test_a_column_twice_is_a_column_of_twice_the_square(loss):
    X, s = make_pu()
    twice = np.column_stack([X, X[:, 0]])
    once = X.copy()
    once[:, 0] *= np.sqrt(2)
    np.testing.assert_allclose(quiet(twice, s, loss, "linear"), quiet(once, s, loss, "linear"), atol=1e-4)


@pytest.mark.parametrize(("loss", "kernel"), ALL)
@pytest.mark.parametrize("copies", [2, 5])
def test_rows_that_occur_several_times_are_no_problem(loss, kernel, copies):
    X, s = make_pu()
    quiet(np.tile(X, (copies, 1)), np.tile(s, copies), loss, kernel)


@pytest.mark.parametrize(("loss", "kernel"), ALL)
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_features_of_any_scale_tell_positives_from_negatives(loss, kernel, scale):
    """The ridge is as good as infinite beside the one and as good as 0 beside the other."""
    X, s = make_pu(n_labelled=60, n_unlabelled=240)
    decision = quiet(scale * X, s, loss, kernel) >= 0
    assert np.mean(decision == (np.arange(300) < 180)) > 0.9


@pytest.mark.parametrize(("loss", "kernel"), ALL)
@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e-160, 1e-150, 1e-100])
def test_features_too_small_to_be_told_apart_are_told(loss, kernel, scale):
    X, s = make_pu()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores = (
            PUAL(loss, kernel=kernel, scenario="case-control").fit(scale * X, s).decision_function(scale * X)
        )
    assert np.isfinite(scores).all()
    assert len({*(scores >= 0)}) == 2 or re.search(ONE_DECISION, str(caught[-1].message))


@pytest.mark.parametrize(("loss", "kernel"), ALL)
def test_features_of_different_scales_do_not_spoil_one_another(loss, kernel):
    X, s = make_pu(n_labelled=60, n_unlabelled=240)
    scales = np.array([1e-6, 1.0, 1.0, 1e6])
    decision = quiet(X * scales, s, loss, kernel) >= 0
    # Distances are those of the last column alone.
    assert np.mean(decision == (np.arange(300) < 180)) > (0.85 if kernel == "linear" else 0.7)


@pytest.mark.parametrize(("loss", "kernel"), ALL)
@pytest.mark.parametrize("d", [80, 500])
def test_more_features_than_rows_separate_the_labelled(loss, kernel, d):
    X, s = make_pu(d=d)
    scores = quiet(X, s, loss, kernel)
    assert scores[s == 1].mean() > scores[s == 0].mean()


@pytest.mark.parametrize(("loss", "kernel"), ALL)
@pytest.mark.parametrize("name", ["C_p", "C_u", "ridge", "sigma", "width"])
@pytest.mark.parametrize("value", [1e-300, 1e-10, 1e10, 1e300])
def test_parameters_at_the_ends_of_their_range_leave_finite_scores_and_one_decision_is_told(
    loss, kernel, name, value
):
    X, s = make_pu()
    if name == "width":
        value = min(max(value, 1e-10), 1e10)
    model = PUAL(loss, kernel=kernel, max_iter=500, scenario="case-control").set_params(**{name: value})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores = model.fit(X, s).decision_function(X)
    assert np.isfinite(scores).all()
    told = [str(warning.message) for warning in caught if warning.category is UserWarning]
    assert all(re.search(ONE_DECISION, message) for message in told)
    assert len(told) == (len({*(scores >= 0)}) == 1)
    assert {warning.category for warning in caught} <= {UserWarning, ConvergenceWarning, LinAlgWarning}


def test_a_ridge_lost_beside_collinear_columns_is_told():
    X, s = make_pu()
    collinear = 1e6 * np.column_stack([X, X.sum(axis=1)])
    with pytest.warns(LinAlgWarning, match="drop columns that are sums of others"):
        model = PUAL("gllc", ridge=1e-10, scenario="case-control").fit(collinear, s)
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize(("loss", "kernel"), ALL)
def test_features_too_large_to_be_squared_are_refused(loss, kernel):
    X, s = make_pu()
    with (
        pytest.raises(ValueError, match=r"too large to be squared; scale them down"),
        np.errstate(all="ignore"),
    ):
        PUAL(loss, kernel=kernel, scenario="case-control").fit(1e160 * X, s)


def test_read_only_and_unordered_input_is_taken_and_left_alone():
    X, s = make_pu()
    frozen = np.asfortranarray(X)
    frozen.flags.writeable = False
    before = frozen.copy()
    for loss, kernel in ALL:
        np.testing.assert_allclose(quiet(frozen, s, loss, kernel), quiet(X, s, loss, kernel), atol=1e-12)
    np.testing.assert_array_equal(frozen, before)


@pytest.mark.parametrize(("loss", "kernel"), HINGED)
def test_input_is_not_needed_after_the_fit(loss, kernel):
    X, s = make_pu()
    rows = X.copy()
    model = PUAL(loss, kernel=kernel, scenario="case-control").fit(rows, s)
    scores = model.decision_function(X)
    rows[:] = 0
    np.testing.assert_array_equal(model.decision_function(X), scores)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize(("C_p", "C_u"), [(1.0, 1e-6), (1.0, 1e-8), (1e8, 1.0), (1.0, 1e7), (1e-5, 1.0)])
def test_no_fit_far_from_its_minimum_passes_for_converged(kernel, C_p, C_u):
    """Weights that are orders of magnitude apart make residuals small at once; the duality gap tells."""
    X, s = make_pu(0)
    model = PUAL(kernel=kernel, C_p=C_p, C_u=C_u, intercept="fit", scenario="case-control")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = model.fit(X, s).decision_function(X)
        best = clone(model).set_params(tol=1e-10, max_iter=100_000).fit(X, s).decision_function(X)
    told = any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    assert told or np.abs(found - best).max() < 0.01 * np.abs(best).max()
