"""Our own plugins keep the contract that others are asked to keep; those that take long are checked elsewhere."""

from __future__ import annotations

import pytest
from threadpoolctl import threadpool_limits

from pubench.plugins.discovery import discover
from pubench.testing import (
    AlgorithmContract,
    CriterionContract,
    DatasetContract,
    MetricContract,
    PriorContract,
)

OURS = discover(third_party=False)
CRITERIA, METRICS = sorted(OURS.all("criteria")), sorted(OURS.all("metrics"))


def contracts(base, names, **attributes):
    """Return a contract for each name, by the name that pytest looks for."""
    made = {f"Test{''.join(word.capitalize() for word in name.split('-'))}": name for name in names}
    return {title: type(title, (base,), {"name": name} | attributes) for title, name in made.items()}


globals().update(contracts(CriterionContract, CRITERIA))
globals().update(contracts(MetricContract, METRICS))
globals().update(contracts(DatasetContract, ["breast-cancer", "digits", "wine", "iris"]))


# These pass scikit-learn's checks, one by one, in the tests of their packages.
ELSEWHERE = {"test_scikit_learn": "made in the tests of its package"}


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Small fits by many threads wait for each other."""
    with threadpool_limits(1):
        yield


class TestWlr(AlgorithmContract):
    name = "wlr"
    excused = ELSEWHERE


class TestNaiveLr(AlgorithmContract):
    name = "naive-lr"
    excused = ELSEWHERE | {"test_metadata": "what everybody does first has no paper"}


class TestPutree(AlgorithmContract):
    name = "putree"
    excused = ELSEWHERE


@pytest.mark.slow
class TestElkanNotoE1(PriorContract):
    name = "elkan-noto-e1"


def test_all_criteria_and_metrics_are_checked():
    assert len(CRITERIA) > 10
    assert len(METRICS) > 5
    assert {f"Test{name.capitalize()}" for name in ("puf", "pa", "accuracy", "f1")} <= globals().keys()


def test_an_excuse_for_what_is_no_check_is_refused():
    with pytest.raises(TypeError, match="excuses 'test_nothing', which is not one of its checks"):
        type("TestIt", (AlgorithmContract,), {"excused": {"test_nothing": "no reason"}})
