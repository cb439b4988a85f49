"""In the child: tune, fit and score one algorithm on one labelled data set, for one or more criteria.

The request names files, functions and parameters; the arrays that come with it are row numbers and s. True labels
come along only for a reference algorithm.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pubench.child.fitting import Estimator, MisbehaviourError, Recipe, fit, predict
from pubench.child.given_prior import find_prior
from pubench.child.introspection import Model, introspect, is_open
from pubench.child.memory import peak_mb, reset_peak
from pubench.child.rows import Fitting, Fold, RequestRows
from pubench.child.search import choose, no_choice, search
from pubench.plugins.imports import load_files, resolve
from pubench.protocol import (
    CellsRequest,
    CellStarted,
    End,
    Failed,
    OracleQuestion,
    OracleValues,
    Predictions,
    ProtocolError,
    Ready,
    Result,
    Searched,
    Trial,
)
from pubench.scoring import score_criteria, score_criterion
from pubench.status import Problem
from pubench.tasks import CriterionPlan

if TYPE_CHECKING:
    from pubench.child.channel import Channel
    from pubench.specs import Array, JSONValue, Params

__all__ = ["serve_cells"]


def serve_cells(request: CellsRequest, arrays: Sequence[Array], channel: Channel) -> None:
    """Answer a request with one result for each of its criteria."""
    load_files(request.files)
    factory = resolve(request.algorithm.estimator)
    for criterion in request.criteria:
        if criterion.function:
            resolve(criterion.function)
    channel.send(Ready())
    reset_peak()
    bench = Bench(request, RequestRows(request, arrays), factory, channel)
    started = time.perf_counter()
    trials = bench.search()
    seconds = time.perf_counter() - started if trials else 0.0
    channel.send(Searched(seconds=seconds, trials=tuple(trials)))
    models: dict[str, Model] = {}
    for criterion in request.criteria:
        channel.send(CellStarted(criterion=criterion.name))
        try:
            _answer(bench, criterion, trials, models)
        except BaseException as error:
            channel.send(Failed(problem=Problem.of(error)))
    # Last of all: every result has been sent, whatever a model does when it is looked into.
    for model in models.values():
        if model.estimator is not None and model.criteria:
            channel.send(*introspect(model))
    channel.send(End())


def _answer(
    bench: Bench, criterion: CriterionPlan, trials: Sequence[Trial], models: dict[str, Model]
) -> None:
    chosen: Params = {}
    if criterion.needs_prior and bench.prior.error is not None:
        raise bench.prior.error
    if trials:
        best = choose(trials, str(criterion.name), maximise=criterion.maximise)
        if best is None:
            raise MisbehaviourError(no_choice(trials, str(criterion.name), bench.problems))
        chosen = best.params
    name = json.dumps(chosen, sort_keys=True)
    if name not in models:
        models[name] = bench.fit_and_score(chosen)
    model = models[name]
    bench.channel.send(bench.result(criterion, chosen, model), model.predictions.arrays())
    model.criteria.append(criterion.name)


class Bench:
    """What stays the same while one request is served."""

    def __init__(
        self, request: CellsRequest, rows: RequestRows, factory: Callable[..., Estimator], channel: Channel
    ) -> None:
        self.request, self.rows, self.channel = request, rows, channel
        self.prior = find_prior(request, rows)
        self.problems: dict[str, Problem] = {}
        self._factory, self._seed = factory, request.seeds.fit % 2**32
        self._folds: list[Fold] = []
        # One-hot blocks are plain numbers, and have moved the columns behind them.
        codes = request.preprocess.categorical == "codes"
        coded: list[JSONValue] = []
        if codes:
            coded.extend(sorted(column for column, _ in request.data.categorical))
        self._available: dict[str, JSONValue] = {
            "prior": self.prior.value,
            "scenario": request.scenario,
            "random_state": self._seed,
            "categorical_features": coded,
        }

    def search(self) -> list[Trial]:
        """Run the search, if there is one; with a sampler that does not adapt, one search serves all criteria."""
        plan = self.request.tuning
        if plan is None:
            return []
        # A fold that cannot be made is the cell's error, not a trial's.
        self._folds = self.rows.folds(plan)
        space, seed = self.request.algorithm.space, self.request.seeds.search
        return search(space, plan, self._evaluate, guide=self.request.criteria[0], seed=seed)

    def _fit(self, chosen: Params, fitting: Fitting) -> Estimator:
        """Make an estimator and fit it; of what it receives, only the number of labelled rows varies by fold."""
        available, algorithm = self._available | {"n_labelled": fitting.n_labelled}, self.request.algorithm
        filled = {name: available[name] for name in algorithm.receives}
        recipe = Recipe(self._factory, algorithm.params, filled)
        return fit(recipe, chosen, fitting.X, fitting.labels, self._seed)

    def _evaluate(self, params: Params) -> dict[str, float]:
        """Return the mean over the folds of each criterion."""
        per_fold = [self._evaluate_fold(params, fold) for fold in self._folds]
        means = {name: float(np.mean([values[name] for values in per_fold])) for name in per_fold[0]}
        if self.problems and np.isnan(list(means.values())).all():
            raise MisbehaviourError(next(iter(self.problems.values())).error)
        return means

    def _evaluate_fold(self, params: Params, fold: Fold) -> dict[str, float]:
        estimator = self._fit(params, fold.fitting)
        predictions = predict(estimator, fold.X_validation)
        s, values = self.rows.s[fold.validation], {}
        for criterion in self.request.criteria:
            if criterion.oracle or (criterion.needs_prior and self.prior.error):
                continue
            score = score_criterion(criterion, s, predictions, self.prior.value, self.request.scenario)
            if isinstance(score, Problem):
                # It spoils its own search, not its neighbours'.
                self.problems.setdefault(str(criterion.name), score)
                score = float("nan")
            values[str(criterion.name)] = score
        return values | self._ask_oracle(predictions, fold)

    def _ask_oracle(self, predictions: Predictions, fold: Fold) -> dict[str, float]:
        """Let the worker, which alone holds the truth, compute the oracle criteria."""
        names = tuple(str(criterion.name) for criterion in self.request.criteria if criterion.oracle)
        if not names:
            return {}
        arrays = [fold.validation, *predictions.arrays()]
        answer = self.channel.ask(OracleQuestion(criteria=names), arrays)
        if not isinstance(answer, OracleValues):
            raise ProtocolError(f"expected oracle values, not {type(answer).__name__}")
        return {name: float("nan") if value is None else value for name, value in answer.values.items()}

    def fit_and_score(self, chosen: Params) -> Model:
        """Fit on all training rows and score the test rows."""
        fitting = self.rows.fitting()
        X_test = fitting.preprocess.transform(self.rows.test_rows())
        started = time.perf_counter()
        estimator = self._fit(chosen, fitting)
        fitted = time.perf_counter()
        predictions = predict(estimator, X_test)
        scored, peak = time.perf_counter(), peak_mb()
        # Training rows come last: their cost is not the cell's.
        values, notes = self._score_training(estimator, fitting)
        return Model(
            predictions=predictions,
            estimator=estimator if is_open(estimator) else None,
            X_test=X_test,
            image_shape=self.request.data.image_shape,
            criteria=[],
            fit_seconds=fitted - started,
            score_seconds=scored - fitted,
            peak_memory_mb=peak,
            training=values,
            training_notes=notes,
        )

    def _score_training(
        self, estimator: Estimator, fitting: Fitting
    ) -> tuple[dict[str, float | None], tuple[str, ...]]:
        """Score a model by PU criteria on P and U, the rows it was trained on, where a suite asks for that."""
        criteria = self.request.training
        if not criteria:
            return {}, ()
        error, where = self.prior.error, "training"
        usable = [criterion for criterion in criteria if not (criterion.needs_prior and error)]
        none: dict[str, float | None] = {str(criterion.name): None for criterion in criteria}
        lost = [
            f"criterion '{criterion.name}' on {where} rows: {type(error).__name__}: {error}"
            for criterion in criteria
            if criterion not in usable
        ]
        try:
            predictions = predict(estimator, fitting.preprocess.transform(self.rows.X))
        except Exception as raised:
            problem = Problem.of(raised).error
            return none, tuple(f"criterion '{one.name}' on {where} rows: {problem}" for one in criteria)
        scenario = self.request.scenario
        values, notes = score_criteria(
            usable, self.rows.s, predictions, self.prior.value, scenario, where=where
        )
        return none | values, (*lost, *notes)

    def result(self, criterion: CriterionPlan, chosen: Params, model: Model) -> Result:
        """Return the message that tells of a criterion's chosen model."""
        return Result(
            criterion=criterion.name,
            params=chosen,
            prior=self.prior.value,
            prior_low=self.prior.low,
            prior_high=self.prior.high,
            doubts=self.prior.doubts,
            fit_seconds=model.fit_seconds,
            score_seconds=model.score_seconds,
            peak_memory_mb=model.peak_memory_mb,
            training=model.training,
            training_notes=model.training_notes,
        )
