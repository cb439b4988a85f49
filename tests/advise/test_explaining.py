"""Laws of explanations: columns that say nothing do not matter, one-hot columns are one, usual rows need no reasons."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
from helpers.html import outline
from helpers.trained import some_model, some_table

from pubench.advise.describing import (
    card_sections,
    explain_rows,
    explanation_page,
    explanation_sections,
    id_columns,
    reasons_csv,
)
from pubench.advise.explaining import importances, measured_importance, reasons
from pubench.advise.schema import learn_schema
from pubench.advise.sections import text_lines


@pytest.fixture(scope="module")
def model():
    return some_model(some_table()[0])


def test_importance_names_original_columns_the_largest_first(model):
    found = model.card.importance
    assert {one.column for one in found} == {"size", "width", "noise", "city", "seen"}
    assert [one.loss for one in found] == sorted((one.loss for one in found), reverse=True)
    by_name = {one.column: one.loss for one in found}
    assert by_name["size"] > by_name["noise"]


def test_a_column_that_the_model_does_not_use_has_no_importance(model):
    frame, _ = some_table(seed=1)
    X = model.schema.encode(frame).X
    place = [column.name for column in model.schema.columns].index("size")
    X[:, np.asarray(model.schema.source) == place] = 0.0
    s = (frame["known"] == "yes").to_numpy().astype(np.uint8)
    found = {one.column: one for one in importances(model.ensemble, model.schema, X, s, seed=0)}
    assert found["size"].loss == found["size"].spread == 0.0
    assert found["width"].loss != 0.0


def test_importance_is_measured_on_a_table_with_labels(model):
    frame, _ = some_table(seed=1)
    found, where = measured_importance(model, frame)
    assert where == "on the rows of the file"
    assert found != model.card.importance
    for table in (None, frame.drop(columns="known")):
        assert measured_importance(model, table) == (model.card.importance, "on rows held out of a fit")
    for empty in ("", 0):
        found, where = measured_importance(model, frame.assign(known=empty))
        assert found == model.card.importance
        assert where.endswith("because column 'known' of the file does not mark labelled rows")


def test_curves_follow_the_model(model):
    by_name = {curve.column: curve for curve in model.card.curves}
    size = by_name["size"]
    assert list(size.positions) == sorted(size.positions)
    assert list(size.probability) == sorted(size.probability)
    assert by_name["seen"].values[0].startswith("2024-")
    assert set(by_name["city"].values) >= {"Rome", "Oslo", "Bern"}
    city = dict(zip(by_name["city"].values, by_name["city"].probability, strict=True))
    assert city["Rome"] > city["Bern"]


def test_zeros_are_shown_as_zeros():
    counts = np.repeat([0.0, 0.1, 0.7, 4.7], [150, 40, 30, 20])
    frame, _ = some_table()
    frame["size"] = np.random.default_rng(0).permutation(counts)
    schema, _ = learn_schema(frame, label="known", ids=["name"])
    (place,) = (place for place, column in enumerate(schema.columns) if column.name == "size")
    column = schema.columns[place]
    cells = (0.0 - column.mean[0]) / column.scale[0]
    assert cells * column.scale[0] + column.mean[0] != 0
    model = some_model(frame)
    (curve,) = (one for one in model.card.curves if one.column == "size")
    assert curve.values[0] == "0"
    assert curve.positions[0] == 0.0


def test_a_usual_row_needs_no_reasons_and_a_changed_column_is_the_reason(model):
    columns = [one.column for one in model.card.importance]
    changed = model.typical.copy()
    place = model.schema.names.index("size")
    changed[place] += 3.0
    usual, other = reasons(
        model.ensemble, model.schema, np.stack([model.typical, changed]), model.typical, columns
    )
    assert usual == ()
    assert [one.column for one in other] == ["size"]
    positive = model.ensemble.predict_proba(np.stack([changed, model.typical]))[:, 1]
    odds = np.log(positive / (1 - positive))
    assert other[0].effect == pytest.approx(odds[0] - odds[1])


def test_reasons_do_not_shrink_where_probabilities_saturate(model):
    sure = copy.deepcopy(model.ensemble)
    calibration = sure.calibration_
    sure.calibration_ = replace(calibration, at_prior=replace(calibration.at_prior, offset=40.0))
    frame, _ = some_table(n=20, seed=1)
    X, columns = model.schema.encode(frame).X, [one.column for one in model.card.importance]
    assert (sure.predict_proba(X)[:, 1] > 1 - 1e-12).all()
    before, after = (
        [
            one.effect
            for row in reasons(ensemble, model.schema, X, model.typical, columns, most=1)
            for one in row
        ]
        for ensemble in (model.ensemble, sure)
    )
    assert after == pytest.approx(before)


def test_explained_rows_come_by_rank_with_their_cells(model):
    frame, _ = some_table(n=30, seed=1)
    rows = explain_rows(model, frame)
    assert [row.rank for row in rows] == sorted(row.rank for row in rows)
    assert {row.names[0] for row in rows} == set(frame["name"])
    sizes = [reason for row in rows for reason in row.reasons if reason.startswith("size = ")]
    assert sizes
    cells = {f"{value:.4g}" for value in frame["size"]}
    assert {text.split()[2] for text in sizes} <= cells
    lines = reasons_csv(rows).splitlines()
    assert len(lines) == 31
    assert lines[0].startswith("row,rank,probability,reason_1")
    assert reasons_csv(rows, id_columns(model, frame)).startswith("name,rank,probability,reason_1")


def test_the_usual_row_has_medians_and_the_most_frequent_category(model):
    frame, _ = some_table()
    unlabelled = frame[frame["known"] == ""]
    usual = unlabelled.iloc[:1].assign(
        size=unlabelled["size"].median(),
        city=unlabelled["city"].mode()[0],
        noise=unlabelled["noise"].median(),
    )
    names = np.asarray(model.schema.names)
    columns = [column.name for column in model.schema.columns]
    shown = np.isin(
        np.asarray(model.schema.source), [columns.index(name) for name in ("size", "city", "noise")]
    )
    assert model.typical[shown] == pytest.approx(model.schema.encode(usual).X[0, shown])
    assert model.typical[names == "width is missing"] == 0.0


def test_a_missing_cell_can_be_a_reason(model):
    frame, _ = some_table(n=20, seed=1)
    frame[["size", "noise"]] = frame[["size", "noise"]].median().to_numpy()
    frame["width"], frame["city"] = np.nan, "Oslo"
    assert any("width = missing" in reason for row in explain_rows(model, frame) for reason in row.reasons)


def test_the_page_holds_what_the_terminal_shows_and_escapes_it(model):
    frame, _ = some_table(n=10, seed=1)
    frame["name"] = "<script>alert(1)</script>"
    rows = explain_rows(model, frame)[:3]
    sections = explanation_sections(model.card, model.card.importance, "here", rows)
    page = explanation_page(model.card, sections)
    assert "<script" not in page
    assert page.count("<svg") == len(model.card.curves)
    assert "http" not in page
    text = "\n".join(text_lines(sections))
    for one in model.card.importance:
        assert one.column in text
        assert one.column in page
    assert outline(page)


def test_the_limits_begin_with_few_labels_and_an_unknown_prior(model):
    card = model.card
    assert card.doubts == ()
    doubtful = replace(
        card,
        prior=replace(card.prior, low=0.003, high=1.0, determined=False),
        provenance=replace(card.provenance, labelled=5),
    )
    few, prior = doubtful.doubts
    assert few.startswith("Only 5 rows are labelled")
    assert prior.startswith(
        "The prior cannot be determined from these data: probabilities and decisions rest on 0.500"
    )
    for sections in (card_sections(doubtful), explanation_sections(doubtful, card.importance, "here", ())):
        assert sections[-1].sentences[:2] == doubtful.doubts


def test_the_card_names_what_was_left_out_and_a_given_prior(model):
    text = "\n".join(text_lines(card_sections(model.card)))
    assert "The prior was given, not estimated" in text
    assert "A limit." in text
