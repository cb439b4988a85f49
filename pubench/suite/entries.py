"""The tables that a suite lists: data sets, labellings, algorithms. Their descriptions are the reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, ValidationError

from pubench.data.labelling import Labelling
from pubench.data.preprocess import Preprocess
from pubench.specs import Scenario
from pubench.suite.base import Problem, Table
from pubench.suite.search import Searched
from pubench.suite.values import Classes, Count, Name, Names, Params, PositiveClasses, Positives, TestShare

__all__ = [
    "AlgorithmEntry",
    "DatasetEntry",
    "LabellingEntry",
    "Preprocessing",
    "SampleConfig",
    "is_valid",
    "read_labelling",
    "read_preprocess",
]


class PreprocessTable(Table):
    """How the features are made ready. Means, scales and counts are learned from the training rows alone."""

    impute: Literal["mean", "median", "most-frequent", "none"] = Field(
        default=Preprocess().impute,
        description="What replaces a missing number.",
    )
    scale: Literal["standard", "minmax", "maxabs", "robust", "none"] = Field(
        default=Preprocess().scale,
        description="How numeric columns are scaled.",
    )
    categorical: Literal["one-hot", "codes"] = Field(
        default=Preprocess().categorical,
        description="How categorical columns reach the algorithm. one-hot: a column for each category of the data "
        "set, those that occur in test rows only included (such a column is 0 in all training rows); "
        "codes: numbers 0, 1, ... as loaded.",
    )
    min_count: Annotated[int, Field(ge=0)] = Field(
        default=Preprocess().min_count,
        description="Drops columns whose training rows add up to less; for term counts.",
    )
    norm: Literal["none", "l1", "l2"] = Field(
        default=Preprocess().norm,
        description="The length that each row is given.",
    )


def is_valid(read: Callable[[Any], object], value: object) -> bool:
    """Whether a table can be read."""
    try:
        read(value)
    except ValidationError:
        return False
    return True


def read_preprocess(value: object) -> Mapping[str, Any]:
    """Return the keys that a preprocess table sets; for the others the data set's own defaults hold."""
    return PreprocessTable.model_validate(value).model_dump(exclude_unset=True)


Preprocessing = Annotated[
    Mapping[str, Any], PlainValidator(read_preprocess, json_schema_input_type=PreprocessTable)
]


class SampleConfig(Table):
    """How many rows of each class to keep, drawn at random."""

    positive: Count | None = Field(default=None, description="Positive rows to keep; all without it.")
    negative: Count | None = Field(default=None, description="Negative rows to keep; all without it.")


class DatasetEntry(Table):
    """A data set, and which of its classes are positive."""

    use: Name = Field(description="The name of a registered data set.", examples=["breast-cancer"])
    name: Name = Field(default="", description="Its label in tables; the value of `use` without it.")
    params: Params = Field(default_factory=dict, description="Arguments of the data set's own loader.")
    positive: PositiveClasses = Field(
        default=(),
        description="Classes counted as positive; the data set's own choice without it. "
        '"minority": the rarest class, of equally rare ones the first by name; '
        '"one-versus-rest": one problem for each class.',
    )
    negative: Classes = Field(
        default=(),
        description="Classes counted as negative, others are dropped; the rest without it.",
    )
    sample: SampleConfig | None = Field(default=None, description="Keep only so many rows of each class.")
    preprocess: Preprocessing = Field(
        default_factory=dict,
        description="Overrides [preprocess] for this data set, key by key.",
    )
    labellings: Names = Field(
        default=(), description="The labels of the labellings that it is given; all without it."
    )

    @property
    def label(self) -> str:
        """The name in tables."""
        return self.name or self.use

    @classmethod
    def conflicts(cls, given: Mapping[str, Any]) -> Iterator[Problem]:
        """Refuse classes that are both positive and negative."""
        positive, negative = given.get("positive"), given.get("negative")
        if isinstance(positive, list) and isinstance(negative, list):
            both = [str(value) for value in negative if str(value) in map(str, positive)]
            if both:
                yield Problem(
                    ("negative",), f"{both[0]!r} is listed under positive too; keep it in one of the two"
                )


class SarTable(Table):
    """The hidden model behind labels that depend on the features."""

    model: Literal["linear", "direction"] = Field(
        default="linear",
        description="linear: a linear model of the true class; direction: a random projection.",
    )
    strength: Annotated[float, Field(ge=-1e6, le=1e6)] = Field(
        default=2.0,
        description="Slope of the propensity in standard deviations of the model's score.",
    )


