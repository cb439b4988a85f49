"""Laws of PU extra trees, the PU random forest and the PU tree."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pubench_extratrees
import pytest
from joblib import parallel_config
from pubench_extratrees import columns
from pubench_extratrees.chosen import PUTopFeatures
from pubench_extratrees.classifiers import PUDecisionTree, PUExtraTrees, PURandomForest
from pubench_extratrees.forest import LOSSES
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from pubench.plugins.imports import resolve
from pubench.risk import nnpu_risk, pu_risk


def make_pu(seed, n_labelled=60, n_unlabelled=240, d=5):
    """Return X, s and the truth y of a case-control sample; half of U is positive."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_labelled + n_unlabelled) < n_labelled + n_unlabelled // 2
    X = rng.normal(size=(len(y), d)) + np.where(y, 1.0, -1.0)[:, None] * (np.arange(d) < 2)
    return X, (np.arange(len(y)) < n_labelled).astype(int), y.astype(int)


@parametrize_with_checks(
    [
        PUExtraTrees(10, prior=0.5, scenario="case-control"),
        PURandomForest(10, prior=0.5, scenario="case-control"),
        PUDecisionTree(prior=0.5, scenario="case-control"),
        PUTopFeatures(2, n_estimators=10, prior=0.5, scenario="case-control"),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [PUExtraTrees(5, risk="upu", loss="logistic", scenario="single-training-set", n_jobs=2, prior=0.5)]
)
def test_scikit_learns_checks_of_variants(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", [PUExtraTrees, PURandomForest])
def test_the_number_of_threads_changes_no_bit(kind):
    X, s, _ = make_pu(0)
    given = {"prior": 0.5, "scenario": "case-control"}
    one, three = (kind(7, random_state=3, n_jobs=n_jobs, **given).fit(X, s) for n_jobs in (1, 3))
    np.testing.assert_array_equal(one.trees_.steps, three.trees_.steps)
    np.testing.assert_array_equal(one.predict_proba(X[:50]), three.predict_proba(X[:50]))
    np.testing.assert_array_equal(one.apply(X), three.apply(X))
    with parallel_config("loky", n_jobs=2):
        inside = kind(7, random_state=3, **given).fit(X, s)
    np.testing.assert_array_equal(one.trees_.steps, inside.trees_.steps)


def test_seeds_give_the_same_trees_again_and_others_do_not():
    X, s, _ = make_pu(1)
    first, again, other = (
        PUExtraTrees(3, random_state=seed, prior=0.5, scenario="case-control").fit(X, s).trees_.steps
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert first.shape != other.shape or (first != other).any()


def test_a_forest_of_one_is_its_tree():
    X, s, _ = make_pu(2)
    forest = PUExtraTrees(
        1, max_features=None, n_thresholds=None, random_state=0, prior=0.5, scenario="case-control"
    ).fit(X, s)
    tree = PUDecisionTree(random_state=0, prior=0.5, scenario="case-control").fit(X, s)
    np.testing.assert_array_equal(forest.trees_.steps, tree.trees_.steps)
    np.testing.assert_array_equal(forest.predict_proba(X), tree.predict_proba(X))


@pytest.mark.parametrize("risk", ["nnpu", "upu"])
@pytest.mark.parametrize("loss", LOSSES)
def test_importances_add_up_to_the_decrease_of_the_risk(risk, loss):
    X, s, _ = make_pu(3)
    model = PUExtraTrees(4, risk=risk, loss=loss, prior=0.4, random_state=0, scenario="case-control").fit(
        X, s
    )
    trees = model.trees_
    inner = ~trees.is_leaf
    left = trees.left[inner]
    parts = trees.risk[inner] - trees.risk[left] - trees.risk[left + 1]
    finite = np.isfinite(parts)
    assert finite.all() == (risk == "nnpu" or loss in ("savage", "sigmoid"))
    np.testing.assert_allclose(model.feature_importances_.sum(), parts[finite].sum() / 4)
    if finite.all():
        roots, leaves = trees.risk[trees.roots].sum(), trees.risk[trees.is_leaf].sum()
        np.testing.assert_allclose(model.feature_importances_.sum(), (roots - leaves) / 4)
    assert model.feature_importances_.shape == (X.shape[1],)
    assert np.isfinite(model.normalized_feature_importances_).all()


def test_importances_find_the_features_that_matter_and_normalising_evens_them_out():
    X, s, _ = make_pu(4)
    model = PUExtraTrees(50, random_state=0, prior=0.5, scenario="case-control").fit(X, s)
    total, normalized = model.feature_importances_, model.normalized_feature_importances_
    assert total[:2].min() > 2 * total[2:].max()
    assert normalized[:2].sum() / normalized.sum() < total[:2].sum() / total.sum()


@pytest.mark.parametrize("loss", ["quadratic", "logistic"])
def test_with_all_positives_labelled_the_risk_is_that_of_the_supervised_tree(loss):
    """uPU in a single training set, s = y, prior true: every node's risk is |S| w times 2 Gini, or the entropy."""
    X, _, y = make_pu(5)
    model = PUDecisionTree(
        prior=y.mean(), scenario="single-training-set", risk="upu", loss=loss, max_leaf_nodes=12
    )
    trees = model.fit(X, y).trees_
    n = trees.n_labelled + trees.n_unlabelled
    q = trees.n_labelled / n
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.nan_to_num(q * np.log(q)) - np.nan_to_num((1 - q) * np.log(1 - q))
    impurity = 4 * q * (1 - q) if loss == "quadratic" else entropy
    np.testing.assert_allclose(trees.risk, n / len(y) * impurity, atol=1e-12)
    # Ties are broken at random, so the two trees may differ, but not in what they reach with few leaves.
    criterion, unit = {"quadratic": ("gini", 2.0), "logistic": ("entropy", np.log(2))}[loss]
    peer = DecisionTreeClassifier(criterion=criterion, max_leaf_nodes=4, random_state=0).fit(X, y).tree_
    leaves = peer.children_left < 0
    theirs = unit * (peer.impurity * peer.n_node_samples / len(y))[leaves].sum()
    few = model.set_params(max_leaf_nodes=4).fit(X, y).trees_
    assert few.risk[few.is_leaf].sum() == pytest.approx(theirs)


def test_nnpu_with_the_savage_loss_grows_the_trees_of_the_quadratic_one():
    X, s, _ = make_pu(6)
    savage, quadratic = (
        PUExtraTrees(5, loss=loss, random_state=0, prior=0.5, scenario="case-control").fit(X, s)
        for loss in ("savage", "quadratic")
    )
    np.testing.assert_array_equal(savage.trees_.steps, quadratic.trees_.steps)


@pytest.mark.parametrize(("risk", "measure"), [("upu", pu_risk), ("nnpu", nnpu_risk)])
@pytest.mark.parametrize("scenario", ["case-control", "single-training-set"])
def test_the_sum_over_leaves_is_the_risk_of_the_fitted_scores(risk, measure, scenario):
    """One tree, the quadratic loss, scores 2 v* - 1: uPU's risk is additive, nnPU's sum is an upper bound."""
    X, s, _ = make_pu(7)
    options = {"prior": 0.5, "scenario": scenario}
    model = PUDecisionTree(
        risk=risk,
        max_leaf_nodes=6,
        min_samples_leaf=20,
        **{"prior": 0.5, "scenario": "case-control"} | options,
    ).fit(X, s)
    trees, scores = model.trees_, 2 * model.predict_proba(X)[:, 1] - 1
    leaves = trees.risk[trees.is_leaf].sum()
    fitted = measure(scores, s, loss="quadratic", **options)
    inside = (trees.share[trees.is_leaf] < 1).all()
    assert fitted <= leaves + 1e-6 or not inside
    if risk == "upu" and inside:
        assert fitted == pytest.approx(leaves, abs=1e-6)


@pytest.mark.parametrize("most", [2, 3, 6])
def test_best_first_growth_stops_at_the_number_of_leaves_and_takes_the_best(most):
    X, s, _ = make_pu(8)
    small = PUDecisionTree(max_leaf_nodes=most, prior=0.5, scenario="case-control").fit(X, s)
    larger = PUDecisionTree(max_leaf_nodes=most + 1, prior=0.5, scenario="case-control").fit(X, s)
    assert small.trees_.is_leaf.sum() == most
    assert larger.feature_importances_.sum() >= small.feature_importances_.sum()


def test_best_first_growth_without_need_of_a_limit_is_the_same_tree():
    # With one feature there are no ties between features, which are broken at random.
    X, s, _ = make_pu(9, d=1)
    depth_first = PUDecisionTree(prior=0.5, scenario="case-control").fit(X, s)
    best_first = PUDecisionTree(max_leaf_nodes=10_000, prior=0.5, scenario="case-control").fit(X, s)
    np.testing.assert_array_equal(depth_first.predict_proba(X), best_first.predict_proba(X))


def test_limits_hold():
    X, s, _ = make_pu(10)
    trees = (
        PUExtraTrees(5, min_samples_leaf=7, random_state=0, prior=0.5, scenario="case-control")
        .fit(X, s)
        .trees_
    )
    assert (trees.n_labelled + trees.n_unlabelled).min() >= 7
    trees = (
        PUExtraTrees(5, min_samples_split=40, random_state=0, prior=0.5, scenario="case-control")
        .fit(X, s)
        .trees_
    )
    assert (trees.n_labelled + trees.n_unlabelled)[~trees.is_leaf].min() >= 40
    trees = PUDecisionTree(max_depth=2, prior=0.5, scenario="case-control").fit(X, s).trees_
    assert len(trees.risk) <= 7
    model = PUDecisionTree(min_risk_decrease=0.05, prior=0.5, scenario="case-control").fit(X, s)
    inner, left = ~model.trees_.is_leaf, model.trees_.left[~model.trees_.is_leaf]
    decreases = model.trees_.risk[inner] - model.trees_.risk[left] - model.trees_.risk[left + 1]
    assert decreases.min() >= 0.05
    assert len(model.trees_.risk) < len(
        PUDecisionTree(prior=0.5, scenario="case-control").fit(X, s).trees_.risk
    )


def test_constant_features_are_not_counted():
    """One useful column among constant ones: trying a single feature finds it every time."""
    X, s, _ = make_pu(11, d=2)
    padded = np.hstack([np.zeros((len(X), 30)), X[:, :1], np.ones((len(X), 30))])
    model = PUExtraTrees(20, max_features=1, random_state=0, prior=0.5, scenario="case-control").fit(
        padded, s
    )
    assert (model.trees_.n_labelled[model.trees_.roots] == s.sum()).all()
    assert len(model.trees_.risk) > 20 * 3
    assert set(model.trees_.feature[~model.trees_.is_leaf]) == {30}


def test_rows_drawn_with_replacement_keep_the_sizes_of_p_and_u():
    X, s, _ = make_pu(12)
    trees = PURandomForest(5, random_state=0, prior=0.5, scenario="case-control").fit(X, s).trees_
    np.testing.assert_array_equal(trees.n_labelled[trees.roots], s.sum())
    np.testing.assert_array_equal(trees.n_unlabelled[trees.roots], (1 - s).sum())
    assert len({tuple(tree) for tree in trees.steps[trees.roots]}) > 1


def test_it_learns_the_truth_from_u_where_extra_trees_on_s_do_not():
    X, s, y = make_pu(13, 200, 2000)
    new_X, _, new_y = make_pu(14, 200, 2000)
    model = PUExtraTrees(50, prior=0.5, random_state=0, scenario="case-control").fit(X, s)
    naive = ExtraTreesClassifier(50, random_state=0).fit(X, s)
    assert (model.predict(new_X) == new_y).mean() > 0.85
    assert (naive.predict(new_X) == new_y).mean() < 0.6
    assert (model.predict(X) == y).mean() > 0.85


def test_answers_agree_with_each_other():
    X, s, _ = make_pu(15)
    model = PUExtraTrees(10, random_state=0, prior=0.5, scenario="case-control").fit(X, s)
    probability, leaves, trees = model.predict_proba(X), model.apply(X), model.trees_
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    np.testing.assert_allclose(trees.share[leaves].mean(axis=1), probability[:, 1], atol=1e-6)
    assert trees.is_leaf[leaves].all()
    np.testing.assert_array_equal(model.predict(X), probability[:, 1] > 0.5)
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X) > 0)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), probability)


