"""When a search gives up a setting: Optuna's rules, by trials of earlier batches alone."""

from __future__ import annotations

import contextlib
import math

import optuna
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pubench.child.listening import TrainingListener
from pubench.child.pruning import bracket_of, gives_up, is_looked_at, rungs
from pubench.estimators.progress import PrunedError, progress
from pubench.protocol.parts import EarlierTrial, Pruning

TOTAL = 27
CURVES = st.lists(st.lists(st.floats(-5, 5), min_size=TOTAL, max_size=TOTAL), min_size=0, max_size=9)


def curve_of(values):
    return tuple((step, value) for step, value in enumerate(values, start=1) if is_looked_at(step, TOTAL))


def earlier_of(curves, pruned=()):
    return tuple(
        EarlierTrial(number=i, curves=(curve_of(values),), pruned=i in pruned)
        for i, values in enumerate(curves)
    )


def ended_at(rule, curves, values, pruned=()):
    """Return the step at which a trial with these values is given up; None if it is not."""
    pruning = Pruning(rule=rule, number=len(curves), earlier=earlier_of(curves, pruned))
    curve = curve_of(values)
    steps = range(1, len(curve) + 1)
    return next((k for k in steps if gives_up(pruning, 0, curve[:k], TOTAL)), None)


@given(CURVES, st.lists(st.floats(-5, 5), min_size=TOTAL, max_size=TOTAL))
def test_the_median_rule_is_that_of_optuna(curves, values):
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(pruner=optuna.pruners.MedianPruner())
    for curve in curves:
        trial = study.ask()
        for step, value in curve_of(curve):
            trial.report(value, step)
        study.tell(trial, curve[-1])
    trial, found = study.ask(), None
    for step, value in curve_of(values):
        trial.report(value, step)
        if trial.should_prune():
            found = step
            break
    assert ended_at("median", curves, values) == found


@given(CURVES, st.lists(st.floats(-5, 5), min_size=TOTAL, max_size=TOTAL))
def test_hyperband_ends_only_at_rungs_and_never_the_best(curves, values):
    step = ended_at("hyperband", curves, values)
    bracket = bracket_of(len(curves), TOTAL)
    assert step is None or step in rungs(bracket, TOTAL)
    rivals = [curve for i, curve in enumerate(curves) if bracket_of(i, TOTAL) == bracket]
    best = all(values[r - 1] <= curve[r - 1] for r in rungs(bracket, TOTAL) for curve in rivals)
    assert step is None or not best


def test_hyperbands_brackets_are_filled_as_hyperband_fills_them():
    brackets = [bracket_of(number, TOTAL) for number in range(4000)]
    sizes = [math.ceil(4 * 3**b / (b + 1)) for b in range(4)]
    for bracket, size in enumerate(sizes):
        assert brackets.count(bracket) / 4000 == pytest.approx(size / sum(sizes), abs=0.03)
    assert rungs(3, TOTAL) == [1, 3, 9]
    assert rungs(0, TOTAL) == []


def test_pruned_trials_do_not_count_for_the_median():
    good, bad = [0.0] * TOTAL, [1.0] * TOTAL
    assert ended_at("median", [good] * 5, bad) == 1
    assert ended_at("median", [good] * 5, bad, pruned={4}) is None


class Silent:
    def send(self, reply):
        pass


def test_a_method_that_catches_its_own_errors_is_ended_all_the_same():
    listener = TrainingListener(
        Silent(), Pruning(rule="median", number=5, earlier=earlier_of([[0.0] * TOTAL] * 5))
    )

    def train():
        for step in range(1, TOTAL + 1):
            with contextlib.suppress(Exception):
                progress(step, TOTAL, 1.0)

    with pytest.raises(PrunedError), listener.fit():
        train()
    assert listener.curves == (((1, 1.0),),)


def test_values_that_are_not_numbers_decide_nothing():
    listener = TrainingListener(
        Silent(), Pruning(rule="median", number=5, earlier=earlier_of([[0.0] * TOTAL] * 5))
    )
    with listener.fit():
        for value in (math.nan, math.inf, None):
            progress(1, TOTAL, value)
    assert listener.curves == ((),)


def test_long_trainings_are_looked_at_a_hundred_times():
    assert sum(is_looked_at(step, 10_000) for step in range(1, 10_001)) == 99
    assert all(is_looked_at(step, 10_000) for bracket in range(9) for step in rungs(bracket, 10_000))
