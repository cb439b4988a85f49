"""The specs of PU bagging and the classics: what they name, and how suites use them."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings

import numpy as np
import pubench_bagging
import pubench_classics
import pytest
from helpers.suites import run
from pubench_bagging.bagging import PUBagging
from pubench_baselines.unlabeled_as_negative import UnlabeledAsNegative
from pubench_classics.elkan_noto import ElkanNoto, WeightedElkanNoto
from pubench_classics.two_step import TwoStepRocchio, TwoStepSpies
from scipy.sparse import csr_array
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM
from threadpoolctl import threadpool_limits

from pubench import make
from pubench.errors import PubenchError
from pubench.specs import Choice

BAGGING = {spec.name: spec for spec in pubench_bagging.pubench_algorithms()}
CLASSICS = {spec.name: spec for spec in pubench_classics.pubench_algorithms()}
SPECS = {**BAGGING, **CLASSICS}
FEW = {name: {"n_estimators": 3} for name in BAGGING}
STATED = {"scenario": "case-control", "prior": 0.5}
FEW |= {name: {key: STATED[key] for key in spec.receives if key in STATED} for name, spec in CLASSICS.items()}

pytestmark = pytest.mark.filterwarnings("ignore:.*are in every bag", "ignore:none of the")


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Small fits by many threads wait for each other."""
    with threadpool_limits(1):
        yield


def make_pu(seed=0, n=90, d=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2 == 0
    X = rng.normal(np.where(y[:, None], 1.0, -1.0), size=(n, d))
    return X, (y & (np.arange(n) % 3 == 0)).astype(int)


def test_these_are_the_algorithms():
    bags = [f"pu-bagging-{kind}" for kind in ("et", "lr", "svm", "tree")]
    assert sorted(BAGGING) == ["pu-bagging", *bags, "rf-down"]
    assert sorted(CLASSICS) == [
        "elkan-noto",
        "elkan-noto-weighted",
        "one-class-svm",
        "pu-nb",
        "s-em",
        "two-step-rocchio",
        "two-step-spies",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", SPECS)
def test_spaces_and_what_is_received_are_parameters_that_exist(name):
    spec = SPECS[name]
    assert set(spec.space) | set(spec.receives) <= set(make(name).get_params())
    assert spec.paper
    assert spec.summary
    for key, param in spec.space.items():
        for value in param.values if isinstance(param, Choice) else (param.low, param.high):
            model = make(name, **FEW[name], **{key: value}).fit(*make_pu())
            assert np.isfinite(model.decision_function(make_pu()[0])).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", SPECS)
def test_what_a_spec_accepts_its_estimator_takes(name):
    X, s = make_pu()
    if "sparse" in SPECS[name].accepts:
        rows = csr_array(np.abs(X))
        rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
        model = make(name, **FEW[name]).fit(rows, s)
        assert np.isfinite(model.decision_function(rows)).all()
    X[0, 0] = np.nan
    model = make(name, **FEW[name])
    if "missing" in SPECS[name].accepts:
        assert np.isfinite(model.fit(X, s).decision_function(X)).all()
    else:
        with pytest.raises(ValueError, match="NaN"):
            model.fit(X, s)


def test_presets_are_the_papers():
    assert type(make("pu-bagging-svm").estimator).__name__ == "SVC"
    # Paper 003: bags as large as the data.
    assert make("pu-bagging-et").max_samples == 1.0


@pytest.mark.parametrize("name", ["pu-bagging", "elkan-noto", "two-step-rocchio", "two-step-spies"])
def test_any_classifier_can_take_the_place_of_the_default(name):
    model = make(name, classifier="sklearn.ensemble:RandomForestClassifier", estimator__n_estimators=5)
    assert model.estimator.n_estimators == 5
    assert model.set_params(**FEW[name]).fit(*make_pu()).predict(make_pu()[0]).shape == (90,)


@pytest.mark.parametrize("name", ["pu-bagging", "elkan-noto", "elkan-noto-weighted", "two-step-spies"])
@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"max_depth": 3}, r"^\w+ over \w+ has no parameter 'max_depth'; (did you mean 'est|known: )"),
        ({"random_sate": 3}, r"^\w+ over \w+ has no parameter 'random_sate'; did you mean 'random_state'\?"),
        (
            {"classifier": "sklearn.svm:SVR"},
            r"^classifier 'sklearn.svm:SVR' is not a scikit-learn classifier",
        ),
    ],
)
def test_wrong_parameters_are_one_sentence(name, params, told):
    with pytest.raises(PubenchError, match=told) as caught:
        make(name, **params)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_all_run_in_both_scenarios(tmp_path):
    labellings = [
        {"scenario": "case-control", "positives": 10},
        {"scenario": "single-training-set", "frequency": 0.5},
    ]
    algorithms = [{"use": name, "params": FEW[name] if name in BAGGING else {}} for name in SPECS]
    results = run(tmp_path, algorithms=algorithms, labellings=labellings, prior={"source": "true"})
    assert [row["error"] for row in results.rows if row["status"] != "ok"] == []
    assert results.counts == {"ok": 2 * len(SPECS)}


@pytest.mark.parametrize("package", ["pubench_bagging", "pubench_classics"])
def test_importing_the_plugins_does_not_import_scikit_learn(package):
    code = f"import sys, {package} as p; p.pubench_algorithms(); sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


LEARNING = [
    PUBagging,
    ElkanNoto,
    WeightedElkanNoto,
    TwoStepRocchio,
    TwoStepSpies,
    UnlabeledAsNegative,
]


@pytest.mark.parametrize("model", LEARNING)
@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (IsolationForest(), "IsolationForest is of the kind 'outlier detector'"),
        (OneClassSVM(), "OneClassSVM is of the kind 'outlier detector'"),
        (make_pipeline(StandardScaler(), OneClassSVM()), "Pipeline is of the kind 'outlier detector'"),
        (LinearRegression(), "LinearRegression is of the kind 'regressor'"),
        ("logistic", "must be a scikit-learn classifier, such as LogisticRegression(); got 'logistic'"),
        (LogisticRegression, "must be a scikit-learn classifier, such as LogisticRegression(); got <class"),
    ],
)
def test_what_is_no_classifier_is_refused_in_one_sentence(model, learner, message):
    X, s = np.random.default_rng(0).standard_normal((40, 2)), np.arange(40) % 2
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        model(learner).fit(X, s)
    assert str(caught.value).startswith(f"estimator of {model.__name__} must be a")


@pytest.mark.parametrize("model", [ElkanNoto, WeightedElkanNoto])
def test_a_label_frequency_below_the_share_of_labelled_rows_is_warned_of(model):
    X, s = np.random.default_rng(0).standard_normal((40, 2)), np.arange(40) % 2
    with pytest.warns(UserWarning, match=r"c = 0.4 is below 0.5, the share of labelled rows"):
        model(c=0.4, scenario="single-training-set", random_state=0).fit(X, s)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model(c=0.4, scenario="case-control", random_state=0).fit(X, s)
        model(c=0.5, scenario="single-training-set", random_state=0).fit(X, s)
