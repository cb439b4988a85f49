"""Mechanisms that look at how typical a positive is: easy positives are labelled first, or hard ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from pubench.data.labelling.mechanisms.base import Mechanism
from pubench.data.labelling.mechanisms.hidden import log_odds, standardised_rows
from pubench.data.labelling.mechanisms.solving import capped, solve

if TYPE_CHECKING:
    from pubench.data.values import Matrix
    from pubench.specs import JSONValue

__all__ = ["Easy", "Hard"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Power(Mechanism):
    """A propensity in proportion to a power of a probability by a hidden logistic regression of y on x.

    Attributes
    ----------
    strength : float
    random : float
        The share of the labels that is drawn at random, so that no propensity is below this share of the frequency.
    """

    strength: float = field(
        default=5.0,
        metadata={"description": "The power; 0 is SCAR.", "ge": 0, "le": 1000},
    )
    random: float = field(
        default=0.0,
        metadata={
            "description": "The share of the labels that is drawn at random; 1 is SCAR.",
            "ge": 0,
            "le": 1,
        },
    )
    sign: ClassVar[float]

    def propensities(
        self, features: Callable[[], Matrix], y: NDArray[np.uint8], frequency: float, rng: np.random.Generator
    ) -> Floats:
        """Return ``min(1, k p**strength)``, with k such that the positives' mean is the frequency; mixed with it."""
        odds = log_odds(standardised_rows(features()), y)
        log_probability = -np.logaddexp(0.0, -self.sign * odds)
        by_power = solve(capped, self.strength * log_probability, y, frequency)
        return self.random * frequency + (1.0 - self.random) * by_power

    def parameters(self) -> dict[str, JSONValue]:
        """Return the parameters; stored keys hold the share of random labels only if it is set."""
        found = Mechanism.parameters(self)
        if self.random == 0:
            del found[f"{self.name}_random"]
        return found

    @property
    def label(self) -> str:
        """The name with the strength, and with the share of random labels if there are any."""
        return f"{self.name} {self.strength:g}" + (f" random {self.random:g}" if self.random else "")


@dataclass(frozen=True, slots=True)
class Easy(_Power):
    r"""Easy positives are labelled first: :math:`e(x) \propto \Pr(y = 1 \mid x)^a`, a the strength."""

    name: ClassVar[str] = "easy"
    summary: ClassVar[str] = (
        "the propensity is a power of Pr(y = 1 | x): typical positives are labelled first"
    )
    sign: ClassVar[float] = 1.0


@dataclass(frozen=True, slots=True)
class Hard(_Power):
    r"""Hard positives are labelled first: :math:`e(x) \propto (1 - \Pr(y = 1 \mid x))^a`, a the strength."""

    name: ClassVar[str] = "hard"
    summary: ClassVar[str] = (
        "the propensity is a power of Pr(y = 0 | x): atypical positives are labelled first"
    )
    sign: ClassVar[float] = -1.0
