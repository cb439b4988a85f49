"""A hyper-parameter search as a state machine: it proposes a batch, and is told its trials in order.

The search knows neither data nor algorithm. Proposals depend on the seed and on what was told, never on where or when
a trial was evaluated, so that stored trials replay a search that was cut off.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pubench.errors import counted
from pubench.plugins.imports import resolve
from pubench.protocol.parts import CriterionPlan, SearchPlan
from pubench.protocol.replies import Trial
from pubench.run.greedy import MOST_STEPS, neighbours
from pubench.specs import Choice, Float, Int, Param, TuningRule
from pubench.suite.samplers import SAMPLERS

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.study import Study
    from optuna.trial import Trial as OptunaTrial

    from pubench.specs import JSONValue, Params

__all__ = ["Search", "choose", "grid", "no_choice", "params_name"]

DEFAULT_TRIALS = 20


class Search:
    """A search.

    Parameters
    ----------
    space : mapping of str to Float, Int or Choice
    plan : SearchPlan
    guide : CriterionPlan
        The criterion whose value an adaptive sampler receives.
    seed : int

    Attributes
    ----------
    trials : list of Trial
        Those that were told, in order.
    """

    def __init__(
        self, space: Mapping[str, Param], plan: SearchPlan, *, guide: CriterionPlan, seed: int
    ) -> None:
        self.trials: list[Trial] = []
        self._space, self._plan, self._guide, self._seed = space, plan, guide, seed
        self._study: Study | None = None
        # None stands for the default setting, which the sampler did not propose.
        self._asked: list[OptunaTrial | None] = []
        self._points: list[Params] = [{}] if plan.defaults else []
        if not plan.engine:
            self._points += _grid_points(space, plan.trials, seed)
        self._centre: Params | None = None
        self._steps = 0
        self.size = len(self._points) if not plan.engine else plan.trials or DEFAULT_TRIALS

    def ask(self) -> list[Params]:
        """Return the parameters of the next batch; none when the search is over.

        A sampler that does not adapt proposes everything at once, unless trials are pruned; a greedy one its grid, and
        then the settings around the best one.
        """
        left = self.size - len(self.trials)
        if not self._plan.engine:
            if not left and SAMPLERS[self._plan.sampler].adaptive:
                self._step()
            rest = self._points[len(self.trials) :]
            return list(rest[: self._plan.batch] if self._plan.pruner else rest)
        if not left:
            return []
        adaptive = SAMPLERS[self._plan.sampler].adaptive
        if self._study is None:
            self._study = _make_study(self._plan, self._guide, self._seed)
        distributions = {name: _distribution(param) for name, param in self._space.items()}
        # A pruner compares a trial with those of earlier batches.
        size = min(self._plan.batch, left) if adaptive or self._plan.pruner else left
        first = [None] if self._plan.defaults and not self.trials else []
        self._asked = [*first, *(self._study.ask(distributions) for _ in range(size - len(first)))]
        return [{} if trial is None else trial.params for trial in self._asked]

    def _step(self) -> None:
        """Go on around the best setting; nothing is added when it is the centre of the last step."""
        best = choose(self.trials, str(self._guide.name), maximise=self._guide.maximise)
        if best is None or best.params == self._centre or self._steps == MOST_STEPS:
            return
        self._centre, self._steps = best.params, self._steps + 1
        tried = {params_name(trial.params) for trial in self.trials}
        around = neighbours(best.params, self._space)
        self._points += [params for params in around if params_name(params) not in tried]
        self.size = len(self._points)

    def tell(self, trials: Sequence[Trial]) -> None:
        """Take the trials of the last batch, in the order in which they were proposed."""
        self.trials += trials
        if self._study is None:
            return
        from optuna.trial import TrialState

        for asked, trial in zip(self._asked, trials, strict=True):
            if asked is None:
                continue
            value = trial.value(str(self._guide.name))
            if trial.pruned:
                # An adaptive sampler ranks given-up trials by how far they came, then by what they had reached.
                steps = [point for curve in trial.curves for point in curve]
                asked.report(-steps[-1][1] if self._guide.maximise else steps[-1][1], len(steps))
                self._study.tell(asked, state=TrialState.PRUNED)
            elif value is None:
                self._study.tell(asked, state=TrialState.FAIL)
            else:
                self._study.tell(asked, value)


def params_name(params: Params) -> str:
    """Return a text that is the same for equal parameters, and for no others."""
    return json.dumps(params, sort_keys=True)


def choose(
    trials: Sequence[Trial], criterion: str, *, maximise: bool, rule: TuningRule = "best"
) -> Trial | None:
    r"""Return the best trial by one criterion, the earliest among equals; None when no trial has a value.

    With the other rules the default setting, the trial without parameters, is kept unless the best is better by more
    than the standard error of the difference: with :math:`d_k` the gain on fold k of K and their variance :math:`s^2`,
    unless

    .. math:: \bar d > s \sqrt{\frac{1}{K} + r}.

    ``"one-se"`` takes gains for independent, r = 0. They are correlated, because any two folds train on shared rows:
    ``"corrected-se"`` has Nadeau and Bengio's r = 1 / (K - 1), the rows of a fold over those that train for it.
    """
    sign = 1.0 if maximise else -1.0
    values = [(trial.value(criterion), trial) for trial in trials]
    valued = [(sign * value, trial) for value, trial in values if value is not None]
    if not valued:
        return None
    best = max(valued, key=lambda pair: pair[0])[1]
    default = next((trial for _, trial in valued if not trial.params), None)
    if rule == "best" or default is None or best is default:
        return best
    gains = sign * (_folds(best, criterion) - _folds(default, criterion))
    folds, shared = len(gains), 1 / (len(gains) - 1) if rule == "corrected-se" else 0.0
    return best if gains.mean() > gains.std(ddof=1) * np.sqrt(1 / folds + shared) else default


def _folds(trial: Trial, criterion: str) -> NDArray[np.float64]:
    return np.array(trial.folds[criterion], dtype=np.float64)


def no_choice(trials: Sequence[Trial], criterion: str) -> str:
    """Say why no trial can be chosen by a criterion."""
    errors = [trial.error for trial in trials if trial.error]
    if not errors:
        errors = [trial.problems[criterion] for trial in trials if criterion in trial.problems]
    if errors:
        return f"none of {counted(len(trials), 'trial')} succeeded; the first error: {errors[0]}"
    return f"none of {counted(len(trials), 'trial')} has a value of '{criterion}'"


def grid(space: Mapping[str, Param]) -> Iterator[dict[str, JSONValue]]:
    """Yield every point of the grid over the space, the last parameter changing fastest."""
    axes = [_axis(param) for param in space.values()]
    for point in itertools.product(*axes):
        yield dict(zip(space, point, strict=True))


def _grid_points(space: Mapping[str, Param], trials: int | None, seed: int) -> list[dict[str, JSONValue]]:
    """Return the points of the grid, or a random part of them in the grid's order."""
    points = list(grid(space))
    if trials is None or trials >= len(points):
        return points
    kept = np.random.default_rng(seed).permutation(len(points))[:trials]
    return [points[number] for number in np.sort(kept)]


def _make_study(plan: SearchPlan, guide: CriterionPlan, seed: int) -> Study:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna.create_study(
        sampler=resolve(plan.engine)(seed=seed % 2**32),
        direction="maximize" if guide.maximise else "minimize",
    )


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
