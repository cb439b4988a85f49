"""The ``[[datasets]]`` and ``[[algorithms]]`` tables of a suite; their descriptions are the reference of keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, PlainValidator, ValidationError

from pubench.data.preprocess import Preprocess
from pubench.specs import Params
from pubench.suite.base import KeyProblem, Table
from pubench.suite.search import Searched
from pubench.suite.values import Classes, Count, Name, Names, Parameters, PositiveClasses

__all__ = [
    "AlgorithmEntry",
    "DatasetEntry",
    "Preprocessing",
    "SampleConfig",
    "is_valid",
    "read_preprocess",
]


class PreprocessTable(Table):
    """How the features are preprocessed. Means, scales and counts are learned from the training rows alone."""

    impute: Literal["mean", "median", "most-frequent", "none"] = Field(
        default=Preprocess().impute,
        description="The value that replaces a missing number.",
    )
    scale: Literal["standard", "minmax", "maxabs", "robust", "none"] = Field(
        default=Preprocess().scale,
        description="How numeric columns are scaled.",
    )
    categorical: Literal["one-hot", "codes"] = Field(
        default=Preprocess().categorical,
        description="How categorical columns are encoded. one-hot: a column for each category of the data set, "
        "including categories that occur only in test rows (such a column is 0 in all training rows); "
        "codes: numbers 0, 1, ... as loaded.",
    )
    min_count: Annotated[int, Field(ge=0)] = Field(
        default=Preprocess().min_count,
        description="Drops columns whose sum over the training rows is less; for term counts.",
    )
    norm: Literal["none", "l1", "l2"] = Field(
        default=Preprocess().norm,
        description="The norm by which each row is divided.",
    )
    resample: Literal["none", "smote-tomek"] = Field(
        default=Preprocess().resample,
        description="smote-tomek: balances the labels of fitted rows; needs `pubench[resample]`.",
    )


def is_valid(read: Callable[[object], object], value: object) -> bool:
    """Whether a table passes validation."""
    try:
        read(value)
    except ValidationError:
        return False
    return True


def read_preprocess(value: object) -> Params:
    """Return the keys that a preprocess table sets; the data set's own defaults apply to the others."""
    return PreprocessTable.model_validate(value).model_dump(exclude_unset=True)


if TYPE_CHECKING:
    Preprocessing = Params
else:
    # pydantic cannot build a validator for an alias that refers to itself.
    Preprocessing = Annotated[
        dict[str, object], PlainValidator(read_preprocess, json_schema_input_type=PreprocessTable)
    ]


class SampleConfig(Table):
    """The number of rows of each class to keep, drawn at random."""

    positive: Count | None = Field(
        default=None, description="The number of positive rows to keep; default: all."
    )
    negative: Count | None = Field(
        default=None, description="The number of negative rows to keep; default: all."
    )


class DatasetEntry(Table):
    """A data set, and which of its classes are positive."""

    use: Name = Field(description="The name of a registered data set.", examples=["breast-cancer"])
    name: Name = Field(default="", description="Its label in tables; default: the value of `use`.")
    params: Parameters = Field(default_factory=dict, description="Arguments of the data set's loader.")
    positive: PositiveClasses = Field(
        default=(),
        description="The positive classes; default: those that the data set declares. "
        '"minority": the rarest class (of equally rare ones, the first by name); '
        '"one-versus-rest": one problem for each class.',
    )
    negative: Classes = Field(
        default=(),
        description="The negative classes; rows of other classes are dropped. Default: all classes but the positive.",
    )
    sample: SampleConfig | None = Field(default=None, description="The number of rows of each class to keep.")
    preprocess: Preprocessing = Field(
        default_factory=dict,
        description="Overrides keys of [preprocess] for this data set.",
    )
    labellings: Names = Field(
        default=(), description="The labels of the labellings to apply to this data set; default: all."
    )

    @property
    def label(self) -> str:
        """The name in tables."""
        return self.name or self.use

    @classmethod
    def conflicts(cls, given: Mapping[str, object]) -> Iterator[KeyProblem]:
        """Refuse classes that are both positive and negative."""
        positive, negative = given.get("positive"), given.get("negative")
        if isinstance(positive, list) and isinstance(negative, list):
            both = [str(value) for value in negative if str(value) in map(str, positive)]
            if both:
                yield KeyProblem(
                    ("negative",), f"{both[0]!r} is also listed under positive; keep it in one of the two"
                )


class AlgorithmEntry(Table):
    """An algorithm, with its fixed parameters and those to search."""

    use: Name = Field(description="The name of a registered algorithm.", examples=["wlr"])
    name: Name = Field(default="", description="Its label in tables; default: the value of `use`.")
    params: Parameters = Field(default_factory=dict, description="Fixed parameters.")
    tune: bool = Field(default=False, description="Whether hyper-parameters are tuned as [tuning] says.")
    search: Mapping[Name, Searched] | None = Field(
        default=None,
        description="Replaces the algorithm's own search space: choices or a range for each parameter.",
    )
    threshold: Literal["own", "prior", "search"] | None = Field(
        default=None,
        description='Where decisions come from: "own", the algorithm itself; "prior", the cut of its scores at which '
        'the share of positives is the class prior, by out-of-fold scores of five more fits; "search" tries both. '
        "Default: what the algorithm is registered with. A prior that `params` or `search` give is used in place of "
        "the suite's.",
    )
    probability: Literal["own", "calibrated"] | None = Field(
        default=None,
        description='Where probabilities come from: "own", the algorithm itself, if it has any; "calibrated", '
        "out-of-fold scores and the class prior, or the one that `params` or `search` give. Default: what the "
        'algorithm is registered with if `report.metrics` has a metric of probabilities such as "brier" and the prior '
        'is known, otherwise "own".',
    )
    preprocess: Preprocessing = Field(
        default_factory=dict,
        description="Overrides keys of [preprocess] and of the data set for this algorithm; default: what it is "
        "registered with.",
    )
    datasets: Names = Field(
        default=(),
        description="The labels of the data sets to run it on; default: all. Two entries may share a label if they "
        "share no data set; they then form one column of a table, with separate parameters.",
    )

    @property
    def label(self) -> str:
        """The name in tables."""
        return self.name or self.use

    @classmethod
    def conflicts(cls, given: Mapping[str, object]) -> Iterator[KeyProblem]:
        """Refuse a search without tuning, and parameters both fixed and searched."""
        params, search = given.get("params"), given.get("search")
        if search and given.get("tune") is not True:
            yield KeyProblem(("search",), "has no effect here; add tune = true or remove search")
        if given.get("threshold") == "search" and given.get("tune") is not True:
            yield KeyProblem(
                ("threshold",), 'cannot be "search" here; add tune = true or choose "own" or "prior"'
            )
        if isinstance(params, dict) and isinstance(search, dict):
            for key in params.keys() & search.keys():
                yield KeyProblem(("search", key), "is also fixed under params; keep it in one of the two")

    @classmethod
    def prepared(cls, given: dict[str, object]) -> dict[str, object]:
        """Treat an empty search as absent, which stands for the algorithm's own space."""
        return {key: value for key, value in given.items() if key != "search" or value != {}}
