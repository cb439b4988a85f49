"""Parameter rules: what the parameters of an estimator may be; :class:`pubench.base.PUClassifier` checks them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from numbers import Real as RealNumber
from typing import Protocol

import numpy as np

from pubench.estimators.rows import Estimator
from pubench.specs import SCENARIOS

__all__ = [
    "PRIOR",
    "SCENARIO",
    "Either",
    "OneOf",
    "PriorName",
    "Real",
    "Rule",
    "ScenarioName",
    "Whole",
    "check_params",
]


class Rule(Protocol):
    """What a parameter may be: ``allows`` decides, ``text`` completes "must be ..."."""

    @property
    def text(self) -> str:
        """The allowed values in words."""

    def allows(self, value: object) -> bool:
        """Whether the parameter may have this value."""


@dataclass(frozen=True, slots=True)
class Real:
    """A finite real number in [low, high]; ``open_low`` and ``open_high`` exclude the bounds."""

    low: float = -np.inf
    high: float = np.inf
    open_low: bool = False
    open_high: bool = False

    @property
    def text(self) -> str:
        """The allowed values in words."""
        return "a finite number" + _bounds(self.low, self.high, self.open_low, self.open_high)

    def allows(self, value: object) -> bool:
        """Whether ``value`` is a number (not a boolean) within the bounds."""
        if not isinstance(value, RealNumber) or isinstance(value, bool | np.bool_):
            return False
        number = float(value)
        above = number > self.low if self.open_low else number >= self.low
        below = number < self.high if self.open_high else number <= self.high
        return bool(np.isfinite(number)) and above and below


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number from low to high, both included."""

    low: int
    high: float = np.inf

    @property
    def text(self) -> str:
        """The allowed values in words."""
        return "a whole number" + _bounds(self.low, self.high)

    def allows(self, value: object) -> bool:
        """Whether ``value`` is a whole number (not a boolean) within the bounds."""
        return (
            isinstance(value, Integral)
            and not isinstance(value, bool)
            and self.low <= int(value) <= self.high
        )


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of the listed values. The type must match too, so 1 and True differ."""

    values: tuple[str | int | float | bool | None, ...]

    @property
    def text(self) -> str:
        """The allowed values in words."""
        listed = ", ".join(repr(value) for value in self.values)
        return listed if len(self.values) == 1 else f"one of {listed}"

    def allows(self, value: object) -> bool:
        """Whether ``value`` is one of the listed values."""
        # Grids that are NumPy arrays yield NumPy strings and booleans.
        plain = value.item() if isinstance(value, np.generic) else value
        return any(type(plain) is type(known) and plain == known for known in self.values)


@dataclass(frozen=True, slots=True, init=False)
class Either:
    """A value that at least one of several rules allows: ``Either(Whole(low=1), OneOf((None,)))``."""

    rules: tuple[Rule, ...]

    def __init__(self, *rules: Rule) -> None:
        object.__setattr__(self, "rules", rules)

    @property
    def text(self) -> str:
        """The allowed values in words."""
        return " or ".join(rule.text for rule in self.rules)

    def allows(self, value: object) -> bool:
        """Whether one of the rules allows ``value``."""
        return any(rule.allows(value) for rule in self.rules)


@dataclass(frozen=True, slots=True)
class PriorName:
    """The name of a prior estimator, or "estimate" for the default one; ``fit`` looks the name up."""

    @property
    def text(self) -> str:
        """The allowed values in words."""
        return "'estimate' or the name of a prior estimator"

    def allows(self, value: object) -> bool:
        """Whether ``value`` has the form of a name."""
        return isinstance(value, str) and bool(re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", value))


PRIOR = Either(Real(0.0, 1.0, open_low=True, open_high=True), PriorName())
"""What a parameter ``prior`` may be; :func:`pubench.priors.prior_to_use` turns it into a number."""


@dataclass(frozen=True, slots=True)
class ScenarioName:
    """A scenario; there is no default, because decisions depend on it and data rarely show it."""

    @property
    def text(self) -> str:
        """The allowed values in words."""
        return (
            "'case-control' (the unlabelled rows are a sample of the population; the labelled rows were collected "
            "separately) or 'single-training-set' (all rows together are a sample of the population, and some of its "
            "positive rows are labelled)"
        )

    def allows(self, value: object) -> bool:
        """Whether ``value`` is a scenario."""
        return isinstance(value, str) and value in SCENARIOS


SCENARIO = ScenarioName()
"""What a parameter ``scenario`` may be: None, its default, is refused by ``fit``."""


def _bounds(low: float, high: float, open_low: bool = False, open_high: bool = False) -> str:
    lower = "" if low == -np.inf else f" {'above' if open_low else 'of at least'} {low}"
    upper = "" if high == np.inf else f" {'below' if open_high else 'at most'} {high}"
    return lower + (" and" if lower and upper else "") + upper


def check_params(estimator: Estimator, unless_none: Sequence[str] = ()) -> None:
    """Check the parameters of an estimator against its ``param_rules``; those of ``unless_none`` may be None.

    Raises
    ------
    ValueError
        If a parameter breaks its rule; the message names the parameter, the allowed values and the value given.
    """
    for name, rule in estimator.param_rules.items():
        value = getattr(estimator, name)
        if not rule.allows(value) and (value is not None or name not in unless_none):
            raise ValueError(f"{name} of {type(estimator).__name__} must be {rule.text}; got {value!r}")
