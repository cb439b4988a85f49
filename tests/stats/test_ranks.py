"""Ranks, Friedman and Nemenyi agree with Demsar (2006) and scipy."""

import numpy as np
import pytest
from helpers.statistics_examples import AUC, RANKS
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pubench.stats.ranks import can_reject, critical_difference, friedman, nemenyi, rank_rows


def test_demsars_average_ranks() -> None:
    np.testing.assert_allclose(rank_rows(AUC).mean(axis=0), RANKS, atol=5e-4)


def test_demsars_friedman_and_iman_davenport() -> None:
    found = friedman(rank_rows(AUC))
    # Demsar does not correct for ties: 9.28, and F = 3.69 with 3 and 39 degrees of freedom.
    plain = found.statistic * found.ties
    assert plain == pytest.approx(9.28, abs=5e-3)
    assert 13 * plain / (14 * 3 - plain) == pytest.approx(3.69, abs=5e-3)
    assert found.statistic == pytest.approx(stats.friedmanchisquare(*AUC.T).statistic)
    assert found.f == pytest.approx(13 * found.statistic / (42 - found.statistic))
    assert found.f_p == pytest.approx(stats.f.sf(found.f, 3, 39))


@given(
    st.integers(3, 6).flatmap(
        lambda k: st.lists(st.lists(st.integers(0, 4), min_size=k, max_size=k), min_size=2, max_size=8)
    )
)
def test_with_ties_it_is_scipys(scores: list[list[int]]) -> None:
    values = np.array(scores, dtype=float)
    found = friedman(rank_rows(values))
    if (values == values[:, :1]).all():
        assert found[:4] == (0.0, 1.0, 0.0, 1.0)
        return
    expected = stats.friedmanchisquare(*values.T)
    np.testing.assert_allclose(found[:2], expected, rtol=1e-9, atol=1e-12)


def test_of_two_algorithms_it_is_the_sign_test() -> None:
    ranks = rank_rows(np.array([[1.0, 0.0]] * 7 + [[0.0, 1.0]] * 3))
    assert friedman(ranks).statistic == pytest.approx((7 - 3) ** 2 / 10)


def test_blocks_that_all_agree() -> None:
    found = friedman(rank_rows(np.array([[3.0, 2.0, 1.0]] * 5)))
    assert found.statistic == pytest.approx(10.0)
    assert (found.f, found.f_p) == (np.inf, 0.0)


@pytest.mark.parametrize(
    ("alpha", "table"),
    [
        (0.05, (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164)),
        (0.10, (1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920)),
    ],
)
def test_demsars_table_of_critical_values(alpha: float, table: tuple[float, ...]) -> None:
    for k, expected in enumerate(table, start=2):
        # With N = k (k + 1) / 6 blocks the critical difference is q itself.
        found = critical_difference(k, 1, alpha) / np.sqrt(k * (k + 1) / 6)
        assert found == pytest.approx(expected, abs=1.1e-3)


def test_demsars_critical_differences() -> None:
    assert critical_difference(4, 14, 0.05) == pytest.approx(1.25, abs=5e-3)
    assert critical_difference(4, 14, 0.10) == pytest.approx(1.12, abs=5e-3)


def test_nemenyis_p_is_below_alpha_where_ranks_are_further_apart_than_the_critical_difference() -> None:
    average = rank_rows(AUC).mean(axis=0)
    p = nemenyi(average, 14)
    np.testing.assert_array_equal(p, p.T)
    assert (np.diag(p) == 1).all()
    # Section 3.2.2: at 0.10 C4.5 is worse than C4.5+m and C4.5+m+cf; at 0.05 nothing differs.
    assert np.argwhere(np.triu(p < 0.10, 1)).tolist() == [[0, 1], [0, 3]]
    assert (p >= 0.05).all()
    edge = critical_difference(4, 14, 0.05)
    assert nemenyi(np.array([1.0, 1.0 + edge, 2.0, 2.0]), 14)[0, 1] == pytest.approx(0.05, abs=1e-6)


def test_the_greatest_score_ranks_first_and_the_missing_share_the_last_place() -> None:
    scores = np.array([[0.9, 0.5, 0.7], [0.5, -np.inf, -np.inf]])
    assert rank_rows(scores).tolist() == [[1.0, 3.0, 2.0], [1.0, 2.5, 2.5]]
    assert rank_rows(np.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize(
    ("k", "n", "can"), [(3, 2, False), (3, 3, True), (5, 2, False), (2, 99, False), (9, 1, False)]
)
def test_friedmans_test_is_made_only_where_agreement_would_be_significant(k: int, n: int, can: bool) -> None:
    assert can_reject(k, n, 0.05) is can
    if n > 1 and k > 2:
        agreed = friedman(np.tile(np.arange(1.0, k + 1), (n, 1)))
        assert (agreed.p < 0.05) is can
