"""A suite as one frozen value, made of the tables it lists and of those that say how to run them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from pubench.suite.base import Problem, Table
from pubench.suite.entries import (
    AlgorithmEntry,
    DatasetEntry,
    LabellingEntry,
    Preprocessing,
    is_valid,
    read_preprocess,
)
from pubench.suite.labels import shared_labels, strange_labels, strange_numbers
from pubench.suite.reporting import PaperConfig, ReportConfig
from pubench.suite.smoke import SmokeConfig
from pubench.suite.values import Count, Factors, Names, Params, Share, Source

__all__ = ["LimitsConfig", "PriorConfig", "Suite", "TuningConfig"]


class TuningConfig(Table):
    """How hyper-parameters are chosen, for the algorithms with ``tune = true``."""

    criteria: Names = Field(
        default=("puf",),
        description="Criteria to choose by; each one makes a cell of its own.",
    )
    trials: Count | None = Field(
        default=None,
        description='Settings to try: 20 without it, or the whole grid with sampler = "grid".',
    )
    folds: Annotated[int, Field(ge=2)] | None = Field(
        default=None,
        description="Folds of cross-validation: 4 without it; excludes `validation`.",
    )
    validation: Share | None = Field(
        default=None,
        description="The share of a fixed validation set; excludes `folds`.",
    )
    sampler: Literal["tpe", "random", "grid"] = Field(default="tpe", description="How settings are proposed.")
    batch: Count = Field(
        default=4,
        description="Settings proposed at a time; the result depends on it, not on the workers.",
    )

    @classmethod
    def conflicts(cls, given: Mapping[str, Any]) -> Iterator[Problem]:
        """Refuse two ways of validating."""
        if given.get("folds") is not None and given.get("validation") is not None:
            yield Problem(("validation",), "excludes folds; remove one of the two")

    @classmethod
    def prepared(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Fill in the defaults that depend on other keys."""
        folds = {} if "validation" in given else {"folds": 4}
        trials = {} if given.get("sampler") == "grid" else {"trials": 20}
        return folds | trials | given

    @property
    def is_adaptive(self) -> bool:
        """Whether settings depend on the values of earlier ones, so that each criterion needs its own search."""
        return self.sampler == "tpe"


class PriorConfig(Table):
    """Where the class prior comes from that algorithms and criteria are given."""

    source: Source = Field(
        default="true",
        description='A number between 0 and 1, "true", "none", or the name of a prior estimator; '
        '"estimate" is the default one.',
    )
    params: Params = Field(default_factory=dict, description="Arguments of the prior estimator.")
    factors: Factors = Field(
        default=(),
        description="What the prior is multiplied by before it is handed on; each factor makes cells of its own, "
        "and a line of each table.",
    )

    @classmethod
    def conflicts(cls, given: Mapping[str, Any]) -> Iterator[Problem]:
        """Refuse factors that no prior can have."""
        source, factors = given.get("source", "true"), given.get("factors")
        if not factors or not isinstance(factors, list):
            return
        if source == "none":
            yield Problem(("factors",), 'have no effect with source = "none"; remove them or name a source')
        numbers = [value for value in factors if isinstance(value, int | float)]
        if isinstance(source, int | float) and 0 < source < 1 and numbers and source * max(numbers) >= 1:
            yield Problem(
                ("factors",), f"{max(numbers):g} times {source:g} is no prior; give smaller factors"
            )


class LimitsConfig(Table):
    """What one cell may use."""

    seconds: Annotated[float, Field(gt=0)] = Field(default=600.0, description="Time for one cell.")
    load_seconds: Annotated[float, Field(gt=0)] = Field(
        default=3600.0, description="Time for loading one data set."
    )
    memory_mb: Count = Field(default=4096, description="Memory for one cell, in megabytes.")
    threads: Count = Field(default=1, description="Threads for one cell.")


class Suite(Table):
    """The cells to run and the tables to make."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)] = Field(
        description="The suite's name and its run folder's: letters, digits, '-', '_' and '.'.",
        examples=["example"],
    )
    description: str = Field(default="", description="What the suite is for.")
    seed: Annotated[int, Field(ge=0)] = Field(
        default=0,
        description="All randomness follows from this number.",
    )
    replicates: Annotated[int, Field(ge=1, le=100_000)] = Field(
        default=5,
        description="How often each cell is repeated with fresh splits and labels.",
    )
    datasets: Annotated[tuple[DatasetEntry, ...], Field(strict=False, min_length=1)] = Field(
        description="The data sets.", examples=[[{"use": "breast-cancer"}]]
    )
    labellings: Annotated[tuple[LabellingEntry, ...], Field(strict=False, min_length=1)] = Field(
        description="The ways to label positives.",
        examples=[[{"scenario": "case-control", "positives": 100}]],
    )
    algorithms: Annotated[tuple[AlgorithmEntry, ...], Field(strict=False, min_length=1)] = Field(
        description="The algorithms.", examples=[[{"use": "wlr", "tune": True}]]
    )
    tuning: TuningConfig = Field(default_factory=TuningConfig, description="How hyper-parameters are chosen.")
    prior: PriorConfig = Field(default_factory=PriorConfig, description="Where the class prior comes from.")
    preprocess: Preprocessing = Field(default_factory=dict, description="How features are made ready.")
    limits: LimitsConfig = Field(default_factory=LimitsConfig, description="Time and memory of each cell.")
    report: ReportConfig = Field(default_factory=ReportConfig, description="The tables to make.")
    paper: PaperConfig = Field(
        default_factory=PaperConfig, description="Published results to set beside ours."
    )
    smoke: SmokeConfig = Field(
        default_factory=SmokeConfig, description="What the smoke size of the suite runs."
    )

    @classmethod
    def conflicts(cls, given: Mapping[str, Any]) -> Iterator[Problem]:
        """Refuse two rows or columns of a table with one label, and a paper's numbers that have no place in one."""
        yield from shared_labels(given)
        yield from strange_labels(given)
        yield from strange_numbers(given)

    @classmethod
    def prepared(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Let the data sets' preprocess tables inherit from the suite's, key by key."""
        common, datasets = given.get("preprocess"), given.get("datasets")
        # A wrong table is told once, where it stands, not again for every data set.
        if (
            not isinstance(datasets, list)
            or not isinstance(common, dict)
            or not is_valid(read_preprocess, common)
        ):
            return given
        return given | {"datasets": [_inherit(entry, common) for entry in datasets]}


def _inherit(entry: Any, common: dict[str, Any]) -> Any:
    own = entry.get("preprocess", {}) if isinstance(entry, dict) else None
    return entry | {"preprocess": common | own} if isinstance(own, dict) else entry
