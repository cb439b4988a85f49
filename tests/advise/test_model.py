"""Laws of PUModel: scikit-learn's conventions, labels in two forms, the same bits, and the whole journey."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers.commands import pubench_here
from helpers.trained import some_table
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

from pubench import PUModel
from pubench.errors import DataError, PriorError, PubenchError

ASKED = {"method": "naive-lr-prior", "prior": 0.5, "scenario": "single-training-set"}


@pytest.fixture(scope="module")
def table():
    return some_table()[0]


@pytest.fixture(scope="module")
def model(table):
    return PUModel(**ASKED).fit(table, label="known", ids=["name"])


def test_parameters_are_scikit_learns(model):
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        copy.predict(some_table()[0])


def test_it_ranks_new_rows_and_its_answers_agree(model):
    frame, y = some_table(seed=1)
    score, rank = model.decision_function(frame), model.rank(frame)
    assert roc_auc_score(y, score) > 0.8
    assert sorted(rank)[0] == 1
    assert (np.argsort(rank, kind="stable") == np.argsort(-score, kind="stable")).all()
    proba = model.predict_proba(frame)
    assert proba.sum(axis=1) == pytest.approx(np.ones(len(frame)))
    shown = model.predictions(frame)
    assert (shown["probability"] == proba[:, 1]).all()
    assert (shown["decision"] == model.predict(frame)).all()
    assert set(model.predict(frame)) == {0, 1}


@pytest.mark.slow
def test_labels_may_be_given_apart_and_the_bits_are_the_same(model, table):
    other = PUModel(**ASKED).fit(table.drop(columns="known"), table["known"], ids=["name"])
    frame, _ = some_table(seed=1)
    assert (other.decision_function(frame) == model.decision_function(frame)).all()


def test_a_saved_model_is_the_same(model, tmp_path):
    model.save(tmp_path / "m.pub")
    again = PUModel.load(tmp_path / "m.pub")
    frame, _ = some_table(seed=1)
    assert (again.predict_proba(frame) == model.predict_proba(frame)).all()
    assert again.leaderboard().equals(model.leaderboard())
    assert again.explain().equals(model.explain())
    assert again.unlabelled().equals(model.unlabelled())
    assert set(again.explain(frame.iloc[:3]).columns) == {"row", "column", "effect"}


@pytest.mark.parametrize(
    ("asked", "fit", "error", "message"),
    [
        ({"scenario": None}, {"label": "known"}, ValueError, "single-training-set"),
        ({"goal": "fame"}, {"label": "known"}, ValueError, "goal"),
        ({"prior": "bbe"}, {"label": "known"}, ValueError, "prior"),
        ({"prior": 0.1}, {"label": "known"}, PriorError, "share of labelled rows"),
        ({}, {"label": "knwn"}, DataError, "did you mean 'known'"),
        ({}, {}, DataError, "give the labels once"),
        ({"method": "pueta"}, {"label": "known"}, LookupError, "did you mean 'puet'"),
    ],
)
def test_bad_input_is_refused(table, asked, fit, error, message):
    with pytest.raises(error, match=message):
        PUModel(**ASKED | asked).fit(table, **fit)


def test_the_journey_on_the_command_line(table, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table.to_csv("mine.csv", index=False)
    new, y = some_table(n=120, seed=1)
    new.drop(columns="known").to_csv("new.csv", index=False)
    asked = ("--label", "known", "--id", "name", "--method", "wlr", "--prior", "0.5")
    said = pubench_here(capsys, "fit", "mine.csv", *asked, "--out", "m.pub", "-q").stdout
    assert "scenario case-control" in said
    said = pubench_here(capsys, "predict", "m.pub", "new.csv", "--out", "scores.csv").stdout
    assert "120 rows" in said
    assert f"about {pd.read_csv('scores.csv')['probability'].sum():.0f} are positive\n" in said
    assert "Caution" not in said
    found = pd.read_csv("scores.csv")
    cut = float(said.partition("Decision 1 means a probability of ")[2].split()[0])
    assert found.loc[found["decision"] == 1, "probability"].min() >= cut - 0.001
    assert found.loc[found["decision"] == 0, "probability"].max() <= cut + 0.001
    assert roc_auc_score(y, pd.read_csv("scores.csv")["probability"]) > 0.8
    assert "use --unlabelled" in pubench_here(capsys, "predict", "m.pub", "mine.csv", "--out", "x.csv").stdout
    pubench_here(capsys, "predict", "m.pub", "--unlabelled", "--out", "u.csv")
    said = pubench_here(
        capsys, "explain", "m.pub", "new.csv", "--html", "e.html", "--out", "why.csv", "--top", "2"
    ).stdout
    assert "size" in said
    assert set(pd.read_csv("why.csv")["name"]) == set(found["name"])
    said = pubench_here(capsys, "explain", "m.pub", "mine.csv", "--top", "1").stdout
    assert "Caution: FILE is the training table" in said
    pubench_here(capsys, "review", "m.pub", "mine.csv", "-n", "40", "--out", "rows.csv")
    rows = pd.read_csv("rows.csv")
    truth = some_table()[1]
    rows["answer"] = ["yes" if truth[row - 1] else "no" for row in rows["training_row"]]
    rows.to_csv("rows.csv", index=False)
    before = (tmp_path / "m.pub").read_bytes()
    said = pubench_here(capsys, "review", "m.pub", "--answers", "rows.csv").stdout
    assert "40 answers" in said
    assert (tmp_path / "m.pub").read_bytes() != before
    assert PUModel.load("m.pub").model_.card.review.answers == 40
    assert "Caution" not in said
    rows.loc[:9, "answer"] = ""
    rows.to_csv("rows.csv", index=False)
    said = pubench_here(capsys, "review", "m.pub", "--answers", "rows.csv").stdout
    assert "30 answers" in said
    assert "Caution: 10 of 40 rows have no answer." in said
    assert "Caution: the 40 answers of the earlier review are replaced." in said


def test_predictions_are_not_written_over_what_is_no_file(model, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model.save("m.pub")
    some_table(n=20, seed=1)[0].to_csv("new.csv", index=False)
    os.mkfifo("pipe")
    said = pubench_here(capsys, "predict", "m.pub", "new.csv", "--out", "pipe", code=2)
    assert "pipe is not a regular file" in said.stderr
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)
    Path("link.csv").symlink_to("real.csv")
    pubench_here(capsys, "predict", "m.pub", "new.csv", "--out", "link.csv")
    assert Path("link.csv").is_symlink()
    assert len(pd.read_csv("real.csv")) == 20


def test_what_is_no_table_gets_a_sentence(model):
    new = some_table(n=5, seed=1)[0]
    for wrong, words in ((new.to_numpy(), "ndarray"), (new.iloc[0], "Series"), (new.head(0), "no rows")):
        with pytest.raises(PubenchError, match=words):
            model.predict_proba(wrong)
    with pytest.raises(NotFittedError):
        PUModel().save("m.pub")
    with pytest.raises(ValueError, match="budget"):
        PUModel(**(ASKED | {"budget": -1.0})).fit(new, label="known")


def test_a_column_that_all_labelled_rows_share_is_mentioned(table):
    leaking = table.assign(
        ward=np.where(table["known"] == "yes", "A", np.resize(["A", "B", "C"], len(table)))
    )
    said = PUModel(**ASKED).fit(leaking, label="known", ids=["name"]).model_.card.remarks
    (hint,) = (one for one in said if "'ward'" in one and "audit" in one)
    assert "labelled rows have 'A'" in hint
    plain = PUModel(**ASKED).fit(table, label="known", ids=["name"]).model_.card.remarks
    assert not any("audit" in one for one in plain)


def test_unreadable_dates_are_the_first_line(model, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model.save("m.pub")
    new, _ = some_table(n=20, seed=1)
    new["seen"] = new["seen"].dt.strftime("%m/%d/%Y")
    new.loc[0, "size"] = 9_999_999
    new.to_csv("new.csv", index=False)
    said = pubench_here(capsys, "predict", "m.pub", "new.csv", "--out", "scores.csv").stdout
    assert said.startswith("Serious: 'seen' cannot be read in 20 of 20 rows; write dates as YYYY-MM-DD")
    assert "Drift: 'size' has values far outside" in said
    assert "Drift: 'seen'" not in said
    assert "Caution" not in said


def test_predictions_repeat_the_doubt_of_few_labels(table, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    known = np.flatnonzero(table["known"] == "yes")
    few = table.assign(known=np.where(np.isin(np.arange(len(table)), known[:8]), "yes", ""))
    PUModel(**ASKED).fit(few, label="known", ids=["name"]).save("m.pub")
    few.head(20).to_csv("new.csv", index=False)
    for rows in ("new.csv", "--unlabelled"):
        said = pubench_here(capsys, "predict", "m.pub", rows, "--out", "scores.csv").stdout
        assert "Caution: Only 8 rows are labelled" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fit", "none.csv", "--label", "a", "--out", "m.pub"), "none.csv"),
        (("fit", "new.csv", "--label", "a", "--out", "no/m.pub"), "does not exist"),
        (("predict", "new.csv", "new.csv", "--out", "s.csv"), "is not a pubench model file"),
        (("predict", "new.csv", "--out", "s.csv"), "give FILE, or --unlabelled"),
        (("fit", "new.csv", "--label", "a", "--out", "./new.csv"), "would be lost"),
        (("predict", "m.pub", "new.csv", "--out", "new.csv"), "would be lost"),
        (("predict", "m.pub", "new.csv", "--out", "m.pub"), "would be lost"),
        (("explain", "m.pub", "new.csv", "--html", "new.csv"), "would be lost"),
        (("recommend", "new.csv", "--label", "a", "--html", "new.csv"), "would be lost"),
        (("review", "m.pub", "--out", "m.pub"), "would be lost"),
        (("explain", "m.pub", "--out", "s.csv"), "give FILE, or remove --out"),
        (("review", "m.pub"), "name the file of rows"),
        (("review", "m.pub", "new.csv", "--answers", "new.csv"), "remove it"),
    ],
)
def test_bad_commands_end_with_one_sentence_and_write_nothing(
    tmp_path, capsys, monkeypatch, model, arguments, message
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "new.csv").write_text("a,b\n1,2\n")
    model.save("m.pub")
    before = (tmp_path / "m.pub").read_bytes()
    said = pubench_here(capsys, *arguments, code=2)
    assert message in said.stderr
    assert (tmp_path / "new.csv").read_text() == "a,b\n1,2\n"
    assert (tmp_path / "m.pub").read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["m.pub", "new.csv"]


def test_a_column_that_gives_the_label_away_is_doubted(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame, _ = some_table()
    frame["sent"] = np.where(frame["known"] == "yes", 1.0, 0.0) + np.linspace(0.0, 0.1, len(frame))
    frame.to_csv("mine.csv", index=False)
    asked = ("--label", "known", "--id", "name", "--method", "naive-lr-prior", "--prior", "0.4")
    said = pubench_here(capsys, "fit", "mine.csv", *asked, "--out", "m.pub", "-q").stdout
    assert "Perhaps a column reveals the label" in said
