"""The ``search`` tables of a suite's algorithms, read as search spaces: lists of choices, or ranges."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from pydantic import Field, PlainValidator

from pubench.specs import Choice, Float, Int, Param
from pubench.suite.base import KeyProblem, Table
from pubench.suite.values import Count

__all__ = ["RangeTable", "Searched"]


class RangeTable(Table):
    """A range of numbers to search."""

    low: float = Field(description="The smallest value.", examples=[0.001])
    high: float = Field(description="The largest value.", examples=[10.0])
    log: bool = Field(default=False, description="Whether to search on a logarithmic scale.")
    whole: bool = Field(default=False, alias="int", description="Whether only whole numbers are allowed.")
    points: Count = Field(default=5, description="The number of values in a grid.")

    @classmethod
    def conflicts(cls, given: Mapping[str, object]) -> Iterator[KeyProblem]:
        """Refuse empty ranges, logarithms of numbers that are not positive, and fractional ends of integer ranges."""
        ends = {key: end for key in ("low", "high") if isinstance(end := given.get(key), int | float)}
        if len(ends) == 2 and ends["low"] > ends["high"]:
            yield KeyProblem(("low",), f"must not be more than high = {ends['high']}; swap the two")
        if len(ends) == 2 and not math.isfinite(float(ends["high"]) - float(ends["low"])):
            yield KeyProblem(("high",), "is too far from low; set a range whose width is a finite number")
        if given.get("log") is True and ends.get("low", 1) <= 0:
            yield KeyProblem(
                ("low",), "must be more than 0 when log = true; set a larger number or remove log"
            )
        for key, end in ends.items():
            if given.get("int") is True and math.isfinite(end) and end != int(end):
                yield KeyProblem((key,), "must be a whole number when int = true; round it or remove int")


def _param(value: object) -> Param:
    if isinstance(value, Float | Int | Choice):
        return value
    if isinstance(value, list):
        return Choice(_choices(value))
    if not isinstance(value, dict):
        raise ValueError("must be a list of choices or a range; write [1, 2] or { low = 0.1, high = 10 }")
    table = RangeTable.model_validate(value)
    if table.whole:
        return Int(int(table.low), int(table.high), table.log, table.points)
    return Float(table.low, table.high, table.log, table.points)


def _choices(values: Sequence[object]) -> tuple[str | int | float | bool | None, ...]:
    if not values:
        raise ValueError("must not be empty; list at least one choice")
    choices = [value for value in values if isinstance(value, str | int | float) and _is_finite(value)]
    if len(choices) < len(values):
        raise ValueError("must list only text, finite numbers, true and false; remove the others")
    # True == 1 == 1.0 in Python, but they are three choices.
    if len({(type(value), value) for value in choices}) < len(choices):
        raise ValueError("lists a choice twice; list it once")
    return tuple(choices)


def _is_finite(value: str | float) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


Searched = Annotated[
    Param, PlainValidator(_param, json_schema_input_type=RangeTable | list[str | int | float | bool])
]
