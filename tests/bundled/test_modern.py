"""Laws of recent methods, the estimators: scikit-learn's checks, limiting cases, seeds, and what they learn."""

from __future__ import annotations

import pickle
import subprocess
import sys
from contextlib import nullcontext

import numpy as np
import pubench_modern
import pytest
from helpers.marks import slow
from pubench_modern.cvir import CVIR
from pubench_modern.dist_pu import DistPU
from pubench_modern.nonnegative import ImbalancedNNPU, SelectionBiasPU
from pubench_modern.objectives import CrossEntropy, DistributionAlignment, Variational
from pubench_modern.robust_pu import RobustPU
from pubench_modern.self_pu import SelfPU
from pubench_modern.vpu import VPU
from pubench_risk.classifier import PURiskClassifier
from pubench_risk.perceptron import Perceptron
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

import pubench
from pubench.specs import SCENARIOS

CC, STS = SCENARIOS
SPECS = {spec.name: spec for spec in pubench_modern.pubench_algorithms()}
NAMES = ["vpu", "dist-pu", "cvir", "cvir-ted", "pusb", "imbalanced-nnpu", "robust-pu", "self-pu"]


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Small fits by many threads wait for each other."""
    with threadpool_limits(1):
        yield


def make_pu(seed=0, n=400, d=4, gap=1.2):
    """A quarter of the rows labelled; of the others half like them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[: 5 * n // 8, 0] += gap
    return X, (np.arange(n) < n // 4).astype(int)


def made(name, scenario=CC, prior=0.5, **params):
    """Return a method that was told the prior if it takes one."""
    model = pubench.make(name, scenario=scenario, random_state=0, **params)
    return model.set_params(prior=prior) if "prior" in SPECS[name].receives else model


def recorded_steps(monkeypatch):
    """Return a list that will hold the rows of every step."""
    plain, steps = Perceptron.step, []
    monkeypatch.setattr(Perceptron, "step", lambda self, X, slopes: (steps.append(X), plain(self, X, slopes)))
    return steps


def test_these_are_the_algorithms():
    assert list(SPECS) == NAMES
    assert all(spec.paper and spec.summary for spec in SPECS.values())


@parametrize_with_checks([CVIR(0.5, scenario=CC, epochs=12)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        VPU(scenario=STS, epochs=20),
        VPU(0.5, scenario=CC, cut="prior", epochs=20),
        DistPU(0.5, scenario=CC, mixup=1.0, entropy=0.1, mixup_start=5, epochs=20),
        CVIR("ted", scenario=STS, epochs=20),
        SelectionBiasPU(0.5, scenario=CC, epochs=20),
        ImbalancedNNPU(0.5, scenario=CC, epochs=20),
        RobustPU(0.5, scenario=CC, epochs=40),
        SelfPU(0.5, scenario=CC, epochs=30),
    ]
)
def test_scikit_learns_checks_of_the_others(estimator, check):
    check(estimator)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("name", NAMES)
def test_it_learns_what_no_label_says(name, scenario):
    """The unlabelled rows that look like labelled ones are found, and the others are not."""
    X, s = make_pu(gap=5.0)
    prior = 0.5 if scenario == CC else 5 / 8
    model = made(name, scenario, prior).fit(X, s)
    found = model.predict(X)
    assert found[100:250].mean() > 0.85
    assert found[250:].mean() < 0.15


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize(
    "limit",
    [
        lambda scenario: ImbalancedNNPU(0.4, scenario=scenario, balance=0.4, epochs=8, random_state=0),
        lambda scenario: SelectionBiasPU(0.4, scenario=scenario, epochs=8, random_state=0),
        lambda scenario: SelfPU(
            0.4, scenario=scenario, trusted=0.0, consistency=0.0, warm_up=0, epochs=8, random_state=0
        ),
        lambda scenario: RobustPU(0.4, scenario=scenario, warm_up=8, epochs=8, random_state=0),
    ],
    ids=["balance is the prior", "before the cut", "nothing is trusted", "warm-up only"],
)
def test_limiting_cases_are_nnpu(limit, scenario):
    X, s = make_pu()
    model = limit(scenario).fit(X, s)
    fixed = {name: getattr(model, name) for name in ("loss", "l2", "learning_rate")}
    nnpu = PURiskClassifier(0.4, scenario=scenario, epochs=8, random_state=0, **fixed).fit(X, s)
    np.testing.assert_allclose(
        model.decision_function(X) + model.cut_, nnpu.decision_function(X), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("prior", [0.2, 0.6])
@pytest.mark.parametrize("name", ["pusb", *slow("vpu")])
def test_the_prior_cut_calls_as_many_rows_positive_as_the_prior_says(name, prior, scenario):
    X, s = make_pu()
    options = {"cut": "prior"} if name == "vpu" else {}
    with pytest.warns(UserWarning, match="below 0.25") if (prior, scenario) == (0.2, STS) else nullcontext():
        model = made(name, scenario, prior, epochs=5, **options).fit(X, s)
    population = X[s == 0] if scenario == CC else X
    assert model.predict(population).mean() == pytest.approx(prior, abs=2 / len(population))


def test_balancing_finds_rare_positives():
    X, s = make_pu(n=800)
    X, s = X[np.r_[:40, 480:800]], s[np.r_[:40, 480:800]]  # 40 labelled; of U 20 are positive
    more, fewer = (
        ImbalancedNNPU(20 / 320, scenario=CC, balance=balance, epochs=30, random_state=0).fit(X, s).predict(X)
        for balance in (0.5, 20 / 320)
    )
    assert more[40:60].mean() > fewer[40:60].mean()


def test_vpu_goes_back_to_the_least_loss_of_held_out_rows():
    X, s = make_pu(n=200, d=20)
    model = VPU(scenario=CC, mixup=0.0, l2=0.0, epochs=60, learning_rate=0.01, random_state=0).fit(X, s)
    curve = model.validation_curve_
    assert len(curve) == 60
    assert curve.min() < curve[-1] - 0.05
    stopped = VPU(
        scenario=CC,
        mixup=0.0,
        l2=0.0,
        epochs=int(curve.argmin()) + 1,
        learning_rate=0.01,
        random_state=0,
    ).fit(X, s)
    np.testing.assert_allclose(stopped.decision_function(X), model.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize(("name", "objective"), [("vpu", Variational), ("dist-pu", DistributionAlignment)])
def test_means_over_u_are_over_the_population(name, objective, scenario, monkeypatch):
    """In a single training set U alone has too few positives: P counts twice, once as itself and once with U."""
    X, s = make_pu()
    plain, counts = objective.__call__, []

    def counted(self, scores, n_p):
        counts.append(len(scores) - n_p)
        return plain(self, scores, n_p)

    monkeypatch.setattr(objective, "__call__", counted)
    made(name, scenario, epochs=1).fit(X, s)
    assert sum(counts) == (len(s) if scenario == STS else (s == 0).sum())


def test_vpu_needs_no_prior_and_does_not_estimate_one():
    X, s = make_pu()
    model = VPU(scenario=CC, epochs=3, random_state=0).fit(X, s)
    assert not hasattr(model, "prior_")


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_loop_of_cvir_estimates_the_prior_where_a_region_is_pure(scenario):
    rng = np.random.default_rng(0)
    y = np.arange(1500) < 600
    X = rng.normal(size=(1500, 3))
    X[y, 0] += 4.0
    s = np.arange(1500) < 240
    if scenario == CC:
        X, s = np.concatenate([X[s], X]), np.repeat([1, 0], [240, 1500])
    model = CVIR("ted", scenario=scenario, random_state=0).fit(X, s)
    assert model.prior_ == pytest.approx(0.4, abs=0.06)
    assert len(model.prior_curve_) == model.n_iter_ == 60


def test_the_loop_of_cvir_estimates_the_prior_by_rows_that_no_step_sees(monkeypatch):
    """Scores of fitted rows separate P from U too well: the prior would be too small."""
    steps, looked_at = recorded_steps(monkeypatch), []
    plain = CVIR._share
    monkeypatch.setattr(
        CVIR, "_share", lambda self, model, held: (looked_at.append(held.X), plain(model, held))[1]
    )
    X, s = make_pu()
    CVIR("ted", scenario=CC, epochs=12, random_state=0).fit(X, s)
    held, fitted = ({tuple(row) for part in parts for row in part} for parts in (looked_at, steps))
    assert len(held) == pytest.approx(0.3 * len(s), abs=2)
    assert not held & fitted


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_cvir_weights_both_sides_alike_in_the_warm_up_and_by_the_prior_after_it(scenario, monkeypatch):
    used, plain = [], CrossEntropy.__call__

    def recorded(self, scores, n_p):
        used.append((self.positive, self.negative))
        return plain(self, scores, n_p)

    monkeypatch.setattr(CrossEntropy, "__call__", recorded)
    X, s = make_pu()
    CVIR(0.4, scenario=scenario, warm_up=1, epochs=3, batch_size=1000, random_state=0).fit(X, s)
    assert used == [(0.5, 0.5), (0.4, 0.6), (0.4, 0.6)]


def test_mixing_and_entropy_start_late_and_change_the_fit():
    X, s = make_pu()
    plain = DistPU(0.5, scenario=CC, epochs=6, random_state=0).fit(X, s).decision_function(X)
    later = DistPU(0.5, scenario=CC, epochs=6, mixup=1.0, mixup_start=6, random_state=0).fit(X, s)
    np.testing.assert_array_equal(later.decision_function(X), plain)
    for options in ({"mixup": 1.0}, {"entropy": 1.0}):
        other = DistPU(0.5, scenario=CC, epochs=6, mixup_start=3, random_state=0, **options).fit(X, s)
        assert np.abs(other.decision_function(X) - plain).max() > 1e-3
    sharp = DistPU(0.5, scenario=CC, epochs=30, mixup_start=0, entropy=0.5, random_state=0).fit(X, s)
    dull = DistPU(0.5, scenario=CC, epochs=30, random_state=0).fit(X, s)
    sizes = [np.abs(model.decision_function(X[s == 0])).mean() for model in (sharp, dull)]
    assert sizes[0] > sizes[1]


def test_rows_of_u_are_mixed_with_rows_of_u_only(monkeypatch):
    """With P in the mixtures, their share of positives would not be the prior."""
    X, s = make_pu()
    X[:, 1] = np.where(s == 1, 9.0, np.random.default_rng(0).uniform(-1.0, 1.0, size=len(s)))
    steps = recorded_steps(monkeypatch)
    DistPU(0.5, scenario=CC, mixup=1.0, mixup_start=0, epochs=2, standardize=False, random_state=0).fit(X, s)
    for step in steps:
        of_p = step[:, 1] == 9.0
        n_p = int(of_p.sum())
        mixed = step[n_p + (len(step) - n_p) // 2 :]
        assert of_p[:n_p].all()
        assert np.abs(mixed[:, 1]).max() <= 1.0


def test_the_loss_curve_holds_every_term_that_is_lowered():
    """With one batch the first entry is the loss at the start, which is the same for all weights of the entropy."""
    X, s = make_pu()
    options = {"scenario": CC, "epochs": 1, "mixup_start": 0, "batch_size": 1000, "random_state": 0}
    without, half, full = (
        DistPU(0.5, mixup=1.0, entropy=entropy, **options).fit(X, s).loss_curve_[0]
        for entropy in (0.0, 0.5, 1.0)
    )
    assert full - without == pytest.approx(2.0 * (half - without))
    assert 0.3 < full - without <= np.log(2.0)


@pytest.mark.parametrize("name", ["vpu", "dist-pu", *slow(*NAMES[2:])])
def test_seeds_pickles_and_sparse_rows(name):
    X, s = make_pu()
    X = X * (np.random.default_rng(0).random(X.shape) < 0.6)
    options = {"epochs": 4, "standardize": False}
    options |= {"mixup": 1.0, "mixup_start": 2} if name == "dist-pu" else {}
    model = made(name, **options)
    first = clone(model).fit(X, s)
    np.testing.assert_array_equal(clone(model).fit(X, s).decision_function(X), first.decision_function(X))
    assert (
        clone(model).set_params(random_state=1).fit(X, s).decision_function(X) != first.decision_function(X)
    ).any()
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(first)).decision_function(X), first.decision_function(X)
    )
    thin = clone(model).fit(sparse.csr_array(X), s)
    np.testing.assert_allclose(
        thin.decision_function(sparse.csr_array(X)), first.decision_function(X), atol=5e-3
    )
    probability = first.predict_proba(X)
    np.testing.assert_array_equal(probability[:, 1] >= 0.5, first.predict(X) == 1)


@pytest.mark.parametrize("name", NAMES)
def test_spaces_are_parameters_that_fit_at_their_ends(name):
    X, s = make_pu(n=120)
    for end in ("low", "high"):
        setting = {key: getattr(param, end) for key, param in SPECS[name].space.items()}
        fitted = made(name, epochs=3, **setting).fit(X, s)
        assert np.isfinite(fitted.decision_function(X)).all()


def test_training_that_overflows_is_one_sentence():
    X, s = make_pu(n=120)
    with pytest.raises(ValueError, match="training overflowed; lower learning_rate = 1e\\+30"):
        CVIR(0.5, scenario=CC, learning_rate=1e30, random_state=0).fit(X, s)


def test_without_a_scenario_nothing_is_fitted():
    X, s = make_pu(n=120)
    with pytest.raises(ValueError, match="scenario"):
        VPU().fit(X, s)


def test_importing_the_plugin_does_not_import_scikit_learn():
    code = "import sys, pubench_modern as p; p.pubench_algorithms(); sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.torch
@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("name", NAMES)
def test_pytorch_trains_them_as_numpy_does(name, scenario):
    """Initial weights and batches differ; what is learned of rows that the fit has not seen is the same."""
    pytest.importorskip("torch")
    (X, s), (new, _) = make_pu(n=800, gap=2.0), make_pu(seed=1, n=800, gap=2.0)
    prior = 0.5 if scenario == CC else 5 / 8
    models = [made(name, scenario, prior, engine=engine).fit(X, s) for engine in ("numpy", "torch")]
    scores, decisions = ([getattr(m, f)(new) for m in models] for f in ("decision_function", "predict"))
    assert (decisions[0] == decisions[1]).mean() > 0.9
    ours, theirs = (roc_auc_score(np.arange(800) < 500, one) for one in scores)
    assert theirs == pytest.approx(ours, abs=0.03)
