"""Laws of the comparison: the same bits, what is left out and named, and what an early end leaves."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from pubench.advise import comparing
from pubench.advise.choosing import ensemble_values
from pubench.advise.comparing import compare
from pubench.advise.methods import POOL, make_method, resolve_methods
from pubench.errors import DataError, PubenchError, UnknownNameError
from pubench.estimators.prior_cut import PriorCut

QUICK = ("naive-lr-prior", "wlr")


def some_data(n=120, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.5
    X = rng.normal(size=(n, 3)) + 1.5 * y[:, None]
    return X, (y & (rng.random(n) < 0.5)).astype(np.uint8), y.astype(np.uint8)


@pytest.fixture(scope="module")
def progress():
    """What the first of the two comparisons said of its progress."""
    return []


@pytest.fixture(scope="module")
def twice(progress):
    """The same comparison twice, the second time with another method beside."""
    X, s, _ = some_data()
    asked = {"prior": 0.5, "scenario": "single-training-set", "seed": 3}
    return compare(X, s, names=QUICK, on_progress=progress.append, **asked), compare(
        X, s, names=("upu-linear", *QUICK), repeats=1, **asked
    )


def test_the_same_seed_gives_the_same_bits_whatever_else_is_compared(twice):
    first, second = twice
    assert first.folds_done == 10
    assert second.folds_done == 5
    assert second.names == ("upu-linear", *QUICK)
    assert (first.values[:, :5] == second.values[1:]).all()
    assert (first.margins == second.margins[1:]).all()
    assert (first.decisions == second.decisions[1:]).all()


def test_rank_shares_are_of_rows_held_out_together(twice):
    first, _ = twice
    for shares, folds in zip(first.shares, first.folds, strict=True):
        for fold in range(5):
            held = np.sort(shares[:, folds == fold], axis=1)
            m = held.shape[1]
            assert held == pytest.approx(np.tile((np.arange(m) + 0.5) / m, (2, 1)))
    assert first.scores == pytest.approx(first.shares.mean(axis=0))


def test_values_are_those_of_an_ensemble_of_one(twice):
    _, s, _ = some_data()
    first, _ = twice
    for number in range(2):
        alone = np.eye(2)[number]
        assert ensemble_values(first, alone, s) == pytest.approx(first.values[number])


def test_the_cut_at_the_prior_calls_that_share_positive(twice):
    first, _ = twice
    by_name = dict(zip(first.names, first.decisions, strict=True))
    assert by_name["naive-lr-prior"].mean() == pytest.approx(0.5, abs=0.01)
    assert np.isnan(first.cuts).tolist() == [False, True]


def test_methods_that_fail_are_left_out_and_named(monkeypatch):
    X, s, _ = some_data(60)
    good, other = resolve_methods(QUICK)
    absent = replace(other, name="absent", plan=msgspec.structs.replace(other.plan, estimator="nowhere:X"))
    wrong = replace(other, name="wrong", plan=msgspec.structs.replace(other.plan, params={"nonsense": 1}))
    monkeypatch.setattr(comparing, "resolve_methods", lambda names: (absent, good, wrong))
    found = compare(X, s, prior=0.5, scenario="case-control", repeats=1)
    assert found.names == ("naive-lr-prior",)
    assert [failure.name for failure in found.failures] == ["absent", "wrong"]
    assert "nowhere" in found.failures[0].reason
    assert "nonsense" in found.failures[1].reason
    monkeypatch.setattr(comparing, "resolve_methods", lambda names: (wrong,))
    with pytest.raises(PubenchError, match="every method failed on these data; wrong: "):
        compare(X, s, prior=0.5, scenario="case-control")


def test_without_budget_left_at_least_one_method_is_compared_and_the_others_are_named():
    X, s, _ = some_data(60)
    names = ("naive-lr-prior", "wlr", "upu-linear", "naive-svc-prior")
    found = compare(X, s, names=names, prior=0.5, scenario="single-training-set", budget=1e-9)
    assert found.names == names[:1]
    assert found.folds_done == 5
    assert {failure.name: failure.reason for failure in found.failures} == dict.fromkeys(
        names[1:], "not started within the budget"
    )


def test_an_interrupt_leaves_the_best_so_far_or_nothing():
    X, s, _ = some_data(60)
    asked = {"names": QUICK, "prior": 0.5, "scenario": "single-training-set"}

    def interrupt_at(number):
        def stop(progress):
            if progress.done == number:
                raise KeyboardInterrupt

        return stop

    found = compare(X, s, on_progress=interrupt_at(12), **asked)
    assert found.is_interrupted
    assert 5 <= found.folds_done < 10
    with pytest.raises(KeyboardInterrupt):
        compare(X, s, on_progress=interrupt_at(1), **asked)


def test_progress_counts_every_fit(twice, progress):
    assert [one.done for one in progress] == list(range(1, 21))
    assert {one.planned for one in progress} == {20}
    assert progress[-1].seconds_left == 0


def test_too_few_labelled_rows_are_refused():
    X = np.random.default_rng(0).normal(size=(20, 2))
    s = np.zeros(20, dtype=np.uint8)
    s[0] = 1
    with pytest.raises(DataError, match=r"1 labelled and 19 unlabelled rows: .*label more rows"):
        compare(X, s, prior=0.5, scenario="case-control")


def test_without_a_prior_methods_that_need_one_are_left_out():
    X, s, _ = some_data(60)
    found = compare(X, s, names=QUICK, prior=None, scenario="case-control", repeats=1)
    assert found.names == ("wlr",)
    assert "prior" in found.failures[0].reason
    with pytest.raises(PubenchError, match="no method can be compared"):
        compare(X, s, names=QUICK[:1], prior=None, scenario="case-control")


def test_the_pool_is_registered_and_references_are_refused():
    assert [method.name for method in resolve_methods((*POOL, POOL[0]))] == list(POOL)
    with pytest.raises(UnknownNameError, match="did you mean 'puet'"):
        resolve_methods(("puett",))
    with pytest.raises(PubenchError, match="'supervised-et' learns from true classes"):
        resolve_methods(("supervised-et",))


@pytest.mark.parametrize("name", ["naive-lr-prior", "upu-linear", "wlr"])
def test_what_only_ranks_ranks_as_the_whole_method_does(name):
    X, s, _ = some_data()
    whole, ranker = (
        make_method(name, prior=0.5, scenario="single-training-set", seed=1, ranks_only=ranks).fit(X, s)
        for ranks in (False, True)
    )
    order = [np.argsort(one.decision_function(X), kind="stable").tolist() for one in (whole, ranker)]
    assert order[0] == order[1]
    assert isinstance(whole, PriorCut) == (name != "wlr")
    assert not isinstance(ranker, PriorCut)


def test_a_method_that_needs_a_prior_is_not_made_without_one():
    with pytest.raises(PubenchError, match="'puet' needs the class prior"):
        make_method("puet", prior=None, scenario="case-control", seed=0)
