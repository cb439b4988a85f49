"""SMOTETomek: labels become balanced, new rows lie between rows of the rarer label, and test rows stay as they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pubench import run_suite
from pubench.data.preprocess.resampling import resample_rows
from pubench.errors import DataError

pytest.importorskip("imblearn")

SUITE = """
name = "resampled"
replicates = 1
[[datasets]]
use = "breast-cancer"
[[labellings]]
scenario = "single-training-set"
frequency = 0.2
[[algorithms]]
use = "naive-lr"
[preprocess]
resample = "{resample}"
[report]
metrics = ["accuracy", "recall"]
"""


def test_labels_become_balanced_and_new_rows_lie_between_old_ones() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    labels = np.zeros(200, dtype=np.uint8)
    labels[:20] = 1
    X[:20] += 8.0
    more, new = resample_rows(X, labels, 0)
    # The groups are far from each other, so that there are no Tomek links to remove.
    assert np.bincount(new).tolist() == [180, 180]
    np.testing.assert_array_equal(more[:200], X)
    added = more[200:]
    assert (added >= X[:20].min(axis=0)).all()
    assert (added <= X[:20].max(axis=0)).all()
    again, _ = resample_rows(X, labels, 0)
    np.testing.assert_array_equal(more, again)


def test_nearest_neighbours_of_different_labels_are_removed() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0], [10.0], [10.01], [20.0], [21.0]])
    labels = np.array([0, 0, 0, 0, 0, 1, 1, 1], dtype=np.uint8)
    more, new = resample_rows(X, labels, 0)
    assert not {10.0, 10.01} & set(more.ravel().tolist())
    assert new.sum() > 0


def test_one_row_of_a_label_is_refused() -> None:
    with pytest.raises(DataError, match="needs two rows of each label, and one has 1"):
        resample_rows(np.arange(4.0)[:, None], np.array([1, 0, 0, 0], dtype=np.uint8), 0)


def test_a_suite_resamples_what_is_fitted_and_counts_the_rows_as_they_were(tmp_path: Path) -> None:
    rows = {}
    for resample in ("none", "smote-tomek"):
        suite = tmp_path / f"{resample}.toml"
        suite.write_text(SUITE.format(resample=resample), encoding="utf-8")
        (rows[resample],) = run_suite(suite, out=tmp_path / resample).rows
    plain, resampled = rows["none"], rows["smote-tomek"]
    assert plain["key"] != resampled["key"]
    assert [plain[name] for name in ("n_p", "n_u", "n_test")] == [
        resampled[name] for name in ("n_p", "n_u", "n_test")
    ]
    # A fifth of the positives is labelled: balanced labels find more of them.
    assert resampled["recall"] > plain["recall"]
