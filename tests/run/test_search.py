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

from pubench.protocol.parts import AlgorithmPlan, CriterionPlan, SearchPlan
from pubench.protocol.replies import Trial
from pubench.run.greedy import neighbours
from pubench.run.search import Search, choose, grid, params_name
from pubench.specs import Choice, Float, Int
from pubench.suite.models import TuningConfig
from pubench.suite.samplers import SAMPLERS

SPACE = {"x": Float(-4.0, 4.0), "n": Int(1, 9), "kind": Choice(("a", None, True))}


def config(sampler="random", trials=12, batch=4, seed=0, maximise=True):
    engine = SAMPLERS[sampler].engine
    plan = SearchPlan(sampler=sampler, engine=engine, trials=trials, batch=batch, folds=2, validation=None)
    return plan, seed, maximise


def run_search(space, configured, guide, evaluate):
    """Run a search guided by the criterion of that name; ``evaluate`` gives the value of each criterion."""
    plan, seed, maximise = configured
    search = Search(space, plan, guide=CriterionPlan(name=guide, maximise=maximise), seed=seed)
    while batch := search.ask():
        search.tell([evaluated(params, evaluate) for params in batch])
    return search.trials


def evaluated(params, evaluate):
    try:
        values = {name: (value,) for name, value in evaluate(params).items()}
    except ZeroDivisionError as error:
        return Trial(params=params, error=str(error))
    return Trial(params=params, folds=values)


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


@pytest.mark.slow
def test_tpe_beats_random_on_average():
    space = {"x": Float(-4.0, 4.0), "y": Float(-4.0, 4.0)}

    def best(sampler, seed):
        trials = run_search(
            space,
            config(sampler, trials=50, seed=seed),
            "value",
            lambda p: {"value": -((p["x"] - 1) ** 2) - (p["y"] + 2) ** 2},
        )
        return choose(trials, "value", maximise=True).value("value")

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


def test_only_equal_parameters_have_the_same_name():
    kinds = ("a", None, True, 1, 1.0, "1")
    assert len({params_name({"kind": kind, "x": 0.5}) for kind in kinds}) == len(kinds)
    assert params_name({"x": 0.5, "kind": None}) == params_name({"kind": None, "x": 0.5})


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
    assert all(trial.error == "below zero" and not trial.folds for trial in failed)
    assert choose(trials, "value", maximise=True).params["x"] >= 0


def trial(number, **values):
    return Trial(params={"number": number}, folds={name: (value,) for name, value in values.items()})


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


def test_a_value_is_the_mean_over_folds_and_none_where_a_fold_has_none():
    trial = Trial(params={}, folds={"a": (1.0, 2.0), "b": (1.0, None), "c": (math.inf, 1.0), "d": ()})
    assert [trial.value(name) for name in "abcde"] == [1.5, None, None, None, None]


@pytest.mark.parametrize("sampler", ["tpe", "random", "grid"])
@pytest.mark.parametrize("told", [0, 4, 11])
def test_a_search_that_is_told_stored_trials_goes_on_as_if_it_had_not_stopped(sampler, told):
    whole = run_search(SPACE, config(sampler), "value", quadratic)
    stored = {params_name(trial.params): trial for trial in whole[:told]}
    asked = []

    def again(params):
        asked.append(params_name(params))
        return quadratic(params)

    plan, seed, maximise = config(sampler)
    search = Search(SPACE, plan, guide=CriterionPlan(name="value", maximise=maximise), seed=seed)
    while batch := search.ask():
        search.tell([stored.get(params_name(params)) or evaluated(params, again) for params in batch])
    assert params_of(search.trials) == params_of(whole)
    assert asked == [params_name(trial.params) for trial in whole[told:]]


@pytest.mark.parametrize("sampler", ["tpe", "random", "grid"])
def test_the_default_setting_is_the_first_trial_and_counts_as_one(sampler):
    plan, seed, _ = config(sampler, trials=6 if sampler != "grid" else None)
    with_defaults = msgspec.structs.replace(plan, defaults=True)
    space = {"x": Float(-4.0, 4.0)}

    def value(params):
        return {"value": -((params.get("x", 0.5) - 1.0) ** 2)}

    plain = params_of(run_search(space, (plan, seed, True), "value", value))
    found = params_of(run_search(space, (with_defaults, seed, True), "value", value))
    assert found[0] == {}
    assert all("x" in params for params in found[1:])
    if sampler == "grid":
        assert found[1:] == plain
    else:
        assert len(found) == len(plain) == 6
    if sampler == "random":
        assert found[1:] == plain[:5]


