"""Models judged by PU criteria on the rows that they were trained on."""

from __future__ import annotations

import csv
from pathlib import Path

import msgspec
import numpy as np
import pytest
from helpers.suites import TOY, keys_of, plan, run, run_text
from helpers.toy_plugin import Toy

from pubench.data.stored import read_features
from pubench.errors import SuiteError
from pubench.plan.planning import plan_suite
from pubench.plugins.discovery import discover
from pubench.protocol.requests import FitRequest
from pubench.results.table import read_results
from pubench.run.labels import label_job
from pubench.sandbox.process import Sandbox
from pubench.suite import load_suite

CC, STS = {"scenario": "case-control", "positives": 10}, {"scenario": "single-training-set", "frequency": 0.5}
ASKED = {"metrics": ["accuracy"], "training": ["pu-risk", "puf"]}
COMMITTED = Path(__file__).resolve().parents[2] / "reports" / "quickstart" / "cells.csv"
TIMES = ("tune_seconds", "fit_seconds", "score_seconds", "peak_memory_mb")


def trained(name, labelling):
    """Fit the toy by hand on the rows of its cell; return s, its decisions on P and U, and the prior."""
    job = plan(algorithms=[{"use": name}], labellings=[labelling]).jobs[0]
    labelled = label_job(job)
    assignment, truth = labelled.assignment, labelled.truth
    features = read_features(job.data.stored.for_child())
    X, s = features[labelled.train], assignment.s
    learned, labels = np.ones(len(s), dtype=bool), s
    if name == "pn-toy":
        # The reference learns from the population sample, and is judged by P and U like the others.
        learned, labels = (s == 0) | (labelling is STS), truth.train
    mean, sd = X[learned].mean(axis=0), X[learned].std(axis=0)
    X = (X - mean) / sd
    return s, Toy().fit(X[learned], labels[learned]).predict(X), assignment.prior


@pytest.mark.parametrize("labelling", [CC, STS], ids=["case-control", "single-training-set"])
@pytest.mark.parametrize("name", ["toy", "pn-toy"])
def test_the_values_are_those_of_the_model_fitted_by_hand(tmp_path, name, labelling):
    (row,) = run(tmp_path, algorithms=[{"use": name}], labellings=[labelling], report=ASKED).rows
    s, positive, prior = trained(name, labelling)
    on_p, on_u = positive[s == 1].mean(), positive[s == 0].mean()
    # R = pi E_P[f = 0] + E_population[f = 1] - pi E_P[f = 1], the population being U, or P and U.
    rate = on_u if labelling is CC else positive.mean()
    assert row["training-pu-risk"] == pytest.approx(prior * (1 - on_p) + rate - prior * on_p)
    assert row["training-puf"] == pytest.approx(on_p**2 / rate)
    assert row["prior"] == pytest.approx(prior)
    assert row["notes"] is None


def test_it_is_a_table_of_the_report_and_its_direction_is_the_criterions(tmp_path):
    results = run(tmp_path, report=ASKED)
    assert results.plan.shown == ("accuracy", "training-pu-risk", "training-puf")
    found = {name: metric.greater_is_better for name, metric in results.plan.metrics.items()}
    assert (found["training-pu-risk"], found["training-puf"]) == (False, True)


def test_the_child_is_sent_row_numbers_and_s_and_nothing_of_the_truth(tmp_path, monkeypatch):
    sent = []
    send = Sandbox.send
    monkeypatch.setattr(
        Sandbox, "send", lambda self, *args, **keys: (sent.append(args), send(self, *args, **keys))[1]
    )
    (row,) = run(tmp_path, labellings=[STS], report=ASKED).rows
    assert row["training-pu-risk"] is not None
    (request, arrays) = next(args for args in sent if isinstance(args[0], FitRequest))
    labelled = label_job(plan(labellings=[STS], report=ASKED).jobs[0])
    assignment, truth = labelled.assignment, labelled.truth
    assert len(arrays) == 3
    np.testing.assert_array_equal(arrays[1], assignment.s)
    assert not any(np.array_equal(array, truth.train) for array in arrays)
    assert str(truth.train.tolist()) not in msgspec.json.encode(request).decode()


@pytest.mark.slow
def test_cells_that_are_not_asked_keep_their_keys_and_their_results(tmp_path):
    committed = [line["key"] for line in csv.DictReader(COMMITTED.open(encoding="utf-8"))]
    quickstart = plan_suite(load_suite("quickstart"), discover(third_party=False), source="quickstart")
    assert [cell.key for cell in quickstart.plan.cells] == committed
    plain = run(tmp_path, algorithms=[{"use": "toy"}, {"use": "toy-prior"}]).rows
    asked = run(tmp_path, algorithms=[{"use": "toy"}, {"use": "toy-prior"}], report=ASKED).rows
    assert not {row["key"] for row in plain} & {row["key"] for row in asked}
    # The model is the same: only what it is asked differs.
    assert [row["accuracy"] for row in plain] == [row["accuracy"] for row in asked]
    records = (tmp_path / "run" / "cells.jsonl").read_text()
    again = run(tmp_path, algorithms=[{"use": "toy"}, {"use": "toy-prior"}]).rows
    assert (tmp_path / "run" / "cells.jsonl").read_text() == records
    assert list(again) == list(plain)


def test_keys_follow_what_is_asked_and_not_its_order_nor_the_search():
    both = keys_of(plan(report=ASKED))
    assert both == keys_of(plan(report={"training": ["puf", "pu-risk"]}))
    assert both != keys_of(plan(report={"training": ["puf"]}))
    assert both == keys_of(plan(report=ASKED, tuning={"trials": 3}))
    # A criterion that needs no prior leaves out where it comes from.
    for name, same in (("puf", True), ("pu-risk", False)):
        one, other = (
            keys_of(plan(report={"training": [name]}, prior={"source": source})) for source in (0.2, 0.3)
        )
        assert (one == other) is same


