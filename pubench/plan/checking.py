"""Checks that import the algorithms: too slow for every run, right for ``pubench suite check``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import assert_never

from pubench.errors import did_you_mean
from pubench.estimators.rows import Estimator
from pubench.estimators.rules import Rule
from pubench.plugins.imports import resolve
from pubench.plugins.registry import Registry
from pubench.plugins.requirements import unmet
from pubench.specs import ROW_WISE, Algorithm, Choice, Float, Int, JSONValue, Param
from pubench.suite import Suite
from pubench.suite.entries import AlgorithmEntry

__all__ = ["parameter_problems"]

_FILLED: Mapping[str, JSONValue] = {
    "prior": 0.5,
    "scenario": "single-training-set",
    "random_state": 0,
    "categorical_features": [],
    "n_labelled": 100,
    "image_shape": [2, 2],
    "deadline": None,
}
"""Examples of what pubench fills in, for each constructor parameter that an algorithm may receive."""


def parameter_problems(suite: Suite, registry: Registry) -> Iterator[str]:
    """Yield a sentence for each parameter that an algorithm does not know or allow, and for what cannot be imported."""
    for number, entry in enumerate(suite.algorithms):
        spec = registry.algorithm(entry.use).spec
        place = f"algorithms[{number}]"
        if unmet(spec.requires):
            # Its cells are skipped, with this reason.
            continue
        try:
            factory = resolve(spec.estimator)
            known = inspect.signature(factory).parameters
        except Exception as error:
            yield f"{place}: '{entry.use}' cannot be used: {type(error).__name__}: {error}"
            continue
        open_ended = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values())
        unknown = [] if open_ended else list(_unknown(entry, list(known)))
        problems = unknown or list(_not_allowed(entry, spec, factory))
        yield from (f"{place}{problem}" for problem in problems)


def _unknown(entry: AlgorithmEntry, known: Sequence[str]) -> Iterator[str]:
    for key, names in (("params", entry.params), ("search", entry.search or {})):
        for name in names:
            if name not in known:
                yield f".{key}.{name}: '{entry.use}' has no such parameter{did_you_mean(name, known)}"


def _not_allowed(entry: AlgorithmEntry, spec: Algorithm, factory: Callable[..., Estimator]) -> Iterator[str]:
    """Make the estimator as a cell would, and hold all values of the suite against its rules."""
    searched = {name: _values(param) for name, param in (entry.search or {}).items()}
    own = {name: _values(param)[0] for name, param in (spec.space if entry.tune else {}).items()}
    first = {name: values[0] for name, values in searched.items()}
    filled = {name: _FILLED[name] for name in spec.receives if name not in ROW_WISE}
    try:
        estimator = factory(**{**filled, **own, **first, **spec.params, **entry.params})
    except Exception as error:
        yield f": '{entry.use}' cannot be made with these parameters: {type(error).__name__}: {error}"
        return
    rules: Mapping[str, Rule] = getattr(estimator, "param_rules", {})
    for key, given in (
        ("params", {name: [value] for name, value in entry.params.items()}),
        ("search", searched),
    ):
        for name, values in given.items():
            refused = [value for value in values if name in rules and not rules[name].allows(value)]
            if refused:
                yield f".{key}.{name}: '{entry.use}' does not allow {refused[0]!r}; give {rules[name].text}"


def _values(param: Param) -> list[JSONValue]:
    """Return the ends of a range, or all choices."""
    match param:
        case Float() | Int():
            return [param.low, param.high]
        case Choice():
            return list(param.values)
        case _:
            assert_never(param)
