"""Positive classes of a file: by name, by rule, and errors."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.marks import slow
from helpers.suites import run_text

from pubench.data.classes import select_classes
from pubench.data.stored import StoredDataset
from pubench.errors import DataError, SuiteError
from pubench.plan.planning import plan_suite
from pubench.plugins.discovery import discover
from pubench.suite import parse_suite

LABELLING = '[[labellings]]\nscenario = "case-control"\npositives = 5\n'
ALGORITHM = '[[algorithms]]\nuse = "naive-lr"\n'


@pytest.fixture
def planned(tmp_path):
    """Write a CSV file with these classes, and plan a suite on it."""

    def plan(classes, positive, more="", labelling=LABELLING):
        text = suite(tmp_path, classes, positive, more) + labelling + ALGORITHM
        source = str(tmp_path / "s.toml")
        return plan_suite(parse_suite(text, source), discover(), source=source)

    return plan


def suite(folder, classes, positive, more=""):
    rows = np.random.default_rng(0).normal(size=len(classes))
    lines = [f"{x:.6f},{name}" for x, name in zip(rows, classes, strict=True)]
    path, content = folder / "t.csv", "\n".join(["x,target", *lines]) + "\n"
    if not path.exists() or path.read_text() != content:
        # A file with a new time stamp would be loaded again.
        path.write_text(content)
    entry = (
        f'[[datasets]]\nuse = "csv"\nname = "mine"\nparams = {{ path = "t.csv" }}\npositive = {positive}\n'
    )
    return f'name = "s"\nreplicates = 1\n{entry}{more}'


def positives(planned):
    (job,) = planned.jobs
    return {job.data.stored.classes[number] for number, side in job.data.classes.items() if side}


@pytest.mark.parametrize("classes", [["true", "false"], *slow(["TRUE", "FALSE"], ["True", "False"])])
def test_true_and_false_of_a_suite_match_any_spelling_in_the_file(classes, planned):
    for positive, expected in (("true", 0), ("false", 1), (f'"{classes[0]}"', 0)):
        assert positives(planned(classes * 20, f"[{positive}]")) == {classes[expected]}


@pytest.mark.slow
def test_an_ambiguous_true_is_refused(planned):
    with pytest.raises(SuiteError, match=r"has no class 'True'; did you mean"):
        planned(["true", "TRUE", "no"] * 10, "[true]")
    with pytest.raises(SuiteError, match=r"has no class 'YES'"):
        planned(["yes", "no"] * 10, '["YES"]')


def test_true_may_be_the_negative_class(planned):
    assert positives(planned(["true", "false"] * 20, '["false"]', "negative = [true]\n")) == {"false"}
    with pytest.raises(SuiteError, match="is both positive and negative"):
        planned(["true", "false"] * 20, '["true"]', "negative = [true]\n")


@pytest.mark.slow
def test_a_tie_for_the_rarest_class_is_reported(planned):
    (job,) = planned(["b", "a", "c", "c"] * 20, '"minority"').jobs
    assert job.data.notes == ("mine: positive = \"minority\" took class 'a', as rare as 'b'",)
    assert positives(planned(["b", "a", "c", "c"] * 20, '"minority"')) == {"a"}
    for classes, positive in ((["b", "a", "a"], '"minority"'), (["a", "b"], '["a"]')):
        (job,) = planned(classes * 20, positive).jobs
        assert job.data.notes == ()


@pytest.mark.slow
def test_a_tie_changes_no_key_and_reaches_the_rows(tmp_path, planned):
    classes = ["a", "b"] * 20
    by_rule, by_name = planned(classes, '"minority"'), planned(classes, '["a"]')
    assert [cell.key for cell in by_rule.plan.cells] == [cell.key for cell in by_name.plan.cells]
    results = run_text(tmp_path, suite(tmp_path, classes, '"minority"') + LABELLING + ALGORITHM)
    assert ["as rare as 'b'" in row["notes"] for row in results.rows] == [True]


@pytest.mark.parametrize("positive", [("a",), ()])
def test_data_of_one_class_are_refused_with_a_possible_remedy(positive):
    prepared = StoredDataset("mine", "", "", "", 9, 1, False, 0, 0, ("a",), (9,), (), False)
    with pytest.raises(DataError, match=r"^data set 'mine' has only one class, 'a'; it needs two$"):
        select_classes(prepared, positive, None)


@pytest.mark.parametrize("positive", ['["a"]', *slow('"minority"', '"one-versus-rest"')])
def test_a_file_of_one_class_fails_its_cells_with_the_loaders_message(positive, planned):
    (reason,) = planned(["a"] * 20, positive).without_data.values()
    assert "column 'target' is 'a' in every row, but there must be at least two classes" in reason


@pytest.mark.slow
def test_many_problems_of_one_entry_are_reported_in_a_few_lines(planned):
    with pytest.raises(SuiteError) as caught:
        planned([f"k{i}" for i in range(40)], '"one-versus-rest"')
    lines = str(caught.value).splitlines()
    assert len(lines) == 6
    assert all("none of the 1 positive rows is left for the test part" in line for line in lines[:5])
    assert lines[5].endswith("s.toml: labellings: 35 more of these, for the same data set entry")
    with pytest.raises(SuiteError) as caught:
        planned([f"k{i}" for i in range(6)], '"one-versus-rest"')
    assert len(str(caught.value).splitlines()) == 6
    assert "more of these" not in str(caught.value)