class LabellingTable(Table):
    """How labelled positives are made from true classes."""

    name: Name = Field(default="", description="Its label in tables; made from the other keys without it.")
    scenario: Scenario = Field(
        description="case-control: the unlabelled rows are a sample of the population, positives come apart; "
        "single-training-set: labelled and unlabelled rows together are the sample.",
        examples=["case-control"],
    )
    positives: Positives | None = Field(
        default=None,
        description="How many positives are labelled; excludes `frequency`. "
        '"given": the labels that real PU data come with.',
    )
    frequency: Annotated[float, Field(gt=0, le=1)] | None = Field(
        default=None,
        description="The share of the positives that are labelled; excludes `positives`.",
    )
    mechanism: Literal["scar", "sar"] = Field(
        default="scar",
        description="scar: labelled at random; sar: the chance of a label depends on the features.",
    )
    sar: SarTable = Field(default_factory=SarTable, description='The model of mechanism = "sar".')
    test: TestShare = Field(
        default=0.3,
        description='The share of rows kept for testing, or "given": the data\'s own split.',
    )
    test_from: Literal["population", "unlabelled"] = Field(
        default="population",
        description="unlabelled: label first, then test on a share of the unlabelled rows.",
    )
    unlabelled_positives: Annotated[float, Field(ge=0, le=1)] = Field(
        default=1.0,
        description="The share of the training positives without a label that stay among the unlabelled rows; the "
        "others are left out of training. For single training sets.",
    )

    @classmethod
    def conflicts(cls, given: Mapping[str, Any]) -> Iterator[Problem]:
        """Demand one of positives and frequency; refuse keys that would have no effect."""
        if ("positives" in given) == ("frequency" in given):
            state = "both are given; remove one" if "positives" in given else "neither is given; add one"
            yield Problem((), f"needs either positives (a count) or frequency (a share), but {state}")
        if given.get("positives") == "given":
            yield from _given_conflicts(given)
        if "sar" in given and given.get("mechanism") != "sar":
            yield Problem(("sar",), 'has no effect here; add mechanism = "sar" or remove sar')
        if given.get("test_from") == "unlabelled" and given.get("scenario") == "single-training-set":
            yield Problem(
                ("test_from",), 'is for case-control data; remove it or set scenario = "case-control"'
            )
        if "unlabelled_positives" in given and (
            given.get("scenario") == "case-control" or given.get("positives") == "given"
        ):
            yield Problem(
                ("unlabelled_positives",), "is for single training sets whose labels are drawn; remove it"
            )
        if given.get("test_from") == "unlabelled" and given.get("test") == "given":
            yield Problem(
                ("test",), 'cannot be "given" with test_from = "unlabelled"; give a share such as 0.3'
            )


def _given_conflicts(given: Mapping[str, Any]) -> Iterator[Problem]:
    """Refuse what says how to draw labels where the data bring theirs."""
    for key, value in (("mechanism", "sar"), ("test_from", "unlabelled")):
        if given.get(key) == value:
            yield Problem(
                (key,), f'cannot be "{value}" with positives = "given": those labels are not drawn; remove it'
            )


def read_labelling(value: object) -> Labelling:
    """Return a labelling from its table (or as it is, when made in Python)."""
    if isinstance(value, Labelling):
        return value
    table = LabellingTable.model_validate(value)
    plain = table.model_dump(exclude={"sar"})
    return Labelling(**plain, sar_model=table.sar.model, sar_strength=table.sar.strength)


LabellingEntry = Annotated[Labelling, PlainValidator(read_labelling, json_schema_input_type=LabellingTable)]


class AlgorithmEntry(Table):
    """An algorithm, with the parameters that are fixed and those that are searched."""

    use: Name = Field(description="The name of a registered algorithm.", examples=["wlr"])
    name: Name = Field(default="", description="Its label in tables; the value of `use` without it.")
    params: Params = Field(default_factory=dict, description="Parameters that stay fixed.")
    tune: bool = Field(default=False, description="Whether parameters are searched, as [tuning] says.")
    search: Mapping[Name, Searched] | None = Field(
        default=None,
        description="Replaces the algorithm's own search space: for each parameter choices or a range.",
    )
    datasets: Names = Field(
        default=(),
        description="The labels of the data sets that it is run on; all without it. Two entries may share a label if "
        "their data sets differ: one column of a table, with parameters of its own for each data set.",
    )

    @property
    def label(self) -> str:
        """The name in tables."""
        return self.name or self.use

    @classmethod
    def conflicts(cls, given: Mapping[str, Any]) -> Iterator[Problem]:
        """Refuse a search without tuning, and parameters both fixed and searched."""
        params, search = given.get("params"), given.get("search")
        if search and given.get("tune") is not True:
            yield Problem(("search",), "has no effect here; add tune = true or remove search")
        if isinstance(params, dict) and isinstance(search, dict):
            for key in params.keys() & search.keys():
                yield Problem(("search", key), "is fixed under params too; keep it in one of the two")

    @classmethod
    def prepared(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Take an empty search for none: the algorithm's own space."""
        return {key: value for key, value in given.items() if key != "search" or value != {}}
