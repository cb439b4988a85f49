"""Holm's correction."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pubench.stats.corrections import holm
from pubench.stats.paired import signed_rank
from pubench.stats.ranks import rank_rows


def test_an_example_by_hand() -> None:
    np.testing.assert_allclose(holm(np.array([0.01, 0.04, 0.03, 0.005])), [0.03, 0.06, 0.06, 0.02])


def test_demsars_example() -> None:
    # Section 3.2.2: C4.5 as the control. Holm's procedure rejects the first and the second hypothesis at 0.05.
    adjusted = holm(np.array([0.016, 0.019, 0.607]))
    assert (adjusted < 0.05).tolist() == [True, True, False]
    np.testing.assert_allclose(adjusted, [0.048, 0.048, 0.607])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0.001, 0.5))
def test_it_rejects_what_the_step_down_procedure_rejects(p: list[float], alpha: float) -> None:
    rejected: set[int] = set()
    for step, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        if p[i] * (len(p) - step) > alpha:
            break
        rejected.add(i)
    assert set(np.flatnonzero(holm(np.array(p)) <= alpha).tolist()) == rejected


def test_tests_that_were_not_made_are_not_counted() -> None:
    np.testing.assert_allclose(holm(np.array([np.nan, 0.02, 0.03])), [np.nan, 0.04, 0.04])
    assert holm(np.array([])).shape == (0,)
    assert np.isnan(holm(np.array([np.nan]))).all()
    assert holm(np.array([0.0, 0.9, 0.8])).tolist() == [0.0, 1.0, 1.0]


def test_factors_stay_above_the_least_one() -> None:
    p = np.array([0.001, 0.01, 0.02, 0.2])
    np.testing.assert_allclose(holm(p), [0.004, 0.03, 0.04, 0.2])
    np.testing.assert_allclose(holm(p, 2.0), [0.004, 0.03, 0.04, 0.4])
    np.testing.assert_allclose(holm(p, 4.0), np.minimum(4 * p, 1))


def test_of_equal_algorithms_one_is_rarely_called_worse_than_the_best() -> None:
    """The best is chosen on the same data: without a correction each of ten equal ones is called worse too often."""
    rng, k, runs, alpha = np.random.default_rng(5), 10, 300, 0.1
    plain = corrected = 0
    for _ in range(runs):
        scores = rng.normal(0, 1, (12, k))
        best = int(rank_rows(scores).mean(axis=0).argmin())
        if best != 0:
            others = [j for j in range(k) if j != best]
            p = np.array([signed_rank(scores[:, j] - scores[:, best]).p for j in others])
            plain += p[others.index(0)] < alpha
            corrected += holm(p, (k - 1) / 2)[others.index(0)] < alpha
    assert corrected / runs < alpha < plain / runs
