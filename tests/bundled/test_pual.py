"""Laws of the PUAL family, the estimator."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pubench_pual
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pubench_datasets.synthetic import trifurcate
from pubench_pual import models
from pubench_pual.losses import MEMBERS
from pubench_pual.pual import PUAL
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from pubench.criteria import Validation, puf
from pubench.estimators.sharing import SHARED
from pubench.specs import SCENARIOS

KERNELS = ("linear", "rbf")
CC, STS = SCENARIOS

# What is said when all rows get one decision is tested in test_pual_safety.py; here parameters are any.
pytestmark = pytest.mark.filterwarnings("ignore:.* predicts all rows of the fit")


def make_pu(seed, n_labelled=20, n_unlabelled=80, d=4):
    """Gaussian P around 1, U half around 1 and half around -1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_labelled + n_unlabelled, d))
    X += np.where(np.arange(len(X)) < n_labelled + n_unlabelled // 2, 1.0, -1.0)[:, None]
    return X, (np.arange(len(X)) < n_labelled).astype(int)


@parametrize_with_checks([PUAL(scenario="case-control")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        *[PUAL(loss, kernel=kernel, scenario="case-control") for loss in MEMBERS for kernel in KERNELS][1:],
        PUAL("pual", kernel="rbf", form="literal", losses="sum", intercept="puf", scenario="case-control"),
        PUAL("gllc", kernel="rbf", n_components=7, scenario=STS),
    ]
)
def test_scikit_learns_checks_of_variants(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("loss", MEMBERS)
def test_positives_are_told_from_negatives(loss, kernel):
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [300, 300])
    X = rng.normal(size=(600, 5)) + np.where(y == 1, 1.0, -1.0)[:, None]
    s = (np.arange(600) < 100).astype(int)
    model = PUAL(
        loss, kernel=kernel, ridge=0.1 if kernel == "linear" else 0.01, C_u=0.3, scenario="case-control"
    ).fit(X, s)
    assert (model.predict(X) == y).mean() > 0.9


@pytest.mark.parametrize(("unlabelled", "labelled"), [(-1, 1), (False, True), ("U", "p"), (1, 2)])
@pytest.mark.parametrize("kernel", KERNELS)
def test_how_classes_are_written_does_not_matter(kernel, unlabelled, labelled):
    X, s = make_pu(6)
    plain = PUAL(kernel=kernel, scenario="case-control").fit(X, s)
    other = PUAL(kernel=kernel, scenario="case-control").fit(X, np.where(s == 1, labelled, unlabelled))
    np.testing.assert_array_equal(other.decision_function(X), plain.decision_function(X))
    np.testing.assert_array_equal(other.predict(X), np.where(plain.predict(X) == 1, labelled, unlabelled))


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from(list(MEMBERS)), st.sampled_from(KERNELS))
def test_the_order_of_rows_does_not_matter(seed, loss, kernel):
    X, s = make_pu(seed)
    order = np.random.default_rng(seed).permutation(len(s))
    model = PUAL(loss, kernel=kernel, tol=1e-8, intercept="fit", scenario="case-control").fit(X, s)
    other = PUAL(loss, kernel=kernel, tol=1e-8, intercept="fit", scenario="case-control").fit(
        X[order], s[order]
    )
    np.testing.assert_allclose(other.decision_function(X), model.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("loss", MEMBERS)
def test_with_a_kernel_the_scale_and_the_place_of_the_features_do_not_matter(loss):
    X, s = make_pu(1)
    model = PUAL(loss, kernel="rbf", scenario="case-control").fit(X, s)
    for scale, shift in [(1e-6, 0.0), (1e6, 0.0), (1.0, 1e4)]:
        moved = scale * X + shift
        scores = PUAL(loss, kernel="rbf", scenario="case-control").fit(moved, s).decision_function(moved)
        np.testing.assert_allclose(scores, model.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("loss", MEMBERS)
def test_linear_scores_of_scaled_features_need_a_ridge_scaled_by_the_square(loss):
    X, s = make_pu(2)
    model = PUAL(loss, ridge=0.1, scenario="case-control").fit(X, s)
    for scale in (1e-6, 1e6):
        other = PUAL(loss, ridge=0.1 * scale**2, scenario="case-control").fit(scale * X, s)
        np.testing.assert_allclose(other.decision_function(scale * X), model.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("loss", MEMBERS)
def test_means_are_sums_with_other_weights(loss, kernel):
    X, s = make_pu(3)
    mean = PUAL(loss, kernel=kernel, C_u=0.4, scenario="case-control").fit(X, s)
    sums = PUAL(loss, kernel=kernel, losses="sum", C_p=1 / 20, C_u=0.4 / 80, scenario="case-control").fit(
        X, s
    )
    np.testing.assert_allclose(sums.decision_function(X), mean.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("random_state", [0, 5, np.random.RandomState(3), None])
def test_without_landmarks_the_random_state_has_no_influence(random_state):
    X, s = make_pu(7)
    for kernel in KERNELS:
        model = PUAL(kernel=kernel, random_state=random_state, scenario="case-control").fit(X, s)
        np.testing.assert_array_equal(
            model.decision_function(X),
            PUAL(kernel=kernel, scenario="case-control").fit(X, s).decision_function(X),
        )


def test_the_same_seed_draws_the_same_landmarks():
    X, s = make_pu(7)
    models_ = [
        PUAL(kernel="rbf", n_components=10, random_state=seed, scenario="case-control").fit(X, s)
        for seed in (0, 0, 1)
    ]
    scores = [model.decision_function(X) for model in models_]
    np.testing.assert_array_equal(scores[0], scores[1])
    assert np.abs(scores[0] - scores[2]).max() > 1e-6
    assert models_[0].centers_.shape == (10, 4)


def test_beyond_the_limit_landmarks_are_taken_and_scores_stay_close(monkeypatch):
    X, s = make_pu(8, 60, 240, d=2)
    exact = PUAL(kernel="rbf", ridge=0.1, scenario="case-control").fit(X, s)
    monkeypatch.setattr("pubench_pual.pual.EXACT_ROWS", 299)
    monkeypatch.setattr("pubench_pual.pual.LANDMARKS", 60)
    model = PUAL(kernel="rbf", ridge=0.1, random_state=0, scenario="case-control").fit(X, s)
    assert len(model.centers_) == 60
    np.testing.assert_allclose(model.decision_function(X), exact.decision_function(X), atol=0.02)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from(SCENARIOS), st.sampled_from(list(MEMBERS)))
def test_no_other_intercept_has_a_higher_puf_on_the_rows_of_the_fit(seed, scenario, loss):
    X, s = make_pu(seed, 8, 30)
    model = PUAL(loss, intercept="puf", scenario=scenario, ridge=0.01).fit(X, s)
    scores = model.decision_function(X)
    values = [
        puf(Validation(s, scores - cut, (scores >= cut).astype(int), None, scenario))
        for cut in [0.0, *np.nextafter(scores, np.inf), *scores]
    ]
    assert values[0] >= max(values) - 1e-12


def test_scores_that_differ_by_chance_only_keep_the_fitted_intercept():
    """The constant score 1 satisfies all hinges; with so small a C_u, directions are what ADMM left over."""
    data = trifurcate(mean_p2=1000.0)
    s = ((np.asarray(data.target) == 1) & (np.arange(800) % 4 == 0)).astype(int)
    fits = [
        PUAL(C_u=0.02, ridge=10.0, intercept=how, scenario="case-control").fit(data.X, s)
        for how in ("puf", "fit")
    ]
    assert 0 < np.ptp(fits[0].decision_function(data.X)) < 1e-4
    assert fits[0].predict(data.X).all()
    np.testing.assert_array_equal(*[fit.intercept_ for fit in fits])


@pytest.mark.parametrize(
    ("kernel", "labelled", "d", "same"),
    [
        ("linear", 30, 6, "puf"),
        ("linear", 29, 4, "fit"),
        ("linear", 30, 7, "fit"),
        ("linear", 50, 10, "puf"),
        ("rbf", 50, 2, "fit"),
    ],
)
def test_auto_chooses_the_intercept_by_kernel_and_labelled_rows(kernel, labelled, d, same):
    X, s = make_pu(5, labelled, 90, d)
    other = {"fit": "puf", "puf": "fit"}[same]
    auto, named, not_taken = (
        PUAL(kernel=kernel, intercept=how, scenario="case-control").fit(X, s) for how in ("auto", same, other)
    )
    np.testing.assert_array_equal(auto.intercept_, named.intercept_)
    assert auto.intercept_ != not_taken.intercept_


@pytest.mark.parametrize(("labelled", "d"), [(5, 10), (15, 2), (15, 30), (50, 30)])
def test_with_few_labelled_rows_the_default_does_not_call_nearly_all_negative(labelled, d):
    """PUF on rows of the fit would: it is high where the labelled rows and hardly one of U are positive."""
    scores = []
    for seed in range(5):
        X, _ = make_pu(seed, labelled, 300, d)
        # Closer together: no direction is so clear that few labelled rows find it.
        X -= 0.7 * np.where(np.arange(len(X)) < labelled + 150, 1.0, -1.0)[:, None]
        s = (np.arange(len(X)) < labelled).astype(int)
        scores.append(PUAL(scenario="case-control").fit(X, s).predict(X)[labelled : labelled + 150].mean())
    assert np.mean(scores) > 0.5


def test_too_few_iterations_warn_and_enough_do_not():
    X, s = make_pu(8)
    with pytest.warns(ConvergenceWarning, match="max_iter = 3 iterations with residuals"):
        model = PUAL(max_iter=3, scenario="case-control").fit(X, s)
    assert model.n_iter_ == 3
    assert model.residuals_.max() > model.tol
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = PUAL(scenario="case-control").fit(X, s)
    assert model.n_iter_ < model.max_iter
    assert model.residuals_.shape == (2,)
    assert model.residuals_.max() <= model.tol


def test_sparse_rows_are_refused_in_one_sentence():
    X, s = make_pu(9)
    model = PUAL(scenario="case-control").fit(X, s)
    for use in (
        lambda: PUAL(scenario="case-control").fit(csr_array(X), s),
        lambda: model.predict(csr_array(X)),
    ):
        with pytest.raises(TypeError, match=r"Sparse data was passed for X, but dense data is required"):
            use()
    assert all("sparse" not in spec.accepts for spec in pubench_pual.pubench_algorithms())


WRONG = {
    "loss": "svm",
    "kernel": "poly",
    "losses": "max",
    "C_p": 0.0,
    "C_u": -1.0,
    "ridge": 0,
    "n_neighbors": 0,
}
WRONG |= {"sigma": 0.0, "width": np.inf, "form": "other", "n_components": 0, "intercept": "no", "tol": 0.0}
WRONG |= {"max_iter": 0, "scenario": "other"}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_parameters_are_named(name):
    X, s = make_pu(9)
    with pytest.raises(ValueError, match=f"^{name} of PUAL must be .*; got"):
        clone(PUAL(scenario="case-control")).set_params(**{name: WRONG[name]}).fit(X, s)


def test_what_the_literal_form_cannot_do_is_said(monkeypatch):
    X, s = make_pu(9)
    with pytest.raises(ValueError, match="'literal' of PUAL is defined only for kernel='rbf'"):
        PUAL(form="literal", scenario="case-control").fit(X, s)
    monkeypatch.setattr("pubench_pual.pual.EXACT_ROWS", 99)
    with pytest.raises(ValueError, match="all rows and takes at most 99 rows; got 100"):
        PUAL(form="literal", kernel="rbf", scenario="case-control").fit(X, s)


def test_a_fitted_model_survives_pickling():
    X, s = make_pu(9)
    for kernel in KERNELS:
        model = PUAL(kernel=kernel, scenario="case-control").fit(X, s)
        copy = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))


def test_the_specs_name_constructible_estimators():
    specs = {spec.name: spec for spec in pubench_pual.pubench_algorithms()}
    assert list(specs) == [*MEMBERS, *(f"{loss}-rbf" for loss in MEMBERS)]
    for spec in specs.values():
        assert (spec.estimator, spec.scenarios) == ("pubench_pual.pual:PUAL", SCENARIOS)
        parameters = PUAL(**{"scenario": "case-control"} | spec.params).get_params()
        assert set(spec.space) | set(spec.receives) <= set(parameters)
        assert spec.params["loss"] == spec.name.removesuffix("-rbf")
        assert ("sigma" in spec.space) == MEMBERS[spec.params["loss"]].local


def test_importing_the_plugin_does_not_import_scikit_learn():
    code = "import sys, pubench_pual; pubench_pual.pubench_algorithms(); sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_store_is_what_the_next_fit_finds():
    X, s = make_pu(0)
    SHARED.clear()
    assert len(X) <= models._INVERSE_ROWS
    PUAL(kernel="rbf", scenario="case-control").fit(X, s)
    assert len(SHARED) == 3  # edges, distances, inverse
    PUAL(kernel="rbf", C_u=0.5, ridge=0.2, sigma=3.0, scenario="case-control").fit(X, s)
    assert len(SHARED) == 3
    PUAL(kernel="rbf", width=1.0, scenario="case-control").fit(X, s)
    assert len(SHARED) == 4
    PUAL(kernel="rbf", scenario="case-control").fit(X + 1e-9 * s[:, None], s)
    assert len(SHARED) == 7
