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

__all__ = ["Easy", "Hard"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Power(Mechanism):
    """A propensity in proportion to a power of a probability by a hidden logistic regression of y on x."""

    strength: float = field(
        default=5.0,
        metadata={"description": "The power; 0 is SCAR.", "ge": 0, "le": 1000},
    )
    sign: ClassVar[float]

    def propensities(
        self, features: Callable[[], Matrix], y: NDArray[np.uint8], frequency: float, rng: np.random.Generator
    ) -> Floats:
        """Return ``min(1, k p**strength)``, with k such that the positives' mean is the frequency."""
        odds = log_odds(standardised_rows(features()), y)
        log_probability = -np.logaddexp(0.0, -self.sign * odds)
        return solve(capped, self.strength * log_probability, y, frequency)


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
