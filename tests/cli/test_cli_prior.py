"""``pubench prior``: data by name, file and id, drawn and given labels, and errors."""

from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.commands import pubench_here
from helpers.suites import TOY

QUICK = ("--estimator", "bbe", "--estimator", "tice")


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A file with classes and labels, in the current folder."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = np.arange(400) < 160
    x = rng.standard_normal((400, 2)) + 6 * y[:, None]
    s = y & (rng.random(400) < 0.5)
    rows = zip(x[:, 0], x[:, 1], np.where(y, "ill", "well"), s.astype(int), strict=True)
    lines = ["a,b,outcome,known", *(f"{a:.4f},{b:.4f},{c},{d}" for a, b, c, d in rows)]
    for name in ("rows.csv", "rows.txt"):
        (tmp_path / name).write_text("\n".join(lines) + "\n")


@pytest.mark.slow
def test_a_data_set_with_classes_is_labelled_and_its_true_prior_shown(capsys):
    said = pubench_here(capsys, "prior", "breast-cancer", *QUICK, "--json")
    found = json.loads(said.stdout)
    assert found["truth"] == pytest.approx(212 / 569)
    assert (found["n_p"], found["n_u"]) == (106, 463)
    assert found["labelling"] == "single-training-set c=0.5"
    bbe, tice = found["rows"]
    assert (bbe["estimator"], tice["estimator"]) == ("bbe", "tice")
    assert bbe["value"] == pytest.approx(found["truth"], abs=0.06)
    assert bbe["low"] <= bbe["value"] <= bbe["high"]
    assert bbe["level"] == 0.9
    assert bbe["seconds"] > 0
    verdict = found["statement"]
    assert verdict["value"] == bbe["value"]
    assert verdict["low"] <= bbe["low"] <= found["truth"] <= verdict["high"] <= verdict["upper"]
    assert verdict["determined"]
    assert "fair sample" in verdict["assumption"]
    assert (
        pubench_here(capsys, "prior", "breast-cancer", "--estimator", "bbe", "--json").stdout.split(
            '"seconds"'
        )[0]
        in said.stdout
    )


def test_the_default_output_is_a_table(capsys, table):
    arguments = ["--params", '{"target": "outcome", "drop": ["known"]}', "--positive", "ill"]
    said = pubench_here(
        capsys, "prior", "rows.csv", *arguments, *QUICK, "--scenario", "case-control", "--positives", "80"
    )
    head, *verdict, titles, bbe, tice = said.stdout.splitlines()
    assert head == "rows.csv: case-control n_p=80; 80 labelled, 400 unlabelled rows; true prior 0.400"
    assert [line.partition(":")[0].partition(" is ")[0] for line in verdict] == [
        "The prior",
        "Plausible range",
        "If the labelled rows are a fair sample of positives, the prior",
        "Assumption",
        "",
    ]
    assert titles.split() == ["estimator", "prior", "interval", "error", "seconds", "doubts"]
    assert bbe.split()[0] == "bbe"
    assert float(bbe.split()[1]) == pytest.approx(0.4, abs=0.06)
    assert tice == "tice       –      prior estimator 'tice' does not support case-control data"


@pytest.mark.slow
def test_real_pu_data_keep_their_labels_and_have_no_true_prior(capsys, table):
    asked = ("prior", "rows.csv", "--params", '{"labelled": "known", "drop": ["outcome"]}')
    found = json.loads(pubench_here(capsys, *asked, *QUICK, "--json").stdout)
    assert found["truth"] is None
    assert found["labelling"] == "single-training-set given labels"
    assert [row["error"] for row in found["rows"]] == ["", ""]
    assert "error" not in pubench_here(capsys, *asked, "--estimator", "bbe").stdout
    said = pubench_here(capsys, *asked, "--frequency", "0.3", code=2)
    assert "--frequency has no effect: these data come with their own labels" in said.stderr


@pytest.mark.slow
def test_progress_names_each_estimator(capsys):
    said = pubench_here(capsys, "prior", "iris", "--estimator", "tice")
    assert [line.split()[3] for line in said.stderr.splitlines()] == ["tice,", "bbe,", "profile,"]


BREAKS = """
import os
from pubench import PriorEstimator, hookimpl


def breaks(X, s, *, scenario, random_state):
    raise ValueError("no idea")


def dies(X, s, *, scenario, random_state):
    os._exit(3)


def counts(X, s, *, scenario, random_state):
    counts.calls = getattr(counts, "calls", 0) + 1
    return counts.calls / 10


@hookimpl
def pubench_priors():
    names = ("first", counts), ("second", counts), ("breaks", breaks), ("third", counts), ("dies", dies)
    return [PriorEstimator(name=name, function=f"unlike:{f.__name__}", summary=name) for name, f in names]
"""


