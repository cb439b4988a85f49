"""A scenario that nobody states: refused, unless all labelled rows have unlabelled copies that are not chance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

import pubench
from pubench.estimators.shown_scenario import shows_case_control

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(300, 4))
S = np.repeat([1, 0], [40, 300]).astype(np.uint8)
COPIED = np.vstack([ROWS[:40], ROWS])


def stated(X, s=S):
    return shows_case_control(np.asarray(X), s)


@pytest.mark.parametrize(
    "layout", [np.ascontiguousarray, np.asfortranarray, np.float32, lambda X: X[:, ::-1]]
)
def test_copies_of_all_labelled_rows_show_case_control(layout):
    assert stated(layout(COPIED))


def test_one_labelled_row_without_a_copy_shows_nothing():
    changed = COPIED.copy()
    changed[7, 2] = np.nextafter(changed[7, 2], 9.0)
    assert not stated(changed)


def test_copies_by_chance_show_nothing():
    # Rows of few values: nearly each row has equal ones, whatever its label.
    few = RNG.integers(0, 2, size=(340, 3))
    assert not stated(few)
    # With four labelled rows, half of all rows being repeated is chance: (1/2)^4.
    half = np.vstack([ROWS[:200], ROWS[:50], ROWS[:50]])
    assert not stated(np.vstack([ROWS[:4], half]), np.repeat([1, 0], [4, 300]))
    assert stated(np.vstack([ROWS[:40], half]))


def test_whole_numbers_and_missing_values_are_compared_exactly():
    whole = np.round(1e6 * ROWS)
    whole[3, 1] = np.nan
    assert stated(np.vstack([whole[:40], whole]))
    assert not stated(np.vstack([whole[:40] + 2.0**-20, whole]))


def test_sparse_rows_show_nothing():
    assert not shows_case_control(csr_array(COPIED), S)


@pytest.mark.parametrize("name", ["puet", "upu-linear", "adapu", "elkan-noto", "pu-nb", "bsvm"])
def test_a_fit_uses_what_the_rows_show_and_says_so(name):
    given = {"prior": 0.4} if "prior" in pubench.make(name).get_params() else {}
    with pytest.warns(UserWarning, match=r"is fitted with scenario='case-control'; set it"):
        found = pubench.make(name, random_state=0, **given).fit(COPIED, S)
    stated_one = pubench.make(name, random_state=0, scenario="case-control", **given).fit(COPIED, S)
    assert found.scenario is None
    assert found.scenario_ == "case-control"
    np.testing.assert_array_equal(found.decision_function(ROWS), stated_one.decision_function(ROWS))


def test_a_fit_refuses_rows_that_do_not_show_it():
    with pytest.raises(ValueError, match=r"scenario of PUExtraTrees must be 'case-control' \(.*; got None"):
        pubench.make("puet", prior=0.4).fit(RNG.normal(size=(340, 4)), S)


def test_a_stated_scenario_is_never_doubted():
    model = pubench.make("puet", prior=0.4, scenario="single-training-set", random_state=0).fit(COPIED, S)
    assert model.scenario_ == "single-training-set"
