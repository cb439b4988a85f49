"""Real PU data, whose true classes are unknown, and data whose posterior is known."""

from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.suites import TOY, run_text

from pubench.errors import SuiteError
from pubench.plan.planning import plan_suite
from pubench.plugins.discovery import discover
from pubench.protocol import Predictions
from pubench.reporting import report_of
from pubench.reporting.render.markdown import markdown_report
from pubench.run.evaluation import regret
from pubench.suite import parse_suite

GIVEN = """
[[labellings]]
scenario = "single-training-set"
positives = "given"
"""
WLR = """
[[algorithms]]
use = "wlr"
"""
ANY = WLR.replace("wlr", "toy")  # where any learner will do, one that is there at once


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.random(200) < 0.4
    s = y & (rng.random(200) < 0.5)
    lines = [f"{x:.6f},{int(label)}" for x, label in zip(rng.normal(size=200) + 2 * y, s, strict=True)]
    (tmp_path / "mine.csv").write_text("\n".join(["x,s", *lines]) + "\n")
    return s


def suite(*parts, dataset='use = "csv"\nparams = { path = "mine.csv", labelled = "s" }'):
    return f'name = "pu"\nreplicates = 2\n[[datasets]]\n{dataset}\n' + "".join(parts)


def plan_text(folder, text):
    """Plan a suite given as TOML in a folder."""
    source = str(folder / "asked.toml")
    return plan_suite(parse_suite(text, source), discover(files=[TOY]), source=source, files=[str(TOY)])


def test_models_of_real_pu_data_are_evaluated_by_pu_criteria_on_held_out_rows(tmp_path, table):
    results = run_text(tmp_path, suite(GIVEN, WLR, '[report]\nmetrics = ["pauc"]\n'))
    assert results.counts == {"ok": 2}
    assert results.plan.shown == ("pauc",)
    for row in results.rows:
        assert row["n_p"] + row["n_u"] + row["n_test"] == len(table)
        assert row["n_p"] == round(0.7 * table.sum())
        assert row["accuracy"] is None
        assert row["true_prior"] is None
        assert 0.6 < row["pauc"] <= 1
        assert row["puf"] > 1
        assert "true classes unknown" in row["notes"]
    first = markdown_report(report_of(results)).splitlines()[:4]
    assert any(
        line.startswith("True classes of csv are unknown: models are judged by pauc on held-out rows, not by")
        for line in first
    )


def test_what_needs_true_classes_is_skipped_with_its_reason(tmp_path, table):
    reference = '[[algorithms]]\nuse = "supervised-lr"\n'
    tuned = WLR + "tune = true\n"
    search = '[tuning]\ncriteria = ["oracle-f1", "pa"]\nsampler = "grid"\n'
    results = run_text(tmp_path, suite(GIVEN, tuned, reference, search))
    reasons = {(row["algorithm"], row["criterion"]): row["error"] for row in results.rows}
    assert results.counts == {"skipped": 6}
    assert reasons["wlr", "oracle-f1"].startswith("criterion 'oracle-f1' needs true classes")
    assert reasons["supervised-lr", None].startswith("supervised-lr needs true classes")
    assert "needs a class prior" in reasons["wlr", "pa"]


def test_a_metric_that_has_no_value_in_any_cell_is_an_error(tmp_path, table):
    with pytest.raises(
        SuiteError, match=r"report.metrics\[0\]: 'accuracy' needs true classes, which no data set"
    ):
        run_text(tmp_path, suite(GIVEN, WLR, '[report]\nmetrics = ["accuracy", "puf"]\n'))
    with pytest.raises(
        SuiteError, match=r"report.metrics\[1\]: 'nnpu-risk' needs the class prior, which is unknown"
    ):
        run_text(tmp_path, suite(GIVEN, WLR, '[report]\nmetrics = ["puf", "nnpu-risk"]\n'))


MIXED = '[[datasets]]\nuse = "toy-blobs"\n'
HALF = '[[labellings]]\nscenario = "single-training-set"\nfrequency = 0.5\n'
SHOWN = [
    (
        (),
        ("puf",),
        "the report shows puf instead of accuracy, f1 and roc-auc; name criteria in report.metrics",
    ),
    (("[prior]\nsource = 0.4\n",), ("nnpu-risk",), "the report shows nnpu-risk instead of accuracy, f1 and "),
    (
        (MIXED, HALF),
        ("accuracy", "f1", "roc-auc", "puf"),
        "the report also shows puf; name criteria in report.",
    ),
    (('[report]\nmetrics = ["pauc"]\n',), ("pauc",), ""),
    ((MIXED, HALF, '[report]\nmetrics = ["pauc", "f1"]\n'), ("pauc", "f1"), ""),
]


