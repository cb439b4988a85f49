"""Preprocessing per algorithm: methods that want codes and methods that want one-hot columns share a table."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.suites import plan, read_diary, run, run_text

from pubench.errors import SuiteError
from pubench.results.store import read_inside

PLUGIN = '''
import numpy as np
from pubench import Algorithm, Choice, Data, Dataset, Float, hookimpl, wrap


class Native:
    """LightGBM on labelled against unlabelled rows, told which columns are codes."""

    def __init__(self, *, categorical_features=(), random_state=None):
        self.categorical_features, self.random_state = categorical_features, random_state

    def fit(self, X, s):
        from lightgbm import LGBMClassifier

        assert X.shape[1] == 3 and list(self.categorical_features) == [2], "codes stay one column"
        self.model_ = LGBMClassifier(n_estimators=30, min_child_samples=5, min_data_per_group=5,
                                     random_state=self.random_state, n_jobs=1, verbose=-1)
        self.model_.fit(X, s, categorical_feature=list(self.categorical_features))
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X):
        return self.model_.predict(X)

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


def load():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    code = np.where(rng.random(300) < 0.8, 2 * y + rng.integers(0, 2, 300), rng.integers(0, 4, 300))
    X = np.column_stack([rng.normal(size=300) + y, rng.normal(size=300), code])
    return Data(X=X, target=y, categorical={2: ("a", "b", "c", "d")})


@hookimpl
def pubench_datasets():
    return [Dataset(name="mixed", loader="own_codes:load", positive=("1",))]


@hookimpl
def pubench_algorithms():
    transformer = {
        "class": "sklearn.compose:ColumnTransformer",
        "transformers": [
            ["numbers", "sklearn.preprocessing:StandardScaler", "@numeric"],
            ["codes", {"class": "sklearn.preprocessing:OneHotEncoder", "handle_unknown": "ignore"}, "@categorical"],
        ],
    }
    codes = {"categorical": "codes", "scale": "none"}
    return [
        Algorithm(name="native-lgbm", estimator=Native, accepts=("categorical", "missing"), preprocess=codes),
        wrap(
            "sklearn.pipeline:Pipeline",
            name="transformed-lr",
            params={"steps": [["columns", transformer], ["model", "sklearn.linear_model:LogisticRegression"]]},
            space={"model__C": Float(1e-2, 1e2, log=True), "columns__numbers__with_mean": Choice((True, False))},
            receives=("categorical_features",),
            accepts=("categorical",),
            preprocess=codes,
        ),
    ]
'''
SUITE = """
name = "codes"
replicates = 1
[[datasets]]
use = "mixed"
[[labellings]]
scenario = "single-training-set"
frequency = 0.5
[[algorithms]]
use = "native-lgbm"
[[algorithms]]
use = "naive-lr"
[[algorithms]]
use = "transformed-lr"
tune = true
[tuning]
sampler = "random"
trials = 3
folds = 2
criteria = ["puf"]
defaults = false
rule = "best"
[report]
metrics = ["roc-auc"]
"""


def test_native_codes_one_hot_columns_and_a_column_transformer_are_in_one_table(tmp_path):
    file = tmp_path / "own_codes.py"
    file.write_text(PLUGIN)
    results = run_text(tmp_path, SUITE, [file])
    rows = {row["algorithm"]: row for row in results.rows}
    assert {name: row["status"] for name, row in rows.items()} == {
        "native-lgbm": "ok",
        "naive-lr": "ok",
        "transformed-lr": "ok",
    }
    assert min(row["roc-auc"] for row in rows.values()) > 0.6, {n: r["roc-auc"] for n, r in rows.items()}
    assert "model__C" in rows["transformed-lr"]["params"]
    # The same rows, of which each method sees its own columns.
    assert len({row["n_test"] for row in rows.values()}) == 1


def test_an_entry_overrides_the_suite_for_its_own_algorithm_alone(tmp_path, diary):
    algorithms = [
        {"use": "toy-any", "name": "codes", "preprocess": {"categorical": "codes", "scale": "none"}},
        {"use": "toy-any", "name": "suite"},
    ]
    run(tmp_path, datasets=[{"use": "toy-coded"}], algorithms=algorithms)
    fits = read_diary(diary)
    assert [fit["shape"][1] for fit in fits] == [3, 6]
    assert not np.allclose(fits[0]["sd"], 1.0)


def test_weights_are_named_after_columns_and_their_categories(tmp_path):
    (tmp_path / "people.csv").write_text(
        "age,colour,weight,target\n"
        + "".join(f"{i},{('red', 'green', 'blue')[i % 3]},{i * 7 % 40},{'ab'[i % 2]}\n" for i in range(60))
    )
    suite = """
name = "named"
replicates = 1
datasets = [{ use = "csv", name = "people", params = { path = "people.csv" }, positive = ["a"] }]
labellings = [{ scenario = "single-training-set", frequency = 0.5 }]
algorithms = [
  { use = "wlr", name = "one-hot" },
  { use = "puet", name = "codes", preprocess = { categorical = "codes" } },
]
"""
    results = run_text(tmp_path, suite)
    inside = read_inside(results.folder)
    names = {row["algorithm"]: {one for one, _ in inside[row["key"]].weights} for row in results.rows}
    assert names["one-hot"] == {"age", "colour = red", "colour = green", "colour = blue", "weight"}
    assert names["codes"] == {"age", "colour", "weight"}


def test_an_own_preprocessing_that_changes_nothing_keeps_the_key():
    same, other, plain = (
        plan(algorithms=[{"use": "toy", **keys}]).plan.cells[0].key
        for keys in ({"preprocess": {"scale": "standard"}}, {"preprocess": {"scale": "minmax"}}, {})
    )
    assert same == plain
    assert other != plain


def test_an_algorithm_that_cannot_take_what_it_asks_for_is_skipped():
    given = {"use": "toy", "preprocess": {"categorical": "codes"}}
    (cell,) = plan(datasets=[{"use": "toy-coded"}], algorithms=[given]).plan.cells
    assert "cannot take categorical codes" in cell.skip


def test_a_key_that_preprocessing_does_not_have_is_an_error_of_the_suite():
    with pytest.raises(SuiteError, match="preprocess"):
        plan(algorithms=[{"use": "toy", "preprocess": {"colour": "blue"}}])
