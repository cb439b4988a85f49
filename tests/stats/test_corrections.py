"""Holm's correction."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pubench.stats.corrections import holm


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
