"""The decisions of a model in the plane: the right side, bounded, and only where rows have two columns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from pubench import run_suite
from pubench.child.plane import POINTS, SIDE, decision_plane
from pubench.reporting import report_of
from pubench.reporting.render.html import html_report
from pubench.reporting.sections.boundaries import find_planes

SUITE = """
name = "plane"
replicates = 1
[[datasets]]
use = "moons"
[[datasets]]
use = "iris"
[[labellings]]
scenario = "single-training-set"
frequency = 0.5
[[algorithms]]
use = "naive-lr-prior"
[report]
metrics = ["accuracy"]
"""


@dataclass(frozen=True)
class Right:
    """Calls everything right of the middle positive."""

    def predict(self, X: NDArray[np.float64]) -> Right:
        object.__setattr__(self, "decision", (X[:, 0] >= 0).astype(np.uint8))
        return self


def rows(n: int, d: int = 2) -> NDArray[np.float64]:
    return np.random.default_rng(0).uniform(-1, 1, (n, d))


def test_each_place_has_the_models_decision() -> None:
    X = rows(400)
    plane = decision_plane(Right(), X, (X[:, 1] > 0).astype(np.uint8))  # type: ignore[arg-type]
    assert plane is not None
    grid = np.array([int(one) for one in plane.positive]).reshape(SIDE, SIDE)
    np.testing.assert_array_equal(grid, np.tile(np.linspace(*plane.x, SIDE) >= 0, (SIDE, 1)))
    # All rows lie inside, and those that were given as positive keep their side.
    assert plane.x[0] < X[:, 0].min() < X[:, 0].max() < plane.x[1]
    assert len(plane.labelled) == len(plane.unlabelled) == POINTS
    assert all(y > 0 for _, y in plane.labelled)
    assert all(y <= 0 for _, y in plane.unlabelled)


@pytest.mark.parametrize(
    "X", [rows(9, 3), rows(9, 1), sparse.csr_array(rows(9)), np.column_stack([np.arange(9.0), np.ones(9)])]
)
def test_other_rows_have_no_plane(X: NDArray[np.float64]) -> None:
    assert decision_plane(Right(), X, np.ones(9, dtype=np.uint8)) is None  # type: ignore[arg-type]


def test_the_page_draws_the_boundaries_of_data_with_two_columns(tmp_path: Path) -> None:
    (tmp_path / "plane.toml").write_text(SUITE, encoding="utf-8")
    results = run_suite(tmp_path / "plane.toml", out=tmp_path / "run")
    report = report_of(results)
    (panel,) = find_planes(report)
    assert panel.title == "naive-lr-prior · moons"
    page = html_report(report)
    assert "Decision boundaries" in page
    assert "naive-lr-prior · moons" in page
