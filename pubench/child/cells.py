"""In the child: tune, fit and score one algorithm on one labelled data set, for one or more criteria.

The request names files, functions and parameters; the arrays that come with it are row numbers and s. True labels
come along only for a reference algorithm.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pubench.child.fitting import MisbehaviourError, Recipe, fit, predict, take_rows
from pubench.child.inside import Model, offers, show
from pubench.child.memory import peak_mb, reset_peak
from pubench.child.search import SearchConfig, Trial, choose, no_choice, search
from pubench.child.training import Views, judge_training
from pubench.criteria import Validation
from pubench.data.preprocess import Fitted, Preprocess, fit_preprocess
from pubench.data.splits import folds, validation_share
from pubench.data.stored import read_features
from pubench.data.values import PUTrain
from pubench.plugins.imports import load_files, resolve
from pubench.priors import checked
from pubench.protocol import Predictions
from pubench.sandbox.messages import Message
from pubench.specs import param_from_json
from pubench.status import describe

if TYPE_CHECKING:
    from pubench.child.channel import Channel
    from pubench.data.values import Matrix

__all__ = ["serve_cells"]


def serve_cells(message: Message, channel: Channel) -> None:
    """Answer a request with one result for each of its criteria."""
    request = message.header
    load_files(request["files"])
    factory = resolve(request["algorithm"]["estimator"])
    for criterion in request["criteria"]:
        if criterion["function"]:
            resolve(criterion["function"])
    channel.send({"kind": "ready"})
    reset_peak()
    bench = Bench(request, message.arrays, factory, channel)
    trials: list[Trial] = []
    started = time.perf_counter()
    if request["tuning"] is not None:
        trials = bench.search()
    tune_seconds = time.perf_counter() - started if trials else 0.0
    channel.send({"kind": "searched", "seconds": tune_seconds, "trials": [t.to_json() for t in trials]})
    done: dict[str, Model] = {}
    for criterion in request["criteria"]:
        channel.send({"kind": "start", "criterion": criterion["name"]})
        try:
            _answer(bench, criterion, trials, done)
        except BaseException as error:
            channel.send({"kind": "failed", "criterion": criterion["name"]} | describe(error))
    # Last of all: every result is out, whatever a model does when it is looked into.
    for model in done.values():
        show(model, channel.send)
    channel.send({"kind": "end"})


def _answer(
    bench: Bench,
    criterion: Mapping[str, Any],
    trials: list[Trial],
    done: dict[str, Model],
) -> None:
    chosen: Mapping[str, Any] = {}
    if criterion["needs_prior"] and bench.prior_error is not None:
        raise bench.prior_error
    if trials:
        best = choose(trials, criterion["name"], maximise=criterion["maximise"])
        if best is None:
            raise MisbehaviourError(no_choice(trials, criterion["name"], bench.raised))
        chosen = best.params
    name = json.dumps(chosen, sort_keys=True)
    if name not in done:
        done[name] = bench.fit_and_score(chosen)
    model = done[name]
    header = {
        "kind": "result",
        "criterion": criterion["name"],
        "params": dict(chosen),
        "prior": bench.train.prior,
        **bench.estimated,
    }
    bench.channel.send(header | model.told, model.predictions.arrays())
    model.criteria.append(criterion["name"])


@dataclass(frozen=True, slots=True)
class Fold:
    """The two sides of a tuning split, preprocessed by what the fitting side alone says."""

    X_fit: Matrix
    labels_fit: NDArray[np.uint8]
    n_labelled: int
    X_validation: Matrix
    validation: NDArray[np.int64]


class Bench:
    """What stays the same while one request is served; matrices that trials share are made once."""

    def __init__(
        self, request: dict[str, Any], arrays: tuple[NDArray[Any], ...], factory: Any, channel: Channel
    ) -> None:
        self.request, self.channel = request, channel
        self.raised: dict[str, Exception] = {}
        rows, s, self.test_rows = arrays[:3]
        self.labels = arrays[3] if len(arrays) > 3 else s
        data = request["data"]
        self.features = read_features(data["folder"], data["sparse"], data["n_features"])
        self.categorical = {int(column): int(codes) for column, codes in data["categorical"]}
        self._config, self._holes = Preprocess(**request["preprocess"]), bool(data["missing"])
        self.prior_error: Exception | None = None
        self.estimated: dict[str, Any] = {"prior_low": None, "prior_high": None, "doubts": []}
        prior = self._prior_or_error(rows, s)
        self.train = PUTrain(take_rows(self.features, rows), s, rows, prior, request["scenario"])
        # One-hot blocks are plain numbers, and have moved the columns behind them.
        coded = sorted(self.categorical) if self._config.categorical == "codes" else []
        self._factory, self._seed = factory, request["seeds"]["fit"] % 2**32
        self._available = {
            "prior": self.train.prior,
            "scenario": self.train.scenario,
            "random_state": self._seed,
            "categorical_features": coded,
        }

    def _prior_or_error(self, rows: NDArray[np.int64], s: NDArray[np.uint8]) -> float | None:
        """Return the prior; an estimator that fails is an error of the criteria that need it, not of the others."""
        try:
            return self._prior(rows, s)
        except Exception as error:
            needed = [criterion["needs_prior"] for criterion in self.request["criteria"]]
            if "prior" in self.request["algorithm"]["receives"] or all(needed):
                raise
            self.prior_error = error
            return None

    def _prior(self, rows: NDArray[np.int64], s: NDArray[np.uint8]) -> float | None:
        source = self.request["prior"]
        value: float | None = source["value"] if source["function"] is None else self._estimate(rows, s)
        if value is None:
            return None
        prior = value * float(source["factor"])
        if not 0.0 < prior < 1.0:
            raise MisbehaviourError(
                f"{source['factor']:g} times the prior, {value:.3g}, is not inside (0, 1); lower prior.factors"
            )
        return prior

    def _estimate(self, rows: NDArray[np.int64], s: NDArray[np.uint8]) -> float:
        """Ask the estimator, and keep what it says of its own certainty."""
        source, seed = self.request["prior"], self.request["seeds"]["prior"] % 2**32
        X = take_rows(self.features, rows)
        X = self._fit_preprocess(X).transform(X)
        function, scenario = resolve(source["function"]), self.request["scenario"]
        found = checked(
            function(X, s, scenario=scenario, random_state=seed, **source["params"]), source["name"]
        )
        self.estimated = {"prior_low": found.low, "prior_high": found.high, "doubts": found.doubts}
        return found.value

    def _fit_preprocess(self, X: Matrix) -> Fitted:
        return fit_preprocess(self._config, X, self.categorical, missing=self._holes)

    def _fit_rows(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Let a reference learn from the population sample: all rows, or U where P was drawn apart."""
        if self.request["labels"] == "true" and self.train.scenario == "case-control":
            kept: NDArray[np.int64] = rows[self.train.s[rows] == 0]
            return kept
        return rows

    @cached_property
    def folds(self) -> list[Fold]:
        """The tuning splits, made once for all trials."""
        tuning, rng = self.request["tuning"], np.random.default_rng(self.request["seeds"]["folds"])
        s, rows = self.train.s, self.train.rows
        if tuning["validation"] is not None:
            masks = [validation_share(s, rows, tuning["validation"], rng)]
        else:
            number = folds(s, rows, tuning["folds"], rng)
            masks = [number == fold for fold in range(tuning["folds"])]
        return [self._fold(np.flatnonzero(~mask), np.flatnonzero(mask)) for mask in masks]

    def _fold(self, fitting: NDArray[np.int64], validation: NDArray[np.int64]) -> Fold:
        n_labelled = int(self.train.s[fitting].sum())
        fitting = self._fit_rows(fitting)
        X = take_rows(self.train.X, fitting)
        prepared = self._fit_preprocess(X)
        X_validation = prepared.transform(take_rows(self.train.X, validation))
        return Fold(prepared.transform(X), self.labels[fitting], n_labelled, X_validation, validation)

    def _fit(self, params: Mapping[str, Any], X: Matrix, labels: NDArray[np.uint8], n_labelled: int) -> Any:
        """Make an estimator and fit it; of what it receives, only the number of labelled rows varies by fold."""
        available, algorithm = self._available | {"n_labelled": n_labelled}, self.request["algorithm"]
        filled = {name: available[name] for name in algorithm["receives"]}
        return fit(Recipe(self._factory, algorithm["params"], filled), params, X, labels, self._seed)

    def search(self) -> list[Trial]:
        """Run the search; with a sampler that does not adapt, one search serves all criteria."""
        tuning, criteria = self.request["tuning"], self.request["criteria"]
        space = {name: param_from_json(param) for name, param in self.request["algorithm"]["space"].items()}
        config = SearchConfig(
            sampler=tuning["sampler"],
            trials=tuning["trials"],
            batch=tuning["batch"],
            seed=self.request["seeds"]["search"],
            maximise=criteria[0]["maximise"],
        )
        self.folds  # noqa: B018 - a fold that cannot be made is the cell's error, not a trial's
        return search(space, config, criteria[0]["name"], self._evaluate)

    def _evaluate(self, params: Mapping[str, Any]) -> dict[str, float]:
        """Return the mean over the folds of each criterion."""
        per_fold = [self._evaluate_fold(params, fold) for fold in self.folds]
        means = {name: float(np.mean([values[name] for values in per_fold])) for name in per_fold[0]}
        if self.raised and np.isnan(list(means.values())).all():
            raise next(iter(self.raised.values()))
        return means

    def _evaluate_fold(self, params: Mapping[str, Any], fold: Fold) -> dict[str, float]:
        estimator = self._fit(params, fold.X_fit, fold.labels_fit, fold.n_labelled)
        found = predict(estimator, fold.X_validation)
        seen, values = self._views(found, self.train.s[fold.validation]), {}
        for criterion in self.request["criteria"]:
            needs_prior = criterion["needs_prior"]
            if criterion["function"] and not (needs_prior and self.prior_error):
                values[criterion["name"]] = self._value(criterion, seen[needs_prior])
        return values | self._ask_oracle(found, fold)

    def _views(self, found: Predictions, s: NDArray[np.uint8]) -> Views:
        """Show a criterion the prior only if it needs one, whatever the others of its job need."""
        blind = Validation(s, found.score, found.decision, None, self.train.scenario)
        return {False: blind, True: replace(blind, prior=self.train.prior)}

    def _value(self, criterion: Mapping[str, Any], seen: Validation) -> float:
        """Return a criterion's value; one that raises spoils its own search, not its neighbours'."""
        try:
            return float(resolve(criterion["function"])(seen, **criterion["params"]))
        except Exception as error:
            self.raised.setdefault(criterion["name"], error)
            return float("nan")

    def _ask_oracle(self, found: Predictions, fold: Fold) -> dict[str, float]:
        """Let the worker, which alone holds the truth, compute the oracle criteria."""
        names = [criterion["name"] for criterion in self.request["criteria"] if not criterion["function"]]
        if not names:
            return {}
        arrays = [fold.validation, *found.arrays()]
        answer = self.channel.ask({"kind": "oracle", "criteria": names}, arrays)
        return {name: float(value) for name, value in answer.header["values"].items()}

    def fit_and_score(self, chosen: Mapping[str, Any]) -> Model:
        """Fit on all training rows and score the test rows."""
        rows = self._fit_rows(np.arange(len(self.train.s)))
        X = take_rows(self.train.X, rows)
        prepared = self._fit_preprocess(X)
        X, X_test = prepared.transform(X), prepared.transform(take_rows(self.features, self.test_rows))
        started = time.perf_counter()
        estimator = self._fit(chosen, X, self.labels[rows], int(self.train.s.sum()))
        fitted = time.perf_counter()
        predictions = predict(estimator, X_test)
        seconds = {"fit_seconds": fitted - started, "score_seconds": time.perf_counter() - fitted}
        # Training rows come last: what they cost is not what the cell costs.
        told = {**seconds, "peak_memory_mb": peak_mb(), **self._judge_training(estimator, prepared)}
        shape = tuple(self.request["data"]["image_shape"])
        return Model(predictions, told, estimator if offers(estimator) else None, X_test, [], shape)

    def _judge_training(self, estimator: Any, prepared: Fitted) -> dict[str, Any]:
        """Let PU criteria judge a model by P and U, the rows it was trained on, where a suite asks for that."""

        def look() -> Views:
            return self._views(predict(estimator, prepared.transform(self.train.X)), self.train.s)

        return judge_training(self.request["training"], look, self.prior_error)