@pytest.mark.slow
def test_estimators_of_a_package_share_a_process_until_one_fails(capsys, tmp_path):
    (tmp_path / "unlike.py").write_text(BREAKS)
    asked = [
        part for name in ("first", "second", "breaks", "third", "dies") for part in ("--estimator", name)
    ]
    said = pubench_here(capsys, "prior", "iris", *asked, "--plugin", tmp_path / "unlike.py", "--json", "-q")
    assert said.stderr == ""
    found = json.loads(said.stdout)
    values = [row["value"] for row in found["rows"]]
    assert values == [0.1, 0.2, None, 0.1, None]
    assert "no idea" in found["rows"][2]["error"]
    assert found["rows"][4]["error"]
    # The verdict does not depend on them.
    assert found["statement"]["value"] > 0


@pytest.mark.slow
def test_the_seed_decides(capsys):
    one, two, other = (
        json.loads(
            pubench_here(capsys, "prior", "iris", "--estimator", "bbe", "--seed", seed, "--json").stdout
        )
        for seed in (1, 1, 2)
    )
    for found in (one, two, other):
        del found["rows"][0]["seconds"]
    assert one == two
    assert one["rows"] != other["rows"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nosuch",), "data set 'nosuch' is not registered"),
        (("iris", "--estimator", "bbb"), "prior estimator 'bbb' is not registered; did you mean 'bbe'?"),
        (("iris", "--positives", "3", "--frequency", "0.2"), "exclude each other"),
        (("iris", "--positives", "300"), "positives = 300, but only 50 can be labelled"),
        (("iris", "--positive", "rose"), "has no class 'rose'"),
        (("iris", "--params", "x"), "--params must be a JSON object"),
        (("nosuch:37",), "data set 'nosuch' is not registered"),
        (("nosuch.csv",), "file 'nosuch.csv' does not exist"),
        (("folder/rows.CSV.gz",), "file 'folder/rows.CSV.gz' does not exist"),
        (("rows.txt",), "'rows.txt' does not end in the name of a known format"),
        (("rows.csv",), "could not be loaded"),
    ],
)
def test_invalid_requests_are_one_sentence(capsys, table, arguments, message):
    said = pubench_here(capsys, "prior", *arguments, code=2)
    assert message in said.stderr
    assert said.stdout == ""


def test_a_single_labelled_row_is_reported_with_exit_code_1(capsys):
    said = pubench_here(capsys, "prior", "iris", "--positives", "1", "--estimator", "bbe", code=1)
    assert (
        "1 labelled row cannot determine the class prior; give at least 2, or the prior itself" in said.stdout
    )


def test_estimators_of_a_plugin_file_are_used_without_true_classes(capsys):
    said = pubench_here(
        capsys,
        "prior",
        "toy-blobs",
        "--plugin",
        TOY,
        "--estimator",
        "toy-guess",
        "--estimator",
        "bbe",
        "--json",
    )
    guess, bbe = json.loads(said.stdout)["rows"]
    assert (guess["value"], guess["low"], guess["high"], guess["level"]) == (0.25, 0.0, 1.0, 1.0)
    assert bbe["error"] == ""


def test_an_openml_id_is_a_short_form(capsys, monkeypatch):
    monkeypatch.setenv("PUBENCH_OFFLINE", "1")
    said = pubench_here(capsys, "prior", "openml:37", code=2)
    assert "37" in said.stderr
    assert "openml" in said.stderr.lower()


def test_the_verdict_says_why_there_is_none(capsys, tmp_path):
    head, verdict, blank, titles, bbe = pubench_here(
        capsys, "prior", "iris", "--positives", "1", "--estimator", "bbe", code=1
    ).stdout.splitlines()
    assert head.startswith("iris: ")
    assert verdict == (
        "Nothing can be said about the prior, because no estimator can serve these data: prior estimator 'bbe': "
        "1 labelled row cannot determine the class prior; give at least 2, or the prior itself."
    )
    assert (blank, titles.split()[0], bbe.split()[0]) == ("", "estimator", "bbe")


def test_an_estimator_that_answers_makes_no_verdict_alone(capsys):
    asked = ("prior", "toy-blobs", "--plugin", TOY, "--positives", "1", "--estimator", "toy-guess")
    assert (
        "\nThere is no verdict on the prior, because it needs an estimate of 'bbe': prior estimator 'bbe': 1 lab"
        in (pubench_here(capsys, *asked).stdout)
    )
    assert json.loads(pubench_here(capsys, *asked, "--json").stdout)["missing"].startswith(
        "There is no verdict"
    )
