"""The kernel against its NumPy twin and against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, roc_auc_score

from pubench._ranking import auc_and_ap

# Few distinct scores, so that ties are the rule.
TIED = st.lists(st.tuples(st.integers(0, 1), st.integers(-3, 3)), min_size=2, max_size=40)
REAL = st.lists(st.tuples(st.integers(0, 1), st.floats(-1e6, 1e6)), min_size=2, max_size=40)


def twin(score: NDArray[np.float64], label: NDArray[np.uint8]) -> tuple[float, float]:
    gaps = score[label == 1][:, None] - score[label == 0][None, :]
    thresholds = np.unique(score)[::-1]
    hits = np.array([label[score >= t].sum() for t in thresholds])
    precision = hits / np.array([(score >= t).sum() for t in thresholds])
    ap = (np.diff(hits, prepend=0) * precision).sum() / label.sum()
    return float(((gaps > 0) + 0.5 * (gaps == 0)).mean()), float(ap)


def split(rows: list[tuple[int, float]]) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    # One row of each class, so that both measures are defined.
    rows = [*rows, (0, 0.0), (1, 0.0)]
    return np.array([r[1] for r in rows], dtype=float), np.array([r[0] for r in rows], dtype=np.uint8)


@given(TIED | REAL)
def test_equals_its_numpy_twin_and_scikit_learn(rows: list[tuple[int, float]]) -> None:
    score, label = split(rows)
    measured = auc_and_ap(score, label)
    assert measured == pytest.approx(twin(score, label), abs=1e-12)
    reference = roc_auc_score(label, score), average_precision_score(label, score)
    assert measured == pytest.approx(reference, abs=1e-12)


@given(TIED)
def test_the_order_of_rows_does_not_matter(rows: list[tuple[int, float]]) -> None:
    score, label = split(rows)
    assert auc_and_ap(score, label) == auc_and_ap(score[::-1], label[::-1])


@given(TIED)
def test_turning_the_scores_round_turns_the_auc_round(rows: list[tuple[int, float]]) -> None:
    score, label = split(rows)
    assert auc_and_ap(-score, label)[0] == pytest.approx(1 - auc_and_ap(score, label)[0], abs=1e-15)


def test_only_the_ranks_matter_infinities_included() -> None:
    label = np.array([0, 1, 0, 1, 1])
    ranks = np.array([0.0, 1.0, 1.0, 2.0, 3.0])
    stretched = np.array([-np.inf, 0.0, -0.0, 1e-300, np.inf])
    assert auc_and_ap(stretched, label) == auc_and_ap(ranks, label)


def test_many_rows_do_not_overflow_the_pair_count() -> None:
    label = np.repeat([0, 1], 200_000)
    auc, ap = auc_and_ap(np.arange(400_000.0), label)
    assert auc == 1.0
    assert ap == pytest.approx(1.0)


def test_read_only_strided_and_narrow_arrays_are_taken() -> None:
    score = np.arange(12, dtype=np.float32)[::2]
    score.flags.writeable = False
    assert auc_and_ap(score, np.array([False, False, False, True, True, True])) == (1.0, 1.0)


def test_undefined_measures_are_nan() -> None:
    assert np.isnan(auc_and_ap([0.0, 1.0], [0, 0])).all()
    auc, ap = auc_and_ap([0.0, 1.0], [1, 1])
    assert np.isnan(auc)
    assert ap == 1.0
    assert np.isnan(auc_and_ap([], [])).all()


@pytest.mark.parametrize(
    ("score", "label", "message"),
    [
        ([0.0, np.nan, 1.0], [0, 1, 1], "NaN"),
        ([0.0, 1.0], [0, 1, 1], "same length"),
        ([[0.0, 1.0]], [[0, 1]], "same length"),
    ],
)
def test_input_without_a_ranking_is_refused(score: list[float], label: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        auc_and_ap(score, label)
