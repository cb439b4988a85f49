"""The contract of metrics: evaluations with true classes."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pubench.plugins.imports import resolve
from pubench.specs import Metric
from pubench.testing.contract import Contract, fail, skip
from pubench.testing.functions import check_signature, frozen_call

__all__ = ["MetricContract"]

N = 200


class MetricContract(Contract):
    """What pubench expects of a metric; see :class:`pubench.specs.Metric`."""

    kind: ClassVar[str] = "metrics"
    required: ClassVar[tuple[str, ...]] = ("summary",)

    def test_signature(self) -> None:
        """It is called as function(y, values)."""
        check_signature(self.spec.function, "function(y, values)", (None, None), {})

    def test_returns_a_number(self) -> None:
        """It returns a finite number."""
        value = self._value(_classes(), self._answers("good"))
        if not math.isfinite(value):
            fail(f"it returns {value} for a good model")

    def test_prefers_the_better_model(self) -> None:
        """It prefers a perfect model to a random one, in the direction it claims."""
        if self.spec.greater_is_better is None:
            skip("it says that neither direction is better")
        sign = 1.0 if self.spec.greater_is_better else -1.0
        good, worse = (self._value(_classes(), self._answers(model)) for model in ("good", "random"))
        if not sign * good > sign * worse:
            fail(
                f"a perfect model gets {good:.3g} and a random one {worse:.3g}: it does not prefer the better; look at "
                f"the sign and at greater_is_better={self.spec.greater_is_better}"
            )

    def test_repeats_itself(self) -> None:
        """It returns the same number again, in whatever order the rows stand."""
        y, values = _classes(), self._answers("random")
        first, again = self._value(y, values), self._value(y, values)
        if first != again:
            fail(f"asked twice, it returns {first!r} and {again!r}; a metric must not draw")
        order = np.random.default_rng(0).permutation(N)
        if not math.isclose(first, self._value(y[order], values[order]), rel_tol=1e-9, abs_tol=1e-12):
            fail("it changes with the order of the rows, which means nothing")

    def test_degenerate_models(self) -> None:
        """It survives models that answer alike for all rows, and classes that are missing; nan is an answer."""
        y = _classes()
        for model in ("low", "high"):
            self._value(y, self._answers(model), f"for a model whose answers are all {model} it")
        for held in (0, 1):
            given = np.full(N, held, dtype=np.uint8)
            self._value(given, self._answers("random"), f"where every row is of class {held} it")

    def _value(self, y: NDArray[np.uint8], values: NDArray[Any], what: str = "it") -> float:
        spec: Metric = self.spec
        return frozen_call(lambda: resolve(spec.function)(y, values), {"y": y, "values": values}, what)

    def _answers(self, model: str) -> NDArray[Any]:
        """Return what the metric is given of a model: decisions, scores or probabilities."""
        rng = np.random.default_rng(1)
        kinds = {"good": _classes() - 0.5, "random": rng.standard_normal(N)}
        score = kinds.get(model, np.full(N, 1.0 if model == "high" else -1.0))
        if self.spec.uses == "decision":
            return (score >= 0).astype(np.uint8)
        return score if self.spec.uses == "score" else 1 / (1 + np.exp(-4 * score))


def _classes() -> NDArray[np.uint8]:
    return (np.random.default_rng(0).random(N) < 0.4).astype(np.uint8)
