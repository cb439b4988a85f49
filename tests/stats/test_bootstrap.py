"""Bootstrap intervals."""

import numpy as np
import pytest
from scipy.stats import bootstrap

from pubench.stats.bootstrap import mean_interval, rank_intervals


def test_the_interval_has_its_nominal_coverage() -> None:
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(200):
        low, high = mean_interval(rng.exponential(size=40), 0.9, resamples=300)
        covered += low <= 1.0 <= high
    assert 160 <= covered <= 195


def test_of_normal_values_it_is_near_students() -> None:
    values = np.random.default_rng(1).normal(size=400)
    half = 1.96 * values.std(ddof=1) / 20
    assert mean_interval(values, 0.95) == pytest.approx(
        (values.mean() - half, values.mean() + half), abs=0.02
    )


def test_it_is_a_function_of_the_values() -> None:
    values = np.array([0.1, 0.4, 0.2, 0.9])
    assert mean_interval(values, 0.95) == mean_interval(values.copy(), 0.95)
    low, high = mean_interval(values, 0.95)
    assert values.min() <= low < values.mean() < high <= values.max()


def test_too_few_or_equal_values() -> None:
    assert np.isnan(mean_interval(np.array([1.0]), 0.95)).all()
    assert mean_interval(np.full(3, 0.25), 0.95) == (0.25, 0.25)


@pytest.mark.parametrize("n", [2, 5, 20, 57])
def test_it_is_scipys_but_for_rounding(n: int) -> None:
    values = np.round(np.random.default_rng(n).normal(0.01, 0.05, n), 4)
    theirs = bootstrap(
        (values,), np.mean, n_resamples=2000, method="BCa", random_state=np.random.default_rng(0)
    ).confidence_interval
    assert mean_interval(values, 0.95) == pytest.approx((theirs.low, theirs.high), rel=1e-12, abs=0)


def test_rank_intervals_are_percentiles_of_resampled_means() -> None:
    ranks = np.array([rng.permutation(4) + 1.0 for rng in map(np.random.default_rng, range(15))])
    low, high = rank_intervals(ranks, 0.9)
    for j in range(4):
        found = bootstrap(
            (ranks[:, j],), np.mean, method="percentile", confidence_level=0.9, n_resamples=5000, rng=1
        ).confidence_interval
        assert (low[j], high[j]) == pytest.approx(tuple(found), abs=0.08)
    assert (low < ranks.mean(axis=0)).all()
    assert (high > ranks.mean(axis=0)).all()


def test_whoever_always_wins_has_rank_one_without_doubt() -> None:
    low, high = rank_intervals(np.tile([1.0, 2.0, 3.0], (9, 1)), 0.95)
    assert low.tolist() == high.tolist() == [1.0, 2.0, 3.0]
