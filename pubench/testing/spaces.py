"""Checks of search spaces, for the contract of algorithms."""

from __future__ import annotations

import math

from pubench.errors import counted, did_you_mean
from pubench.specs import Algorithm, Choice, Float, Int, Param

__all__ = ["ends", "space_problem"]


def ends(param: Float | Int) -> tuple[float, float]:
    """Return the two ends of a range."""
    return (param.low, param.high)


def space_problem(spec: Algorithm, known: set[str] | None) -> str:
    """Return a sentence for the first problem of a search space, or an empty text."""
    for name, param in spec.space.items():
        if known is not None and name not in known:
            return (
                f"'{name}' in the search space is not a parameter of the estimator{did_you_mean(name, known)}"
            )
        if name in spec.receives:
            return f"'{name}' is both searched and received; remove it from space or from receives"
        problem = _param_problem(param)
        if problem:
            return f"the search space of '{name}' {problem}"
    return ""


def _param_problem(param: Param) -> str:
    if isinstance(param, Choice):
        if not param.values:
            return "has no values; list at least one"
        if len({(type(value), value) for value in param.values}) < len(param.values):
            return "lists a value twice; list it once"
        return ""
    if not isinstance(param, Float | Int):
        return f"is a {type(param).__name__}; use pubench.Float, pubench.Int or pubench.Choice"
    return _range_problem(param)


def _range_problem(param: Float | Int) -> str:
    if not (math.isfinite(param.low) and math.isfinite(param.high)):
        return f"has the ends {param.low} and {param.high}; set finite ones"
    if isinstance(param, Int) and not (isinstance(param.low, int) and isinstance(param.high, int)):
        return f"has the ends {param.low} and {param.high}; set whole ones for an Int"
    if not param.low < param.high:
        return f"is empty between {param.low} and {param.high}; set low below high"
    if param.log and param.low <= 0:
        return f"is logarithmic and starts at {param.low}; start above 0"
    if param.points < 2:
        return f"has {counted(param.points, 'point')} for a grid; set at least 2"
    return ""
