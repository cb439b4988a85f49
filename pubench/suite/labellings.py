"""The ``[[labellings]]`` tables of a suite, read as :class:`Labelling`; each mechanism brings its own keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from dataclasses import Field as DataclassField
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import Field, PlainValidator, create_model

from pubench.data.labelling import MECHANISMS, Labelling, Mechanism
from pubench.specs import Scenario
from pubench.suite.base import KeyProblem, Table
from pubench.suite.values import Name, Positives, TestShare

__all__ = ["LabellingEntry", "read_labelling"]

DEFAULT_MECHANISM = "scar"


class _LabellingKeys(Table):
    name: Name = Field(default="", description="Its label in tables; default: derived from the other keys.")
    scenario: Scenario = Field(
        description="case-control: the unlabelled rows are a sample of the population, and the positives are drawn "
        "separately; single-training-set: labelled and unlabelled rows together are the sample.",
        examples=["case-control"],
    )
    positives: Positives | None = Field(
        default=None,
        description="The number of labelled positives; excludes `frequency`. "
        '"given": the labels that real PU data come with.',
    )
    frequency: Annotated[float, Field(gt=0, le=1)] | None = Field(
        default=None,
        description="The share of the positives that are labelled; excludes `positives`.",
    )
    test: TestShare = Field(
        default=0.3,
        description='The share of test rows, or "given": the data set\'s own split.',
    )
    test_from: Literal["population", "unlabelled"] = Field(
        default="population",
        description="population: split first, then label training positives; unlabelled: label first, then test on "
        "a share of the unlabelled rows.",
    )
    unlabelled_positives: Annotated[float, Field(ge=0, le=1)] = Field(
        default=1.0,
        description="The share of the training positives without a label that stay among the unlabelled rows; the "
        "others are excluded from training. For single training sets.",
    )

    @classmethod
    def conflicts(cls, given: Mapping[str, object]) -> Iterator[KeyProblem]:
        """Demand one of positives and frequency; refuse keys without effect."""
        if ("positives" in given) == ("frequency" in given):
            state = "both are given; remove one" if "positives" in given else "neither is given; add one"
            yield KeyProblem((), f"needs either positives (a count) or frequency (a share), but {state}")
        yield from _mechanism_conflicts(given)
        yield from _test_conflicts(given)
        is_given = given.get("positives") == "given"
        if "unlabelled_positives" in given and (is_given or given.get("scenario") == "case-control"):
            yield KeyProblem(
                ("unlabelled_positives",), "is for single training sets whose labels are drawn; remove it"
            )


def _mechanism_conflicts(given: Mapping[str, object]) -> Iterator[KeyProblem]:
    chosen = given.get("mechanism", DEFAULT_MECHANISM)
    # The type of the key reports other values.
    is_other = isinstance(chosen, str) and chosen in MECHANISMS and chosen != DEFAULT_MECHANISM
    if given.get("positives") == "given" and is_other:
        yield _not_drawn("mechanism", chosen)
    for name in MECHANISMS:
        if name in given and chosen != name:
            yield KeyProblem((name,), f'has no effect here; add mechanism = "{name}" or remove {name}')


def _test_conflicts(given: Mapping[str, object]) -> Iterator[KeyProblem]:
    if given.get("test_from") != "unlabelled":
        return
    if given.get("positives") == "given":
        yield _not_drawn("test_from", "unlabelled")
    if given.get("scenario") == "single-training-set":
        yield KeyProblem(
            ("test_from",), 'is for case-control data; remove it or set scenario = "case-control"'
        )
    if given.get("test") == "given":
        yield KeyProblem(
            ("test",), 'cannot be "given" with test_from = "unlabelled"; set a share such as 0.3'
        )


def _not_drawn(key: str, value: object) -> KeyProblem:
    return KeyProblem(
        (key,), f'cannot be "{value}" with positives = "given", because those labels are not drawn; remove it'
    )


def _parameter_table(mechanism: type[Mechanism]) -> type[Table]:
    """Return the table of a mechanism's parameters, made from the fields of its class."""
    types = get_type_hints(mechanism)
    keys: dict[str, Any] = {  # edge: pydantic's definitions of fields
        parameter.name: (types[parameter.name], Field(default=_default(parameter), **parameter.metadata))
        for parameter in fields(mechanism)
    }
    about = f"The parameters of the mechanism {mechanism.name}: {mechanism.summary}."
    return create_model(f"{mechanism.__name__}Table", __base__=Table, __doc__=about, **keys)


def _default(parameter: DataclassField[object]) -> object:
    # pydantic's mark of a required key.
    return ... if parameter.default is MISSING else parameter.default


def _labelling_table() -> type[Table]:
    """Return the table of a labelling: the keys above, the mechanism, and the tables of their parameters."""
    summaries = "; ".join(f"{name}: {mechanism.summary}" for name, mechanism in MECHANISMS.items())
    about = f"How positives are chosen for labelling. {summaries}."
    keys: dict[str, Any] = {  # edge: pydantic's definitions of fields
        "mechanism": (Literal[tuple(MECHANISMS)], Field(default=DEFAULT_MECHANISM, description=about))
    }
    for name, table in PARAMETER_TABLES.items():
        about = f'The parameters of mechanism = "{name}".'
        keys[name] = (table, Field(default_factory=table, description=about))
    return create_model(
        "LabellingTable",
        __base__=_LabellingKeys,
        __doc__="How labelled positives are drawn from the true classes.",
        **keys,
    )


PARAMETER_TABLES: Mapping[str, type[Table]] = {
    name: _parameter_table(mechanism) for name, mechanism in MECHANISMS.items() if fields(mechanism)
}
LabellingTable = _labelling_table()


def read_labelling(value: object) -> Labelling:
    """Return the labelling that a table describes; a labelling created in Python is returned unchanged."""
    if isinstance(value, Labelling):
        return value
    keys = LabellingTable.model_validate(value).model_dump()
    parameters = {name: keys.pop(name) for name in PARAMETER_TABLES}
    name = keys.pop("mechanism")
    return Labelling(**keys, mechanism=MECHANISMS[name](**parameters.get(name, {})))


LabellingEntry = Annotated[Labelling, PlainValidator(read_labelling, json_schema_input_type=LabellingTable)]
