"""Laws of missing numbers: predicted where other columns know them, else the median, and flagged where that helps."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pubench.advise.filling import fill_gaps, learn_fillings
from pubench.advise.schema import Schema, learn_schema


def some_rows(n=300, seed=0):
    """Return rows whose third column is the sum of the first two, and whose fourth is independent."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 2] = X[:, 0] + X[:, 1]
    return X, rng


def with_gaps(X, rng, columns, share=0.1):
    missing = np.zeros(X.shape, dtype=bool)
    for column in columns:
        missing[:, column] = rng.random(len(X)) < share
    guessed = np.where(missing, np.median(X, axis=0), X)
    return guessed, missing


def test_a_column_that_others_determine_is_restored():
    X, rng = some_rows()
    guessed, missing = with_gaps(X, rng, [2])
    fillings = learn_fillings(guessed, missing)
    fill_gaps(guessed, missing, fillings)
    assert np.abs(guessed - X)[missing].mean() < 0.1
    assert (guessed == X)[~missing].all()


def test_gaps_in_several_columns_are_filled_together():
    X, rng = some_rows()
    guessed, missing = with_gaps(X, rng, [0, 1, 2])
    before = np.abs(guessed - X)[missing].mean()
    fill_gaps(guessed, missing, learn_fillings(guessed, missing))
    assert np.abs(guessed - X)[missing].mean() < 0.5 * before


def test_a_column_that_nothing_predicts_keeps_about_its_median():
    X, rng = some_rows()
    guessed, missing = with_gaps(X, rng, [3])
    fill_gaps(guessed, missing, learn_fillings(guessed, missing))
    assert np.abs(guessed[missing]).max() < 0.5


def test_predictions_stay_in_the_range_of_the_training_rows():
    X, rng = some_rows()
    guessed, missing = with_gaps(X, rng, [2])
    fillings = learn_fillings(guessed, missing)
    far = np.full((1, 4), 100.0)
    fill_gaps(far, np.array([[False, False, True, False]]), fillings)
    assert far[0, 2] == pytest.approx(guessed[~missing[:, 2], 2].max())


def a_table(n=400, seed=0, informative=False):
    X, rng = some_rows(n, seed)
    frame = pd.DataFrame(X, columns=list("abcd"))
    s = (rng.random(n) < 0.3).astype(np.uint8)
    gone = rng.random(n) < (np.where(s == 1, 0.5, 0.1) if informative else 0.2)
    frame.loc[gone, "c"] = np.nan
    return frame, s


@pytest.mark.parametrize("informative", [True, False])
def test_a_flag_of_missing_cells_is_kept_only_if_labelled_rows_differ_in_it(informative):
    frame, s = a_table(informative=informative)
    schema, _ = learn_schema(frame, label=None, ids=(), s=s)
    assert ("c is missing" in schema.names) == informative


def test_a_schema_fills_new_rows_as_it_learned_and_survives_json():
    frame, s = a_table()
    schema, remarks = learn_schema(frame, label=None, ids=(), s=s)
    assert any("predicted from other columns (1 column)" in remark for remark in remarks)
    again = Schema.from_json(schema.to_json())
    new = pd.DataFrame({"a": [1.0], "b": [1.0], "c": [None], "d": [0.0]})
    first, second = (one.encode(new).X for one in (schema, again))
    assert (first == second).all()
    known = schema.encode(new.assign(c=2.0)).X
    assert first == pytest.approx(known, abs=0.2)
