"""MaxEnt, if elapid is installed, and means of ranks of several methods."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pubench_species
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

import pubench
from pubench import RankMean
from pubench.metrics import roc_auc
from pubench.plugins.requirements import unmet

SPECS = {spec.name: spec for spec in pubench_species.pubench_algorithms()}
TREE = DecisionTreeClassifier(min_samples_leaf=5)


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Small fits by many threads wait for each other."""
    with threadpool_limits(1):
        yield


def records(seed=0, n_p=80, n_u=400, codes=3):
    """Return rows of P and U with a column of codes last, s, and the true classes."""
    rng = np.random.default_rng(seed)
    y = np.r_[np.ones(n_p), rng.random(n_u) < 0.3].astype(int)
    numbers = rng.normal(size=(n_p + n_u, 3)) + 1.2 * y[:, None]
    code = np.where(y == 1, rng.integers(0, 2, y.size), rng.integers(0, codes, y.size))
    return np.column_stack([numbers, code]), np.repeat([1, 0], [n_p, n_u]), y


@parametrize_with_checks([RankMean([LogisticRegression(), TREE])])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_the_score_is_the_mean_share_of_unlabelled_scores_below():
    X, s, _ = records()
    model = RankMean([LogisticRegression(), RandomForestClassifier(10)], random_state=0).fit(X, s)
    shares = []
    for member in model.members_:
        score = member.decision_function if hasattr(member, "decision_function") else None
        scores = score(X) if score else member.predict_proba(X)[:, 1]
        of_u = scores[s == 0]
        below, equal = (scores[:, None] > of_u).mean(axis=1), (scores[:, None] == of_u).mean(axis=1)
        shares.append(below + equal / 2)
    expected = np.mean(shares, axis=0)[s == 0] - model.cut_
    # Scores of U are their own reference; other rows lie between two of them.
    np.testing.assert_allclose(model.decision_function(X)[s == 0], expected, atol=1e-12)


def test_the_order_does_not_depend_on_a_members_scale():
    X, s, _ = records()
    once = RankMean([LogisticRegression(), TREE], random_state=0).fit(X, s)
    scaled = RankMean([_Stretched(LogisticRegression()), TREE], random_state=0).fit(X, s)
    # The cut may lie elsewhere between the same two rows.
    shares = [model.decision_function(X)[s == 0] + model.cut_ for model in (once, scaled)]
    np.testing.assert_allclose(*shares, atol=1e-12)


class _Stretched(LogisticRegression):
    """Ranks rows as another classifier does, on another scale."""

    def __init__(self, inner=None):
        self.inner = inner

    def fit(self, X, y):
        self.inner.fit(X, y)
        self.classes_ = self.inner.classes_
        return self

    def decision_function(self, X):
        return np.sinh(3 * self.inner.decision_function(X))


def test_the_cut_maximises_recall_less_the_share_of_u():
    X, s, _ = records()
    model = RankMean([LogisticRegression()]).fit(X, s)
    scores = model.decision_function(X) + model.cut_
    gains = [np.mean(scores[s == 1] >= t) - np.mean(scores[s == 0] >= t) for t in np.unique(scores)]
    decided = model.predict(X)
    assert decided[s == 1].mean() - decided[s == 0].mean() == pytest.approx(max(gains))


def test_members_are_given_what_they_receive_and_can_take():
    X, s, y = records()
    members = ["rf-down", {"use": "puet", "prior": 0.4}, "one-class-svm", {"use": "upu", "prior": 0.2}]
    model = pubench.make(
        "rank-mean", members=members, scenario="case-control", categorical_features=[3], random_state=0
    ).fit(X, s)
    forest, trees, machine, risk = model.members_
    assert trees.prior == 0.4
    assert trees.scenario == "case-control"
    # Trees split codes; the others have a column for each of three codes.
    assert forest.n_features_in_ == trees.n_features_in_ == 4
    assert machine[-1].n_features_in_ == risk[-1].n_features_in_ == 6
    unknown = X.copy()
    unknown[:, 3] = 9
    assert np.isfinite(model.decision_function(unknown)).all()
    assert roc_auc(y[80:], model.decision_function(X)[80:]) > 0.8
    again = pubench.make(
        "rank-mean", members=members, scenario="case-control", categorical_features=[3], random_state=0
    ).fit(X, s)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ([], "members must be a list of at least one algorithm"),
        ("rf-down", "members must be a list"),
        (["rf-up"], "'rf-up' is not registered"),
        (["supervised-lr"], "is a reference that learns from the truth"),
    ],
)
def test_what_cannot_be_a_member_is_named(members, words):
    X, s, _ = records()
    with pytest.raises((ValueError, pubench.errors.PubenchError), match=words):
        RankMean(members).fit(X, s)


WITHOUT = """
import sys
from importlib import metadata
real = metadata.version
def version(name):
    if name == "elapid":
        raise metadata.PackageNotFoundError(name)
    return real(name)
metadata.version = version
import pubench_species
from pubench import RankMean
from pubench.plugins.requirements import unmet
from pubench.plugins.discovery import discover
specs = discover(third_party=False).algorithm
print(unmet(specs("maxent").spec.requires))
try:
    RankMean(["maxent"]).fit([[0.0], [1.0]], [0, 1])
except ValueError as error:
    print(error)
assert "elapid" not in sys.modules
"""


def test_without_elapid_the_remedy_is_named():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    remedy = "needs elapid>=1.0.4, which is not installed; run: pip install 'elapid>=1.0.4'"
    assert done.stdout.splitlines() == [remedy, f"member 'maxent' {remedy}"]


@pytest.mark.skipif(bool(unmet(SPECS["maxent"].requires)), reason="needs elapid")
class TestMaxEnt:
    def test_scikit_learns_checks(self):
        from pubench_species.maxent import MaxEnt
        from sklearn.utils.estimator_checks import check_estimator

        check_estimator(MaxEnt("lh", random_state=0))

    def test_it_is_elapids_model(self):
        from elapid import MaxentModel

        X, s, _ = records()
        ours = pubench.make("maxent", categorical_features=[3], random_state=0).fit(X, s)
        seed = ours.estimator_.random_state
        theirs = MaxentModel(use_sklearn=True, n_cpus=1, random_state=seed).fit(X, s, categorical=[3])
        np.testing.assert_allclose(ours.decision_function(X), theirs.predict(X) - 0.5, atol=1e-9)
        # What rises with suitability is no share of positives in a population.
        assert not hasattr(ours, "predict_proba")

    def test_it_ranks_positives_first_and_takes_unknown_codes(self):
        X, s, y = records()
        model = pubench.make("maxent", categorical_features=[3], random_state=0).fit(X, s)
        assert roc_auc(y[80:], model.decision_function(X)[80:]) > 0.8
        unknown = X.copy()
        unknown[:, 3] = 9
        assert np.isfinite(model.decision_function(unknown)).all()

    def test_bad_settings_are_named(self):
        X, s, _ = records()
        with pytest.raises(ValueError, match="letters of 'lqpht', not 'lx'"):
            pubench.make("maxent", feature_types="lx").fit(X, s)
        with pytest.raises(ValueError, match="needs a column that holds numbers"):
            pubench.make("maxent", categorical_features=[0]).fit(X[:, 3:], s)

    def test_it_can_be_a_member(self):
        X, s, y = records()
        model = pubench.make("rank-mean-maxent", categorical_features=[3], random_state=0).fit(X, s)
        assert type(model.members_[0]).__name__ == "MaxEnt"
        assert roc_auc(y[80:], model.decision_function(X)[80:]) > 0.8
