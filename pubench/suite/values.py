"""The types of a suite's values, used by its tables; their errors end with a remedy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from pydantic import AfterValidator, Field, PlainValidator

if TYPE_CHECKING:
    from pubench.specs import Params

__all__ = [
    "Classes",
    "Count",
    "Factors",
    "Name",
    "Names",
    "Parameters",
    "PositiveClasses",
    "Positives",
    "Share",
    "Source",
    "TestShare",
]


PositiveRule = Literal["minority", "one-versus-rest"]
T = TypeVar("T")


def _one_line(value: str) -> str:
    if not value.isprintable() or value != value.strip():
        raise ValueError("must be one line of printable text; remove line breaks, tabs and outer spaces")
    return value


def _share(value: float) -> float:
    if not 0 < value < 1:
        raise ValueError("must lie between 0 and 1, both excluded; set a share such as 0.25")
    return value


def _distinct(values: tuple[T, ...]) -> tuple[T, ...]:
    twice = next((value for i, value in enumerate(values) if value in values[:i]), None)
    if twice is not None:
        raise ValueError(f"lists {twice!r} twice; list it once")
    return values


def _jsonable(value: Mapping[str, object]) -> Mapping[str, object]:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        remedy = "use only text, finite numbers, true, false, lists and tables (put a date in quotes)"
        raise ValueError(f"contains a value that parameters cannot have; {remedy}") from None
    return value


def _class_name(value: object) -> str:
    if not isinstance(value, str | int):
        raise ValueError("must be the name of a class; write text, a whole number, true or false")
    return str(value)


def _source(value: object) -> str | float:
    if isinstance(value, str) and value and not value.replace(".", "", 1).isdigit():
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1:
        return float(value)
    raise ValueError(
        "must be a number between 0 and 1, both excluded, 'true', 'none' or the name of a prior estimator; "
        "write one of these (a number without quotes)"
    )


def _factors(values: tuple[float, ...]) -> tuple[float, ...]:
    if any(not 0 < value <= 1000 for value in values):
        raise ValueError("must be above 0 and at most 1000; write numbers such as [0.5, 1, 2]")
    return _distinct(tuple(float(value) for value in values))


def _test(value: object) -> float | Literal["given"]:
    if value == "given":
        return "given"
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1:
        return float(value)
    raise ValueError("must be a share between 0 and 1, both excluded, or 'given'; set one such as 0.3")


def _positive_classes(value: object) -> tuple[str, ...] | PositiveRule:
    if value == "minority" or value == "one-versus-rest":
        return value
    if isinstance(value, list | tuple) and value:
        return _distinct(tuple(_class_name(name) for name in value))
    raise ValueError(
        "must be a list of classes, 'minority' or 'one-versus-rest'; write one such as [\"yes\"]"
    )


def _positives(value: object) -> int | Literal["given"]:
    if value == "given":
        return "given"
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 1_000_000_000:
        return value
    raise ValueError("must be a whole number of at least 1, or 'given'; set one such as 100")


Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_one_line)]
Share = Annotated[
    float, AfterValidator(_share), Field(json_schema_extra={"exclusiveMinimum": 0, "exclusiveMaximum": 1})
]
Count = Annotated[int, Field(ge=1, le=1_000_000_000)]
if TYPE_CHECKING:
    Parameters = Params
else:
    # pydantic cannot build a validator for an alias that refers to itself.
    Parameters = Annotated[Mapping[str, object], AfterValidator(_jsonable)]
Names = Annotated[tuple[Name, ...], Field(strict=False, min_length=1), AfterValidator(_distinct)]
ClassName = Annotated[str, PlainValidator(_class_name, json_schema_input_type=str | int | bool)]
Classes = Annotated[tuple[ClassName, ...], Field(strict=False, min_length=1), AfterValidator(_distinct)]
PositiveClasses = Annotated[
    tuple[str, ...] | PositiveRule,
    PlainValidator(_positive_classes, json_schema_input_type=list[str | int | bool] | PositiveRule),
]
Source = Annotated[str | float, PlainValidator(_source, json_schema_input_type=str | float)]
Factors = Annotated[tuple[float, ...], Field(strict=False, min_length=1), AfterValidator(_factors)]
Positives = Annotated[
    int | Literal["given"],
    PlainValidator(_positives, json_schema_input_type=Count | Literal["given"]),
]
TestShare = Annotated[
    float | Literal["given"], PlainValidator(_test, json_schema_input_type=float | Literal["given"])
]
