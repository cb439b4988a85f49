"""Checks that the contracts of criteria, metrics and prior estimators share, because all three are functions."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping

import numpy as np

from pubench.data.values import Array
from pubench.plugins.imports import resolve
from pubench.testing.contract import attempt, fail

__all__ = ["check_signature", "frozen_call", "number"]


def check_signature(
    function: str, call: str, arguments: tuple[object, ...], options: Mapping[str, object]
) -> None:
    """Fail unless the function can be called with these arguments; ``call`` is the call for messages."""
    with attempt(f"resolving '{function}'"):
        signature = inspect.signature(resolve(function))
    try:
        signature.bind(*arguments, **options)
    except TypeError as error:
        fail(f"{function}{signature} cannot be called as {call}: {error}; change its signature")


def number(value: object, what: str) -> float:
    """Return a value as a float; fail if it is not a number."""
    array = np.asarray(value)
    if isinstance(value, complex) or array.ndim != 0:
        fail(f"{what} returns {type(value).__name__} of shape {array.shape}; return one number")
    try:
        return float(array.item())
    except (TypeError, ValueError):
        fail(f"{what} returns {value!r}, which is not a number; return one number")


def frozen_call(call: Callable[[], object], arrays: Mapping[str, Array], what: str) -> float:
    """Return ``call()`` as a number; fail if it is infinite or if the call modified its input arrays."""
    before = {name: np.array(value) for name, value in arrays.items()}
    with attempt(what):
        result = number(call(), what)
    for name, value in arrays.items():
        if not np.array_equal(before[name], value):
            fail(f"{what} modified its input {name}; work on a copy")
    if math.isinf(result):
        fail(f"{what} returns {result}; return a finite number")
    return result
