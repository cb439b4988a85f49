"""Trees as text and as pictures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pubench_extratrees.classifiers import PUDecisionTree, PUExtraTrees
from pubench_extratrees.export import export_text, plot_tree

X = pd.DataFrame({"size": [0.0, 1.0, 4.0, 9.0], "colour": [5.0, 5.0, 5.0, 5.0]})
S = [0, 0, 1, 1]
TREE = PUDecisionTree(prior=0.5, scenario="single-training-set").fit(X, S)


def test_text_shows_questions_names_rows_shares_and_risks():
    assert export_text(TREE).splitlines() == [
        "|-- size <= 2.5  [share 0.500, P 2, U 2, risk 1]",
        "|   |-- share 0.000, P 0, U 2, risk 0",
        "|   |-- share 1.000, P 2, U 0, risk 0",
    ]


def test_names_may_be_given_or_are_numbers():
    assert "|-- a <= 2.5" in export_text(TREE, feature_names=["a", "b"])
    plain = PUDecisionTree(prior=0.5, scenario="case-control").fit(X.to_numpy(), S)
    assert "|-- x0 <= " in export_text(plain)


def test_a_cut_tree_says_so():
    assert export_text(TREE, max_depth=0) == "|-- share 0.500, P 2, U 2, risk 1 ...\n"


def test_each_tree_of_a_forest_can_be_shown_and_is_as_long_as_its_nodes():
    rng = np.random.default_rng(0)
    model = PUExtraTrees(3, random_state=0, prior=0.5, scenario="case-control").fit(
        rng.normal(size=(50, 3)), np.arange(50) % 3 == 0
    )
    sizes = np.diff([*model.trees_.roots, len(model.trees_.risk)])
    assert [len(export_text(model, tree=i).splitlines()) for i in range(3)] == sizes.tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tree": 1}, "tree must be in 0..0"),
        ({"tree": -1}, "tree must be in 0..0"),
        ({"max_depth": -1}, "max_depth must be at least 0"),
        ({"feature_names": ["a"]}, "feature_names has 1 name; the model has 2 features"),
    ],
)
def test_wrong_wishes_are_named(options, message):
    for show in (export_text, plot_tree):
        with pytest.raises(ValueError, match=message):
            show(TREE, **options)


def test_the_picture_shows_every_node_and_joins_it_to_its_parent(tmp_path):
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    axes = plot_tree(TREE)
    texts = [text.get_text() for text in axes.texts]
    assert texts[0] == "share 0.000\nP 0, U 2"
    assert "size <= 2.5\nshare 0.500\nP 2, U 2" in texts
    assert len(texts) == 3
    assert len(axes.lines) == 2
    given = plt.figure().add_subplot()
    assert plot_tree(TREE, max_depth=0, ax=given) is given
    assert len(given.texts) == 1
    given.figure.savefig(tmp_path / "tree.png")
    plt.close("all")
