"""In the child: score one set of parameters by each criterion on each fold."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pubench.child.clock import Clock
from pubench.child.fitting import MisbehaviourError
from pubench.child.learning import Learning
from pubench.child.listening import TrainingListener
from pubench.child.rows import Fold
from pubench.estimators.progress import PrunedError
from pubench.protocol import Predictions, ProtocolError
from pubench.protocol.replies import OracleQuestion, Scoring, Trial
from pubench.protocol.requests import OracleValues, TrialRequest
from pubench.scoring import finite, score_criterion
from pubench.status import Problem, Status

if TYPE_CHECKING:
    from pubench.sandbox.channel import Channel
    from pubench.specs import Array

__all__ = ["serve_trial"]


def serve_trial(request: TrialRequest, arrays: Sequence[Array], channel: Channel) -> None:
    """Answer a request with a trial; an exception of the algorithm is the trial's error, not the search's."""
    listener = TrainingListener(channel, request.pruning)
    learning = Learning(request.setting, arrays, listener, Clock(request.seconds))
    # A fold that cannot be made is the cell's error, not a trial's.
    folds = learning.rows.folds(request.search)
    scorer = _Scorer(request, learning, channel)
    started = time.perf_counter()
    error, pruned = "", False
    try:
        for number, fold in enumerate(folds):
            scorer.add(fold, len(folds) - number)
        scorer.refuse_nothing()
    except PrunedError:
        pruned = True
    except Exception as raised:
        problem = Problem.of(raised)
        if problem.status is Status.OUT_OF_MEMORY or isinstance(raised, ProtocolError | OSError):
            raise
        error = problem.error
    seconds = time.perf_counter() - started
    folds_by_name = {} if error or pruned else {name: tuple(values) for name, values in scorer.values.items()}
    channel.send(
        Trial(
            params=request.params,
            folds=folds_by_name,
            seconds=seconds,
            error=error,
            problems={name: problem.error for name, problem in scorer.problems.items()},
            pruned=pruned,
            curves=listener.curves if request.pruning is not None else (),
        )
    )


class _Scorer:
    """Gathers the value of each criterion, fold by fold."""

    def __init__(self, request: TrialRequest, learning: Learning, channel: Channel) -> None:
        self._request, self._learning, self._channel = request, learning, channel
        self.values: dict[str, list[float | None]] = {str(one.name): [] for one in request.criteria}
        self.problems: dict[str, Problem] = {}

    def add(self, fold: Fold, left: int) -> None:
        """Fit on one side of a fold and score the other; so many folds share the time that is left."""
        model = self._learning.fit(self._request.params, fold.fitting, left)
        predictions = model.predict(fold.X_validation)
        s, setting = self._learning.rows.s[fold.validation], self._request.setting
        for criterion in self._request.criteria:
            if criterion.oracle:
                continue
            name = str(criterion.name)
            self._channel.send(Scoring(name=name))
            score = score_criterion(criterion, s, predictions, setting.prior, setting.scenario)
            if isinstance(score, Problem):
                # It spoils its own search, not its neighbours'.
                self.problems.setdefault(name, score)
            self.values[name].append(finite(score))
        self._channel.send(Scoring(name=None))
        for name, value in self._ask_oracle(predictions, fold).items():
            self.values[name].append(value)

    def _ask_oracle(self, predictions: Predictions, fold: Fold) -> dict[str, float | None]:
        """Let the worker, which alone holds the truth, compute the oracle criteria."""
        names = tuple(str(criterion.name) for criterion in self._request.criteria if criterion.oracle)
        if not names:
            return {}
        arrays = [fold.validation, *predictions.arrays()]
        answer = self._channel.ask(OracleQuestion(criteria=names), arrays)
        if not isinstance(answer, OracleValues):
            raise ProtocolError(f"expected oracle values, not {type(answer).__name__}")
        return {name: answer.values.get(name) for name in names}

    def refuse_nothing(self) -> None:
        """Raise the first problem if no criterion has a value."""
        means = [Trial(params={}, folds={"": tuple(values)}).value("") for values in self.values.values()]
        if self.problems and all(mean is None or math.isnan(mean) for mean in means):
            raise MisbehaviourError(next(iter(self.problems.values())).error)
