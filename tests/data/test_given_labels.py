"""Labels that come with the data, true classes in the test rows only, and many problems that share their rows."""

from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.suites import plan, run

from pubench import Data, GivenLabels
from pubench.data.checks import checked_data
from pubench.data.truth import read_given
from pubench.errors import DataError, SuiteError
from pubench.run.labels import label_job

GIVEN = [{"scenario": "single-training-set", "positives": "given", "test": "given"}]
FAMILY = {"datasets": [{"use": "toy-family"}], "labellings": GIVEN}


def audited_table(path, n=120):
    """Write x, s and, for every third row, the true class; return y and the checked rows."""
    rng = np.random.default_rng(0)
    y = rng.random(n) < 0.5
    s, checked = y & (rng.random(n) < 0.6), np.arange(n) % 3 == 0
    lines = [
        f"{x:.5f},{int(label)},{int(true) if known else ''}"
        for x, label, true, known in zip(rng.normal(size=n) + 3 * y, s, y, checked, strict=True)
    ]
    path.write_text("\n".join(["x,s,checked", *lines]) + "\n")
    return y, s, checked


def table_entry(path, **params):
    return {"use": "csv", "params": {"path": str(path), "labelled": "s", "audited": "checked", **params}}


def test_audited_rows_test_and_do_not_train(tmp_path, monkeypatch):
    monkeypatch.setenv("TOY_DIARY", str(tmp_path / "diary"))
    _, s, checked = audited_table(tmp_path / "mine.csv")
    results = run(tmp_path, datasets=[table_entry(tmp_path / "mine.csv")], labellings=GIVEN)
    (row,) = results.rows
    assert row["status"] == "ok"
    assert (row["n_test"], row["n_p"], row["n_u"]) == (40, s[~checked].sum(), (~checked & ~s).sum())
    assert row["true_prior"] is None
    assert row["roc-auc"] > 0.9
    (fit,) = (json.loads(line) for line in (tmp_path / "diary").read_text().splitlines())
    assert fit["shape"] == [80, 1]
    assert sum(fit["labels"]) == s[~checked].sum()


def test_true_classes_of_test_rows_come_from_the_audit(tmp_path):
    y, _, checked = audited_table(tmp_path / "mine.csv")
    planned = plan(datasets=[table_entry(tmp_path / "mine.csv")], labellings=GIVEN)
    labelled = label_job(planned.jobs[0])
    assert labelled.truth.test.sum() == y[checked].sum()
    assert not set(labelled.train) & set(labelled.test)
    np.testing.assert_array_equal(labelled.truth.train, labelled.assignment.s)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"labelled": None, "target": "s"}, "audited is for real PU data; set labelled"),
        ({"split": "x"}, "audited rows are the test rows; remove split"),
        ({"audited": "x"}, r"column 'x' is '[^']+' in line 2; write 1 \(positive\) or 0 \(negative\)"),
        ({"audited": "s"}, "column 's' is used twice, as labelled and audited"),
        ({"audited": 3}, "audited = 3 is not a name"),
    ],
)
def test_bad_audits_are_refused(tmp_path, params, words):
    from pubench_datasets.files import csv

    audited_table(tmp_path / "mine.csv")
    with pytest.raises(DataError, match=words):
        csv(str(tmp_path / "mine.csv"), **{"labelled": "s", "audited": "checked", **params})


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["1,1", "0,1", "0,"], "column 'c' has no negative row; check some rows of both classes"),
        (["1,1", "0,0", "0,"], "column 'c' leaves no labelled row to learn from"),
        (["1,", "0,0", "0,1"], "column 'c' leaves no unlabelled row to learn from"),
    ],
)
def test_an_audit_needs_both_classes_and_leaves_both_kinds_of_rows(tmp_path, cells, words):
    from pubench_datasets.files import csv

    lines = [f"{k},{cell}" for k, cell in enumerate(cells)]
    (tmp_path / "few.csv").write_text("\n".join(["x,s,c", *lines]) + "\n")
    with pytest.raises(DataError, match=words):
        csv(str(tmp_path / "few.csv"), labelled="s", audited="c")


def test_a_family_shares_its_rows():
    planned = plan(**FAMILY, algorithms=[{"use": "toy"}, {"use": "pn-toy"}])
    cells, jobs = planned.plan.cells, planned.jobs
    assert [cell.dataset for cell in cells[::2]] == ["toy-family: a", "toy-family: b", "toy-family: c"]
    assert len({cell.key for cell in cells}) == 6
    assert len({job.data.stored.folder for job in jobs}) == 1
    assert len({job.seeds.split for job in jobs}) == 3
    stored = jobs[0].data.stored
    assert read_given(stored.truth).shape == (3, 2, stored.n_rows)
    assert {cell.skip for cell in cells[1::2]} == {
        f"pn-toy needs true classes, which are unknown (toy-family: {name})" for name in "abc"
    }


def test_each_problem_of_a_family_is_learned_and_judged_by_its_own_rows(tmp_path):
    results = run(tmp_path, **FAMILY)
    rows = {row["dataset"]: row for row in results.rows}
    assert [row["status"] for row in rows.values()] == ["ok"] * 3
    assert [row["n_p"] for row in rows.values()] == [10, 11, 12]
    assert {row["n_test"] for row in rows.values()} == {30}
    assert all(row["roc-auc"] > 0.8 for row in rows.values())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"labellings": [{"scenario": "case-control", "positives": "given"}]}, 'set test = "given"'),
        ({"datasets": [{"use": "toy-family", "sample": {"positive": 3}}]}, "remove sample"),
    ],
)
def test_what_a_family_fixes_is_not_chosen_again(changes, words):
    with pytest.raises(SuiteError, match=words):
        plan(**{**FAMILY, **changes})


@pytest.mark.parametrize(
    ("s", "y_test", "words"),
    [
        ([1, 0, 2, -1], [-1, -1, 0, 1], "s must be 1, 0 or -1"),
        ([1, 0, -1, -1], [-1, -1, 1], "y_test must be 1, 0 or -1 for each of the 4 rows"),
        ([1, 0, -1, -1], [-1, -1, 1, 1], "y_test must mark both positive and negative test rows"),
        ([1, 0, -1, -1], [1, 0, -1, -1], "s must mark both labelled and unlabelled rows whose true class"),
    ],
)
def test_given_labels_are_checked(s, y_test, words):
    given = {"p": GivenLabels(np.array(s), np.array(y_test))}
    with pytest.raises(DataError, match=words):
        checked_data("d", Data(np.ones((4, 1)), np.array([1, 0, 0, 0]), pu=True, given=given))
