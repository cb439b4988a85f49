"""What cannot run is said before anything runs: as a skipped cell, or as an error that tells everything at once."""

from __future__ import annotations

import pytest
from helpers.suites import plan

from pubench.errors import SuiteError

CC, STS = {"scenario": "case-control", "positives": 10}, {"scenario": "single-training-set", "frequency": 0.5}
SKIPS = [
    ({"datasets": [{"use": "toy-sparse"}]}, "toy cannot take sparse data (toy-sparse)"),
    (
        {"datasets": [{"use": "toy-holed", "preprocess": {"impute": "none"}}]},
        "toy cannot take missing values (toy-holed has 13); set [preprocess]",
    ),
    (
        {"datasets": [{"use": "toy-coded", "preprocess": {"categorical": "codes"}}]},
        "toy cannot take categorical codes (toy-coded); set preprocess.categorical",
    ),
    (
        {"algorithms": [{"use": "toy-cc"}], "labellings": [STS]},
        "toy-cc does not support single-training-set data",
    ),
    (
        {"algorithms": [{"use": "toy-prior"}], "prior": {"source": "none"}},
        'toy-prior needs a class prior; set [prior] source, to "estimate" for example',
    ),
    (
        {
            "algorithms": [{"use": "toy", "tune": True}],
            "tuning": {"criteria": ["pa"]},
            "prior": {"source": "none"},
        },
        "criterion 'pa' needs a class prior; set [prior] source, to \"estimate\" for example",
    ),
    (
        {
            "algorithms": [{"use": "toy", "tune": True}],
            "tuning": {"criteria": ["toy-cc-only"]},
            "labellings": [STS],
        },
        "criterion 'toy-cc-only' does not support single-training-set data",
    ),
    (
        {"algorithms": [{"use": "toy-prior"}], "prior": {"source": "toy-guess-cc"}, "labellings": [STS]},
        "prior estimator 'toy-guess-cc' does not support single-training-set data",
    ),
]


@pytest.mark.parametrize(("changes", "reason"), SKIPS)
def test_what_cannot_run_is_skipped_with_its_reason(changes, reason):
    planned = plan(**changes)
    assert [cell.skip for cell in planned.plan.cells] == [reason]
    assert planned.jobs == ()


def test_what_can_take_the_data_is_not_skipped():
    for name in ("toy-sparse", "toy-holed", "toy-coded"):
        preprocess = {"impute": "none", "categorical": "codes"}
        planned = plan(datasets=[{"use": name, "preprocess": preprocess}], algorithms=[{"use": "toy-any"}])
        assert [cell.skip for cell in planned.plan.cells] == [""]
    assert plan(datasets=[{"use": "toy-holed"}, {"use": "toy-coded"}]).jobs[1].cells[0].skip == ""
    fixed = [{"use": "toy-prior", "params": {"prior": 0.2}}]
    assert plan(algorithms=fixed, prior={"source": "none"}).plan.cells[0].skip == ""


def test_everything_wrong_is_said_at_once_and_where():
    with pytest.raises(SuiteError) as caught:
        plan(
            datasets=[{"use": "toy-blob"}, {"use": "toy-blobs", "positive": ["yse"]}],
            algorithms=[{"use": "tyo"}, {"use": "toy-modes", "tune": True, "params": {"mode": 1}}],
            tuning={"criteria": ["pfu", "oracle-f2", "oracle-predicted-positive-rate"]},
            prior={"source": "toy-gues"},
            report={"metrics": ["acuracy"]},
        )
    said = str(caught.value).splitlines()
    assert [line.split(": ")[1] for line in said] == [
        "tuning.criteria[0]",
        "tuning.criteria[1]",
        "tuning.criteria[2]",
        "report.metrics[0]",
        "prior",
        "datasets[0]",
        "datasets[1]",
        "algorithms[0]",
        "algorithms[1]",
    ]
    assert all(line.startswith("toy.toml: ") for line in said)
    assert "has no better or worse" in said[2]
    assert "did you mean 'toy'?" in said[7]
    assert "has nothing to tune" in said[8]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"labellings": [CC | {"test": "given"}]}, "has no split of its own; set test to a share"),
        (
            {"labellings": [STS, {"scenario": "single-training-set", "positives": 99}]},
            "labellings[1]: data set",
        ),
        (
            {"datasets": [{"use": "toy-blobs", "sample": {"positive": 31}}]},
            "has 30 positive rows; ask for fewer",
        ),
        ({"datasets": [{"use": "toy-blobs", "positive": ["yes", "no"]}]}, "would have only one class"),
        (
            {"labellings": [STS | {"mechanism": "feature", "feature": {"column": 9}}]},
            "labellings[0]: data set 'toy-blobs': feature.column = 9, but the data have columns 0 to",
        ),
        (
            {"labellings": [STS | {"mechanism": "groups", "groups": {"column": 9}}]},
            "groups.column = 9, but the data have columns 0 to",
        ),
    ],
)
def test_what_the_data_cannot_serve_is_refused(changes, words):
    with pytest.raises(SuiteError) as caught:
        plan(**changes)
    assert words in str(caught.value)


def test_a_data_set_that_cannot_be_loaded_dooms_its_own_cells_only():
    planned = plan(
        datasets=[{"use": "toy-blobs"}, {"use": "toy-blobs", "name": "bad", "params": {"gap": "x"}}]
    )
    good, bad = planned.plan.cells
    assert [job.cells[0] for job in planned.jobs] == [good]
    assert planned.without_data.keys() == {bad.key}
    assert "toy-blobs" in planned.without_data[bad.key]


def test_a_cell_that_could_not_run_anyway_is_skipped_not_broken():
    bad = [{"use": "toy-blobs", "params": {"gap": "x"}}]
    planned = plan(datasets=bad, algorithms=[{"use": "toy-cc"}], labellings=[STS])
    assert planned.without_data == {}
    assert planned.plan.cells[0].skip == "toy-cc does not support single-training-set data"


@pytest.mark.parametrize(
    "entry", [{"params": {"scenario": "case-control"}}, {"tune": True, "search": {"scenario": ["x"]}}]
)
def test_an_algorithm_cannot_be_told_another_scenario_than_the_labellings(entry):
    with pytest.raises(SuiteError, match="'puet' takes the scenario of the labelling; remove 'scenario'"):
        plan(algorithms=[{"use": "puet", **entry}], labellings=[STS])


def test_skipped_cells_are_counted_with_their_data_sets():
    names = [f"toy {k}" for k in range(5)]
    entries = [{"use": "toy-blobs", "name": name} for name in names]
    two = [{"use": "toy-cc"}, {"use": "toy-cc", "name": "other"}, {"use": "toy"}]
    first, second = plan(datasets=entries, algorithms=two, labellings=[STS], replicates=3).plan.skipped
    reason = "toy-cc does not support single-training-set data"
    assert str(first) == f"15 cells on toy 0, toy 1, toy 2 and 2 more are skipped: {reason}"
    assert (second.cells, second.datasets) == (15, tuple(names))
