"""Searches: the same trials for the same seed, told in order, and none that fails ends the search."""

from __future__ import annotations

import itertools
import math
import time

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pubench.child.search import (
    choose,
    grid,
    search,
)
from pubench.protocol import Trial
from pubench.specs import Choice, Float, Int
from pubench.suite.models import TuningConfig
from pubench.suite.samplers import SAMPLERS
from pubench.tasks import AlgorithmPlan, CriterionPlan, SearchPlan

SPACE = {"x": Float(-4.0, 4.0), "n": Int(1, 9), "kind": Choice(("a", None, True))}


def config(sampler="random", trials=12, batch=4, seed=0, maximise=True):
    engine = SAMPLERS[sampler].engine
    plan = SearchPlan(sampler=sampler, engine=engine, trials=trials, batch=batch, folds=2, validation=None)
    return plan, seed, maximise


def run_search(space, configured, guide, evaluate):
    """Run a search guided by the criterion of that name."""
    plan, seed, maximise = configured
    criterion = CriterionPlan(name=guide, maximise=maximise)
    return search(space, plan, evaluate, guide=criterion, seed=seed)


def params_of(trials):
    return [dict(trial.params) for trial in trials]


def quadratic(params):
    return {"value": -((params["x"] - 1.0) ** 2)}


@pytest.mark.parametrize("sampler", ["tpe", "random", "grid"])
def test_trials_depend_on_the_seed_alone_not_on_how_long_they_take(sampler):
    def slow(params):
        time.sleep(0.01 * (params["n"] % 2))
        return quadratic(params)

    quick = run_search(SPACE, config(sampler), "value", quadratic)
    assert params_of(run_search(SPACE, config(sampler), "value", slow)) == params_of(quick)
    assert params_of(run_search(SPACE, config(sampler, seed=1), "value", quadratic)) != params_of(quick)
    assert len(quick) == 12


@pytest.mark.parametrize("sampler", ["random", "grid"])
def test_samplers_that_do_not_adapt_never_look_at_the_criterion(sampler):
    assert not TuningConfig(sampler=sampler).is_adaptive
    expected = params_of(run_search(SPACE, config(sampler), "value", quadratic))
    for maximise, batch in itertools.product([True, False], [1, 5]):
        found = run_search(
            SPACE,
            config(sampler, maximise=maximise, batch=batch),
            "other",
            lambda params: {"other": -params["x"], "value": math.nan},
        )
        assert params_of(found) == expected


def test_tpe_looks_at_the_criterion_but_only_between_batches():
    up = run_search(SPACE, config("tpe", trials=40), "value", quadratic)
    down = run_search(SPACE, config("tpe", trials=40, maximise=False), "value", quadratic)
    assert params_of(up) != params_of(down)
    # A single batch is asked for before anything is told.
    once = [
        params_of(run_search(SPACE, config("tpe", 20, batch=20, maximise=m), "value", quadratic))
        for m in (True, False)
    ]
    assert once[0] == once[1]


def test_tpe_beats_random_on_average():
    space = {"x": Float(-4.0, 4.0), "y": Float(-4.0, 4.0)}

    def best(sampler, seed):
        trials = run_search(
            space,
            config(sampler, trials=50, seed=seed),
            "value",
            lambda p: {"value": -((p["x"] - 1) ** 2) - (p["y"] + 2) ** 2},
        )
        return choose(trials, "value", maximise=True).values["value"]

    means = {sampler: np.mean([best(sampler, seed) for seed in range(6)]) for sampler in ("tpe", "random")}
    assert means["tpe"] > means["random"]


def test_a_batch_is_evaluated_in_order_and_told_in_order():
    seen = []

    def remember(params):
        seen.append(dict(params))
        return quadratic(params)

    trials = run_search({"x": Float(0, 1)}, config("tpe", trials=10, batch=3), "value", remember)
    assert params_of(trials) == seen


def test_the_grid_is_the_product_with_the_last_parameter_fastest():
    points = list(
        grid({"kind": Choice(("a", None)), "n": Int(1, 3), "x": Float(0.01, 1.0, log=True, points=3)})
    )
    assert [point["kind"] for point in points] == ["a"] * 9 + [None] * 9
    assert [point["n"] for point in points[:9]] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    np.testing.assert_allclose([point["x"] for point in points[:3]], [0.01, 0.1, 1.0])
    assert (
        run_search(SPACE, config("grid", trials=None), "v", lambda p: {"v": 0.0})[-1].params["kind"] is True
    )


