"""True propensities reach methods named for it, row by row, and nobody else."""

from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.suites import plan, run

from pubench.errors import SuiteError
from pubench.results.store import read_inside
from pubench.run.evaluation import propensity_record
from pubench.run.labels import label_job

HARD = {"scenario": "single-training-set", "frequency": 0.4, "mechanism": "hard"}
ORACLE = {"use": "oracle-toy"}


def diary(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_reference_is_given_the_propensity_of_each_row(tmp_path, monkeypatch):
    monkeypatch.setenv("TOY_DIARY", str(tmp_path / "diary"))
    tuned = {**ORACLE, "name": "tuned", "tune": True, "search": {"shift": [0.0, 1.0]}}
    changes = {"labellings": [HARD], "algorithms": [ORACLE, tuned]}
    results = run(tmp_path, **changes)
    assert results.counts == {"ok": 2}
    assert all(row["reference"] for row in results.rows)
    first, *rest = (entry["propensity"] for entry in diary(tmp_path / "diary") if "propensity" in entry)
    truth = label_job(plan(**changes).jobs[0]).assignment.propensity
    np.testing.assert_array_equal(first, truth)
    assert len(np.unique(truth)) > 10
    # Two settings on two folds, and the fit on all rows.
    assert len(rest) == 5
    for fold in rest[:4]:
        assert len(fold) < len(truth)
        assert set(fold) <= set(truth)


def test_others_are_not_given_it(tmp_path, monkeypatch):
    monkeypatch.setenv("TOY_DIARY", str(tmp_path / "diary"))
    assert run(tmp_path, labellings=[HARD]).counts == {"ok": 1}
    assert all("propensity" not in entry for entry in diary(tmp_path / "diary"))


def test_propensities_of_real_labels_are_unknown(tmp_path):
    (tmp_path / "mine.csv").write_text("x,s\n" + "".join(f"{k},{k % 2}\n" for k in range(40)))
    planned = plan(
        datasets=[{"use": "csv", "params": {"path": str(tmp_path / "mine.csv"), "labelled": "s"}}],
        labellings=[{"scenario": "single-training-set", "positives": "given"}],
        algorithms=[ORACLE],
    )
    (cell,) = planned.plan.cells
    assert cell.skip == "oracle-toy needs true propensities, which are unknown (csv)"


@pytest.mark.parametrize("key", [{"threshold": "prior"}, {"probability": "calibrated"}])
def test_out_of_fold_decisions_are_refused(key):
    with pytest.raises(SuiteError, match="which out-of-fold fits do not have; remove threshold"):
        plan(labellings=[HARD], algorithms=[{**ORACLE, **key}], prior={"source": "true"})


def test_estimated_propensities_are_compared_where_the_truth_is(tmp_path):
    silent = {"use": "toy-sar", "name": "silent", "params": {"mode": "silent"}}
    changes = {"labellings": [HARD], "algorithms": [{"use": "toy-sar"}, silent, {"use": "toy"}]}
    results = run(tmp_path, **changes)
    assert results.counts == {"ok": 3}
    found, unable, none = (read_inside(tmp_path / "run").get(row["key"]) for row in results.rows)
    labelled = label_job(plan(**changes).jobs[0])
    true = labelled.assignment.propensity[labelled.truth.train == 1]
    assert found.propensity.error == pytest.approx(np.abs(true - 0.25).mean(), rel=1e-5)
    assert found.propensity.correlation is None
    assert sum(point[0] for point in found.propensity.points) == len(true)
    assert {point[2] for point in found.propensity.points} == {0.25}
    assert unable.errors == ("propensities: RuntimeError: no idea",)
    assert unable.propensity is None
    assert none is None or none.propensity is None


def test_the_record_of_propensities_groups_positives_by_the_true_ones():
    true = np.linspace(0.1, 0.9, 50)
    record = propensity_record(true, true**2)
    assert len(record.points) == 10
    assert [point[1] for point in record.points] == sorted(point[1] for point in record.points)
    assert record.correlation == pytest.approx(np.corrcoef(true, true**2)[0, 1], rel=1e-5)
    assert propensity_record(true, true).error == 0
    assert len(propensity_record(np.full(50, 0.3), true).points) == 1
