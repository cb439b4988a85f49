"""Hyper-parameter search: a fixed-size batch is asked for, evaluated, and told in order.

The tuner knows neither data nor algorithm: it proposes parameters and is told the value of each criterion.
"""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pubench.specs import Choice, Float, Int, Param

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.trial import Trial as OptunaTrial

__all__ = [
    "SearchConfig",
    "Trial",
    "choose",
    "grid",
    "no_choice",
    "search",
]

Evaluate = Callable[[Mapping[str, Any]], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """How to search: ``trials`` is None for a whole grid; ``maximise`` is for the criterion that guides the search."""

    sampler: str
    trials: int | None
    batch: int
    seed: int
    maximise: bool


@dataclass(frozen=True, slots=True)
class Trial:
    """One set of parameters with the value of each criterion; ``error`` says why there are none."""

    params: Mapping[str, Any]
    values: Mapping[str, float]
    seconds: float
    error: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return it as it is sent and stored; a value that is not finite is None."""
        values = {name: value if math.isfinite(value) else None for name, value in self.values.items()}
        return {"params": dict(self.params), "values": values, "seconds": self.seconds, "error": self.error}


def search(space: Mapping[str, Param], config: SearchConfig, guide: str, evaluate: Evaluate) -> list[Trial]:
    """Run the trials and return them in order.

    Parameters
    ----------
    space : mapping of str to Float, Int or Choice
    config : SearchConfig
    guide : str
        The criterion whose value is told to an adaptive sampler.
    evaluate : callable
        From parameters to the value of every criterion. What it raises ends the trial, not the search. Equal
        parameters are evaluated once.
    """
    known: dict[str, Trial] = {}

    def attempt(params: Mapping[str, Any]) -> Trial:
        name = json.dumps(params, sort_keys=True)
        if name not in known:
            known[name] = _attempt(params, evaluate)
        return known[name]

    run = _run_grid if config.sampler == "grid" else _run_study
    return run(space, config, guide, attempt)


def choose(trials: Sequence[Trial], criterion: str, *, maximise: bool) -> Trial | None:
    """Return the best trial by one criterion, the earliest among equals; None when no trial has a value."""
    sign = 1.0 if maximise else -1.0
    valued = [trial for trial in trials if math.isfinite(trial.values.get(criterion, math.nan))]
    return max(valued, key=lambda trial: sign * trial.values[criterion], default=None)


def no_choice(trials: Sequence[Trial], criterion: str, raised: Mapping[str, Exception]) -> str:
    """Say why no trial can be chosen by a criterion; ``raised`` holds what criteria raised."""
    errors = [trial.error for trial in trials if trial.error]
    if not errors and criterion in raised:
        errors = [f"{type(raised[criterion]).__name__}: {raised[criterion]}"]
    if errors:
        return f"none of {len(trials)} trials succeeded; the first said: {errors[0]}"
    return f"none of {len(trials)} trials has a value of '{criterion}'"


def grid(space: Mapping[str, Param]) -> Iterator[dict[str, Any]]:
    """Yield every point of the grid over the space, the last parameter changing fastest."""
    axes = [_axis(param) for param in space.values()]
    for point in itertools.product(*axes):
        yield dict(zip(space, point, strict=True))


def _attempt(params: Mapping[str, Any], evaluate: Evaluate) -> Trial:
    start = time.perf_counter()
    try:
        values, error = dict(evaluate(params)), ""
    except MemoryError:
        raise
    except Exception as raised:
        values, error = {}, f"{type(raised).__name__}: {raised}"
    return Trial(params, values, time.perf_counter() - start, error)


def _run_grid(
    space: Mapping[str, Param],
    config: SearchConfig,
    guide: str,
    attempt: Callable[[Mapping[str, Any]], Trial],
) -> list[Trial]:
    points = list(grid(space))
    if config.trials is not None and config.trials < len(points):
        kept = np.random.default_rng(config.seed).permutation(len(points))[: config.trials]
        points = [points[number] for number in np.sort(kept)]
    return [attempt(point) for point in points]


def _run_study(
    space: Mapping[str, Param],
    config: SearchConfig,
    guide: str,
    attempt: Callable[[Mapping[str, Any]], Trial],
) -> list[Trial]:
    import optuna
    from optuna.trial import TrialState

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    seed = config.seed % 2**32
    samplers = {"random": optuna.samplers.RandomSampler, "tpe": optuna.samplers.TPESampler}
    study = optuna.create_study(
        sampler=samplers[config.sampler](seed=seed), direction="maximize" if config.maximise else "minimize"
    )
    distributions = {name: _distribution(param) for name, param in space.items()}
    trials: list[Trial] = []
    budget = config.trials or 20
    while len(trials) < budget:
        asked: list[OptunaTrial] = [
            study.ask(distributions) for _ in range(min(config.batch, budget - len(trials)))
        ]
        batch = [attempt(trial.params) for trial in asked]
        for number, trial in zip(asked, batch, strict=True):
            value = trial.values.get(guide, math.nan)
            if math.isfinite(value):
                study.tell(number, value)
            else:
                study.tell(number, state=TrialState.FAIL)
        trials += batch
    return trials


def _distribution(param: Param) -> BaseDistribution:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    if isinstance(param, Choice):
        return CategoricalDistribution(param.values)
    if isinstance(param, Int):
        return IntDistribution(param.low, param.high, log=param.log)
    return FloatDistribution(param.low, param.high, log=param.log)


def _axis(param: Param) -> list[Any]:
    if isinstance(param, Choice):
        return list(param.values)
    space = np.geomspace if param.log else np.linspace
    if isinstance(param, Float):
        return [float(value) for value in space(param.low, param.high, param.points)]
    count = min(param.points, param.high - param.low + 1)
    return sorted({round(float(value)) for value in space(param.low, param.high, count)})
