"""The first part of the algorithms' contract: they learn from X and s alone, the same way every time."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar
from unittest import mock

import numpy as np

from pubench.child.fitting import MisbehaviourError, predict
from pubench.metrics import roc_auc
from pubench.plugins.imports import resolve
from pubench.specs import Algorithm, Scenario
from pubench.testing.contract import Contract, ContractError, attempt, fail, plain, quiet, skip
from pubench.testing.decoys import beside
from pubench.testing.fits import METHODS, Answers, answers, difference, factory_parameters, fitted, make
from pubench.testing.samples import Sample, easy_sample

__all__ = ["CHANCE", "LearningContract"]

CHANCE = 0.75


class LearningContract(Contract):
    """Base of :class:`pubench.testing.AlgorithmContract`: the checks on easy data."""

    kind: ClassVar[str] = "algorithms"
    required: ClassVar[tuple[str, ...]] = ("summary", "paper", "licence")
    params: ClassVar[Mapping[str, Any]] = {}
    expected_failed_checks: ClassVar[Mapping[str, str]] = {}

    def test_signature(self) -> None:
        """It is made and called as pubench does it."""
        spec: Algorithm = self.spec
        with attempt(f"resolving '{spec.estimator}'"):
            resolve(spec.estimator)
            known = factory_parameters(spec)
        unknown = sorted({*spec.params, *spec.receives} - known) if known is not None else []
        if unknown:
            fail(
                f"{spec.estimator} has no parameter {', '.join(unknown)}, which its spec fixes or receives; add it"
            )
        with attempt("making the estimator"):
            model = make(spec, easy_sample(spec.scenarios[0]), self.params)
        for name, arguments, written in (("fit", 2, "X, s"), ("predict", 1, "X")):
            _check_call(model, name, arguments, written)

    def test_fits_and_answers(self) -> None:
        """It fits easy data and answers for every row."""
        try:
            self.test_signature()
        except ContractError:
            skip("see the check before")
        for scenario in self.spec.scenarios:
            sample = easy_sample(scenario)
            with attempt(f"on easy {scenario} data it"):
                model = fitted(self.spec, sample, self.params)
                try:
                    predict(_WithoutProbabilities(model), sample.X_test.copy())
                except MisbehaviourError as error:
                    fail(f"on easy {scenario} data its {error}")
            # As the other checks ask it: they leave out a method that cannot answer, so it has to be found here.
            for method in METHODS:
                if hasattr(model, method):
                    with attempt(f"after fitting easy {scenario} data, {method} for the same rows"):
                        getattr(model, method)(sample.X.copy())

    def test_scikit_learn(self) -> None:
        """It passes scikit-learn's estimator checks."""
        from sklearn.utils.estimator_checks import check_estimator

        self._usable()
        # Its samples are of two classes of about the same size, every row of the larger one being labelled.
        claimed: Scenario = (
            "single-training-set" if "single-training-set" in self.spec.scenarios else "case-control"
        )
        model = make(self.spec, easy_sample(claimed, prior=0.5), self.params)
        with attempt("running scikit-learn's checks"):
            done = check_estimator(
                model, on_fail=None, on_skip=None, expected_failed_checks=dict(self.expected_failed_checks)
            )
        failed = [result for result in done if result["status"] == "failed"]
        if failed:
            first = failed[0]
            named = ", ".join(dict.fromkeys(result["check_name"] for result in failed))
            fail(
                f"{len(failed)} of scikit-learn's {len(done)} checks fail: {named}; the first says "
                f"{plain(first['exception'])}"
            )

    def test_learns_from_s_alone(self) -> None:
        """It learns from s alone, whatever true labels lie about."""
        spec: Algorithm = self.spec
        if spec.labels == "true":
            skip("a reference learns from true labels")
        sample = self._usable()
        if difference(self._asked(sample), self._asked(sample)):
            skip("its answers vary anyway: see the check of random_state")
        package = _package(make(spec, sample, self.params))
        shuffled = np.random.default_rng(0).permutation(sample.y)
        seen = [
            beside(decoy, package, lambda: self._asked(sample)) for decoy in (sample.y, shuffled, sample.s)
        ]
        changed = difference(seen[0], seen[1]) or difference(seen[0], seen[2])
        if changed:
            fail(
                f"its {changed} changes with a variable named y, y_true, truth or the like, which is none of its "
                "inputs: it reads true labels from the globals or from its caller; learn from the X and s that fit "
                "is given"
            )

    def test_better_than_chance(self) -> None:
        """It beats chance on easy data in the scenarios it claims."""
        self._usable()
        for scenario in self.spec.scenarios:
            sample = easy_sample(scenario)
            with attempt(f"on easy {scenario} data it"):
                score = predict(
                    _WithoutProbabilities(fitted(self.spec, sample, self.params)), sample.X_test
                ).score
            auc = roc_auc(sample.y_test, score)
            if auc < CHANCE:
                fail(
                    f"on easy {scenario} data its ROC AUC is {auc:.2f}, where {CHANCE} is asked for and 0.5 is chance; "
                    "leave the scenario out of the spec if the method is not made for it, and look at the sign of "
                    "its scores"
                )

    def test_random_state(self) -> None:
        """It honours random_state."""
        sample = self._usable()
        changed = difference(self._asked(sample, world=1), self._asked(sample, world=2))
        if not changed:
            self._refuse_a_fixed_seed(sample)
            return
        if "random_state" in self.spec.receives:
            fail(
                f"fitted twice with random_state=0, its {changed} differs: it ignores the seed somewhere; draw from "
                "sklearn.utils.check_random_state(self.random_state) and pass it on to its parts"
            )
        fail(
            f"fitted twice, its {changed} differs, and it takes no seed; give it the parameter random_state and add it "
            "to receives"
        )

    def _refuse_a_fixed_seed(self, sample: Sample) -> None:
        """Fail where it takes a seed, yet draws by one of its own whatever it is given."""
        if "random_state" not in self.spec.receives:
            return
        told, seeds = [], []
        for seed in (1, 2):
            with mock.patch.object(np.random, "default_rng", wraps=np.random.default_rng) as draws:
                told.append(self._asked(sample, random_state=seed))
            seeds.append([call.args for call in draws.call_args_list if call.args])
        fixed = [first for first, *_ in seeds[0] if isinstance(first, int)]
        if fixed and seeds[0] == seeds[1] and not difference(*told):
            fail(
                f"it draws by the fixed seed {fixed[0]} whatever random_state it is given, so that repetitions tell "
                "nothing; draw from numpy.random.default_rng(self.random_state)"
            )

    def test_n_jobs(self) -> None:
        """Its results are equal for any n_jobs."""
        sample = self._usable()
        model = make(self.spec, sample, self.params)
        if "n_jobs" not in getattr(model, "get_params", dict)():
            skip("it has no n_jobs")
        changed = difference(self._asked(sample, n_jobs=1), self._asked(sample, n_jobs=2))
        if changed:
            fail(
                f"its {changed} differs between n_jobs=1 and n_jobs=2; seed each task by itself, not by the order in "
                "which tasks run"
            )

    def test_prior(self) -> None:
        """It uses the prior it is given, or says that it needs none."""
        spec, sample = self.spec, self._usable()
        known = factory_parameters(spec) or set()
        if "prior" not in spec.receives:
            if "prior" in known and "prior" not in spec.params:
                fail(
                    "it has a parameter 'prior' that its spec neither receives nor fixes; add it to receives"
                )
            return
        low, high = (self._asked(replace(sample, prior=prior)) for prior in (0.15, 0.85))
        if not difference(low, high):
            fail(
                "its answers are the same with prior=0.15 and with prior=0.85: use the prior, or take it out of "
                "receives"
            )
        few, many = (float(np.mean(told["predict"] == told["predict"].max())) for told in (low, high))
        if len(np.unique(low["predict"])) == 2 == len(np.unique(high["predict"])) and few > many + 0.1:
            fail(
                f"it calls {few:.0%} of the rows positive with prior=0.15 and {many:.0%} with prior=0.85: it uses the "
                "prior upside down"
            )

    def test_probabilities(self) -> None:
        """Its probabilities lie in [0, 1] and add up to 1."""
        sample = self._usable()
        model = fitted(self.spec, sample, self.params)
        if not hasattr(model, "predict_proba"):
            skip("it tells no probabilities")
        with attempt("predict_proba"), quiet():
            told = np.asarray(model.predict_proba(sample.X_test.copy()), dtype=np.float64)
        if told.ndim == 2 and told.size and (told.min() < -1e-9 or told.max() > 1 + 1e-9):
            fail(
                f"predict_proba returns values between {told.min():.3g} and {told.max():.3g}; probabilities lie "
                "between 0 and 1"
            )
        try:
            predict(model, sample.X_test.copy())
        except MisbehaviourError as error:
            fail(str(error))

    def _usable(self) -> Sample:
        """Return easy data; a method that cannot even fit these is told so by one check, not by all."""
        sample = easy_sample(self.spec.scenarios[0])
        try:
            with quiet():
                answers(fitted(self.spec, sample, self.params), sample.X)
        except (Exception, SystemExit):
            skip("it does not fit easy data: see the checks of its signature and answers")
        return sample

    def _asked(self, sample: Sample, *, world: int = 0, **params: Any) -> Answers:
        """Fit, and return the answers for the training rows."""
        with attempt("fitting and predicting"):
            return answers(fitted(self.spec, sample, {**self.params, **params}, world=world), sample.X)


class _WithoutProbabilities:
    """A fitted model as pubench asks it, but for probabilities, which have a check of their own."""

    def __init__(self, model: Any) -> None:
        self.predict = model.predict
        if hasattr(model, "decision_function"):
            self.decision_function = model.decision_function
        elif hasattr(model, "predict_proba"):
            self.decision_function = lambda X: np.asarray(model.predict_proba(X))[:, 1] - 0.5
        if hasattr(model, "classes_"):
            self.classes_ = model.classes_


def _check_call(model: Any, name: str, arguments: int, written: str) -> None:
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


def _package(model: Any) -> str:
    return type(model).__module__.partition(".")[0]
