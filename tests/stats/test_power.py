"""What a paired test can show: against scipy, published sample sizes, and simulated tests."""

import numpy as np
import pytest
from scipy import stats

from pubench.stats.power import POWER, detectable, least_p, power, units_needed


@pytest.mark.parametrize("n", [2, 5, 6, 12])
def test_the_least_p_value_is_that_of_equal_signs(n: int) -> None:
    assert least_p("wilcoxon", n) == pytest.approx(stats.wilcoxon(np.arange(1.0, n + 1)).pvalue)
    assert least_p("t", n) == 0
    assert least_p("wilcoxon", 1) == least_p("t", 1) == 1


def test_the_units_needed_are_the_fewest_that_can_reject() -> None:
    # Known: six pairs for one test at 0.05, eight at 0.01; two-sided p of 1/32 and 1/128.
    assert (units_needed("wilcoxon", 0.05), units_needed("wilcoxon", 0.01)) == (6, 8)
    assert units_needed("wilcoxon", 0.05 / 36) == 11
    assert units_needed("t", 0.001) == 2
    # Exactly alpha is no rejection.
    assert units_needed("wilcoxon", 2.0**-5) == 7


@pytest.mark.parametrize(
    ("effect", "n"),
    # Cohen (1988) and G*Power: pairs for a two-sided paired t-test at 0.05 with power 0.8.
    [(0.2, 199), (0.5, 34), (0.8, 15)],
)
def test_the_t_test_needs_the_published_numbers_of_pairs(effect: float, n: int) -> None:
    assert detectable("t", n, 0.05) <= effect < detectable("t", n - 1, 0.05)
    assert power("t", n - 1, 0.05, effect) < POWER <= power("t", n, 0.05, effect)


@pytest.mark.parametrize(("n", "level"), [(8, 0.05), (12, 0.05 / 9), (30, 0.01)])
def test_simulated_signed_rank_tests_detect_it_as_often(n: int, level: float) -> None:
    shift = detectable("wilcoxon", n, level)
    sample = np.random.default_rng(7).standard_normal((2000, n)) + shift
    found = np.mean(stats.wilcoxon(sample, axis=1, method="exact").pvalue < level)
    # Two simulations of 2,000 each: three standard errors.
    assert found == pytest.approx(POWER, abs=3 * np.sqrt(2 * 0.16 / 2000))
    assert power("wilcoxon", n, level, shift) == pytest.approx(POWER, abs=1e-3)


def test_many_pairs_join_the_exact_ones() -> None:
    assert detectable("wilcoxon", 51, 0.05) == pytest.approx(detectable("wilcoxon", 50, 0.05), rel=0.05)
    assert detectable("wilcoxon", 400, 0.05) > detectable("t", 400, 0.05)


def test_overlap_makes_a_difference_harder_to_detect() -> None:
    plain, corrected = detectable("t", 5, 0.05), detectable("t", 5, 0.05, 0.3)
    assert corrected / plain == pytest.approx(np.sqrt((1 / 5 + 0.3) / (1 / 5)))


def test_what_cannot_reject_detects_nothing() -> None:
    assert detectable("wilcoxon", 5, 0.05) == detectable("t", 1, 0.05) == np.inf
    assert power("wilcoxon", 5, 0.05, 100.0) == 0
    assert power("t", 1, 0.05, 100.0) == 0


def test_power_grows_with_the_difference_and_begins_at_half_the_level() -> None:
    for test in ("wilcoxon", "t"):
        found = [power(test, 12, 0.05, effect) for effect in (0.0, 0.3, 0.8, 2.0)]
        assert found == sorted(found)
        # Only rejections on the right side count.
        assert found[0] == pytest.approx(0.025, abs=0.01)
        assert found[-1] > 0.99
