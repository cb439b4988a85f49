"""Schemas: what a table's columns are, and rows of numbers with names that a person recognises."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from pubench.advise import memory
from pubench.advise.schema import Schema, learn_schema, total_drift
from pubench.errors import DataError

N = 200
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "customer": [f"c{i:04d}" for i in range(N)],
        "age": np.where(np.arange(N) % 10 == 0, np.nan, RNG.normal(50, 9, N)),
        "city": RNG.choice(["Rome", "Oslo", "Bern"], N),
        "smoker": RNG.choice(["yes", "no"], N),
        "active": RNG.random(N) < 0.5,
        "joined": pd.date_range("2020-01-01", periods=N, freq="53h"),
        "constant": 3,
        "empty": None,
        "note": [f"called {i} times on day {i * i}" for i in range(N)],
        "number": np.arange(N),
        "known": [1] * 40 + [0] * (N - 40),
    }
)


def learned(frame=FRAME, ids=("customer",)):
    return learn_schema(frame, label="known" if "known" in frame else None, ids=ids)


def test_columns_keep_their_names_and_say_where_they_come_from():
    schema, _ = learned()
    encoded = schema.encode(FRAME)
    assert encoded.names[:2] == ("age", "age is missing")
    assert set(encoded.names[2:5]) == {"city = Rome", "city = Oslo", "city = Bern"}
    assert encoded.names[5:7] == ("smoker = yes", "active = True")
    assert encoded.names[7:] == ("joined: days", "joined: month", "joined: weekday", "joined: hour")
    assert [schema.columns[place].name for place in encoded.source] == [
        name.split(" ")[0].removesuffix(":") for name in encoded.names
    ]
    assert schema.text == ("customer", "number", "city", "smoker", "active")


def test_encoded_rows_are_standardised_and_complete():
    encoded = learned()[0].encode(FRAME)
    assert encoded.X.shape == (N, len(encoded.names))
    assert np.isfinite(encoded.X).all()
    column = dict(zip(encoded.names, encoded.X.T, strict=True))
    for name in ("age", "joined: days", "joined: hour"):
        np.testing.assert_allclose([column[name].mean(), column[name].std()], [0, 1], atol=1e-9)
    np.testing.assert_array_equal(column["age is missing"], FRAME["age"].isna())
    np.testing.assert_array_equal(column["city = Rome"], FRAME["city"] == "Rome")
    np.testing.assert_array_equal(column["active = True"], FRAME["active"])
    weekday = FRAME["joined"].dt.day_of_week
    np.testing.assert_allclose(column["joined: weekday"], (weekday - weekday.mean()) / weekday.std(ddof=0))
    assert not [drift for drift in encoded.remarks if drift.notable]


def test_remarks_say_what_was_understood():
    schema, remarks = learned()
    said = " ".join(remarks)
    assert [one.name for one in schema.dropped] == ["constant", "empty", "note"]
    assert schema.ids == ("customer", "number")
    for words in (
        "200 rows; 5 columns are used: 1 number, 1 category, 2 flags, 1 date",
        "'age' 10.0%",
        "Used as id only: 'customer'",
        "Not used by any method because it looks like an id: 'number'",
        "Dropped 'constant': it is constant",
        "Dropped 'empty': it is empty",
        "Dropped 'note': it is text with 200 different values",
        "The date 'joined' became days, month, weekday, hour",
    ):
        assert words in said


def test_copies_of_a_column_are_dropped_and_named():
    copied = FRAME.assign(years=FRAME["age"], town=FRAME["city"], place=FRAME["city"])
    schema, remarks = learned(copied)
    assert schema.names == learned()[0].names
    assert "Dropped 'years': it has the same cells as 'age'." in remarks
    assert "Dropped 'town', 'place': they have the same cells as 'city'." in remarks
    schema.encode(FRAME)


def test_a_schema_survives_json():
    schema, _ = learned()
    again = Schema.from_json(json.loads(json.dumps(schema.to_json())))
    assert again == schema
    np.testing.assert_array_equal(again.encode(FRAME).X, schema.encode(FRAME).X)
    with pytest.raises(DataError, match="damaged"):
        Schema.from_json({"columns": [{"name": 1}]})


def test_the_same_cells_as_text_give_the_same_rows():
    schema, _ = learned()
    text = FRAME.copy()
    text["age"] = [None if np.isnan(age) else repr(age) for age in FRAME["age"]]
    text["joined"] = FRAME["joined"].astype(str)
    text["city"] = FRAME["city"].astype("category")
    again, _ = learned(text)
    np.testing.assert_array_equal(again.encode(text).X, schema.encode(FRAME).X)
    np.testing.assert_array_equal(schema.encode(text).X, schema.encode(FRAME).X)


def test_other_columns_do_not_change_a_row():
    schema, _ = learned()
    rows = FRAME.iloc[[3, 5]]
    shuffled = rows[rows.columns[::-1]].assign(new=1)
    np.testing.assert_array_equal(schema.encode(shuffled).X, schema.encode(FRAME).X[[3, 5]])


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1,5", "2,25", "-3", "4,0"], [1.5, 2.25, -3, 4]),
        (["1.234,5", "2.000,25", "-3", "4"], [1234.5, 2000.25, -3, 4]),
        (["1,234", "2,000", "-3", "4"], [1234, 2000, -3, 4]),
        (["1 234.5", "2 000", "3", "4"], [1234.5, 2000, 3, 4]),
        (["12%", "5 %", "3.5%", "40%"], [0.12, 0.05, 0.035, 0.4]),
        (["1e3", "2.5E-1", "+3", "4"], [1000, 0.25, 3, 4]),
    ],
)
def test_numbers_are_read_in_every_notation(cells, values):
    schema, _ = learn_schema(pd.DataFrame({"x": cells}), label=None, ids=())
    expected = (np.asarray(values) - np.mean(values)) / np.std(values)
    np.testing.assert_allclose(schema.encode(pd.DataFrame({"x": cells})).X[:, 0], expected)


def test_numbers_with_a_few_other_cells_stay_numbers():
    frame = pd.DataFrame({"x": [*map(str, np.arange(0, 57, 3) / 2), "n.a."]})
    schema, remarks = learn_schema(frame, label=None, ids=())
    assert schema.columns[0].kind == "number"
    assert "'x' has 1 cell that is not a number, such as 'n.a.'" in " ".join(remarks)


@pytest.mark.parametrize(
    ("cells", "day"),
    [
        (["2024-01-31", "2024-02-01"], "2024-01-31"),
        (["31.01.2024", "01.02.2024"], "2024-01-31"),
        (["31/01/2024 10:30", "01/02/2024 00:00"], "2024-01-31T10:30"),
        (["01/31/2024", "02/01/2024"], "2024-01-31"),
        (["2024-01-31T23:00:00+00:00", "2024-02-01T00:00:00+00:00"], "2024-01-31T23:00"),
    ],
)
def test_dates_are_read_in_usual_notations(cells, day):
    schema, _ = learn_schema(pd.DataFrame({"x": cells}), label=None, ids=())
    assert schema.columns[0].kind == "date"
    first = (np.datetime64(day, "s") - np.datetime64("1970-01-01", "s")) / np.timedelta64(1, "D")
    assert schema.columns[0].low[0] == pytest.approx(first)


def test_codes_with_leading_zeros_are_categories():
    frame = pd.DataFrame({"zip": ["00150", "80331"] * 10, "x": np.arange(20) / 7})
    schema, _ = learn_schema(frame, label=None, ids=())
    assert schema.columns[0].kind == "flag"
    assert "zip" in schema.text


def test_many_categories_share_one_column():
    cities = [f"city {i % 80}" for i in range(1000)] + ["Rome"] * 200 + ["Ur", "Uruk"]
    schema, remarks = learn_schema(pd.DataFrame({"city": cities}), label=None, ids=())
    assert schema.names[0] == "city = Rome"
    assert schema.names[-1] == "city = (other)"
    assert len(schema.names) == 31
    np.testing.assert_array_equal(schema.encode(pd.DataFrame({"city": cities})).X.sum(axis=1), 1)
    assert "'city' has 83 categories; the 30 most frequent ones are used" in " ".join(remarks)


def test_a_value_or_nothing_is_a_flag():
    frame = pd.DataFrame({"paid": [3.0, None] * 10, "x": np.arange(20) / 7})
    schema, _ = learn_schema(frame, label=None, ids=())
    assert schema.names == ("paid = 3", "x")
    assert schema.encode(frame).X[:2, 0].tolist() == [1, 0]


def test_drift_is_counted_and_parts_add_up():
    schema, _ = learned()
    new = FRAME.iloc[:100].assign(
        city=["Lima"] * 30 + FRAME["city"].tolist()[30:100],
        age=[500.0] * 20 + [None] * 40 + [50.0] * 40,
    )
    found = {(drift.column, drift.kind): drift for drift in schema.encode(new).remarks if drift.notable}
    assert {key: drift.count for key, drift in found.items()} == {
        ("age", "outside"): 20,
        ("age", "missing"): 40,
        ("city", "unknown"): 30,
    }
    assert "such as 'Lima' in 30 of 100 rows" in found["city", "unknown"].sentence
    parts = [schema.encode(new.iloc[:35]).remarks, schema.encode(new.iloc[35:]).remarks]
    assert set(total_drift(parts, 100)) == set(schema.encode(new).remarks)


def test_unreadable_cells_count_as_missing():
    schema, _ = learned()
    new = FRAME.iloc[:10].assign(age="old", joined="soon")
    encoded = schema.encode(new)
    assert {(d.column, d.kind) for d in encoded.remarks if d.notable} >= {
        ("age", "unreadable"),
        ("joined", "unreadable"),
    }
    assert np.isfinite(encoded.X).all()


def test_a_column_that_cannot_be_read_is_serious_and_one_far_value_is_said():
    schema, _ = learned()
    ages = FRAME["age"].tolist()
    ages[3] = 9_999_999.0
    found = {(d.column, d.kind): d for d in schema.encode(FRAME.assign(age=ages)).remarks if d.notable}
    assert list(found) == [("age", "outside")]
    assert "such as '9999999' in 1 of" in found["age", "outside"].sentence
    half = FRAME.iloc[:10].assign(joined=["03/31/2026"] * 4 + FRAME["joined"].tolist()[4:10])
    assert not any(d.serious for d in schema.encode(half).remarks)
    new = FRAME.iloc[:10].assign(joined="03/31/2026", age="35;5")
    said = [d.sentence for d in schema.encode(new).remarks if d.serious]
    assert said == [
        "'age' cannot be read in 10 of 10 rows, such as '35;5'; write numbers with a decimal point, as in training",
        "'joined' cannot be read in 10 of 10 rows; write dates as YYYY-MM-DD, as in training",
    ]


def test_missing_columns_are_refused_by_name():
    schema, _ = learned()
    with pytest.raises(DataError, match="lacks 2 columns of the training data: 'age', 'city'; add them"):
        schema.encode(FRAME.drop(columns=["age", "city"]))


@pytest.mark.parametrize(
    ("frame", "roles", "expected"),
    [
        (FRAME, {"label": "know"}, "no column 'know' \\(label\\); did you mean 'known'"),
        (FRAME, {"ids": ("costumer",)}, "did you mean 'customer'"),
        (FRAME, {"ids": ("known",)}, "cannot be the label and an id"),
        (pd.concat([FRAME, FRAME[["age"]]], axis=1), {}, "more than one column named 'age'"),
        (FRAME[["constant", "empty", "known"]], {}, "no column of the table can be used"),
    ],
)
def test_impossible_roles_are_refused(frame, roles, expected):
    with pytest.raises(DataError, match=expected):
        learn_schema(frame, **({"label": "known", "ids": ()} | roles))


def test_lists_are_dropped_with_a_reason():
    frame = pd.DataFrame({"x": [1.5, 2, 3], "tags": [["a"], ["b"], []]})
    schema, _ = learn_schema(frame, label=None, ids=())
    assert [(one.name, one.reason) for one in schema.dropped] == [
        ("tags", "its cells are neither numbers nor text")
    ]


def test_rows_that_do_not_fit_into_memory_are_refused(monkeypatch):
    schema, _ = learned()
    monkeypatch.setattr(memory, "free_memory", lambda: 1000)
    with pytest.raises(DataError, match="random sample"):
        schema.encode(FRAME)


def test_dates_with_one_meaning_are_read_whatever_the_format():
    days = ["31.01.2026", "28.02.2026", "05.03.2026"]
    schema, _ = learn_schema(pd.DataFrame({"x": [1.0, 2.0, 4.0], "day": days}), label=None, ids=[])
    moments = pd.to_datetime(days, format="%d.%m.%Y")
    expected = schema.encode(pd.DataFrame({"x": [1.0, 2.0, 4.0], "day": days})).X
    for given in (moments, [str(moment.date()) for moment in moments]):
        found = schema.encode(pd.DataFrame({"x": [1.0, 2.0, 4.0], "day": given}))
        np.testing.assert_array_equal(found.X, expected)
        assert not [drift for drift in found.remarks if drift.notable]
