"""Estimators of other packages as algorithms."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from helpers.suites import run_text
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

import pubench
from pubench.errors import PubenchError
from pubench.estimators.foreign import ForeignClassifier, foreign
from pubench.testing import easy_sample

SUITE = """
name = "beside"
replicates = 2
[[datasets]]
use = "breast-cancer"
[[labellings]]
scenario = "single-training-set"
frequency = 0.5
[prior]
source = "true"
"""
THEIRS = """
import pubench

@pubench.hookimpl
def pubench_algorithms():
    return [
        pubench.wrap("pulearn:BaggingPuClassifier", name="pulearn-bagging", receives=("random_state",)),
        pubench.wrap("pulearn:ElkanotoPuClassifier", name="pulearn-elkanoto", receives=("random_state",),
                     params={"estimator": "sklearn.linear_model:LogisticRegression", "estimator__max_iter": 500},
                     space={"hold_out_ratio": pubench.Float(0.1, 0.3, points=2)}),
        pubench.wrap("pulearn:WeightedElkanotoPuClassifier", name="pulearn-weighted", receives=("random_state",),
                     params={"estimator": "sklearn.linear_model:LogisticRegression"},
                     sizes={"labeled": "n_labelled", "unlabeled": "n_unlabelled"}),
        pubench.wrap("pulearn:NNPUClassifier", name="pulearn-nnpu", receives=("prior", "random_state"),
                     needs=("prior",), params={"max_iter": 100}),
        pubench.wrap("pulearn:PositiveNaiveBayesClassifier", name="pulearn-pnb"),
    ]
"""
NAMES = ["pulearn-bagging", "pulearn-elkanoto", "pulearn-weighted", "pulearn-nnpu", "pulearn-pnb"]


class Odd(BaseEstimator):
    """Wants text labels and its counts, returns one column of probabilities that go above 1."""

    def __init__(self, n_p=0, n_u=0):
        self.n_p, self.n_u = n_p, n_u

    def fit(self, X, y):
        assert (self.n_p, self.n_u) == (np.sum(y == "yes"), np.sum(y == "no"))
        self.direction_ = X[y == "yes"].mean(axis=0) - X[y == "no"].mean(axis=0)

    def predict(self, X):
        return np.where(X @ self.direction_ > 0, "yes", "no")

    def predict_proba(self, X):
        return 2 / (1 + np.exp(-X @ self.direction_))


@parametrize_with_checks([ForeignClassifier(LogisticRegression())])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_a_wrapped_classifier_answers_as_it_does_alone():
    sample = easy_sample("single-training-set")
    alone = LogisticRegression(C=0.3).fit(sample.X, sample.s)
    made = foreign("sklearn.linear_model:LogisticRegression", C=0.3).fit(sample.X, sample.s)
    for method in ("predict", "predict_proba", "decision_function"):
        np.testing.assert_allclose(getattr(made, method)(sample.X), getattr(alone, method)(sample.X))


def test_labels_counts_and_probabilities_are_translated():
    sample = easy_sample("case-control")
    model = ForeignClassifier(Odd(), labels=("no", "yes"), sizes={"n_p": "n_labelled", "n_u": "n_unlabelled"})
    model.fit(sample.X, np.where(sample.s == 1, 1, -1))
    assert set(model.predict(sample.X_test)) == {-1, 1}
    assert np.mean((model.predict(sample.X_test) == 1) == sample.y_test) > 0.9
    told = model.predict_proba(sample.X_test)
    assert told.shape == (len(sample.y_test), 2)
    assert told.max() == 1.0
    assert not hasattr(model, "decision_function")


def test_inner_estimators_are_named_and_set():
    made = foreign(
        "sklearn.ensemble:BaggingClassifier", estimator="sklearn.svm:SVC", estimator__C=3.0, n_estimators=2
    )
    assert type(made.estimator.estimator).__name__ == "SVC"
    assert made.estimator.estimator.C == 3.0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: foreign("no_such_package:Class"),
            "'no_such_package:Class' cannot be imported: .*; install its",
        ),
        (
            lambda: foreign("sklearn.svm:SVC", sizes={"C": "n_label"}),
            "sizes.C is 'n_label'; did you mean 'n_label",
        ),
    ],
)
def test_what_is_wrong_is_one_sentence(call, said):
    with pytest.raises(PubenchError, match=said):
        call()


def test_a_spec_imports_nothing_of_the_other_package():
    spec = pubench.wrap("no_such_package:Class", name="later", params={"depth": 3}, needs=("prior",))
    assert (spec.name, spec.params["depth"], spec.needs) == ("later", 3, ("prior",))
    assert "no_such_package" not in sys.modules


def test_pulearns_estimators_run_in_a_suite_beside_ours(tmp_path):
    pytest.importorskip("pulearn", reason="pulearn is not installed: pip install pulearn six")
    plugin = tmp_path / "theirs.py"
    plugin.write_text(THEIRS)
    used = "".join(f'[[algorithms]]\nuse = "{name}"\n' for name in [*NAMES, "wlr", "naive-lr"])
    results = run_text(tmp_path, SUITE + used, plugins=[plugin])
    assert [row["error"] for row in results.rows if row["status"] != "ok"] == []
    assert results.counts == {"ok": 2 * (len(NAMES) + 2)}
    auc = {row["algorithm"]: row["roc-auc"] for row in results.rows}
    assert min(auc.values()) > 0.8
