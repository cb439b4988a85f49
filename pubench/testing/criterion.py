"""The contract of criteria: PU-only scores that prefer good models."""

from __future__ import annotations

import math
from functools import partial
from typing import ClassVar, cast

import numpy as np

from pubench.criteria import Validation
from pubench.data.values import Array
from pubench.plugins.imports import resolve
from pubench.specs import Criterion, Scenario
from pubench.testing.contract import Contract, fail
from pubench.testing.decoys import beside
from pubench.testing.functions import check_signature, frozen_call
from pubench.testing.samples import easy_sample

__all__ = ["CriterionContract"]


class CriterionContract(Contract):
    """What pubench expects of a criterion; see :class:`pubench.specs.Criterion`."""

    kind: ClassVar[str] = "criteria"
    required: ClassVar[tuple[str, ...]] = ("summary", "paper")

    @property
    def spec(self) -> Criterion:
        """The spec."""
        return cast("Criterion", self.registered.spec)

    def test_signature(self) -> None:
        """It is called as function(validation) with its params."""
        check_signature(self.spec.function, "function(validation, **params)", (None,), self.spec.params)

    def test_returns_a_number(self) -> None:
        """It returns a finite number in the scenarios it declares."""
        for scenario in self.spec.scenarios:
            value = self._value(_validation(scenario, "good"))
            if not math.isfinite(value):
                fail(f"it returns {value} for a good model on easy {scenario} data")

    def test_prefers_the_better_model(self) -> None:
        """It prefers a good model to a random one, in the direction it declares."""
        sign = 1.0 if self.spec.greater_is_better else -1.0
        for scenario in self.spec.scenarios:
            good, worse = (self._value(_validation(scenario, model)) for model in ("good", "random"))
            if not sign * good > sign * worse:
                fail(
                    f"on easy {scenario} data it is {good:.3g} for a nearly perfect model and {worse:.3g} for a random "
                    "one, so that it does not prefer the better model; check the sign and "
                    f"greater_is_better={self.spec.greater_is_better}"
                )

    def test_prior(self) -> None:
        """It works without the prior unless it declares that it needs it."""
        if "prior" in self.spec.needs:
            return
        for scenario in self.spec.scenarios:
            self._value(
                _validation(scenario, "good", known_prior=False),
                "without a prior, which it does not need, it",
            )

    def test_repeats_itself(self) -> None:
        """It depends only on its input, and not on the order of the rows."""
        for scenario in self.spec.scenarios:
            given = _validation(scenario, "good")
            first, again = self._value(given), self._value(given)
            if first != again:
                fail(f"it returns {first!r} and {again!r} for the same input; a criterion must not be random")
            package = resolve(self.spec.function).__module__.partition(".")[0]
            decoys = (np.zeros(len(given.s), dtype=np.int64), np.ones(len(given.s), dtype=np.int64))
            values = {beside(decoy, package, partial(self._value, given)) for decoy in decoys}
            if len(values) > 1:
                fail(
                    "it changes with a global or local variable such as y, which is not its input; do not read true "
                    "labels"
                )
            order = np.random.default_rng(0).permutation(len(given.s))
            shuffled = Validation(
                given.s[order], given.score[order], given.decision[order], given.prior, scenario
            )
            if not math.isclose(first, self._value(shuffled), rel_tol=1e-9, abs_tol=1e-12):
                fail("it depends on the order of the rows, which carries no information")

    def test_degenerate_models(self) -> None:
        """It handles constant decisions, constant scores, and a single labelled row."""
        for scenario in self.spec.scenarios:
            for model in ("all positive", "all negative", "constant score", "one positive"):
                self._value(_validation(scenario, model), f"for a model with {model} on {scenario} data it")

    def _value(self, given: Validation, what: str = "it") -> float:
        spec = self.spec
        arrays: dict[str, Array] = {"s": given.s, "score": given.score, "decision": given.decision}
        return frozen_call(lambda: resolve(spec.function)(given, **spec.params), arrays, what)


def _validation(scenario: Scenario, model: str, *, known_prior: bool = True) -> Validation:
    """Return the input of a criterion for a model on easy rows."""
    sample, rng = easy_sample(scenario), np.random.default_rng(1)
    s, score = sample.s.copy(), sample.X.sum(axis=1)
    if model == "random":
        score = rng.standard_normal(len(s))
    elif model.startswith("all"):
        score = np.abs(score) * (1.0 if model == "all positive" else -1.0) + (
            0.0 if model == "all positive" else -1e-6
        )
    elif model == "constant score":
        score = np.zeros(len(s))
    elif model == "one positive":
        s[np.flatnonzero(s)[1:]] = 0
    # Without bounds, losses that grow with the score would penalise a confident good model.
    score = np.tanh(score)
    decision = (score >= 0).astype(np.uint8)
    return Validation(s, score, decision, sample.prior if known_prior else None, scenario)
