"""Laws of predictions: parts equal the whole, ranks are of all rows, bad tables leave nothing behind."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from helpers.trained import some_model, some_table

from pubench.advise.delimited import ShortLines
from pubench.advise.predicting import predict_file, predict_rows, predict_unlabelled, ranks
from pubench.errors import DataError

COLUMNS = ["rank", "probability", "low", "high", "decision"]


@pytest.fixture(scope="module")
def model():
    return some_model(some_table()[0])


@pytest.fixture
def new(tmp_path):
    frame, _ = some_table(n=90, seed=1)
    path = tmp_path / "new.csv"
    frame.drop(columns="known").to_csv(path, index=False)
    return path


@pytest.mark.parametrize("rows", [1000, 40, 7])
def test_a_file_read_in_parts_is_predicted_as_its_rows_are(model, new, tmp_path, rows):
    done: list[int] = []
    written = predict_file(model, new, tmp_path / "scores.csv", rows=rows, on_progress=done.append)
    found = pd.read_csv(tmp_path / "scores.csv")
    frame = pd.read_csv(new)
    whole = predict_rows(model, model.schema.encode(frame).X)
    assert list(found.columns) == ["name", *COLUMNS]
    assert found["name"].tolist() == frame["name"].tolist()
    assert (found["rank"] == ranks(whole.score)).all()
    assert found["probability"].to_numpy() == pytest.approx(whole.probability[:, 0])
    assert (found["low"] <= found["probability"]).all()
    assert (found["probability"] <= found["high"]).all()
    assert written.rows == 90
    assert written.expected == pytest.approx(found[["probability", "low", "high"]].sum())
    assert done == [*range(rows, 90, rows), 90]
    assert written.positive == found["decision"].sum() == whole.decision.sum()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["new.csv", "scores.csv"]


def test_a_table_without_rows_is_refused(model, new, tmp_path):
    new.write_text(new.read_text().splitlines()[0] + "\n")
    with pytest.raises(DataError, match="has no rows"):
        predict_file(model, new, tmp_path / "scores.csv")


def test_ranks_start_at_one_and_ties_share_the_better_rank():
    assert ranks(np.array([0.1, 0.9, 0.5, 0.9])).tolist() == [4, 1, 3, 1]


def test_a_missing_column_is_refused_by_name_and_nothing_is_written(model, new, tmp_path):
    pd.read_csv(new).drop(columns="city").to_csv(new, index=False)
    with pytest.raises(DataError, match="'city'"):
        predict_file(model, new, tmp_path / "scores.csv")
    assert [one.name for one in tmp_path.iterdir()] == ["new.csv"]


def test_ids_keep_their_text_and_blank_ones_their_place(model, new, tmp_path):
    frame = pd.read_csv(new)
    frame["name"] = [f"{number:04}" for number in range(len(frame))]
    frame.loc[[0, 5, 89], "name"] = ""
    frame.to_csv(new, index=False)
    predict_file(model, new, tmp_path / "scores.csv", rows=30)
    found = pd.read_csv(tmp_path / "scores.csv", dtype=str, keep_default_na=False)
    assert found["name"].tolist() == frame["name"].tolist()


def test_rows_without_ids_are_numbered(model, new, tmp_path):
    pd.read_csv(new).drop(columns="name").to_csv(new, index=False)
    written = predict_file(model, new, tmp_path / "scores.csv", rows=50)
    assert written.lost_ids == ("name",)
    assert pd.read_csv(tmp_path / "scores.csv")["row"].tolist() == list(range(1, 91))


def test_drift_is_counted_over_all_parts(model, new, tmp_path):
    frame = pd.read_csv(new)
    frame.loc[frame.index % 2 == 0, "city"] = "Atlantis"
    frame.to_csv(new, index=False)
    written = predict_file(model, new, tmp_path / "scores.csv", rows=20)
    (drift,) = (one for one in written.drift if one.column == "city" and one.kind == "unknown")
    assert (drift.count, drift.rows, drift.example) == (45, 90, "Atlantis")
    assert drift.notable


def test_unlabelled_rows_are_scored_by_models_that_did_not_see_them(model):
    frame, _ = some_table()
    found, training = predict_unlabelled(model), model.training
    unlabelled = training.s == 0
    assert found["name"].tolist() == frame["name"][unlabelled].tolist()
    assert (found["rank"] == ranks(training.unseen.score[unlabelled])).all()
    assert (found["decision"] == (training.unseen.vote[unlabelled] > 0.5)).all()
    # Positives that were labelled are gone: the rest are less often positive than the population.
    n_p = int(training.s.sum())
    share = (0.5 * len(frame) - n_p) / unlabelled.sum()
    assert found["probability"].mean() == pytest.approx(share, abs=0.07)


def test_short_lines_and_single_unreadable_cells_are_reported(model, new, tmp_path):
    lines = new.read_text().splitlines()
    lines[3], lines[7] = lines[3].rpartition(",")[0], lines[7].partition(",")[0]
    frame = pd.read_csv(new)
    assert frame.columns[1] == "size"
    cells = lines[10].split(",")
    lines[10] = ",".join([cells[0], "oops", *cells[2:]])
    new.write_text("\n".join(lines) + "\n")
    written = predict_file(model, new, tmp_path / "scores.csv", rows=40)
    assert written.short == ShortLines(2, 4)
    unreadable = [one for one in written.drift if one.kind == "unreadable"]
    assert [(one.column, one.count, one.example, one.notable) for one in unreadable] == [
        ("size", 1, "oops", True)
    ]


def test_a_file_with_blank_last_cells_has_no_short_lines(model, new, tmp_path):
    frame = pd.read_csv(new)
    frame.loc[4, frame.columns[-1]] = None
    frame.to_csv(new, index=False)
    assert predict_file(model, new, tmp_path / "scores.csv").short == ShortLines(0, 0)
