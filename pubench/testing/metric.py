"""The contract of metrics: evaluations with true classes."""

from __future__ import annotations

import math
from typing import ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from pubench.data.values import Array
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

    @property
    def spec(self) -> Metric:
        """The spec."""
        return cast("Metric", self.registered.spec)

    def test_signature(self) -> None:
        """It is called as function(y, values)."""
        check_signature(self.spec.function, "function(y, values)", (None, None), {})

    def test_returns_a_number(self) -> None:
        """It returns a finite number."""
        value = self._value(_classes(), self._predictions("good"))
        if not math.isfinite(value):
            fail(f"it returns {value} for a good model")

    def test_prefers_the_better_model(self) -> None:
        """It prefers a perfect model to a random one, in the direction it declares."""
        if self.spec.greater_is_better is None:
            skip("it declares that neither direction is better")
        sign = 1.0 if self.spec.greater_is_better else -1.0
        good, worse = (self._value(_classes(), self._predictions(model)) for model in ("good", "random"))
        if not sign * good > sign * worse:
            fail(
                f"it is {good:.3g} for a perfect model and {worse:.3g} for a random one, so that it does not prefer "
                f"the better model; check the sign and greater_is_better={self.spec.greater_is_better}"
            )

    def test_repeats_itself(self) -> None:
        """It depends only on its input, and not on the order of the rows."""
        y, values = _classes(), self._predictions("random")
        first, again = self._value(y, values), self._value(y, values)
        if first != again:
            fail(f"it returns {first!r} and {again!r} for the same input; a metric must not be random")
        order = np.random.default_rng(0).permutation(N)
        if not math.isclose(first, self._value(y[order], values[order]), rel_tol=1e-9, abs_tol=1e-12):
            fail("it depends on the order of the rows, which carries no information")

    def test_degenerate_models(self) -> None:
        """It handles constant predictions and missing classes; it may return nan."""
        y = _classes()
        for model in ("low", "high"):
            self._value(y, self._predictions(model), f"for a model whose predictions are all {model} it")
        for label in (0, 1):
            same_class = np.full(N, label, dtype=np.uint8)
            self._value(same_class, self._predictions("random"), f"if every row is of class {label} it")

    def _value(self, y: NDArray[np.uint8], values: Array, what: str = "it") -> float:
        function = self.spec.function
        return frozen_call(lambda: resolve(function)(y, values), {"y": y, "values": values}, what)

    def _predictions(self, model: str) -> Array:
        """Return the input of the metric for a model: decisions, scores or probabilities."""
        rng = np.random.default_rng(1)
        kinds = {"good": _classes() - 0.5, "random": rng.standard_normal(N)}
        score = kinds.get(model, np.full(N, 1.0 if model == "high" else -1.0))
        if self.spec.uses == "decision":
            return (score >= 0).astype(np.uint8)
        return score if self.spec.uses == "score" else 1 / (1 + np.exp(-4 * score))


def _classes() -> NDArray[np.uint8]:
    return (np.random.default_rng(0).random(N) < 0.4).astype(np.uint8)
