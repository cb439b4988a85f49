"""uPU and nnPU on input that breaks others: a right answer, a warning that says why, or one clear error."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from pubench_risk.classifier import PURiskClassifier
from scipy import sparse
from scipy.linalg import LinAlgWarning
from sklearn.exceptions import ConvergenceWarning

from pubench.specs import SCENARIOS

VARIANTS = {
    "closed form": {"risk": "upu", "model": "linear", "loss": "quadratic"},
    "newton": {"risk": "upu", "model": "linear", "loss": "logistic"},
    "admm": {"risk": "upu", "model": "linear", "loss": "double-hinge"},
    "sigmoid": {"risk": "upu", "model": "linear", "loss": "sigmoid"},
    "basis": {"risk": "upu", "model": "rbf", "loss": "quadratic", "n_centers": 20},
    "perceptron": {"epochs": 10, "units": 20},
    "normalised": {"epochs": 10, "units": 20, "batch_norm": True, "dropout": 0.5, "activation": "softsign"},
    "linear nnpu": {"epochs": 10, "model": "linear"},
    "stopped": {"epochs": 10, "units": 20, "early_stopping": True},
}


def rows(n=60, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[: n // 2, 0] += 1.5
    return X, (np.arange(n) < n // 4).astype(int)


def fitted(X, s, **options):
    """Fit, silent but for warnings of our own, and check every number."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", LinAlgWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "all rows of the fit are predicted|the prior .* is below")
        model = PURiskClassifier(
            **{"prior": 0.5, "scenario": "case-control"} | {"random_state": 0, **options}
        ).fit(X, s)
        assert np.isfinite(model.decision_function(X)).all()
    for name in ("coef_", "basis_coef_", "intercept_", "risk_curve_"):
        assert np.isfinite(getattr(model, name, 0.0)).all()
    return model


ODD_ROWS = {
    "one column": lambda X: X[:, :1],
    "constant": np.ones_like,
    "a constant column": lambda X: np.column_stack([X, np.full(len(X), 7.0)]),
    "copies": lambda X: np.hstack([X, X, X]),
    "sums": lambda X: np.column_stack([X, X.sum(axis=1)]),
    "tiny": lambda X: 1e-6 * X,
    "huge": lambda X: 1e6 * X,
    "both": lambda X: X * [1e-6, 1.0, 1e6],
    "far from 0": lambda X: X + 1e9,
    "wide": lambda X: np.random.default_rng(0).normal(size=(len(X), 300)),
    "equal rows": lambda X: np.repeat(X[:2], len(X) // 2, axis=0),
    "empty sparse": lambda X: sparse.csr_array(X.shape),
}


@pytest.mark.parametrize("odd", ODD_ROWS.values(), ids=ODD_ROWS)
@pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)
def test_odd_rows_give_numbers(options, odd):
    X, s = rows()
    fitted(odd(X), s, **options)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("prior", [1e-6, 0.01, 0.99, 1 - 1e-6])
def test_priors_at_the_edge_give_numbers(prior, options, scenario):
    X, s = rows()
    fitted(X, s, prior=prior, scenario=scenario, max_iter=200, **options)


@pytest.mark.parametrize(("prior", "positive"), [(0.01, False), (0.99, True)])
@pytest.mark.parametrize("name", ["closed form", "newton", "basis"])
def test_a_prior_at_the_edge_decides_for_most_rows(name, prior, positive):
    rng = np.random.default_rng(0)
    X, s = rng.normal(size=(400, 2)), (np.arange(400) < 100).astype(int)
    share = fitted(X, s, prior=prior, l2=1.0, **VARIANTS[name]).predict(X).mean()
    assert share > 0.9 if positive else share < 0.1


@pytest.mark.parametrize("l2", [1e-300, 1e-12, 1e6, 1e300])
@pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)
def test_penalties_at_the_ends_of_their_range(options, l2):
    X, s = rows()
    try:
        fitted(X, s, l2=l2, max_iter=200, **options)
    except ValueError as error:
        assert "lower learning_rate" in str(error) or "overflowed" in str(error)  # noqa: PT017 - either way is right


def test_a_large_penalty_leaves_the_constant_of_the_prior():
    X, s = rows()
    model = fitted(X, s, prior=0.3, l2=1e9, **VARIANTS["closed form"])
    np.testing.assert_allclose(model.decision_function(X), 2 * 0.3 - 1, atol=1e-6)


@pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)
def test_one_labelled_row(options):
    X, s = rows()
    s = np.zeros_like(s)
    s[3] = 1
    if options.get("early_stopping"):
        with pytest.raises(ValueError, match="two labelled and two unlabelled rows"):
            fitted(X, s, **options)
    else:
        fitted(X, s, **options)


@pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)
def test_one_unlabelled_row(options):
    X, s = rows()
    s = np.ones_like(s)
    s[3] = 0
    if not options.get("early_stopping"):
        fitted(X, s, **options)


def test_no_unlabelled_row_is_named():
    X, s = rows()
    with pytest.raises(ValueError, match="one class only, 1; give both labelled and unlabelled rows"):
        PURiskClassifier(prior=0.5, scenario="case-control").fit(X, np.ones_like(s))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"solver": "exact"}, "risk='upu' with model='linear' or 'rbf', not for risk='nnpu'"),
        ({"solver": "exact", "risk": "upu"}, "not for risk='upu' with model='mlp'; use solver='adam'"),
        ({"prior": 1.0}, "prior of PURiskClassifier must be a finite number above 0.0 and below 1.0"),
        ({"l2": 0.0}, "l2 of PURiskClassifier must be a finite number above 0.0; got 0.0"),
        ({"loss": "hinge"}, "loss of PURiskClassifier must be one of 'sigmoid'"),
        ({"layers": 0}, "layers of PURiskClassifier"),
        ({"gamma": 1.5}, "gamma of PURiskClassifier"),
    ],
)
def test_wrong_parameters_are_named(options, message):
    X, s = rows()
    with pytest.raises(ValueError, match=message):
        PURiskClassifier(**{"prior": 0.5, "scenario": "case-control"} | options).fit(X, s)


def test_a_rate_that_is_too_high_is_named():
    X, s = rows()
    with pytest.raises(ValueError, match="lower learning_rate = 1e\\+30"):
        fitted(X, s, learning_rate=1e30, loss="quadratic", epochs=50)


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)
def test_numbers_that_cannot_be_squared_are_named(options, standardize):
    X, s = rows()
    with pytest.raises(ValueError, match=r"scale (them|the features) down"):
        fitted(1e200 * X, s, standardize=standardize, **options)


@pytest.mark.parametrize(("prior", "side"), [(0.01, "negative"), (0.99, "positive")])
def test_one_decision_for_all_rows_is_told(prior, side):
    X, s = rows()
    with pytest.warns(UserWarning, match=f"all rows of the fit are predicted {side}: check the prior, l2"):
        PURiskClassifier(prior, l2=1e6, scenario="case-control", **VARIANTS["closed form"]).fit(X, s)


@pytest.mark.parametrize("width", [1e-200, 1e200])
def test_widths_that_overflow_are_named(width):
    X, s = rows()
    with pytest.raises(ValueError, match="width of PURiskClassifier must be"):
        PURiskClassifier(width=width, **{"prior": 0.5, "scenario": "case-control"} | VARIANTS["basis"]).fit(
            X, s
        )


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["logistic", "sigmoid"])
@pytest.mark.parametrize("l2", [1e-5, 1e-4, 1e-2])
@pytest.mark.parametrize("seed", [1, 3, 7])
def test_scores_neither_explode_nor_collapse_where_the_risk_is_nearly_flat(seed, l2, loss):
    """Newton's last steps meet a singular matrix here, and the sigmoid loss would start where it has no slope."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 1, 0], [150, 240, 360])
    X, s = rng.normal(size=(750, 4)) + np.where(y, 1, -1)[:, None], np.repeat([1, 0], [150, 600])
    model = fitted(X, s, prior=0.4, l2=l2, risk="upu", model="rbf", loss=loss)
    assert np.abs(model.decision_function(X)).max() < 1e6
    assert np.mean(model.predict(X)[150:] == y[150:]) > 0.6
    if loss == "logistic":
        assert (np.diff(model.risk_curve_) <= 0).all()


def test_an_offset_does_not_change_the_width_of_radial_functions():
    X, s = rows()
    near, far = (
        fitted(shifted, s, standardize=False, **VARIANTS["basis"]).basis_.gamma for shifted in (X, X + 1e6)
    )
    assert far == pytest.approx(near, rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_a_network_learns_from_rows_that_are_far_from_0(seed):
    """Sparse rows are not centred; a network that starts far from their centre calls all of them negative."""
    rng = np.random.default_rng(seed)
    y = rng.random(300) < 0.4
    rows = rng.normal(2.0, 1.0, (300, 4)) + 2.0 * y[:, None]
    X = sparse.csr_array(np.maximum(np.round(np.concatenate([rows[y][:60], rows])), 0.0))
    s = np.repeat([1, 0], [X.shape[0] - 300, 300])
    fitted = PURiskClassifier(y.mean(), random_state=seed, scenario="case-control").fit(X, s)
    assert (fitted.predict(X[-300:]) == y).mean() > 0.9