def scored(params, *folds):
    return Trial(params=params, folds={"value": folds})


def test_one_standard_error_keeps_the_default_unless_the_gain_is_larger():
    """Gains of 0.1, 0.3 and -0.1: mean 0.1, standard error 0.2 / sqrt(3) = 0.115."""
    default = scored({}, 0.5, 0.5, 0.5)
    noisy, clear = scored({"x": 1.0}, 0.6, 0.8, 0.4), scored({"x": 2.0}, 0.58, 0.6, 0.56)
    assert choose([default, noisy], "value", maximise=True, rule="one-se") is default
    assert choose([default, noisy], "value", maximise=True) is noisy
    assert choose([default, clear], "value", maximise=True, rule="one-se") is clear
    worse = scored({}, 0.9, 0.9, 0.9)
    assert choose([worse, clear], "value", maximise=False, rule="one-se") is clear


def test_the_corrected_standard_error_allows_for_training_rows_that_folds_share():
    """Gains of 0, 0.08 and 0.04: mean and deviation 0.04, corrected error 0.04 sqrt(1/3 + 1/2) = 0.0365."""
    default = scored({}, 0.5, 0.5, 0.5)

    def chosen(*folds):
        other = scored({"x": 1.0}, *folds)
        return choose([default, other], "value", maximise=True, rule="corrected-se") is other

    assert chosen(0.50, 0.58, 0.54)  # mean 0.04
    assert not chosen(0.49, 0.57, 0.53)  # mean 0.03, above the uncorrected error of 0.0231
    assert chosen(0.51, 0.55, 0.53)  # mean 0.03, deviation 0.02


def test_one_standard_error_needs_a_default_that_has_a_value():
    best = scored({"x": 1.0}, 0.5, 0.5)
    assert choose([Trial(params={}, error="failed"), best], "value", maximise=True, rule="one-se") is best
    assert choose([best], "value", maximise=True, rule="one-se") is best


def test_a_greedy_search_leaves_its_grid_for_the_top_of_a_hill():
    def hill(params):
        return {"value": -((math.log(params["x"] / 3.3)) ** 2) - (math.log(params["z"] / 0.02)) ** 2}

    space = {"x": Choice((1.0, 10.0)), "z": Choice((0.01, 0.1)), "kind": Choice(("a",))}
    coarse = choose(run_search(space, config("grid", trials=None), "value", hill), "value", maximise=True)
    trials = run_search(space, config("grid-greedy", trials=None), "value", hill)
    assert params_of(trials)[:4] == params_of(run_search(space, config("grid", trials=None), "value", hill))
    best = choose(trials, "value", maximise=True)
    # Steps of 10 % end within 10 % of the top.
    assert best.params["x"] == pytest.approx(3.3, rel=0.1)
    assert best.params["z"] == pytest.approx(0.02, rel=0.1)
    assert best.params["kind"] == "a"
    assert best.value("value") > coarse.value("value")
    # Each later setting differs from an earlier one in one number, by 10 %; nothing is tried twice.
    names = [params_name(trial.params) for trial in trials]
    assert len(set(names)) == len(names)
    for place, trial in enumerate(trials[4:], start=4):
        assert any(_is_a_step(earlier.params, trial.params) for earlier in trials[:place])


def _is_a_step(before, after):
    moved = [name for name in after if before[name] != after[name]]
    return len(moved) == 1 and after[moved[0]] / before[moved[0]] == pytest.approx(
        1.1 if after[moved[0]] > before[moved[0]] else 0.9
    )


def test_a_greedy_search_ends_where_nothing_is_better_and_moves_whole_numbers_by_one():
    flat = run_search(
        {"n": Int(1, 3), "x": Float(0.0, 1.0)}, config("grid-greedy", None), "v", lambda p: {"v": 0}
    )
    grid_size = 3 * 5
    assert len(flat) == grid_size
    assert neighbours({"n": 20, "x": 0.0, "b": True, "c": "a"}, ["n", "x", "b", "c"]) == [
        {"n": 22, "x": 0.0, "b": True, "c": "a"},
        {"n": 18, "x": 0.0, "b": True, "c": "a"},
    ]
