"""Checks that criteria, metrics and prior estimators share: they are functions, called with fixed arguments."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from pubench.plugins.imports import resolve
from pubench.testing.contract import attempt, fail

__all__ = ["check_signature", "frozen_call", "number"]


def check_signature(
    function: str, written: str, arguments: tuple[Any, ...], options: Mapping[str, Any]
) -> None:
    """Fail unless the function can be called with these arguments; ``written`` is how pubench calls it."""
    with attempt(f"resolving '{function}'"):
        found = resolve(function)
    try:
        inspect.signature(found).bind(*arguments, **options)
    except TypeError as error:
        fail(
            f"{function}{inspect.signature(found)} cannot be called as pubench does it, {written}: {error}; change its "
            "signature"
        )


def number(value: Any, what: str) -> float:
    """Return a value as a float, or fail because it is none."""
    if isinstance(value, complex) or np.ndim(value) != 0:
        fail(f"{what} returns {type(value).__name__} of shape {np.shape(value)}; return one number")
    try:
        return float(value)
    except (TypeError, ValueError):
        fail(f"{what} returns {value!r}, which is no number")


def frozen_call(call: Any, arrays: Mapping[str, Any], what: str) -> float:
    """Return ``call()`` as a number, and fail if it is infinite or if the arrays it was given have changed."""
    before = {name: np.array(value) for name, value in arrays.items()}
    with attempt(what):
        found = number(call(), what)
    for name, value in arrays.items():
        if not np.array_equal(before[name], value):
            fail(f"{what} wrote into the {name} it was given; work on a copy")
    if math.isinf(found):
        fail(f"{what} returns {found}; return a finite number")
    return found
