"""Hyper-parameter search: a batch of fixed size is proposed, evaluated, and reported to the sampler in order.

The tuner knows neither data nor algorithm: it proposes parameters and receives the value of each criterion.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pubench.plugins.imports import resolve
from pubench.protocol import Trial
from pubench.scoring import finite
from pubench.specs import Choice, Float, Int, Param
from pubench.status import Problem, Status
from pubench.tasks import CriterionPlan, SearchPlan

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.trial import Trial as OptunaTrial

    from pubench.specs import JSONValue, Params

__all__ = ["choose", "grid", "no_choice", "search"]

Evaluate: TypeAlias = "Callable[[Params], Mapping[str, float]]"


def search(
    space: Mapping[str, Param], plan: SearchPlan, evaluate: Evaluate, *, guide: CriterionPlan, seed: int
) -> list[Trial]:
    """Run the trials and return them in order.

    Parameters
    ----------
    space : mapping of str to Float, Int or Choice
    plan : SearchPlan
    evaluate : callable
        From parameters to the value of every criterion. An exception ends the trial, not the search. Equal
        parameters are evaluated once.
    guide : CriterionPlan
        The criterion whose value an adaptive sampler receives.
    seed : int
    """
    known: dict[str, Trial] = {}

    def attempt(params: Params) -> Trial:
        name = json.dumps(params, sort_keys=True)
        if name not in known:
            known[name] = _attempt(params, evaluate)
        return known[name]

    if not plan.engine:
        return [attempt(point) for point in _grid_points(space, plan.trials, seed)]
    return _run_study(space, plan, guide, seed, attempt)


def choose(trials: Sequence[Trial], criterion: str, *, maximise: bool) -> Trial | None:
    """Return the best trial by one criterion, the earliest among equals; None when no trial has a value."""
    sign = 1.0 if maximise else -1.0
    values = [(trial.values.get(criterion), trial) for trial in trials]
    valued = [(sign * value, trial) for value, trial in values if value is not None]
    return max(valued, key=lambda pair: pair[0])[1] if valued else None


def no_choice(trials: Sequence[Trial], criterion: str, problems: Mapping[str, Problem]) -> str:
    """Say why no trial can be chosen by a criterion; ``problems`` holds the first problem of each criterion."""
    errors = [trial.error for trial in trials if trial.error]
    if not errors and criterion in problems:
        errors = [problems[criterion].error]
    if errors:
        return f"none of {len(trials)} trials succeeded; the first error: {errors[0]}"
    return f"none of {len(trials)} trials has a value of '{criterion}'"


def grid(space: Mapping[str, Param]) -> Iterator[dict[str, JSONValue]]:
    """Yield every point of the grid over the space, the last parameter changing fastest."""
    axes = [_axis(param) for param in space.values()]
    for point in itertools.product(*axes):
        yield dict(zip(space, point, strict=True))


def _attempt(params: Params, evaluate: Evaluate) -> Trial:
    start = time.perf_counter()
    values: Mapping[str, float | None] = {}
    error = ""
    try:
        values = {name: finite(value) for name, value in evaluate(params).items()}
    except Exception as raised:
        problem = Problem.of(raised)
        if problem.status is Status.OUT_OF_MEMORY:
            raise
        error = problem.error
    return Trial(params=params, values=values, seconds=time.perf_counter() - start, error=error)


def _grid_points(space: Mapping[str, Param], trials: int | None, seed: int) -> list[dict[str, JSONValue]]:
    """Return the points of the grid, or a random part of them in the grid's order."""
    points = list(grid(space))
    if trials is None or trials >= len(points):
        return points
    kept = np.random.default_rng(seed).permutation(len(points))[:trials]
    return [points[number] for number in np.sort(kept)]


def _run_study(
    space: Mapping[str, Param],
    plan: SearchPlan,
    guide: CriterionPlan,
    seed: int,
    attempt: Callable[[Params], Trial],
) -> list[Trial]:
    import optuna
    from optuna.trial import TrialState

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        sampler=resolve(plan.engine)(seed=seed % 2**32),
        direction="maximize" if guide.maximise else "minimize",
    )
    distributions = {name: _distribution(param) for name, param in space.items()}
    trials: list[Trial] = []
    budget = plan.trials or 20
    while len(trials) < budget:
        size = min(plan.batch, budget - len(trials))
        asked: list[OptunaTrial] = [study.ask(distributions) for _ in range(size)]
        batch = [attempt(trial.params) for trial in asked]
        for asked_trial, trial in zip(asked, batch, strict=True):
            value = trial.values.get(str(guide.name))
            if value is None:
                study.tell(asked_trial, state=TrialState.FAIL)
            else:
                study.tell(asked_trial, value)
        trials += batch
    return trials


def _distribution(param: Param) -> BaseDistribution:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    if isinstance(param, Choice):
        return CategoricalDistribution(param.values)
    if isinstance(param, Int):
        return IntDistribution(param.low, param.high, log=param.log)
    return FloatDistribution(param.low, param.high, log=param.log)


def _axis(param: Param) -> Sequence[JSONValue]:
    if isinstance(param, Choice):
        return list(param.values)
    space = np.geomspace if param.log else np.linspace
    if isinstance(param, Float):
        return [float(value) for value in space(param.low, param.high, param.points)]
    count = min(param.points, param.high - param.low + 1)
    return sorted({round(float(value)) for value in space(param.low, param.high, count)})
