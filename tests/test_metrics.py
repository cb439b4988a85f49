"""Metrics: agreement with scikit-learn where it is defined, and our own rules where it is not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sklearn.metrics as reference
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from pubench import metrics

ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=0, max_size=30)
FORECASTS = st.lists(st.tuples(st.integers(0, 1), st.floats(0, 1)), min_size=0, max_size=30)
DECISION_METRICS = {
    metrics.accuracy: reference.accuracy_score,
    metrics.balanced_accuracy: reference.balanced_accuracy_score,
    metrics.precision: lambda y, d: reference.precision_score(y, d, zero_division=0.0),
    metrics.recall: reference.recall_score,
    metrics.f1: reference.f1_score,
}
EVERY_METRIC = [getattr(metrics, name) for name in metrics.__all__ if name != "collapsed"]


def columns(rows: list[tuple[int, float]]) -> tuple[np.ndarray, np.ndarray]:
    both = [*rows, (0, 0), (1, 0)]
    return np.array([r[0] for r in both], dtype=np.uint8), np.array([r[1] for r in both])


@pytest.mark.parametrize("metric", DECISION_METRICS, ids=lambda m: m.__name__)
@given(rows=ROWS)
def test_decision_metrics_agree_with_scikit_learn(
    metric: Callable[..., float], rows: list[tuple[int, float]]
) -> None:
    y, decision = columns(rows)
    assert metric(y, decision) == pytest.approx(DECISION_METRICS[metric](y, decision), abs=1e-12)


@given(FORECASTS)
def test_score_and_probability_metrics_agree_with_scikit_learn(rows: list[tuple[int, float]]) -> None:
    y, p = columns(rows)
    assert metrics.roc_auc(y, p) == pytest.approx(reference.roc_auc_score(y, p), abs=1e-12)
    assert metrics.average_precision(y, p) == pytest.approx(
        reference.average_precision_score(y, p), abs=1e-12
    )
    assert metrics.log_loss(y, p) == pytest.approx(reference.log_loss(y, p), rel=1e-12)


@given(FORECASTS)
def test_calibration_error_is_the_binned_gap(rows: list[tuple[int, float]]) -> None:
    y, p = columns(rows)
    edges = np.arange(10) / 10
    in_bin = np.digitize(p, edges) - 1
    gaps = [(in_bin == b).mean() * abs(y[in_bin == b].mean() - p[in_bin == b].mean()) for b in set(in_bin)]
    # The two ways to find a bin may differ for a p within rounding of an edge.
    near_edge = (np.abs(p * 10 - np.round(p * 10)) < 1e-12) & ~np.isin(p, [0.0, 0.5, 1.0])
    assume(not near_edge.any())
    assert metrics.calibration_error(y, p) == pytest.approx(sum(gaps), abs=1e-12)


def test_the_brier_score_is_the_mean_square_as_in_scikit_learn() -> None:
    y, p = [1, 0, 1, 0], [0.9, 0.2, 0.4, 1.0]
    assert metrics.brier(y, p) == pytest.approx((0.01 + 0.04 + 0.36 + 1.0) / 4)
    assert metrics.brier(y, p) == pytest.approx(reference.brier_score_loss(y, p))


def test_calibration_error_by_hand() -> None:
    # Bin [0.2, 0.3): mean p 0.25, share 1/2; bin [0.9, 1]: mean p 0.95, share 1.
    y, p = np.array([0, 1, 1, 1]), np.array([0.2, 0.299999, 0.9, 1.0])
    assert metrics.calibration_error(y, p) == pytest.approx(0.5 * 0.25 + 0.5 * 0.05, abs=1e-6)
    assert metrics.calibration_error([1, 1], [1.0, 1.0]) == 0.0
    assert metrics.calibration_error([0, 1], [0.55, 0.55]) == pytest.approx(0.05)


@given(FORECASTS)
def test_log_loss_is_finite_for_forecasts_that_are_sure_and_wrong(rows: list[tuple[int, float]]) -> None:
    y, _ = columns(rows)
    assert np.isfinite(metrics.log_loss(y, 1.0 - y))
    assert metrics.log_loss(y, y.astype(float)) < 1e-12


def test_the_area_of_gains_by_hand() -> None:
    # Scores fall from left to right. TP, FP: (1, 0), (1, 1), (2, 1), ...; n_p / n_n = 1/2. The recall gain is 0 at
    # TP = 2/3, before any FP. From there to 1/2 the precision gain is 1, then it goes from 1/2 to 3/4.
    order = -np.arange(6.0)
    assert metrics.auc_prg([1, 0, 1, 0, 0, 0], order) == pytest.approx(0.5 * 1.0 + 0.5 * 0.625)
    # n_p = n_n = 2: the recall gain is 0 at TP = 1, where FP = 1; the precision gain goes from 0 to 1/2.
    assert metrics.auc_prg([1, 0, 1, 0], order[:4]) == pytest.approx(0.25)
    # A tie of one positive and both negatives, then a positive: the gain is 0 at TP = 2/3 and FP = 4/3, where the
    # precision gain is -1. n_p = 2, n_n = 2, start at TP = 1: FP = 2, gains -1 and 0, up to 0 at the end.
    assert metrics.auc_prg([1, 0, 0, 1], [1.0, 1.0, 1.0, 0.0]) == pytest.approx(-0.5)


@pytest.mark.parametrize(("n_p", "n_n"), [(1, 1), (3, 7), (40, 5)])
def test_limits_of_the_area_of_gains(n_p: int, n_n: int) -> None:
    y = np.repeat([1, 0], [n_p, n_n])
    assert metrics.auc_prg(y, y) == pytest.approx(1.0)
    assert metrics.auc_prg(y, np.zeros(n_p + n_n)) == pytest.approx(0.0)
    assert metrics.auc_prg(y, 1 - y) == pytest.approx((1 - (n_p + n_n) / n_p) / 2)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5)), max_size=30))
def test_the_area_of_gains_is_the_integral_along_the_roc_curve(rows: list[tuple[int, float]]) -> None:
    y, score = columns(rows)
    pi = y.mean()
    fpr, tpr, _ = reference.roc_curve(y, score, drop_intermediate=False)
    along = np.concatenate([np.linspace(i, i + 1, 2001) for i in range(len(fpr) - 1)])
    recall, false = (np.interp(along, np.arange(len(fpr)), rate) for rate in (tpr, fpr))
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = pi * recall / (pi * recall + (1 - pi) * false)
        gains = [(rate - pi) / ((1 - pi) * rate) for rate in (precision, recall)]
    kept = recall >= pi
    area = np.trapezoid(gains[0][kept], gains[1][kept])
    # The first piece of the grid may begin after the recall gain 0.
    assert metrics.auc_prg(y, score) == pytest.approx(area, abs=0.05)


@given(FORECASTS)
def test_cor_is_the_correlation_of_class_and_score(rows: list[tuple[int, float]]) -> None:
    y, score = columns(rows)
    # Differences that squares cannot hold are none.
    assume(np.ptp(score) == 0.0 or np.var(score) > 1e-200)
    expected = 0.0 if np.ptp(score) == 0.0 else np.corrcoef(y, score)[0, 1]
    assert metrics.cor(y, score) == pytest.approx(expected, abs=1e-12)


def test_the_boyce_index_by_hand() -> None:
    # Scores 0, 1, 2, ..., 10: windows of width 1. Positives are the upper rows, so the ratio never falls.
    score = np.arange(11.0)
    assert metrics.boyce(score >= 5, score) > 0.85
    assert metrics.boyce(score <= 5, score) == pytest.approx(-metrics.boyce(score >= 5, score))
    # Every row is positive, or all scores are equal: no window differs from another.
    assert metrics.boyce(np.ones(11), score) == 0.0
    assert metrics.boyce([1, 0, 1], [2.0, 2.0, 2.0]) == 0.0


@given(FORECASTS)
def test_the_boyce_index_is_the_rank_correlation_over_windows(rows: list[tuple[int, float]]) -> None:
    y, score = columns(rows)
    assume(np.ptp(score) > 1e-6)
    starts = score.min() + 0.9 * np.ptp(score) * np.linspace(0, 1, 101)
    ends = starts + 0.1 * np.ptp(score)
    inside = (score >= starts[:, None]) & (score <= ends[:, None])
    held = inside.any(axis=1)
    ratio = (inside & (y == 1))[held].sum(axis=1) / inside[held].sum(axis=1)
    assume(np.ptp(ratio) > 0)
    assert metrics.boyce(y, score) == pytest.approx(spearmanr(starts[held], ratio)[0], abs=1e-9)


def test_predicted_positive_rate_is_a_share() -> None:
    assert metrics.predicted_positive_rate([0, 0, 0, 1], [1, 0, 1, 1]) == 0.75


def test_what_y_makes_undefined_is_nan() -> None:
    for metric in (
        metrics.recall,
        metrics.f1,
        metrics.balanced_accuracy,
        metrics.roc_auc,
        metrics.average_precision,
        metrics.auc_prg,
        metrics.cor,
        metrics.boyce,
    ):
        assert np.isnan(metric([0, 0], [0, 1])), metric.__name__
    for metric in (metrics.balanced_accuracy, metrics.roc_auc, metrics.auc_prg, metrics.cor):
        assert np.isnan(metric([1, 1], [0, 1])), metric.__name__
    assert metrics.recall([1, 1], [0, 1]) == 0.5


def test_what_the_model_makes_undefined_is_zero() -> None:
    assert metrics.precision([0, 1], [0, 0]) == 0.0
    assert metrics.f1([0, 1], [0, 0]) == 0.0


def test_collapsed_means_all_decided_alike() -> None:
    assert metrics.collapsed([1, 1, 1])
    assert metrics.collapsed(np.zeros(4, dtype=np.uint8))
    assert not metrics.collapsed([0, 1])


@pytest.mark.parametrize("metric", EVERY_METRIC, ids=lambda m: m.__name__)
@pytest.mark.parametrize(
    ("y", "values"),
    [([], []), ([0, 1], [0, 1, 1]), ([-1, 1], [0, 1]), ([[0, 1]], [[0, 1]])],
    ids=["empty", "unequal", "minus-one", "matrix"],
)
def test_bad_input_is_refused(metric: Callable[..., float], y: list[int], values: list[int]) -> None:
    with pytest.raises(ValueError):
        metric(np.array(y), np.array(values))


@pytest.mark.parametrize("metric", EVERY_METRIC, ids=lambda m: m.__name__)
def test_missing_values_are_refused(metric: Callable[..., float]) -> None:
    with pytest.raises(ValueError):
        metric([0, 1], [0.5, np.nan])


@pytest.mark.parametrize("metric", [metrics.log_loss, metrics.brier, metrics.calibration_error])
@pytest.mark.parametrize("p", [-0.01, 1.01])
def test_what_is_no_probability_is_refused(metric: Callable[..., float], p: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        metric([0, 1], [0.5, p])


@pytest.mark.parametrize("metric", EVERY_METRIC, ids=lambda m: m.__name__)
@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.bool_, np.float64])
def test_the_type_of_the_labels_does_not_matter(metric: Callable[..., float], dtype: type) -> None:
    # 300 rows: counts that a uint8 cannot hold.
    y, values = np.repeat([1, 0], [290, 10]), np.repeat([1, 0], [280, 20])
    assert metric(y.astype(dtype), values) == metric(y, values)
