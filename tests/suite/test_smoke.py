"""The smoke size of a suite, and entries that refer to entries of other tables."""

from pathlib import Path

import pytest

from pubench.errors import SuiteError
from pubench.plan.planning import plan_suite
from pubench.plugins.discovery import discover
from pubench.suite import Suite, load_suite, parse_suite
from pubench.suite.smoke import smoke_size

TEXT = """
name = "whole"
description = "Two of everything."
replicates = 4
[[datasets]]
use = "iris"
labellings = ["few"]
[[datasets]]
use = "wine"
[[labellings]]
name = "few"
scenario = "case-control"
positives = 10
[[labellings]]
name = "half"
scenario = "single-training-set"
frequency = 0.5
[[algorithms]]
use = "wlr"
name = "W"
datasets = ["iris"]
params = { c = 2.0 }
[[algorithms]]
use = "wlr"
name = "W"
datasets = ["wine"]
tune = true
[[algorithms]]
use = "naive-lr"
[tuning]
trials = 7
[report]
metrics = ["f1"]
[paper]
citation = "Nobody, Table 0"
numbers = [
  { dataset = "iris", algorithm = "W", metric = "f1", mean = 0.9 },
  { dataset = "wine", algorithm = "W", metric = "f1", mean = 0.8, labelling = "few" },
  { dataset = "wine", algorithm = "W", metric = "f1", mean = 0.7, labelling = "half" },
  { dataset = "wine", algorithm = "naive-lr", metric = "f1", mean = 0.6 },
]
"""


def cells(suite: Suite) -> list[tuple[str, str, str]]:
    plan = plan_suite(suite, discover(third_party=False), source="x.toml").plan
    return [(cell.dataset, cell.labelling, cell.algorithm) for cell in plan.cells if cell.replicate == 0]


def test_entries_run_only_with_the_labels_they_list() -> None:
    assert cells(parse_suite(TEXT, "x.toml")) == [
        ("iris", "few", "W"),
        ("iris", "few", "naive-lr"),
        ("wine", "few", "W"),
        ("wine", "few", "naive-lr"),
        ("wine", "half", "W"),
        ("wine", "half", "naive-lr"),
    ]


def test_cell_keys_do_not_depend_on_listed_labels() -> None:
    registry = discover(third_party=False)
    free = TEXT.replace('labellings = ["few"]\n', "").replace('name = "W"\ndatasets = ["wine"]', 'name = "V"')
    whole, more = (
        plan_suite(parse_suite(text, "x"), registry, source="x").plan
        for text in (TEXT, free.replace('datasets = ["iris"]\n', ""))
    )
    assert {cell.key for cell in whole.cells} < {cell.key for cell in more.cells}


def test_the_smoke_size_keeps_the_listed_entries() -> None:
    table = """
[smoke]
datasets = ["wine"]
labellings = ["half"]
algorithms = ["W"]
trials = 2
sample = { wine = 40 }
params = { W = { max_iter = 50 } }
"""
    suite = smoke_size(parse_suite(TEXT + table, "x.toml"))
    assert (suite.name, suite.replicates, suite.tuning.trials) == ("whole-smoke", 1, 2)
    assert cells(suite) == [("wine", "half", "W")]
    (data,), (algorithm,) = suite.datasets, suite.algorithms
    assert data.sample is not None
    assert (data.sample.positive, data.sample.negative) == (40, 40)
    assert algorithm.params == {"max_iter": 50}
    assert [number.mean for number in suite.paper.numbers] == [0.7]


def test_without_a_table_the_smoke_size_is_one_replicate_of_everything() -> None:
    whole = parse_suite(TEXT, "x.toml")
    suite = smoke_size(whole)
    assert cells(suite) == cells(whole)
    assert suite.replicates == 1
    assert suite.paper == whole.paper


def test_a_name_that_ends_in_smoke_finds_the_whole_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(TEXT)
    assert load_suite("mine-smoke.toml") == smoke_size(load_suite("mine.toml"))
    assert load_suite(tmp_path / "mine-smoke.toml").name == "whole-smoke"
    (tmp_path / "mine-smoke.toml").write_text(TEXT.replace('"whole"', '"own"'))
    assert load_suite("mine-smoke.toml").name == "own"
    with pytest.raises(SuiteError, match=r"other-smoke\.toml: no such file"):
        load_suite("other-smoke.toml")
    with pytest.raises(SuiteError, match="no bundled suite has this name"):
        load_suite("other-smoke")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('labellings = ["few"]', 'labellings = ["fwe"]', r"datasets\[0\]\.labellings.*'fwe' is not a label"),
        ('datasets = ["wine"]', 'datasets = ["wien"]', r"algorithms\[1\]\.datasets.*did you mean 'wine'"),
        ('datasets = ["wine"]', 'datasets = ["wine", "iris"]', r"'W' is taken by algorithms\[0\]"),
        ('datasets = ["wine"]\n', "", r"'W' is taken by algorithms\[0\]"),
        (
            "[report]",
            '[smoke]\ndatasets = ["x"]\n[report]',
            r"smoke\.datasets.*'x' is not a label under datasets",
        ),
        ("[report]", "[smoke]\nsample = { x = 3 }\n[report]", r"smoke\.sample.*'x' is not a label"),
        ("[report]", "[smoke]\nparams = { x = {} }\n[report]", r"smoke\.params.*'x' is not a label"),
        (
            "[report]",
            "[smoke]\nsample = { wine = 0 }\n[report]",
            r"smoke\.sample\.wine = 0: must be at least",
        ),
    ],
)
def test_unknown_labels_are_reported(old: str, new: str, told: str) -> None:
    with pytest.raises(SuiteError, match=told):
        parse_suite(TEXT.replace(old, new), "x.toml")
