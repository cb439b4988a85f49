"""Audits: what was planted in a table is found, and clean tables raise no alarm."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from helpers.commands import pubench_here

from pubench.advise import auditing, thinning
from pubench.advise.auditing import audit
from pubench.advise.fair_labelling import check_fairness, fairness_finding
from pubench.advise.leaks import find_leaks
from pubench.advise.schema import learn_schema
from pubench.advise.suspects import RowNames, find_copies, find_suspects, scores_of
from pubench.errors import DataError, PriorError

SHARES = {"share": 0.25, "least": 0.2}


def table(n=300, seed=0, gap=3.0):
    """A table with clearly separated classes, of which half of the positives are labelled; and the true classes."""
    random = np.random.default_rng(seed)
    y = random.random(n) < 0.4
    frame = pd.DataFrame(random.normal(size=(n, 3)) + gap * y[:, None], columns=["a", "b", "c"]).round(4)
    frame["city"] = random.choice(["Rome", "Oslo", "Bern"], n)
    frame["known"] = (y & (random.random(n) < 0.5)).astype(int)
    return frame, y


def leaks_of(frame):
    schema, _ = learn_schema(frame, label="known", ids=())
    return find_leaks(frame, schema, schema.encode(frame), frame["known"].to_numpy(np.uint8), seed=0)


def names_of(n):
    return RowNames(np.arange(n), [()] * n)


def test_honest_columns_are_no_leaks():
    assert leaks_of(table()[0]) == []


@pytest.mark.parametrize(
    ("make", "level", "words"),
    [
        (lambda s: np.where(s == 1, "2024-01-05", None), "serious", "filled in 100% of the labelled and 0%"),
        (
            lambda s: np.where(s == 1, np.nan, np.arange(len(s)) % 7.5),
            "serious",
            "filled in 0% of the labelled",
        ),
        (
            lambda s: np.where(np.arange(len(s)) % 4 < 1 + 3 * s, 1.5, None),
            "check",
            "and 26% of the unlabelled",
        ),
        (lambda s: s + np.arange(len(s)) % 7 / 10, "serious", "alone separates labelled from unlabelled"),
        (lambda s: np.where(s == 1, "x", np.resize(["x", "y"], len(s))), "check", "labelled rows have 'x'"),
    ],
    ids=["date", "missing", "partly", "number", "category"],
)
def test_a_column_that_gives_the_label_away_is_found(make, level, words):
    frame, _ = table()
    frame["leak"] = make(frame["known"].to_numpy())
    (found,) = leaks_of(frame)
    assert found.columns == ("leak",)
    assert found.level == level
    assert words in found.sentence
    assert "leave" in found.remedy


def test_copies_of_labelled_rows_are_named():
    random = np.random.default_rng(0)
    X, s = random.normal(size=(60, 3)), np.repeat([1, 0], 30).astype(np.uint8)
    assert list(find_copies(X, s, names_of(60))) == []
    X[[40, 55]] = X[[3, 8]]
    (found,) = find_copies(X, s, names_of(60))
    assert (found.level, found.count) == ("check", 2)
    assert [suspect.row for suspect in found.rows] == [41, 56]


def test_equal_rows_are_usual_where_there_are_few_values():
    X, s = np.resize([0.0, 1.0], (60, 1)), np.repeat([1, 0], 30).astype(np.uint8)
    (found,) = find_copies(X, s, names_of(60))
    assert found.level == "note"


def suspects_of(s, frame):
    X = frame[["a", "b", "c"]].to_numpy()
    return {
        one.subject: one for one in find_suspects(scores_of(X, s, 0), s, **SHARES, names=names_of(len(s)))
    }


def test_wrong_labels_are_found_where_classes_are_apart():
    frame, y = table(200, gap=4.0)
    s = frame["known"].to_numpy(np.uint8)
    wrong = np.flatnonzero(~y)[:4]
    s[wrong] = 1
    found = suspects_of(s, frame)["label"]
    assert {suspect.row - 1 for suspect in found.rows} >= set(wrong)
    assert found.count <= 6
    assert found.level == "check"


def test_likely_positives_are_positive():
    frame, y = table(200, gap=4.0)
    found = suspects_of(frame["known"].to_numpy(np.uint8), frame)
    rows = [suspect.row - 1 for suspect in found["positive"].rows]
    assert rows
    assert y[rows].all()
    assert not frame["known"][rows].any()


def test_scores_without_signal_accuse_nobody():
    random = np.random.default_rng(0)
    s = (random.random(300) < 0.2).astype(np.uint8)
    found = find_suspects(random.normal(size=300), s, **SHARES, names=names_of(300))
    assert [one for one in found if one.level != "note"] == []


def test_labels_of_easy_positives_are_noticed():
    random = np.random.default_rng(0)
    y = random.random(400) < 0.5
    frame = pd.DataFrame({"a": random.normal(size=400) + 3 * y, "b": random.normal(size=400)})
    schema, _ = learn_schema(frame, label=None, ids=())
    easy = (y & (frame["b"] > 0.3)).to_numpy(np.uint8)
    fair = (y & (random.random(400) < 0.4)).astype(np.uint8)
    found = {}
    for name, s in (("easy", easy), ("fair", fair)):
        found[name] = check_fairness(schema.encode(frame), ("a", "b"), s, float(y[s == 0].mean()), 0)
    assert found["easy"].unusual
    assert found["easy"].columns[0] == "b"
    assert not found["fair"].unusual
    assert fairness_finding(found["easy"]).level == "check"
    assert "not a test" in fairness_finding(found["easy"]).sentence
    assert "does not confirm" in fairness_finding(found["fair"]).sentence


def test_few_rows_say_nothing_about_fairness():
    frame = pd.DataFrame({"a": np.arange(50) / 7})
    schema, _ = learn_schema(frame, label=None, ids=())
    s = (np.arange(50) < 5).astype(np.uint8)
    assert check_fairness(schema.encode(frame), ("a",), s, 0.5, 0) is None
    assert "too few rows" in fairness_finding(None).sentence


@pytest.mark.slow
def test_a_large_table_is_examined_by_a_sample(monkeypatch):
    frame, y = table(900)
    frame["leak"] = np.where(frame["known"] == 1, 1.5, None)
    whole = audit(frame, label="known")
    monkeypatch.setattr(
        auditing, "thinned", lambda s, rng, most=600: thinning.thinned(s, rng, most=min(most, 600))
    )
    part = audit(frame, label="known")
    assert (whole.audited, part.audited, part.rows) == (900, 600, 900)
    assert part.prior.low < y.mean() < part.prior.high
    assert part.prior.value == pytest.approx(whole.prior.value, abs=0.06)
    assert part.findings[0].columns == whole.findings[0].columns == ("leak",)


def test_a_command_says_what_it_found(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame, _ = table(120)
    frame.insert(0, "number", [f"{i:03d}" for i in range(120)])
    frame["confirmed"] = np.where(frame["known"] == 1, "2024-01-05", "")
    frame["known"] = np.where(frame["known"] == 1, "yes", "")
    frame.to_csv("mine.csv", index=False, sep=";", decimal=",")
    said = pubench_here(capsys, "audit", "mine.csv", "--label", "known", "--id", "number").stdout
    assert f"mine.csv: 120 rows, {(frame['known'] == 'yes').sum()} labelled" in said
    assert "give --scenario case-control" in said
    assert "Serious:\n  - 'confirmed' is filled in 100% of the labelled and 0%" in said
    assert "Plausible range" in said
    assert said.rstrip().endswith(
        "Next, without the columns that reveal the label: "
        "pubench recommend mine.csv --label known --id number --id confirmed"
    )


def test_an_id_of_labelled_rows_alone_is_serious(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame, y = table(200, gap=4.0)
    s = frame["known"].to_numpy()
    frame.loc[np.flatnonzero(~y)[:2], "known"] = 1
    numbers = 40_000 + 37 * np.arange(200)
    frame["case_no"] = np.where((s == 1) & (np.arange(200) % 10 > 0), numbers, np.nan)
    frame.to_csv("mine.csv", index=False)
    said = pubench_here(capsys, "audit", "mine.csv", "--label", "known").stdout
    assert "Serious:\n  - 'case_no' is filled in" in said
    assert "of the labelled and 0% of the unlabelled rows. It looks like an id and is not used." in said
    assert said.count("looks like an id and is not used") == 1
    assert "nan" not in said
    assert "()" not in said
    assert "--id case_no" in said
    named = audit(frame, label="known", ids=["case_no"])
    assert not any(one.columns == ("case_no",) for one in named.findings)


@pytest.mark.slow
def test_an_audit_depends_on_its_seed_only():
    frame, y = table()
    frame.loc[np.flatnonzero(~y)[:3], "known"] = 1
    first, second = (audit(frame, label="known", seed=3).to_json() for _ in range(2))
    assert json.dumps(first) == json.dumps(second)
    assert first["prior"]["low"] < first["prior"]["high"]
    assert first["auc"] > 0.7


def test_a_given_prior_is_used_or_refused():
    frame, _ = table(120)
    found = audit(frame, label="known", prior=0.45)
    assert (found.prior.low, found.prior.value) == (0.45, 0.45)
    with pytest.raises(PriorError, match="not above the share of labelled rows"):
        audit(frame, label="known", prior=0.01)


def test_five_labelled_rows_are_audited_with_doubt():
    frame, _ = table(100)
    known = np.flatnonzero(frame["known"])
    frame.loc[known[4:], "known"] = 0
    found = audit(frame, label="known")
    assert found.prior is None
    assert found.findings[0].level == "serious"
    assert "Only 4 rows are labelled" in found.findings[0].sentence


@pytest.mark.parametrize(
    ("label", "expected"),
    [("know", "did you mean 'known'"), ("a", "like an id or a measurement"), ("all", "marks all 300 rows")],
)
def test_impossible_labels_are_one_sentence(label, expected, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table()[0].assign(all=1).to_csv("mine.csv", index=False)
    said = pubench_here(capsys, "audit", "mine.csv", "--label", label, code=2)
    assert expected in said.stderr
    assert len(said.stderr.strip().splitlines()) == 1


def test_no_column_is_left_without_leaks():
    with pytest.raises(DataError, match="no column of the table can be used"):
        audit(pd.DataFrame({"known": [1, 0], "c": [2, 2]}), label="known")


def test_rows_that_share_an_id_are_counted():
    frame, _ = table(200)
    frame["case"] = np.arange(200)
    assert not any(one.columns == ("case",) for one in audit(frame, label="known", ids=["case"]).findings)
    frame.loc[10:12, "case"] = 9
    (found,) = (one for one in audit(frame, label="known", ids=["case"]).findings if one.columns == ("case",))
    assert found.sentence == "4 rows share their 'case' with another row."
