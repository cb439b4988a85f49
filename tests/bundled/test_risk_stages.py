"""Networks after earlier epochs: evenly spaced, the last one the model itself, and judged on training rows as well."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pubench_risk.classifier import PURiskClassifier
from pubench_risk.training import Schedule

from pubench import run_suite
from pubench.reporting import report_of
from pubench.reporting.sections.models import find_curves
from pubench.results.store import read_inside

SUITE = """
name = "stages"
replicates = 1
[[datasets]]
use = "breast-cancer"
[[labellings]]
scenario = "case-control"
positives = 60
[[algorithms]]
use = "nnpu"
threshold = "own"
params = { epochs = 12, stages = 4 }
[[algorithms]]
use = "adapu"
threshold = "own"
params = { n_estimators = 8 }
[prior]
source = "true"
[report]
metrics = ["accuracy"]
training = ["pu-risk"]
"""


def rows(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.random(n) < 0.5
    return rng.normal(size=(n, 4)) + 2.0 * y[:, None], y & (rng.random(n) < 0.5)


def fitted(**params: object) -> PURiskClassifier:
    model = PURiskClassifier(prior=0.5, scenario="single-training-set", epochs=10, random_state=0, **params)
    return model.fit(*rows())


@pytest.mark.parametrize(("epochs", "stages"), [(100, 25), (10, 3), (5, 5), (7, 1)])
def test_kept_epochs_are_spaced_evenly_and_end_with_the_last(epochs: int, stages: int) -> None:
    kept = sorted(Schedule(epochs, 256, stages=stages).kept)
    assert len(kept) == stages
    assert kept[-1] == epochs - 1
    assert np.ptp(np.diff([-1, *kept])) <= 1


@pytest.mark.parametrize("model", ["mlp", "linear", "rbf"])
def test_stages_change_nothing_and_end_in_the_model(model: str) -> None:
    X, _ = rows()
    staged, plain = fitted(model=model, stages=5), fitted(model=model)
    np.testing.assert_array_equal(staged.decision_function(X), plain.decision_function(X))
    found = list(staged.staged_decision_function(X))
    assert len(found) == len(staged.stage_numbers_) == 5
    assert staged.stage_numbers_ == (2, 4, 6, 8, 10)
    np.testing.assert_array_equal(found[-1], plain.decision_function(X))
    # Each stage is what training would have ended with there.
    shorter = PURiskClassifier(
        prior=0.5, scenario="single-training-set", model=model, epochs=4, random_state=0
    ).fit(X, rows()[1])
    np.testing.assert_allclose(found[1], shorter.decision_function(X), rtol=1e-6, atol=1e-7)
    assert not hasattr(plain, "staged_decision_function")


def test_the_report_has_curves_on_test_and_training_rows(tmp_path: Path) -> None:
    (tmp_path / "stages.toml").write_text(SUITE, encoding="utf-8")
    results = run_suite(tmp_path / "stages.toml", out=tmp_path / "run")
    inside = read_inside(tmp_path / "run")
    # Epochs of networks and rounds of boosting are numbered as such.
    assert [inside[row["key"]].stages for row in results.rows] == [(3, 6, 9, 12), tuple(range(1, 9))]
    for row in results.rows:
        record = inside[row["key"]]
        # The last stage is the model that the row judges.
        for name in ("accuracy", "training-pu-risk"):
            curve = record.metrics[name]
            assert len(curve) == len(record.stages) > 2
            assert curve[-1] == pytest.approx(row[name], rel=1e-4, abs=1e-6)
    sweeps = find_curves(report_of(results))
    assert [sweep.name for sweep in sweeps] == ["accuracy", "training-pu-risk"]
    assert {curve.algorithm for panel in sweeps[1].panels for curve in panel.curves} == {"nnpu", "adapu"}
