"""The contract of algorithms, first part: they learn from X and s alone, and reproducibly."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import ClassVar, cast

import numpy as np

from pubench.child.fitting import MisbehaviourError, predict
from pubench.metrics import roc_auc
from pubench.plugins.imports import resolve
from pubench.specs import Algorithm, JSONValue, Params, Scenario
from pubench.testing.clock import at_another_time
from pubench.testing.contract import Contract, ContractError, attempt, fail, plain, quiet, skip
from pubench.testing.decoys import beside
from pubench.testing.fits import (
    METHODS,
    Answers,
    Estimator,
    WithoutProbabilities,
    answers,
    difference,
    factory_parameters,
    fitted,
    make,
)
from pubench.testing.samples import Sample, easy_sample
from pubench.testing.seeding import Seed, about_fixed, watched_seeds

__all__ = ["CHANCE", "LearningContract"]

CHANCE = 0.75
_OURS = 20_011  # seeds the global generators in the search for fixed seeds, before each fit


class LearningContract(Contract):
    """Base of :class:`pubench.testing.AlgorithmContract`: the checks on easy data."""

    kind: ClassVar[str] = "algorithms"
    required: ClassVar[tuple[str, ...]] = ("summary", "paper", "licence")
    params: ClassVar[Params] = {}
    expected_failed_checks: ClassVar[Mapping[str, str]] = {}

    @property
    def spec(self) -> Algorithm:
        """The spec."""
        return cast("Algorithm", self.registered.spec)

    @property
    def all_params(self) -> Params:
        """Parameters of all checks: those of the spec, and those of the contract before them."""
        return {**self.spec.test_params, **self.params}

    def test_signature(self) -> None:
        """It can be created and called as pubench does."""
        spec = self.spec
        with attempt(f"resolving '{spec.estimator}'"):
            resolve(spec.estimator)
            known = factory_parameters(spec)
        unknown = sorted({*spec.params, *spec.receives} - known) if known is not None else []
        if unknown:
            fail(
                f"{spec.estimator} has no parameter {', '.join(unknown)}, which its spec fixes or receives; add it"
            )
        with attempt("creating the estimator"):
            model = make(spec, easy_sample(spec.scenarios[0]), self.all_params)
        for name, arguments, written in (("fit", 2, "X, s"), ("predict", 1, "X")):
            _check_call(model, name, arguments, written)

    def test_fits_and_answers(self) -> None:
        """It fits easy data and predicts every row."""
        try:
            self.test_signature()
        except ContractError:
            skip("see the previous check")
        for scenario in self.spec.scenarios:
            sample = easy_sample(scenario)
            with attempt(f"on easy {scenario} data it"):
                model = fitted(self.spec, sample, self.all_params)
                try:
                    predict(WithoutProbabilities(model), sample.X_test.copy())
                except MisbehaviourError as error:
                    fail(f"on easy {scenario} data its {error}")
            # The other checks skip a method that fails, so that it has to be detected here.
            for method in METHODS:
                if hasattr(model, method):
                    with attempt(f"after fitting easy {scenario} data, {method} for the same rows"):
                        getattr(model, method)(sample.X.copy())

    def test_scikit_learn(self) -> None:
        """It passes scikit-learn's estimator checks."""
        from sklearn.utils.estimator_checks import check_estimator

        self._usable()
        # scikit-learn's samples have two classes of similar size, and every row of the larger one is labelled.
        scenario: Scenario = (
            "single-training-set" if "single-training-set" in self.spec.scenarios else "case-control"
        )
        model = make(self.spec, easy_sample(scenario, prior=0.5), self.all_params)
        excused = {name: why for name, why in self.spec.excused.items() if name.startswith("check_")}
        known = {**excused, **self.expected_failed_checks}
        with attempt("running scikit-learn's checks"):
            results = check_estimator(model, on_fail=None, on_skip=None, expected_failed_checks=known)
        failed = [result for result in results if result["status"] == "failed"]
        if failed:
            first = failed[0]
            counts = Counter(str(result["check_name"]) for result in failed)
            names = ", ".join(name if n == 1 else f"{name} ({n} times)" for name, n in counts.items())
            fail(
                f"{len(failed)} of scikit-learn's {len(results)} checks fail: {names}; the first error is "
                f"{plain(first['exception'])}"
            )

    def test_learns_from_s_alone(self) -> None:
        """It learns from s alone, even if true labels are accessible."""
        spec = self.spec
        if spec.labels == "true":
            skip("a reference learns from true labels")
        sample = self._usable()
        if difference(self._predictions(sample), self._predictions(sample)):
            skip("its predictions vary anyway: see the check of random_state")
        package = _package(make(spec, sample, self.all_params))
        shuffled = np.random.default_rng(0).permutation(sample.y)
        with_truth, with_shuffled, with_labels = (
            beside(decoy, package, lambda: self._predictions(sample))
            for decoy in (sample.y, shuffled, sample.s)
        )
        changed = difference(with_truth, with_shuffled) or difference(with_truth, with_labels)
        if changed:
            fail(
                f"its {changed} changes with a variable named y, y_true, truth or similar, which is not one of its "
                "inputs: it reads true labels from globals or from its caller; learn only from the X and s passed "
                "to fit"
            )

    def test_better_than_chance(self) -> None:
        """It is better than chance on easy data in the scenarios it declares."""
        self._usable()
        for scenario in self.spec.scenarios:
            sample = easy_sample(scenario)
            with attempt(f"on easy {scenario} data it"):
                score = predict(
                    WithoutProbabilities(fitted(self.spec, sample, self.all_params)), sample.X_test
                ).score
            auc = roc_auc(sample.y_test, score)
            if auc < CHANCE:
                fail(
                    f"on easy {scenario} data its ROC AUC is {auc:.2f}; at least {CHANCE} is required, and 0.5 is "
                    "chance; check the sign of its scores, or remove the scenario from the spec if the method does not "
                    "support it"
                )

    def test_random_state(self) -> None:
        """It respects random_state."""
        sample = self._usable()
        first, second = (self._predictions(sample, global_seed=seed) for seed in (1, 2))
        changed = difference(first, second)
        if not changed:
            self._refuse_the_clock(sample, first)
            self._refuse_a_fixed_seed(sample)
            return
        if "random_state" in self.spec.receives:
            fail(
                f"its {changed} differs between two fits with random_state=0, so that it ignores the seed somewhere; "
                "draw from sklearn.utils.check_random_state(self.random_state), also in its parts"
            )
        fail(
            f"its {changed} differs between two fits, and it has no seed; add the parameter random_state, and add it "
            "to receives"
        )

    def _refuse_the_clock(self, sample: Sample, before: Answers) -> None:
        """Fail if the same fit at another date gives other predictions."""
        with at_another_time(_package(make(self.spec, sample, self.all_params))):
            changed = difference(before, self._predictions(sample, global_seed=1))
        if changed:
            fail(
                f"its {changed} depends on the date or the time of day, such as a seed taken from the clock; draw from "
                "numpy.random.default_rng(self.random_state)"
            )

    def _refuse_a_fixed_seed(self, sample: Sample) -> None:
        """Fail if its predictions depend on a seed that is the same in every repetition."""
        package = _package(make(self.spec, sample, self.all_params))
        receives = "random_state" in self.spec.receives

        def fit(state: int, exchanged: Collection[Seed] = ()) -> tuple[Answers, list[Seed]]:
            given: Params = {"random_state": state} if receives else {}
            with watched_seeds(package, exchanged) as found:
                predictions = self._predictions(sample, global_seed=_OURS, **given)
            return predictions, [call for call in found.calls if call[1] != (_OURS,)]

        before, seeds = fit(1)
        again = fit(2)[1] if receives else seeds
        for fixed in dict.fromkeys(call for call in seeds if call in again):
            if difference(before, fit(1, [fixed])[0]):
                fail(about_fixed(fixed, receives=receives))

    def test_n_jobs(self) -> None:
        """Its results do not depend on n_jobs."""
        sample = self._usable()
        model = make(self.spec, sample, self.all_params)
        if "n_jobs" not in getattr(model, "get_params", dict)():
            skip("it has no n_jobs")
        changed = difference(self._predictions(sample, n_jobs=1), self._predictions(sample, n_jobs=2))
        if changed:
            fail(
                f"its {changed} differs between n_jobs=1 and n_jobs=2; seed each task separately, independent of the "
                "order in which tasks run"
            )

    def test_prior(self) -> None:
        """It uses the prior it receives, or does not receive it."""
        spec, sample = self.spec, self._usable()
        known = factory_parameters(spec) or set()
        if "prior" not in spec.receives:
            if "prior" in known and "prior" not in spec.params:
                fail(
                    "it has a parameter 'prior' that its spec neither receives nor fixes; add it to receives"
                )
            return
        low, high = (self._predictions(replace(sample, prior=prior)) for prior in (0.15, 0.85))
        if not difference(low, high):
            fail(
                "its predictions are the same with prior=0.15 and with prior=0.85; use the prior, or remove it from "
                "receives"
            )
        few, many = (float(np.mean(part["predict"] == part["predict"].max())) for part in (low, high))
        if len(np.unique(low["predict"])) == 2 == len(np.unique(high["predict"])) and few > many + 0.1:
            fail(
                f"it predicts {few:.0%} of the rows positive with prior=0.15 and {many:.0%} with prior=0.85; check the "
                "direction in which it uses the prior"
            )

    def test_probabilities(self) -> None:
        """Its probabilities lie in [0, 1] and sum to 1."""
        sample = self._usable()
        model = fitted(self.spec, sample, self.all_params)
        if not hasattr(model, "predict_proba"):
            calibrated = self.spec.probability == "calibrated" or self.spec.labels == "true"
            remedy = (
                "" if calibrated else '; with probability = "calibrated" in its spec, suites give it some'
            )
            skip(f"it predicts no probabilities{remedy}")
        with attempt("predict_proba"), quiet():
            chances = np.asarray(model.predict_proba(sample.X_test.copy()), dtype=np.float64)
        if chances.ndim == 2 and chances.size and (chances.min() < -1e-9 or chances.max() > 1 + 1e-9):
            fail(
                f"predict_proba returns values between {chances.min():.3g} and {chances.max():.3g}; return "
                "probabilities between 0 and 1"
            )
        try:
            predict(model, sample.X_test.copy())
        except MisbehaviourError as error:
            fail(str(error))

    def _usable(self) -> Sample:
        """Return easy data; skip if the method cannot fit them, which another check reports."""
        sample = easy_sample(self.spec.scenarios[0])
        try:
            with quiet():
                answers(fitted(self.spec, sample, self.all_params), sample.X)
        except (Exception, SystemExit):
            skip("it does not fit easy data: see the checks of its signature and predictions")
        return sample

    def _predictions(self, sample: Sample, *, global_seed: int = 0, **params: JSONValue) -> Answers:
        """Fit, and return the predictions for the training rows."""
        with attempt("fitting and predicting"):
            model = fitted(self.spec, sample, {**self.all_params, **params}, global_seed=global_seed)
            return answers(model, sample.X)


def _check_call(model: Estimator, name: str, arguments: int, written: str) -> None:
    method = getattr(model, name, None)
    if method is None:
        fail(f"{type(model).__name__} has no method {name}; pubench calls {name}({written})")
    try:
        inspect.signature(method).bind(*range(arguments))
    except TypeError as error:
        fail(
            f"{type(model).__name__}.{name}{inspect.signature(method)} cannot be called as {name}({written}): {error}; "
            "change its signature"
        )


def _package(model: Estimator) -> str:
    return type(model).__module__.partition(".")[0]
