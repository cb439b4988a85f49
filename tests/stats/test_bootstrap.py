"""Bootstrap intervals."""

import numpy as np
import pytest
from scipy.stats import bootstrap

from pubench.stats.bootstrap import mean_interval


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
def test_it_is_scipys_to_the_bit(n: int) -> None:
    values = np.round(np.random.default_rng(n).normal(0.01, 0.05, n), 4)
    theirs = bootstrap(
        (values,), np.mean, n_resamples=2000, method="BCa", random_state=np.random.default_rng(0)
    ).confidence_interval
    assert mean_interval(values, 0.95) == (theirs.low, theirs.high)