def test_what_is_shown_without_being_asked_for_is_said(tmp_path, table):
    for parts, shown, said in SHOWN:
        planned = plan_text(tmp_path, suite(GIVEN, ANY, *parts))
        assert planned.plan.shown == shown
        advice = " ".join(planned.advice)
        assert (f"true classes of csv are unknown: {said}" in advice) if said else (advice == "")
    # A criterion that lacks its prior is refused beside data with classes, too.
    metrics = '[report]\nmetrics = ["accuracy", "nnpu-risk"]\n'
    with pytest.raises(SuiteError, match=r"report.metrics\[1\]: 'nnpu-risk' needs the class prior"):
        plan_text(tmp_path, suite(GIVEN, ANY, MIXED, HALF, metrics))


def test_labelled_rows_that_are_copies_are_said(tmp_path):
    rows = [f"{x % 4},1" for x in range(10)] + [f"{x},0" for x in range(50)]
    (tmp_path / "mine.csv").write_text("\n".join(["x,s", *rows]) + "\n")
    planned = plan_text(tmp_path, suite(GIVEN, ANY))
    (said,) = (one for one in planned.advice if "distinct" in one)
    assert said == "csv: only 4 of 10 labelled rows are distinct, the others are copies"
    # It is among the notes of each row, too.
    assert planned.jobs[0].data.notes == (said,)


def test_a_search_without_enough_labelled_rows_is_refused_at_plan_time(tmp_path, table):
    tuned = suite(GIVEN, ANY + "tune = true\n", "[tuning]\nfolds = 12\n")
    with pytest.raises(
        SuiteError, match=r"labellings\[0\]: data set 'csv': 23 labelled training rows leave 1.92"
    ):
        plan_text(tmp_path, tuned)


def test_a_fixed_prior_serves_criteria_that_need_one(tmp_path, table):
    search = '[tuning]\ncriteria = ["pa"]\nsampler = "grid"\nfolds = 2\n[prior]\nsource = 0.4\n'
    (row, _) = run_text(tmp_path, suite(GIVEN, ANY + "tune = true\n", search), [TOY]).rows
    assert row["status"] == "ok"
    assert row["prior"] == 0.4
    assert row["pa"] > 0.4


def test_given_labels_exclude_labellings(tmp_path, table):
    made = '[[labellings]]\nscenario = "single-training-set"\nfrequency = 0.5\n'
    ours, theirs = run_text(tmp_path, suite(made, WLR)).rows[0], suite(GIVEN, WLR, dataset='use = "iris"')
    assert ours["status"] == "skipped"
    assert "use positives = 'given'" in ours["error"]
    other = run_text(tmp_path / "b", theirs).rows[0]
    assert "comes without labels of its own" in other["error"]


def test_a_criterion_cannot_be_reported_if_classes_are_known(tmp_path):
    made = '[[labellings]]\nscenario = "case-control"\npositives = 20\n[report]\nmetrics = ["puf"]\n'
    with pytest.raises(SuiteError, match="'puf' is a criterion and judges PU data only"):
        run_text(tmp_path, suite(WLR, made, dataset='use = "iris"'))


def test_regret_is_the_accuracy_lost_against_the_bayes_rule():
    posterior = np.array([0.9, 0.2, 0.5, 0.6])
    bayes, worst = np.array([1, 0, 1, 1], np.uint8), np.array([0, 1, 0, 0], np.uint8)
    assert regret(posterior, Predictions(posterior, bayes, None)) == 0
    lost = (0.8 + 0.6 + 0.0 + 0.2) / 4
    assert regret(posterior, Predictions(posterior, worst, None)) == pytest.approx(lost)


def test_rows_on_synthetic_data_carry_their_regret(tmp_path):
    made = '[[labellings]]\nscenario = "case-control"\npositives = 100\n'
    dataset = 'use = "gaussians"\nparams = { n = 600, d = 3 }'
    rows = run_text(tmp_path, suite(made, WLR, dataset=dataset)).rows
    assert all(0 <= row["regret"] < 0.2 for row in rows)
    json.dumps(rows)


@pytest.mark.slow
def test_the_positive_class_may_be_chosen_by_rule(tmp_path):
    made = '[[labellings]]\nscenario = "case-control"\npositives = 20\n'

    def run(name, dataset):
        return run_text(tmp_path / name, suite(made, ANY, dataset=dataset), [TOY])

    rare = run("rare", 'use = "wine"\npositive = "minority"').rows
    assert {row["dataset"] for row in rare} == {"wine"}
    assert rare[0]["true_prior"] == pytest.approx(48 / 178, abs=0.01)
    each = run("each", 'use = "iris"\npositive = "one-versus-rest"')
    assert [row["dataset"] for row in each.rows[::2]] == [
        "iris: setosa",
        "iris: versicolor",
        "iris: virginica",
    ]
    named = run("named", 'use = "iris"\npositive = ["setosa"]').rows
    assert named[0]["key"] == each.rows[0]["key"]
    with pytest.raises(SuiteError, match='positive = "rarest": must be a list of classes'):
        run("wrong", 'use = "iris"\npositive = "rarest"')
