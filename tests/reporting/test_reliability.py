"""Reliability curves: pooled over replicates, and only where a metric of probabilities was asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.html import row
from helpers.reports import details
from helpers.suites import run

import pubench
from pubench.metrics import calibration_error
from pubench.reporting import build_report
from pubench.reporting.report import Report
from pubench.reporting.sections.calibration import calibration_section, find_reliability
from pubench.results.store import read_inside

POINTS = [[(30, 0.15, 0.1), (10, 0.9, 0.8)], [(10, 0.11, 0.5)]]


def report(points: list[Any]) -> Report:
    scores = {"brier": 0.2, "calibration-error": 0.1, "log-loss": None}
    rows = [row("a", 0.1, replicate=i) | {"key": str(i)} | scores for i in range(len(points))]
    models = {str(i): {"reliability": found} for i, found in enumerate(points)}
    return build_report(rows, "s", {"acc": True}, details=details(models=models))


def test_bins_are_pooled_over_replicates() -> None:
    (panel,) = find_reliability(report(POINTS)).panels
    (curve,) = panel.curves
    np.testing.assert_allclose(curve.x, [(30 * 0.15 + 10 * 0.11) / 40, 0.9])
    np.testing.assert_allclose(curve.mean, [(30 * 0.1 + 10 * 0.5) / 40, 0.8])
    np.testing.assert_allclose(curve.sd, np.sqrt([0.2 * 0.8 / 40, 0.8 * 0.2 / 10]))


def test_the_section_has_the_numbers_of_its_figure() -> None:
    section = calibration_section(report(POINTS))
    assert section is not None
    means, figure = section.blocks
    assert means.lines == [("a", "0.100", "0.200", "–", "2")]
    assert figure.numbers is not None
    assert [line[3:] for line in figure.numbers.lines] == [("40", "0.140", "0.200"), ("10", "0.900", "0.800")]
    assert "<svg" in figure.drawing.images[0]


def test_an_algorithm_tuned_by_several_criteria_has_a_line_for_each() -> None:
    rows = [row("a", 0.1, criterion=name) | {"key": name} for name in ("puf", "pu-risk")]
    models = {name: {"reliability": POINTS[1]} for name in ("puf", "pu-risk")}
    (panel,) = find_reliability(build_report(rows, "s", {"acc": True}, details=details(models=models))).panels
    assert [curve.algorithm for curve in panel.curves] == ["a by puf", "a by pu-risk"]


def test_without_probabilities_there_is_no_section() -> None:
    assert calibration_section(report([[], []])) is None


def test_each_model_with_probabilities_has_a_curve(tmp_path: Path) -> None:
    results = run(tmp_path, algorithms=[{"use": "naive-lr"}, {"use": "bsvm"}])
    curves = read_inside(results.folder)
    pubench.report(results.folder, formats=("html",))
    page = (results.folder / "report.html").read_text()
    assert "Calibration of probabilities" in page
    assert "Without probabilities: bsvm." in page
    for cell in results.rows:
        curve = curves[cell["key"]].reliability if cell["key"] in curves else ()
        assert bool(curve) == (cell["algorithm"] == "naive-lr")
        if curve:
            assert sum(rows for rows, _, _ in curve) == cell["n_test"]
            gap = sum(rows * abs(p - share) for rows, p, share in curve) / cell["n_test"]
            assert gap == pytest.approx(cell["calibration-error"], abs=1e-5)


def test_the_curve_and_the_error_share_their_bins() -> None:
    y, p = np.array([0, 1, 1, 1]), np.array([0.2, 0.299999, 0.9, 1.0])
    curve = pubench.metrics.reliability(y, p)
    assert curve == (
        (2, pytest.approx(0.25, abs=1e-6), 0.5),
        (2, pytest.approx(0.95), 1.0),
    )
    gap = sum(rows * abs(mean - share) for rows, mean, share in curve) / 4
    assert gap == pytest.approx(calibration_error(y, p))
