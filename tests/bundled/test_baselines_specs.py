"""The specs of the baselines and references: what they name, what they share, and how suites use them."""

from __future__ import annotations

import inspect

import numpy as np
import pubench_baselines
import pytest
from helpers.suites import run
from pubench_baselines.unlabeled_as_negative import naive_lr
from sklearn.ensemble import ExtraTreesClassifier, GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from pubench import make
from pubench.errors import PubenchError
from pubench.plugins.imports import resolve
from pubench.reporting import build_report
from pubench.reporting.render.markdown import markdown_report

SPECS = {spec.name: spec for spec in pubench_baselines.pubench_algorithms()}
NAIVE = sorted(name for name in SPECS if SPECS[name].labels == "pu")
REFERENCES = sorted(set(SPECS) - set(NAIVE))
UNCORRECTED = ["brt", "naive", "naive-et", "naive-hgb", "naive-lr", "naive-rf", "standard-gb"]
AT_PRIOR = ["naive-prior", "naive-et-prior", "naive-hgb-prior", "naive-lr-prior", "naive-svc-prior"]
ANY = ["naive", "naive-prior"]


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Small fits by many threads wait for each other."""
    with threadpool_limits(1):
        yield


def make_pu(seed=0, n=60, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    s = np.arange(n) % 3 == 0
    X[s] += 0.8
    return X, s.astype(int)


def spec_named(name):
    return SPECS[name]


def test_these_are_the_baselines_and_references():
    assert sorted([*UNCORRECTED, *AT_PRIOR]) == NAIVE
    assert REFERENCES == ["pn-adaboost", "pn-gbdt", "pn-xgb", "supervised-et", "supervised-lr"]


def test_the_naive_model_and_the_reference_differ_in_labels_alone():
    """Fitted on the same labels, tuned over the same space, they are the same model."""
    naive, reference = spec_named("naive-lr"), spec_named("supervised-lr")
    assert naive.space == reference.space
    assert (naive.labels, reference.labels) == ("pu", "true")
    X, s = make_pu()
    np.testing.assert_array_equal(
        naive_lr(C=0.1, **naive.params).fit(X, s).decision_function(X),
        LogisticRegression(C=0.1, **reference.params).fit(X, s).decision_function(X),
    )


def test_the_specs_name_existing_parameters():
    assert spec_named("naive-lr").estimator == "pubench_baselines.unlabeled_as_negative:naive_lr"
    assert spec_named("supervised-lr").estimator == "sklearn.linear_model:LogisticRegression"
    assert set(spec_named("naive-lr").space) <= set(inspect.signature(naive_lr).parameters)
    assert set(spec_named("supervised-lr").space) <= set(LogisticRegression().get_params())


def made(name, **params):
    """Return an algorithm that has been told what a suite would tell it."""
    given = {"prior": 0.5, "scenario": "single-training-set"} if name in AT_PRIOR else {}
    return make(name, **given, **params)


def learner_parameters(name):
    """Return what an algorithm's factory takes; what it passes on is its learner's."""
    model = make(name)
    return set(model.get_params()) | {key.removeprefix("estimator__") for key in model.get_params()}


@pytest.mark.slow
@pytest.mark.parametrize("name", SPECS)
def test_spaces_and_what_is_received_are_parameters_that_exist(name):
    spec = SPECS[name]
    assert set(spec.space) | set(spec.receives) <= learner_parameters(name)
    for key, param in spec.space.items():
        for end in (param.low, param.high):
            made(name, **{key: end}).fit(*make_pu())


@pytest.mark.parametrize(
    ("name", "learner"),
    [
        ("naive-et", ExtraTreesClassifier(random_state=7)),
        ("supervised-et", ExtraTreesClassifier(random_state=7)),
        ("standard-gb", GradientBoostingClassifier(random_state=7)),
    ],
)
def test_the_papers_baselines_are_scikit_learns_classifiers_with_their_defaults(name, learner):
    X, s = make_pu()
    model = make(name, random_state=7).fit(X, s)
    np.testing.assert_array_equal(model.predict_proba(X), learner.fit(X, s).predict_proba(X))


def test_extra_trees_differ_in_labels_alone():
    naive, reference = SPECS["naive-et"], SPECS["supervised-et"]
    assert (naive.space, naive.accepts) == (reference.space, reference.accepts)


@pytest.mark.slow
@pytest.mark.parametrize("name", SPECS)
def test_what_a_spec_accepts_its_learner_takes(name):
    from scipy.sparse import csr_array

    X, s = make_pu()
    model = made(name)
    if name in ANY:
        pytest.skip("whatever its classifier takes")
    if "sparse" in SPECS[name].accepts:
        model.fit(csr_array(X), s).predict(csr_array(X))
    X[0, 0] = np.nan
    if "missing" in SPECS[name].accepts:
        model.fit(X, s).predict(X)
    else:
        with pytest.raises(ValueError, match="NaN"):
            model.fit(X, s).predict(X)


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        ("SVC", r"^classifier 'SVC' must look like 'package.module:Class', for example 'sklearn.svm:SVC'$"),
        (3, r"^classifier 3 must look like"),
        ("sklearn.svm:SVD", r"^classifier 'sklearn.svm:SVD' cannot be imported: .*check its spelling"),
        ("no.such:Class", r"^classifier 'no.such:Class' cannot be imported: No module named 'no'; check"),
        (
            "sklearn.svm:SVR",
            r"^classifier 'sklearn.svm:SVR' is not a scikit-learn classifier class; name one$",
        ),
        ("os:system", r"^classifier 'os:system' is not a scikit-learn classifier class"),
        ("sklearn.base:clone", r"is not a scikit-learn classifier class"),
    ],
)
@pytest.mark.parametrize("name", ["naive", "pn-gbdt"])
def test_a_classifier_that_is_none_is_refused_in_one_sentence(name, reference, told):
    with pytest.raises(PubenchError, match=told):
        make(name, classifier=reference)


def test_a_suite_names_any_classifier(tmp_path):
    svm = {"use": "naive", "name": "svm", "params": {"classifier": "sklearn.svm:SVC", "C": 2.0}}
    wrong = {"use": "naive", "name": "wrong", "params": {"classifier": "sklearn.svm:SVR"}}
    results = run(tmp_path, algorithms=[svm, {"use": "naive"}, wrong])
    rows = {row["algorithm"]: row for row in results.rows}
    assert {name: row["status"] for name, row in rows.items()} == {
        "svm": "ok",
        "naive": "ok",
        "wrong": "failed",
    }
    assert rows["wrong"]["error"].startswith(
        "classifier 'sklearn.svm:SVR' is not a scikit-learn classifier class"
    )


@pytest.mark.slow
def test_all_run_in_both_scenarios_and_references_are_marked(tmp_path):
    labellings = [
        {"scenario": "case-control", "positives": 10},
        {"scenario": "single-training-set", "frequency": 0.5},
    ]
    algorithms = [{"use": name} for name in SPECS]
    results = run(tmp_path, algorithms=algorithms, labellings=labellings, prior={"source": "true"})
    assert results.counts == {"ok": 2 * len(SPECS)}
    assert {row["algorithm"] for row in results.rows if row["reference"]} == set(REFERENCES)
    told = markdown_report(build_report(results.rows, "toy", {"accuracy": True}))
    header = next(line for line in told.splitlines() if line.startswith("| data set"))
    assert [name for name in SPECS if f"| {name} † |" in header] == [n for n in SPECS if n in REFERENCES]


def test_factories_exist():
    for spec in SPECS.values():
        assert callable(resolve(spec.estimator))