@pytest.mark.parametrize("d", [2, 2**13])
def test_rows_that_go_down_together_end_where_they_end_alone(d):
    # With 2 ** 13 columns a block of the walk has 32 rows.
    X, s, _ = make_pu(19, 40, 60)
    X = np.tile(X, d // 2)[:, :d]
    model = PUExtraTrees(4, random_state=0, prior=0.5, scenario="case-control").fit(X, s)
    alone = np.concatenate([model.apply(X[[row]]) for row in range(len(X))])
    for n in (2, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 100):
        np.testing.assert_array_equal(model.apply(X[:n]), alone[:n])


def test_sparse_rows_are_never_made_dense_if_large_and_nearly_empty(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("made dense")

    X, s, _ = make_pu(16)
    rows = sparse.csr_matrix(np.where(X > 0.5, X, 0))
    # Any size is large, and any share of stored values small.
    monkeypatch.setattr(columns, "_SPREAD", 0)
    monkeypatch.setattr(columns, "_SHARE", 2.0)
    for kind in (sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix, sparse.csc_array):
        monkeypatch.setattr(kind, "toarray", refuse)
        monkeypatch.setattr(kind, "todense", refuse)
    model = PUExtraTrees(3, prior=0.5, scenario="case-control").fit(rows, s)
    model.predict_proba(rows)
    model.apply(rows)


@pytest.mark.parametrize(
    "wrong",
    [
        {"prior": 0.0},
        {"prior": 1},
        {"scenario": "censored"},
        {"risk": "PU"},
        {"loss": "hinge"},
        {"max_features": 0},
        {"max_features": 1.5},
        {"max_features": "all"},
        {"n_thresholds": 0},
        {"max_depth": 0},
        {"max_leaf_nodes": 1},
        {"min_samples_split": 1},
        {"min_samples_leaf": 0.5},
        {"bootstrap": 1},
        {"n_estimators": 0},
        {"n_jobs": 0},
        {"n_jobs": 2**31},
        {"max_depth": 2**63},
        {"n_thresholds": 10**9},
        {"n_jobs": "two"},
    ],
)
def test_wrong_parameters_are_named(wrong):
    X, s, _ = make_pu(17)
    (name,) = wrong
    with pytest.raises(ValueError, match=f"^{name} of PUExtraTrees must be .*; got"):
        clone(PUExtraTrees(prior=0.5, scenario="case-control")).set_params(**wrong).fit(X, s)


def test_the_specs_name_constructible_estimators_and_existing_parameters():
    specs = pubench_extratrees.pubench_algorithms()
    assert [spec.name for spec in specs] == ["puet", "purf", "putree", "puet-top"]
    for spec in specs:
        parameters = resolve(spec.estimator)(**spec.params).get_params()
        assert set(spec.space) | set(spec.receives) <= set(parameters)


def test_importing_the_plugin_does_not_import_scikit_learn():
    code = "import sys, pubench_extratrees as p; p.pubench_algorithms(); sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("by", ["risk", "gini"])
def test_chosen_features_are_those_that_carry_the_class(by):
    rng = np.random.default_rng(0)
    y = rng.random(1200) < 0.5
    X = rng.normal(size=(1200, 20))
    X[:, [3, 11]] += 2.0 * y[:, None]
    s = y & (rng.random(1200) < 0.4)
    model = PUTopFeatures(2, by=by, prior=0.5, scenario="single-training-set", random_state=0).fit(X, s)
    assert model.features_.tolist() == [3, 11]
    assert (model.predict(X) == y).mean() > 0.85
    # The other columns are not looked at.
    other = X.copy()
    other[:, [k for k in range(20) if k not in (3, 11)]] = 99.0
    np.testing.assert_array_equal(model.decision_function(X), model.decision_function(other))
    assert np.flatnonzero(model.feature_importances_).tolist() == [3, 11]
    whole = PUTopFeatures(50, by=by, prior=0.5, scenario="single-training-set", random_state=0).fit(X, s)
    assert whole.features_.tolist() == list(range(20))
