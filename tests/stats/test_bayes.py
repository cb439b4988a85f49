"""The Bayesian signed-rank test: closed forms, a twin, symmetry."""

import numpy as np
import pytest
from helpers.statistics_examples import AUC

from pubench.stats.bayes import bayesian_signed_rank


def twin(differences: np.ndarray, rope: float, samples: int) -> list[float]:
    """All pairs, sample by sample."""
    z = np.concatenate([[0.0], differences])
    sums = z[:, None] + z[None, :]
    rng = np.random.default_rng(7)
    wins = np.zeros(3)
    for _ in range(samples):
        w = rng.dirichlet([0.5, *np.ones(len(differences))])
        shares = [w @ region @ w for region in (sums < -2 * rope, np.abs(sums) <= 2 * rope, sums > 2 * rope)]
        wins[int(np.argmax(shares))] += 1
    return list(wins / samples)


def test_it_is_the_double_sum_over_pairs() -> None:
    differences = AUC[:, 1] - AUC[:, 0]
    for rope in (0.001, 0.005, 0.02):
        np.testing.assert_allclose(
            bayesian_signed_rank(differences, rope), twin(differences, rope, 4000), atol=0.04
        )


def test_one_large_difference_has_a_closed_form() -> None:
    # w_0 ~ Beta(1/2, 1) and "better" is the largest where w_0^2 < 1/2: with probability 2^(-1/4).
    found = bayesian_signed_rank(np.array([1.0]), 0.1, samples=100_000)
    assert found == pytest.approx((0.0, 1 - 2**-0.25, 2**-0.25), abs=0.005)


def test_swapping_the_algorithms_swaps_the_answer() -> None:
    differences = np.random.default_rng(0).normal(0.2, 1, 15)
    one, other = bayesian_signed_rank(differences, 0.1), bayesian_signed_rank(-differences, 0.1)
    np.testing.assert_allclose(one, other[::-1], atol=0.04)
    assert sum(one) == pytest.approx(1)


def test_without_a_region_none_are_equivalent() -> None:
    found = bayesian_signed_rank(np.array([0.1, 0.2, 0.3, 0.4]), 0.0)
    assert found.same == 0
    assert found.better > 0.95
    assert bayesian_signed_rank(np.zeros(5), 0.0) == (0.5, 0.0, 0.5)


def test_small_differences_are_the_same() -> None:
    assert bayesian_signed_rank(np.full(10, 0.001), 0.01) == (0.0, 1.0, 0.0)


def test_infinite_differences_are_the_largest_and_cancel() -> None:
    found = bayesian_signed_rank(np.array([np.inf, -np.inf]), 0.01)
    assert found.better == pytest.approx(found.worse, abs=0.04)
    assert bayesian_signed_rank(np.full(8, np.inf), 0.01).better > 0.99


def test_nothing_to_compare() -> None:
    assert np.isnan(bayesian_signed_rank(np.array([]), 0.01)).all()
