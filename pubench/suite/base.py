"""The base of a suite's tables: strict and frozen; validation reports all problems at once, with remedies."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic.functional_validators import ModelWrapValidatorHandler
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError, core_schema

from pubench.errors import did_you_mean

__all__ = ["Key", "KeyProblem", "Table", "TomlSchema", "read_table"]

T = TypeVar("T", bound="Table")
Key = tuple[str | int, ...]

# pydantic's error types that a suite can cause, worded for somebody who writes TOML.
REMEDIES: Mapping[str, str] = {
    "bool_type": "must be true or false; write it without quotes",
    "dict_type": "must be a table; write {{ key = value }}",
    "finite_number": "must be a finite number; set one that is neither inf nor nan",
    "float_type": "must be a number; write it without quotes",
    "greater_than": "must be more than {gt:g}; set a larger number",
    "greater_than_equal": "must be at least {ge:g}; set a larger number",
    "int_type": "must be a whole number; write it without quotes and without a decimal point",
    "less_than_equal": "must be at most {le:g}; set a smaller number",
    "literal_error": "must be {expected}; choose one of these",
    "model_type": "must be a table; write {{ key = value }}",
    "string_pattern_mismatch": "must be letters, digits, '-', '_' and '.', beginning with a letter or digit; rename it",
    "string_too_long": "must have at most {max_length} characters; shorten it",
    "string_too_short": "must not be empty; write a text or remove the key",
    "string_type": "must be text; put it in quotes",
    "too_short": "must not be empty; list at least one",
    "tuple_type": "must be a list; put values in square brackets, tables under double ones such as [[datasets]]",
}


@dataclass(frozen=True, slots=True)
class KeyProblem:
    """A problem of a suite: where (the path of keys), and what is wrong with its remedy."""

    key: Key
    text: str


class Table(BaseModel):
    """A TOML table: keys are fields, and ``conflicts`` reports values that exclude each other."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)

    @classmethod
    def conflicts(cls, given: Mapping[str, object]) -> Iterator[KeyProblem]:
        """Yield the problems between keys. Values in ``given`` are not validated yet and may be anything."""
        return iter(())

    @classmethod
    def prepared(cls, given: dict[str, object]) -> dict[str, object]:
        """Return the table to validate, derived from the table as written."""
        return given

    @model_validator(mode="wrap")
    @classmethod
    def _report_all(cls, given: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        # A plain "after" validator would not report conflicts while any single key is wrong.
        problems = tuple(cls.conflicts(given)) if isinstance(given, dict) else ()
        try:
            value = handler(cls.prepared(given) if isinstance(given, dict) else given)
        except ValidationError as error:
            details = [detail for detail in error.errors() if not _is_echo(detail)]
            problems = (*(_problem(cls, detail) for detail in details), *problems)
        if problems:
            raise ValidationError.from_exception_data(
                cls.__name__, [_detail(problem) for problem in problems]
            )
        return value


class TomlSchema(GenerateJsonSchema):
    """JSON Schema without null, which TOML lacks."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """Describe an optional key by the values it may hold."""
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Omit the default of a key that is absent by default."""
        described = super().default_schema(schema)
        return {
            key: value for key, value in described.items() if key != "default" or value not in (None, "", [])
        }


def read_table(table: type[T], document: Mapping[str, object]) -> T | tuple[KeyProblem, ...]:
    """Return the table as a value, or all its problems."""
    try:
        return table.model_validate(document)
    except ValidationError as error:
        return tuple(KeyProblem(detail["loc"], detail["msg"]) for detail in error.errors(include_url=False))


def _is_echo(detail: ErrorDetails) -> bool:
    """Whether pydantic calls a list too short only because all its items are invalid."""
    return detail["type"] == "too_short" and bool(detail["input"])


def _detail(problem: KeyProblem) -> InitErrorDetails:
    kind = PydanticCustomError("problem", "{text}", {"text": problem.text})
    return InitErrorDetails(type=kind, loc=problem.key, input=None)


def _problem(table: type[Table], detail: ErrorDetails) -> KeyProblem:
    return KeyProblem(detail["loc"], _text(table, detail))


def _text(table: type[Table], detail: ErrorDetails) -> str:
    kind, key = detail["type"], str(detail["loc"][-1]) if detail["loc"] else ""
    if kind == "missing":
        return f"is missing; add {_example(table, key)}"
    if kind == "extra_forbidden":
        return f"unknown key{did_you_mean(key, _keys(table))}"
    if kind == "value_error":
        return str(detail["ctx"]["error"])
    if kind in REMEDIES:
        return REMEDIES[kind].format(**detail.get("ctx", {}))
    return detail["msg"]


def _keys(table: type[Table]) -> list[str]:
    return [field.alias or name for name, field in table.model_fields.items()]


def _example(table: type[Table], key: str) -> str:
    examples = table.model_fields[key].examples if key in table.model_fields else None
    if not examples:
        return f"{key} = ..."
    return f"[[{key}]]" if isinstance(examples[0], list) else f"{key} = {json.dumps(examples[0])}"
