"""Laws of a review: all rows checked give exact figures, some give intervals that hold, and the model follows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from helpers.trained import some_model, some_table

from pubench.advise.answers import ANSWER, ROW, answers_of, rows_table
from pubench.advise.reviewing import choose_rows, review_lines, reviewed
from pubench.errors import DataError


@pytest.fixture(scope="module")
def truth():
    return some_table()[1]


@pytest.fixture(scope="module")
def model():
    return some_model(some_table()[0])


def answered(rows, truth):
    return {int(row): bool(truth[row]) for row in rows}


def test_rows_are_unlabelled_distinct_and_the_same_for_the_same_seed(model):
    rows = choose_rows(model, 30)
    assert len(set(rows.tolist())) == 30
    assert (model.training.s[rows] == 0).all()
    assert (rows == choose_rows(model, 30)).all()
    assert set(rows) != set(choose_rows(model, 30, seed=1))
    n_u = int((model.training.s == 0).sum())
    assert len(choose_rows(model, 10**6)) == n_u
    assert len(choose_rows(model, 2)) == 2


def test_checking_every_row_gives_the_exact_share_and_precision(model, truth):
    unlabelled = model.training.s == 0
    found = reviewed(model, answered(choose_rows(model, 10**6), truth)).card.review
    share = truth[unlabelled].mean()
    assert found.share == found.share_low == found.share_high == pytest.approx(share)
    called = model.training.unseen.vote[unlabelled] > 0.5
    assert found.precision == found.precision_low == pytest.approx(truth[unlabelled][called].mean())


def test_the_model_follows_the_answers(model, truth):
    updated = reviewed(model, answered(choose_rows(model, 60), truth))
    prior, scores = updated.card.prior, updated.training.unseen.score
    assert prior.low < prior.value < prior.high
    for sigmoid, mean in (
        (updated.ensemble.calibration_.at_prior, prior.value),
        (updated.ensemble.calibration_.at_low, prior.low),
        (updated.ensemble.calibration_.at_high, prior.high),
    ):
        assert sigmoid.probability(scores).mean() == pytest.approx(mean)
    decided = updated.ensemble.decide(updated.training.unseen)
    assert decided.mean() == pytest.approx(prior.value, abs=0.01)
    # The model that was given is not changed, and a second review asks the same strata.
    assert model.ensemble.cut_ is None
    assert model.card.review is None
    assert reviewed(updated, answered(choose_rows(model, 60), truth)).card.review == updated.card.review
    assert "60 answers" in review_lines(updated)[0]


def test_more_answers_make_narrower_intervals(model, truth):
    widths = []
    for n in (12, 60, 150):
        found = reviewed(model, answered(choose_rows(model, n), truth)).card.review
        widths.append(found.share_high - found.share_low)
    assert widths == sorted(widths, reverse=True)


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say(model, truth):
    unlabelled = model.training.s == 0
    called = model.training.unseen.vote[unlabelled] > 0.5
    share, precision = truth[unlabelled].mean(), truth[unlabelled][called].mean()
    held = []
    for seed in range(200):
        found = reviewed(model, answered(choose_rows(model, 50, seed=seed), truth)).card.review
        held.append(
            (
                found.share_low <= share <= found.share_high,
                found.precision_low <= precision <= found.precision_high,
            )
        )
    # 90 % of 200: five standard errors below.
    assert (np.mean(held, axis=0) >= 0.8).all()


def test_the_file_to_fill_in_shows_the_row_but_no_score(model):
    frame, _ = some_table()
    rows = choose_rows(model, 20)
    table = rows_table(model, rows, frame)
    assert list(table.columns[:3]) == [ROW, ANSWER, "name"]
    assert set(table.columns) == {ROW, ANSWER, *frame.columns} - {"known"}
    assert table["name"].tolist() == frame["name"].iloc[rows].tolist()
    assert list(rows_table(model, rows).columns) == [ROW, ANSWER, "name"]
    with pytest.raises(DataError, match="give the table of the fit"):
        rows_table(model, rows, frame.iloc[1:])


def test_answers_are_read_in_many_forms():
    frame = pd.DataFrame({ROW: ["1", "2", "3", "4", "5"], ANSWER: ["yes", "No", "", None, "1"]})
    assert answers_of(frame) == {0: True, 1: False, 4: True}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({ROW: ["1"], ANSWER: ["perhaps"]}, "'perhaps' of row 1 is unclear"),
        ({ROW: ["x"], ANSWER: ["yes"]}, "'x' in column"),
        ({ROW: ["1", "1"], ANSWER: ["yes", "no"]}, "two different answers"),
        ({ROW: ["1"], ANSWER: [""]}, "no row has an answer"),
        ({ROW: ["1"]}, "no column 'answer'"),
    ],
)
def test_bad_answers_are_refused(columns, message):
    with pytest.raises(DataError, match=message):
        answers_of(pd.DataFrame(columns))


def test_answers_about_other_rows_are_refused(model):
    labelled = int(np.flatnonzero(model.training.s == 1)[0])
    for row in (labelled, 10**6):
        with pytest.raises(DataError, match=f"row {row + 1} is not an unlabelled row"):
            reviewed(model, {row: True})


def test_answers_about_other_rows_are_refused_by_their_ids():
    model = some_model(some_table()[0])
    table = rows_table(model, np.array([3, 5])).assign(**{ANSWER: "yes"})
    assert answers_of(table, model) == {3: True, 5: True}
    with pytest.raises(DataError, match="row 4 has name 'r5' in the answers, but 'r3' in the model"):
        answers_of(table.assign(name=table["name"].to_numpy()[::-1]), model)
