"""Paired tests agree with Demsar's example and with scipy, ties and zeros included."""

import numpy as np
import pytest
from helpers.statistics_examples import AUC
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pubench.stats.paired import paired_differences, signed_rank, t_test

NUMBERS = st.lists(st.integers(-4, 4), min_size=1, max_size=9).map(lambda v: np.array(v, dtype=float))


def test_demsars_signed_ranks() -> None:
    # Table 2 and section 3.1.3: R+ = 93, R- = 12, and 12 is below the critical value 21 for alpha = 0.05.
    found = signed_rank(paired_differences(AUC[:, 1], AUC[:, 0]))
    assert (found.plus, found.minus) == (93.0, 12.0)
    assert found.p < 0.05


@given(st.lists(st.integers(1, 10**6), min_size=2, max_size=40, unique=True))
def test_without_ties_p_is_scipys_exact_one(sizes: list[int]) -> None:
    signs = np.where(np.random.default_rng(len(sizes)).random(len(sizes)) < 0.3, -1.0, 1.0)
    differences = signs * sizes
    assert signed_rank(differences).p == pytest.approx(stats.wilcoxon(differences, method="exact").pvalue)


@given(NUMBERS)
def test_with_ties_and_zeros_p_is_the_share_of_all_patterns_of_signs(differences: np.ndarray) -> None:
    found = signed_rank(differences)
    ranks = stats.rankdata(np.abs(differences)) * (differences != 0)
    patterns = (np.arange(2 ** len(ranks))[:, None] >> np.arange(len(ranks))) & 1
    sums = patterns @ ranks
    at = ranks[differences > 0].sum()
    expected = min(1.0, 2 * min((sums <= at).mean(), (sums >= at).mean()))
    assert found.p == pytest.approx(expected)
    assert found.plus + found.minus == pytest.approx(len(ranks) * (len(ranks) + 1) / 2)


def test_many_pairs_have_scipys_normal_p() -> None:
    rng = np.random.default_rng(0)
    for differences in (rng.normal(0.1, 1, 200), rng.integers(-3, 5, 200).astype(float)):
        expected = stats.wilcoxon(differences, zero_method="pratt", method="asymptotic").pvalue
        assert signed_rank(differences).p == pytest.approx(expected)


def test_the_effect_is_the_share_of_ranks_for_minus_the_share_against() -> None:
    assert signed_rank(np.array([1.0, 2.0, 3.0])).effect == 1.0
    assert signed_rank(np.array([1.0, 2.0, -3.0])).effect == 0.0
    assert signed_rank(np.zeros(4)) == (5.0, 5.0, 1.0, 0.0)
    assert signed_rank(np.array([])).p == 1.0


def test_an_infinite_difference_is_the_largest_and_swapping_the_algorithms_swaps_the_signs() -> None:
    first, second = np.array([0.5, 0.6, 0.7, -np.inf]), np.array([-np.inf, 0.5, 0.9, -np.inf])
    one, other = (signed_rank(paired_differences(*pair)) for pair in ((first, second), (second, first)))
    assert (one.plus, one.minus) == (other.minus, other.plus) == (4 + 2 + 0.5, 3 + 0.5)
    assert one.p == other.p


def test_rounding_makes_no_difference_and_missing_scores_no_pair() -> None:
    first = np.array([0.1 + 0.2, 0.768, 0.936, np.nan, 1.0])
    second = np.array([0.3, 0.763, 0.931, 0.5, np.nan])
    differences = paired_differences(first, second)
    assert np.isnan(differences).tolist() == [False, False, False, True, True]
    assert differences[0] == 0
    assert signed_rank(differences) == signed_rank(differences[:3])
    assert differences[1] == differences[2] == pytest.approx(0.005)


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=20))
def test_without_overlap_t_is_scipys(values: list[float]) -> None:
    differences = np.array(values)
    if np.ptp(differences) < 1e-6:
        return
    expected = stats.ttest_1samp(differences, 0.0)
    np.testing.assert_allclose(t_test(differences), (expected.statistic, expected.pvalue), rtol=1e-9)


def test_overlap_widens_the_error_as_nadeau_and_bengio_say() -> None:
    differences = np.random.default_rng(0).normal(0.5, 1, 10)
    plain, corrected = t_test(differences), t_test(differences, overlap=1 / 9)
    # Ten-fold: the variance grows from 1/10 to 1/10 + 1/9.
    assert corrected[0] == pytest.approx(plain[0] * np.sqrt((1 / 10) / (1 / 10 + 1 / 9)))
    assert corrected[1] == pytest.approx(2 * stats.t.sf(abs(corrected[0]), 9))
    assert corrected[1] > plain[1]


def test_corrected_t_keeps_its_level_where_splits_overlap() -> None:
    # Two random "algorithms" of equal skill, judged on overlapping halves of one set of rows.
    rng = np.random.default_rng(0)
    rejected = np.zeros(2)
    for _ in range(300):
        better = rng.normal(size=100)
        splits = [rng.permutation(100)[:50] for _ in range(15)]
        differences = np.array([better[split].mean() for split in splits])
        rejected += [t_test(differences)[1] < 0.05, t_test(differences, overlap=1.0)[1] < 0.05]
    plain, corrected = rejected / 300
    assert corrected < 0.1 < 0.3 < plain


def test_too_few_or_equal_differences() -> None:
    assert np.isnan(t_test(np.array([1.0]))).all()
    assert t_test(np.zeros(3)) == (0.0, 1.0)
    assert t_test(np.full(3, -0.1)) == (-np.inf, 0.0)
    assert np.isnan(t_test(np.array([]))).all()


def test_many_tests_at_once_and_missing_pairs() -> None:
    differences = np.random.default_rng(0).normal(0.3, 1, (2, 3, 8))
    differences[0, 0, :3] = np.nan
    differences[1, 2, 1:] = np.nan
    overlap = np.array([[0.5], [0.0]])
    t, p = t_test(differences, overlap)
    assert t.shape == (2, 3)
    for i, j in np.ndindex(2, 3):
        known = differences[i, j][~np.isnan(differences[i, j])]
        np.testing.assert_allclose((t[i, j], p[i, j]), t_test(known, float(overlap[i, 0])))
