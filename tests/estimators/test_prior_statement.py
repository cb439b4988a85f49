"""What a person is told about a prior."""

from __future__ import annotations

import numpy as np
import pytest

from pubench import PriorEstimate, estimate_prior, state_prior
from pubench.estimators.prior_statement import combine_estimates

POINT = PriorEstimate(0.4, 0.3, 0.5, doubts=("few rows",))


def clouds(delta, n_p=120, n_u=500, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_p + n_u) < n_p + 0.3 * n_u
    return rng.standard_normal((n_p + n_u, 2)) + [delta, 0] * y[:, None], (np.arange(n_p + n_u) < n_p).astype(
        int
    )


def test_the_interval_is_the_hull_up_to_the_bound():
    found = combine_estimates(POINT, PriorEstimate(0.3, 0.2, 0.35, upper=0.45))
    assert (found.value, found.low, found.high, found.upper) == (0.4, 0.2, 0.45, 0.45)
    assert float(found) == 0.4
    assert found.doubts == ("few rows",)
    # Without a bound there is none.
    assert combine_estimates(POINT, PriorEstimate(0.3, 0.2, 0.7)).high == 0.7
    assert combine_estimates(POINT, PriorEstimate(0.3, 0.2, 0.7)).upper == 1.0


def test_an_estimate_above_the_bound_is_doubted():
    found = combine_estimates(POINT, PriorEstimate(0.3, 0.2, 0.35, upper=0.38))
    assert (found.high, found.upper) == (0.4, 0.38)
    assert found.doubts == ("the estimate exceeds the upper bound", "few rows")


@pytest.mark.parametrize(("low", "determined"), [(0.23, False), (0.25, True)])
def test_a_wide_interval_is_undetermined(low, determined):
    found = combine_estimates(POINT, PriorEstimate(0.4, low, 0.6))
    assert found.determined == determined
    assert ("cannot be determined from these data" in found.lines()[0]) != determined
    assert ("cannot be determined from these data" in found.summary) != determined


def test_the_sentences_say_all_parts():
    lines = combine_estimates(POINT, PriorEstimate(0.3, 0.25, 0.35, upper=0.6)).lines()
    assert lines[:4] == (
        "The prior is about 0.400.",
        "Plausible range: 0.250 to 0.500 (90%).",
        "If the labelled rows are a fair sample of positives, the prior is at most 0.600 (95%), even if every kind "
        "of row includes negatives.",
        "Caution: few rows.",
    )
    assert "fair sample of all positives" in lines[4]


def test_separated_classes_determine_the_prior():
    X, s = clouds(6.0, n_p=300, n_u=1500)
    found = state_prior(X, s, scenario="case-control", random_state=0)
    assert found.determined
    assert found.low <= 0.3 <= found.high <= found.upper
    assert found.value == estimate_prior(X, s, scenario="case-control", random_state=0).value


@pytest.mark.slow
def test_overlapping_classes_leave_the_prior_undetermined():
    found = [
        state_prior(*clouds(1.0, seed=seed), scenario="case-control", random_state=0) for seed in range(10)
    ]
    # No region is pure: the point is far too high, and the statement says so.
    assert all(one.value > 0.38 for one in found)
    assert sum(not one.determined for one in found) >= 7
    assert sum(one.low <= 0.3 <= one.high for one in found) >= 8


def test_a_generator_moves_on_as_with_one_estimate():
    X, s = clouds(6.0, 40, 80)
    one, two = np.random.default_rng(3), np.random.default_rng(3)
    stated = state_prior(X, s, scenario="case-control", random_state=one)
    assert stated.value == estimate_prior(X, s, scenario="case-control", random_state=two).value
    assert one.integers(1000) == two.integers(1000)
