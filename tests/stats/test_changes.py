"""Changes between two runs: verdicts agree with scipy's tests, and too little data give none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import wilcoxon

from pubench.stats.changes import PairedScore, Verdict, block_changes, overall_changes
from pubench.stats.scores import Block

OVERLAP = 0.5


def scores(
    differences: np.ndarray, name: str = "a", first: float = 0.7, overlap: float = OVERLAP
) -> list[PairedScore]:
    """Return scores of (data sets, replicates) that differ by so much."""
    return [
        PairedScore(name, Block(f"d{i}", "l", None), first, first + value, overlap)
        for i, line in enumerate(differences.tolist())
        for value in line
    ]


def test_the_test_over_data_sets_is_wilcoxons_on_the_means_of_replicates() -> None:
    drawn = np.random.default_rng(0).normal(0.02, 0.02, size=(9, 3))
    (found,) = overall_changes("acc", scores(drawn), {}, 0.05)
    assert found.adjusted == pytest.approx(wilcoxon(drawn.mean(axis=1)).pvalue)
    assert found.difference == pytest.approx(drawn.mean())
    assert found.low < found.difference < found.high
    assert (found.cells, found.datasets) == (27, 9)
    assert found.verdict is (Verdict.BEYOND if found.adjusted < 0.05 else Verdict.WITHIN)


def test_holms_correction_counts_the_algorithms_that_changed() -> None:
    drawn = np.linspace(0.01, 0.02, 6)[:, None]
    alone = overall_changes("acc", scores(drawn), {}, 0.05)
    assert [one.verdict for one in alone] == [Verdict.BEYOND]
    unchanged = scores(np.zeros((6, 1)), "same")
    both = overall_changes("acc", scores(drawn) + unchanged, {}, 0.05)
    assert [one.verdict for one in both] == [Verdict.BEYOND, Verdict.SAME]
    # Six data sets are enough for one test at 0.05 and too few for two.
    pair = overall_changes("acc", scores(drawn) + scores(drawn, "b"), {}, 0.05)
    assert [one.verdict for one in pair] == [Verdict.TOO_FEW, Verdict.TOO_FEW]


@pytest.mark.parametrize("datasets", [1, 2, 5])
def test_few_data_sets_are_too_few_to_say(datasets: int) -> None:
    (found,) = overall_changes("acc", scores(np.full((datasets, 5), 0.3)), {}, 0.05)
    assert found.verdict is Verdict.TOO_FEW
    assert np.isnan([found.adjusted, found.low, found.high]).all()


def test_data_sets_that_share_rows_count_once() -> None:
    drawn = np.linspace(0.01, 0.02, 6)[:, None]
    (found,) = overall_changes("acc", scores(drawn), {"d1": "d0"}, 0.05)
    assert (found.datasets, found.verdict) == (5, Verdict.TOO_FEW)


def test_noise_around_zero_is_within_noise() -> None:
    drawn = np.array([[1.0], [-1.0], [2.0], [-2.0], [3.0], [-3.0], [0.5]]) / 100
    (found,) = overall_changes("acc", scores(drawn), {}, 0.05)
    assert found.verdict is Verdict.WITHIN


def test_rounding_is_no_change_but_not_identical_either() -> None:
    (found,) = overall_changes("acc", scores(np.full((8, 2), 1e-16), first=0.1), {}, 0.05)
    assert (found.verdict, found.difference) == (Verdict.WITHIN, 0.0)


def test_equal_means_of_different_cells_are_not_identical() -> None:
    (found,) = overall_changes("acc", scores(np.tile([0.25, -0.25], (8, 1)), first=0.5), {}, 0.05)
    assert (found.verdict, found.difference) == (Verdict.WITHIN, 0.0)


def test_the_test_within_a_block_is_corrected_for_overlapping_splits() -> None:
    drawn = np.random.default_rng(1).normal(0.05, 0.02, size=(1, 5))
    (found,) = block_changes("acc", scores(drawn), 0.05)
    statistic = drawn.mean() / np.sqrt((1 / 5 + OVERLAP) * drawn.var(ddof=1))
    assert found.adjusted == pytest.approx(2 * student.sf(abs(statistic), 4))
    assert (found.first, found.second) == pytest.approx((0.7, 0.7 + drawn.mean()))


@pytest.mark.parametrize(
    ("differences", "overlap", "verdict"),
    [
        ([0.1], OVERLAP, Verdict.TOO_FEW),
        ([0.1, 0.1, 0.1], OVERLAP, Verdict.TOO_FEW),
        ([0.1] * 6, OVERLAP, Verdict.BEYOND),
        ([0.1, 0.2, 0.1], np.nan, Verdict.TOO_FEW),
        ([0.0, 0.0, 0.0], OVERLAP, Verdict.SAME),
        ([0.1, 0.11, 0.1, 0.11, 0.1], OVERLAP, Verdict.BEYOND),
        ([0.1, -0.1, 0.1, -0.12, 0.1], OVERLAP, Verdict.WITHIN),
    ],
)
def test_verdicts_within_a_block(differences: list[float], overlap: float, verdict: Verdict) -> None:
    # Powers of two and a first score of zero: equal differences are equal.
    (found,) = block_changes("acc", scores(np.array([differences]), first=0.0, overlap=overlap), 0.05)
    assert found.verdict is verdict


def test_every_further_block_costs_power() -> None:
    one = np.array([[0.10, 0.11, 0.10, 0.11, 0.13]])
    (alone,) = block_changes("acc", scores(one), 0.05)
    among = block_changes("acc", scores(np.tile(one, (4, 1))), 0.05)
    assert among[0].adjusted == pytest.approx(4 * alone.adjusted)
