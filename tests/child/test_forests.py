"""Normalised importances of scikit-learn's forests: by hand for a stump, and what the report draws for images."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier, GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from pubench.child.forests import normalized_importances
from pubench.child.introspection import look_inside
from pubench.protocol import Predictions


def rows(n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 6))
    return X, (X[:, 2] + 0.3 * rng.normal(size=n) > 0).astype(np.uint8)


def test_each_split_counts_by_what_it_takes_from_its_own_node() -> None:
    X, y = rows()
    forest = ExtraTreesClassifier(5, max_depth=3, random_state=0).fit(X, y)
    expected = np.zeros(6)
    for member in forest.estimators_:
        tree = member.tree_
        for node in range(tree.node_count):
            left, right = tree.children_left[node], tree.children_right[node]
            if left >= 0:
                share = tree.weighted_n_node_samples[left] / tree.weighted_n_node_samples[node]
                children = share * tree.impurity[left] + (1 - share) * tree.impurity[right]
                expected[tree.feature[node]] += (tree.impurity[node] - children) / 5
    np.testing.assert_allclose(normalized_importances(forest), expected)


def test_stumps_have_both_importances_alike() -> None:
    # A single node has all the weight: dividing by it changes nothing but the scale.
    forest = ExtraTreesClassifier(20, max_depth=1, random_state=0).fit(*rows())
    found = normalized_importances(forest)
    assert found is not None
    totals = np.mean(
        [one.tree_.compute_feature_importances(normalize=False) for one in forest.estimators_], axis=0
    )
    np.testing.assert_allclose(found, totals)


@pytest.mark.parametrize("model", [LogisticRegression(), GradientBoostingClassifier(n_estimators=2)])
def test_other_models_have_none_or_those_of_their_trees(model: object) -> None:
    found = normalized_importances(model.fit(*rows()))  # type: ignore[attr-defined]
    assert (found is None) == isinstance(model, LogisticRegression)


def test_images_keep_both_importances_and_tables_neither() -> None:
    X, y = rows()
    forest = ExtraTreesClassifier(5, random_state=0).fit(X, y)
    score = forest.predict_proba(X)[:, 1] - 0.5
    predictions = Predictions(score, (score >= 0).astype(np.uint8), None)
    image, _ = look_inside(forest, X, predictions, (2, 3))
    assert image.normalized is not None
    assert image.normalized.shape == (2, 3)
    np.testing.assert_allclose(image.normalized.pixels, normalized_importances(forest), rtol=1e-5)
    table, _ = look_inside(forest, X, predictions)
    assert table.normalized is None
