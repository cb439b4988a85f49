"""The contract of criteria: PU-only scores that prefer good models."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, ClassVar

import numpy as np

from pubench.criteria import Validation
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

    def test_signature(self) -> None:
        """It is called as function(validation) with its params."""
        spec: Criterion = self.spec
        check_signature(spec.function, "function(validation, **params)", (None,), spec.params)

    def test_returns_a_number(self) -> None:
        """It returns a finite number in the scenarios it claims."""
        for scenario in self.spec.scenarios:
            value = self._value(_validation(scenario, "good"))
            if not math.isfinite(value):
                fail(f"it returns {value} for a good model on easy {scenario} data")

    def test_prefers_the_better_model(self) -> None:
        """It prefers a good model to a random one, in the direction it claims."""
        sign = 1.0 if self.spec.greater_is_better else -1.0
        for scenario in self.spec.scenarios:
            good, worse = (self._value(_validation(scenario, model)) for model in ("good", "random"))
            if not sign * good > sign * worse:
                fail(
                    f"on easy {scenario} data a nearly perfect model gets {good:.3g} and a random one {worse:.3g}: it "
                    f"does not prefer the better; look at the sign and at greater_is_better="
                    f"{self.spec.greater_is_better}"
                )

    def test_prior(self) -> None:
        """It does without the prior unless it says that it needs it."""
        if "prior" in self.spec.needs:
            return
        for scenario in self.spec.scenarios:
            self._value(
                _validation(scenario, "good", known_prior=False),
                "without a prior, which it does not need, it",
            )

    def test_repeats_itself(self) -> None:
        """It returns the same number again, whatever lies about, and in whatever order the rows stand."""
        for scenario in self.spec.scenarios:
            given = _validation(scenario, "good")
            first, again = self._value(given), self._value(given)
            if first != again:
                fail(f"asked twice, it returns {first!r} and {again!r}; a criterion must not draw")
            package = resolve(self.spec.function).__module__.partition(".")[0]
            decoys = (np.zeros(len(given.s), dtype=np.int64), np.ones(len(given.s), dtype=np.int64))
            seen = {beside(decoy, package, partial(self._value, given)) for decoy in decoys}
            if len(seen) > 1:
                fail(
                    "it changes with a variable named y or the like, which it is not given: it reads true labels"
                )
            order = np.random.default_rng(0).permutation(len(given.s))
            turned = Validation(
                given.s[order], given.score[order], given.decision[order], given.prior, scenario
            )
            if not math.isclose(first, self._value(turned), rel_tol=1e-9, abs_tol=1e-12):
                fail("it changes with the order of the rows, which means nothing")

    def test_degenerate_models(self) -> None:
        """It survives models that decide all rows alike, equal scores, and a single labelled row."""
        for scenario in self.spec.scenarios:
            for model in ("all positive", "all negative", "constant score", "one positive"):
                self._value(_validation(scenario, model), f"for a model with {model} on {scenario} data it")

    def _value(self, given: Validation, what: str = "it") -> float:
        spec: Criterion = self.spec
        arrays: dict[str, Any] = {"s": given.s, "score": given.score, "decision": given.decision}
        return frozen_call(lambda: resolve(spec.function)(given, **spec.params), arrays, what)


def _validation(scenario: Scenario, model: str, *, known_prior: bool = True) -> Validation:
    """Return what a criterion sees of a model on easy rows."""
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
    # Losses that grow with the score would punish a good model for being sure.
    score = np.tanh(score)
    decision = (score >= 0).astype(np.uint8)
    return Validation(s, score, decision, sample.prior if known_prior else None, scenario)
