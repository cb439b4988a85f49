"""Positives excluded from the unlabelled training rows, as in section 5.3 of Lee and Liu (2003)."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pubench.data.labelling import Labelling, assign
from pubench.data.values import Assignment
from pubench.errors import SuiteError
from pubench.suite import parse_suite

Y = np.repeat(np.array([1, 0], dtype=np.uint8), [200, 300])


def assigned(share: float, seed: int = 0) -> Assignment:
    labelling = Labelling("single-training-set", frequency=0.3, unlabelled_positives=share)
    rngs = {name: np.random.default_rng([i, seed]) for i, name in enumerate(("split_rng", "label_rng"))}
    return assign(Y, labelling, **rngs)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 99))
def test_only_unlabelled_positives_are_excluded(one: float, other: float, seed: int) -> None:
    fewer, more, all_of_them = (assigned(share, seed) for share in (*sorted((one, other)), 1.0))
    assert (fewer.test == all_of_them.test).all()
    assert (fewer.train[fewer.s == 1] == all_of_them.train[all_of_them.s == 1]).all()
    assert set(fewer.train) <= set(more.train) <= set(all_of_them.train)
    assert all(Y[list(set(all_of_them.train) - set(fewer.train))] == 1)


@pytest.mark.parametrize(("share", "left"), [(0.0, 0), (0.5, 49), (1.0, 98)])
def test_number_of_kept_positives_and_prior(share: float, left: int) -> None:
    # 140 positives and 210 negatives train; 42 positives are labelled.
    found = assigned(share)
    assert Y[found.train[found.s == 0]].sum() == left
    assert found.prior == (42 + left) / (42 + left + 210)


SUITE = """
name = "x"
[[datasets]]
use = "iris"
[[labellings]]
scenario = "single-training-set"
frequency = 0.5
unlabelled_positives = 0.25
[[algorithms]]
use = "wlr"
"""


def test_unlabelled_positives_in_a_suite() -> None:
    (labelling,) = parse_suite(SUITE, "x.toml").labellings
    assert labelling.unlabelled_positives == 0.25
    for old, new in (("single-training-set", "case-control"), ("frequency = 0.5", 'positives = "given"')):
        with pytest.raises(SuiteError, match=r"unlabelled_positives = 0\.25: is for single training sets"):
            parse_suite(SUITE.replace(old, new), "x.toml")
    with pytest.raises(SuiteError, match="must be at most 1"):
        parse_suite(SUITE.replace("0.25", "1.25"), "x.toml")


def test_the_default_of_unlabelled_positives_changes_no_key() -> None:
    labelling = Labelling("single-training-set", positives=3, name="mine")
    assert "unlabelled_positives" not in labelling.identity()
    left_out = replace(labelling, unlabelled_positives=0.5)
    assert left_out.identity() == labelling.identity() | {"unlabelled_positives": 0.5}
