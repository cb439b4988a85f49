"""Laws of uPU and nnPU, the estimator."""

from __future__ import annotations

import pickle

import numpy as np
import pubench_risk
import pytest
from helpers.marks import slow
from pubench_risk.classifier import PURiskClassifier
from pubench_risk.recipe import Recipe
from pubench_risk.training import Model
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import pubench
from pubench.base import held_rows
from pubench.risk import pu_risk
from pubench.specs import SCENARIOS

CC, STS = SCENARIOS
# Those of PyTorch have tests of their own.
SPECS = [spec for spec in pubench_risk.pubench_algorithms() if "torch" not in spec.estimator]
MODELS = ("linear", "rbf", "mlp")


def make_pu(seed=0, n=400, d=4, gap=1.2):
    """A quarter of the rows labelled; of the others half like them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[: 5 * n // 8, 0] += gap
    return X, (np.arange(n) < n // 4).astype(int)


@parametrize_with_checks([PURiskClassifier(epochs=10, prior=0.5, scenario="case-control")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        PURiskClassifier(
            0.4,
            scenario=STS,
            loss="logistic",
            batch_norm=True,
            dropout=0.2,
            early_stopping=True,
            epochs=20,
            learning_rate=0.01,
        ),
        PURiskClassifier(risk="upu", model="linear", loss="quadratic", prior=0.5, scenario="case-control"),
        PURiskClassifier(
            risk="upu", model="rbf", loss="logistic", n_centers=20, prior=0.5, scenario="case-control"
        ),
        *(pubench.make(name, prior=0.5, scenario="case-control") for name in ("nnpu-rbf", "pu-ffnn")),
    ]
)
def test_scikit_learns_checks_of_variants(estimator, check):
    check(estimator)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("risk", [*slow("upu"), "nnpu"])
def test_it_learns_what_no_label_says(risk, model, scenario):
    """The unlabelled rows that look like labelled ones are found, and the others are not."""
    X, s = make_pu(gap=5.0)
    prior = 0.5 if scenario == CC else 5 / 8
    options = {"learning_rate": 0.01, "l2": 0.01, "epochs": 200, "random_state": 0}
    fitted = PURiskClassifier(prior, scenario=scenario, risk=risk, model=model, **options).fit(X, s)
    found = fitted.predict(X)
    assert found[100:250].mean() > 0.9
    assert found[250:].mean() < 0.1


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_nnpu_equals_upu_while_no_correction_fires(model, scenario):
    """With a beta that the estimated risk on negatives never falls below: the same bits."""
    X, s = make_pu()
    options = {"model": model, "scenario": scenario, "solver": "adam", "epochs": 20, "random_state": 0}
    upu = PURiskClassifier(risk="upu", **{"prior": 0.5, "scenario": "case-control"} | options).fit(X, s)
    never = PURiskClassifier(
        risk="nnpu", beta=100.0, **{"prior": 0.5, "scenario": "case-control"} | options
    ).fit(X, s)
    assert not never.correction_curve_.any()
    np.testing.assert_array_equal(never.decision_function(X), upu.decision_function(X))


def test_the_correction_keeps_the_risk_on_negatives_from_falling():
    X, s = make_pu(n=120, d=10)
    options = {"epochs": 300, "l2": 1e-6, "learning_rate": 0.01, "loss": "logistic", "random_state": 0}
    risks = {}
    for risk in ("upu", "nnpu"):
        model = PURiskClassifier(risk=risk, **{"prior": 0.5, "scenario": "case-control"} | options).fit(X, s)
        assert model.correction_curve_.any() == (risk == "nnpu")
        scores = model.decision_function(X)
        risks[risk] = pu_risk(scores, s, prior=0.5, scenario=CC, loss="logistic")
    assert risks["upu"] < -2
    assert risks["nnpu"] > -0.5


@pytest.mark.parametrize("loss", ["quadratic", "logistic", *slow("double-hinge", "sigmoid")])
@pytest.mark.parametrize("model", ["linear", *slow("rbf")])
def test_steps_lead_towards_the_exact_solution(model, loss):
    X, s = make_pu()
    exact, adam = (
        PURiskClassifier(
            risk="upu",
            model=model,
            loss=loss,
            solver=solver,
            l2=0.1,
            n_centers=30,
            epochs=1500,
            learning_rate=0.01,
            batch_size=400,
            random_state=0,
            prior=0.5,
            scenario="case-control",
        ).fit(X, s)
        for solver in ("exact", "adam")
    )
    np.testing.assert_allclose(adam.decision_function(X), exact.decision_function(X), atol=0.05)


def test_curves_are_kept():
    X, s = make_pu()
    model = PURiskClassifier(epochs=40, random_state=0, prior=0.5, scenario="case-control").fit(X, s)
    assert model.n_iter_ == len(model.risk_curve_) == len(model.correction_curve_) == 40
    assert len(model.validation_curve_) == 0
    assert model.risk_curve_[-5:].mean() < model.risk_curve_[:5].mean()
    newton = PURiskClassifier(
        risk="upu", model="rbf", loss="logistic", prior=0.5, scenario="case-control"
    ).fit(X, s)
    assert (np.diff(newton.risk_curve_) <= 1e-12).all()
    assert newton.n_iter_ == len(newton.risk_curve_) > 2


def test_early_stopping_goes_back_to_the_least_risk_of_rows_it_did_not_fit():
    X, s = make_pu()
    model = PURiskClassifier(
        0.5,
        early_stopping=True,
        epochs=500,
        n_iter_no_change=7,
        learning_rate=0.02,
        random_state=3,
        scenario="case-control",
    ).fit(X, s)
    risks = model.validation_curve_
    assert len(risks) == model.n_iter_ == np.argmin(risks) + 8 < 500
    rng = np.random.default_rng(np.random.RandomState(3).randint(2**31 - 1))
    held = held_rows(s, 0.2, int(rng.integers(2**31)))
    assert (held[s == 1].sum(), held[s == 0].sum()) == (20, 60)
    risk = pu_risk(model.decision_function(X[held]), s[held], prior=0.5, scenario=CC, loss="sigmoid")
    assert risk == pytest.approx(risks.min(), abs=1e-5)


@pytest.mark.parametrize("model", MODELS)
def test_seeds_say_it_all(model):
    X, s = make_pu()
    one, same, other = (
        PURiskClassifier(
            model=model, epochs=5, dropout=0.2, random_state=seed, prior=0.5, scenario="case-control"
        )
        .fit(X, s)
        .decision_function(X)
        for seed in (1, np.random.RandomState(1), 2)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


def test_exact_linear_models_draw_nothing():
    X, s = make_pu()
    first, second = (
        PURiskClassifier(
            risk="upu", model="linear", loss="logistic", random_state=seed, prior=0.5, scenario="case-control"
        )
        .fit(X, s)
        .coef_
        for seed in (1, 2)
    )
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("solver", ["exact", "adam"])
def test_sparse_rows_give_the_same_model(model, solver):
    if (model, solver) == ("mlp", "exact"):
        pytest.skip("perceptrons have no exact solver")
    X, s = make_pu()
    X = X * (np.random.default_rng(0).random(X.shape) < 0.6)
    options = {
        "risk": "upu",
        "model": model,
        "solver": solver,
        "loss": "logistic",
        "epochs": 5,
        "random_state": 0,
    }
    dense = PURiskClassifier(**{"prior": 0.5, "scenario": "case-control"} | options, standardize=False).fit(
        X, s
    )
    for kind in (sparse.csr_array, sparse.csc_matrix):
        other = PURiskClassifier(
            **{"prior": 0.5, "scenario": "case-control"} | options, standardize=False
        ).fit(kind(X), s)
        np.testing.assert_allclose(
            other.decision_function(kind(X)), dense.decision_function(X), rtol=2e-3, atol=2e-3
        )


@pytest.mark.parametrize("name", ["upu", "upu-linear", "nnpu", "nnpu-linear", "nnpu-rbf"])
def test_dense_and_sparse_rows_far_from_zero_get_the_same_scores(name):
    X, s = make_pu()
    X = X + 3.0
    for fitted in (X, sparse.csr_array(X)):
        model = pubench.make(name, prior=0.5, scenario="case-control", random_state=0).fit(fitted, s)
        np.testing.assert_allclose(
            model.decision_function(sparse.csr_array(X)), model.decision_function(X), atol=1e-9
        )
    if name == "upu-linear":  # the free bias makes up for a mean that is not taken away
        np.testing.assert_allclose(
            model.decision_function(X),
            pubench.make(name, prior=0.5, scenario="case-control").fit(X, s).decision_function(X),
            atol=1e-9,
        )


def test_a_fit_of_another_kind_leaves_nothing_behind():
    X, s = make_pu()
    model = PURiskClassifier(epochs=2, prior=0.5, scenario="case-control").fit(X, s)
    model.set_params(model="linear", risk="upu", loss="quadratic").fit(X, s)
    assert not {"network_", "correction_curve_", "validation_curve_"} & set(vars(model))


def test_standardising_makes_units_irrelevant():
    X, s = make_pu()
    units = np.array([1e-6, 1.0, 1e3, 1e6])
    for options in ({"risk": "upu", "loss": "quadratic", "epochs": 5}, {"epochs": 20}):
        for model in MODELS:
            one, other = (
                PURiskClassifier(
                    model=model, random_state=0, **{"prior": 0.5, "scenario": "case-control"} | options
                )
                .fit(rows, s)
                .decision_function(rows)
                for rows in (X, X * units)
            )
            np.testing.assert_allclose(other, one, atol=1e-4)


def test_linear_coefficients_are_in_the_units_of_the_rows():
    X, s = make_pu()
    X = X * [1e-6, 1.0, 1e3, 1e6] + [1.0, 2.0, 0.0, 5.0]
    model = PURiskClassifier(
        risk="upu", model="linear", loss="quadratic", prior=0.5, scenario="case-control"
    ).fit(X, s)
    np.testing.assert_array_equal(model.decision_function(X), X @ model.coef_[0] + model.intercept_[0])
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    same = PURiskClassifier(
        risk="upu", model="linear", loss="quadratic", standardize=False, prior=0.5, scenario="case-control"
    ).fit(Z, s)
    np.testing.assert_allclose(same.decision_function(Z), model.decision_function(X), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_probabilities_are_those_of_the_population(scenario):
    """Of the logistic and the squared loss; in the mean they come to the prior."""
    X, s = make_pu(n=4000)
    for loss in ("logistic", "quadratic"):
        model = PURiskClassifier(0.4, scenario=scenario, risk="upu", model="linear", loss=loss).fit(X, s)
        probability = model.predict_proba(X)
        np.testing.assert_allclose(probability.sum(axis=1), 1)
        assert probability.min() >= 0
        np.testing.assert_array_equal(model.predict(X), probability[:, 1] >= 0.5)
        population = s == 0 if scenario == CC else s >= 0
        assert probability[population, 1].mean() == pytest.approx(0.4, abs=0.02)
        if loss == "logistic":
            np.testing.assert_allclose(probability[:, 1], expit(model.decision_function(X)))
    assert not hasattr(PURiskClassifier(loss="sigmoid", prior=0.5, scenario="case-control"), "predict_proba")


def test_a_pickle_has_the_same_bits():
    X, s = make_pu()
    for options in ({}, {"model": "rbf"}, {"risk": "upu", "model": "linear"}):
        model = PURiskClassifier(**{"prior": 0.5, "scenario": "case-control"} | options, epochs=3).fit(X, s)
        copy = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))


def test_any_model_behind_the_seam_can_be_trained(monkeypatch):
    """What the loop asks of a model is five methods: here a table of means takes the steps."""

    class Constant:
        def __init__(self, *_):
            self.value = 0.0

        def step(self, X, slopes):
            self.value -= 0.5 * float(slopes(self.scores(X)).sum())

        def scores(self, X):
            return np.full(X.shape[0], self.value)

        def state(self):
            return self.value

        def restore(self, state):
            self.value = state

        def trained(self):
            return self

    made: list[Model] = []
    monkeypatch.setattr("pubench_risk.engines.Perceptron", lambda *args: made.append(Constant()) or made[-1])
    X, s = make_pu()
    params = PURiskClassifier(
        0.3, risk="upu", loss="quadratic", early_stopping=True, scenario="case-control"
    ).get_params()
    Recipe.of(params).trained(X.astype(np.float32), s.astype(np.uint8), np.random.default_rng(0))
    assert made[0].value == pytest.approx(
        2 * 0.3 - 1, abs=1e-6
    )  # the constant that minimises the squared risk


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_specs_name_an_estimator_that_fits_with_any_setting(spec):
    X, s = make_pu(n=120)
    model = pubench.make(spec.name, prior=0.5, scenario="case-control", random_state=0)
    assert {name: model.get_params()[name] for name in spec.params} == dict(spec.params)
    if "epochs" in model.get_params():
        model.set_params(epochs=3)
    assert spec.needs == ("prior",)
    for end in ("low", "high"):
        setting = {name: getattr(param, end) for name, param in spec.space.items()}
        fitted = clone(model).set_params(**setting).fit(X, s)
        assert np.isfinite(fitted.decision_function(X)).all()


def test_parameters_are_averaged_over_the_last_epochs():
    """Three epochs with a mean of three are the mean of one, two and three epochs; more forget the oldest."""
    X, s = make_pu()
    options = {"batch_norm": True, "random_state": 0}

    def after(epochs, average_epochs=1):
        network = (
            PURiskClassifier(
                epochs=epochs,
                average_epochs=average_epochs,
                **{"prior": 0.5, "scenario": "case-control"} | options,
            )
            .fit(X, s)
            .network_
        )
        return np.concatenate([network.theta, network.statistics.ravel()])

    states = [after(epochs) for epochs in (1, 2, 3)]
    np.testing.assert_allclose(after(3, 3), np.mean(states, axis=0), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(
        after(3, 2), np.average(states, axis=0, weights=[0.25, 0.25, 0.5]), rtol=1e-4, atol=1e-6
    )