@given(st.integers(-20, 20), st.integers(0, 30), st.integers(1, 12), st.booleans())
def test_a_grid_over_whole_numbers_is_distinct_sorted_and_inside(low, width, points, log):
    low = abs(low) + 1 if log else low
    axis = [point["n"] for point in grid({"n": Int(low, low + width, log, points)})]
    assert axis == sorted(set(axis))
    assert axis[0] == low
    assert axis[-1] == low + width or points == 1
    assert all(type(value) is int for value in axis)
    assert len(axis) <= points


def test_a_grid_with_fewer_trials_is_a_seeded_part_of_it_in_grid_order():
    whole = params_of(run_search(SPACE, config("grid", trials=None), "value", quadratic))
    part = params_of(run_search(SPACE, config("grid", trials=7), "value", quadratic))
    places = [whole.index(point) for point in part]
    assert len(part) == 7
    assert places == sorted(places)
    assert params_of(run_search(SPACE, config("grid", trials=10_000), "value", quadratic)) == whole


def test_equal_parameters_are_evaluated_once():
    calls = []
    trials = run_search(
        {"kind": Choice(("a", None, True, 1))},
        config("random", trials=30),
        "value",
        lambda params: calls.append(params["kind"]) or {"value": 0.0},
    )
    assert len(trials) == 30
    assert sorted(map(repr, calls)) == sorted(["'a'", "None", "True", "1"])


@pytest.mark.parametrize("sampler", ["tpe", "random", "grid"])
def test_a_failing_trial_is_kept_with_its_error_and_the_search_goes_on(sampler):
    def fragile(params):
        if params["x"] < 0:
            raise ZeroDivisionError("below zero")
        return quadratic(params)

    trials = run_search(SPACE, config(sampler, trials=16), "value", fragile)
    failed = [trial for trial in trials if trial.error]
    assert len(trials) == 16
    assert 0 < len(failed) < 16
    assert all(trial.error == "ZeroDivisionError: below zero" and not trial.values for trial in failed)
    assert choose(trials, "value", maximise=True).params["x"] >= 0


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("std::bad_alloc")])
def test_running_out_of_memory_ends_the_search(error):
    def greedy(params):
        raise error

    with pytest.raises(type(error)):
        run_search(SPACE, config(), "value", greedy)


def trial(number, **values):
    return Trial(params={"number": number}, values=values, seconds=0.0)


def test_choose_takes_the_better_direction_and_the_earliest_of_equals():
    trials = [trial(0, a=1.0), trial(1, a=3.0), trial(2, a=3.0), trial(3, a=1.0)]
    assert choose(trials, "a", maximise=True).params["number"] == 1
    assert choose(trials, "a", maximise=False).params["number"] == 0


def test_choose_leaves_out_trials_without_a_value():
    trials = [trial(0, a=None), trial(1), trial(2, b=1.0), trial(3, a=None), trial(4, a=0.5)]
    for maximise in (True, False):
        assert choose(trials, "a", maximise=maximise).params["number"] == 4
    assert choose(trials[:4], "a", maximise=True) is None
    assert choose([], "a", maximise=True) is None


@pytest.mark.parametrize(
    "param",
    [
        Float(0.1, 2.0, True, 3),
        Float(0.1, np.float64(2.0)),
        Int(2, 8, False, 4),
        Int(10, 1e2),
        Choice(("a", 1, 1.0, True, None)),
        Choice(tuple(np.logspace(-1, 1, 3))),
        Choice(([1], [1, 2])),
    ],
)
def test_a_space_survives_the_wire(param):
    plan = AlgorithmPlan(estimator="m:E", params={}, space={"p": param}, receives=(), labels="pu")
    read = msgspec.json.decode(msgspec.json.encode(plan), type=AlgorithmPlan).space["p"]
    assert read == param
    assert repr(read) == repr(param)


def test_each_trial_keeps_its_time():
    trials = run_search({"x": Float(0, 1)}, config(trials=2), "v", lambda p: time.sleep(0.02) or {"v": 0.0})
    assert all(trial.seconds >= 0.02 for trial in trials)