def test_a_criterion_gives_the_same_alone_or_among_others(tmp_path):
    criteria, tuned = ["toy-high", "toy-low", "pauc"], [{"use": "toy", "tune": True}]

    def found(folder, names):
        tuning = {"sampler": "grid", "folds": 2, "criteria": names}
        rows = run(folder, algorithms=tuned, tuning=tuning, report=ASKED).rows
        return {
            row["criterion"]: {name: value for name, value in row.items() if name not in TIMES}
            for row in rows
        }

    together = found(tmp_path / "all", criteria)
    assert len({row["training-pu-risk"] for row in together.values()}) == 2
    for name in criteria:
        assert found(tmp_path / name, [name]) == {name: together[name]}


SLOW = """
import os
import time
from pathlib import Path
from pubench import Algorithm, hookimpl
from sklearn.linear_model import LogisticRegression

class Slow(LogisticRegression):
    def fit(self, X, s):
        self.rows_ = X.shape[0]
        return super().fit(X, s)

    def predict(self, X):
        if "PUBENCH_WARM_UP" in os.environ:
            return super().predict(X)
        with open({diary!r}, "a") as diary:
            print("train" if X.shape[0] == self.rows_ else "test", file=diary)
        if X.shape[0] == self.rows_:
            now = time.perf_counter
            time.perf_counter = lambda: now() + 1000
        return super().predict(X)

@hookimpl
def pubench_algorithms():
    return [Algorithm(name="slow", estimator="slow_plugin:Slow", version="1")]
"""


@pytest.mark.slow
def test_asking_is_no_part_of_the_times_and_is_not_done_unasked(tmp_path):
    plugin, diary = tmp_path / "slow_plugin.py", tmp_path / "diary"
    plugin.write_text(SLOW.format(diary=str(diary)))
    suite = (
        'name = "slow"\nreplicates = 1\n[[datasets]]\nuse = "toy-blobs"\n[[labellings]]\n'
        'scenario = "case-control"\npositives = 10\n[[algorithms]]\nuse = "slow"\n'
    )
    (plain,) = run_text(tmp_path / "plain", suite, [TOY, plugin]).rows
    assert diary.read_text().split() == ["test"]
    assert "training-puf" not in plain
    diary.unlink()
    (row,) = run_text(tmp_path / "asked", suite + '[report]\ntraining = ["puf"]\n', [TOY, plugin]).rows
    assert diary.read_text().split() == ["test", "train"]
    assert row["training-puf"] is not None
    assert row["fit_seconds"] + row["score_seconds"] < 1000


def test_what_has_no_value_says_why_and_costs_nothing_else(tmp_path):
    prior = {"source": "toy-guess", "params": {"value": 1.5}}
    (row,) = run(tmp_path, prior=prior, report=ASKED).rows
    assert row["status"] == "ok"
    assert row["accuracy"] is not None
    assert row["training-puf"] is not None
    assert row["training-pu-risk"] is None
    assert "criterion 'pu-risk' on training rows:" in row["notes"]
    assert "1.5, which is not inside (0, 1)" in row["notes"]


PU = {"datasets": [{"use": "csv", "params": {"path": "mine.csv", "labelled": "s"}}]}
GIVEN = {"scenario": "single-training-set", "positives": "given"}
REFUSED = [
    ({"report": {"training": ["pu-rsik"]}}, "criterion 'pu-rsik' is not registered; did you mean 'pu-risk'?"),
    ({"report": {"training": ["oracle-f1"]}}, "'oracle-f1' needs true classes"),
    (
        {"report": {"training": ["pu-risk"]}, "prior": {"source": "none"}},
        "criterion 'pu-risk' needs a class prior; set [prior] source",
    ),
    (
        {"report": {"training": ["toy-cc-only"]}, "labellings": [CC, STS]},
        "criterion 'toy-cc-only' does not support single-training-set data; remove it, or that labelling",
    ),
    (
        {"report": {"metrics": ["pauc"], "training": ["pu-risk"]}, "labellings": [GIVEN], **PU},
        "criterion 'pu-risk' needs a class prior, and that of csv is unknown; set [prior] source",
    ),
]


@pytest.mark.parametrize(("changes", "said"), REFUSED)
def test_what_cannot_be_asked_is_refused_in_one_sentence(tmp_path, monkeypatch, changes, said):
    monkeypatch.chdir(tmp_path)
    lines = [f"{i}.5,{int(i % 3 == 0)}" for i in range(60)]
    Path("mine.csv").write_text("\n".join(["x,s", *lines]) + "\n")
    with pytest.raises(SuiteError) as caught:
        plan(**changes)
    assert str(caught.value).splitlines() == [str(caught.value)]
    assert str(caught.value).startswith("toy.toml: report.training[0]: ")
    assert said in str(caught.value)


def test_real_pu_data_are_asked_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{i}.5,{int(i % 3 == 0)}" for i in range(60)]
    (tmp_path / "mine.csv").write_text("\n".join(["x,s", *lines]) + "\n")
    report = {"metrics": ["pauc"], "training": ["pu-risk"]}
    results = run(tmp_path, **PU, labellings=[GIVEN], report=report, prior={"source": 0.4})
    assert results.plan.shown == ("pauc", "training-pu-risk")
    assert results.rows[0]["training-pu-risk"] is not None
    assert read_results(tmp_path / "run").rows == results.rows
