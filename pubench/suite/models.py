"""A suite as one frozen value, which the plan turns into cells: its entries, and how to run them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field

from pubench.specs import TuningRule
from pubench.suite.base import KeyProblem, Table
from pubench.suite.entries import (
    AlgorithmEntry,
    DatasetEntry,
    Preprocessing,
    is_valid,
    read_preprocess,
)
from pubench.suite.labellings import LabellingEntry
from pubench.suite.references import (
    duplicate_labels,
    misplaced_claims,
    misplaced_numbers,
    unknown_control,
    unknown_labels,
    unknown_members,
)
from pubench.suite.reporting import PaperConfig, ReportConfig
from pubench.suite.samplers import GRIDS, SAMPLERS, SamplerName
from pubench.suite.smoke import SmokeConfig
from pubench.suite.values import Count, Factors, Names, Parameters, Share, Source

__all__ = ["LimitsConfig", "PriorConfig", "StoreConfig", "Suite", "TuningConfig"]


WITH_PRIOR, WITHOUT_PRIOR = "nnpu-risk", "puf"
"""The criteria of suites that name none: docs/conclusions.md has what each gains."""


def _has_no_standard_error(given: Mapping[str, object]) -> bool:
    return given.get("validation") is not None or given.get("defaults") is False


class TuningConfig(Table):
    """How hyper-parameters are chosen, for the algorithms with ``tune = true``."""

    criteria: Names = Field(
        default_factory=lambda: (WITHOUT_PRIOR,),
        description="The criteria for model selection; each one adds a cell. Default: `nnpu-risk` where the prior is "
        "known or estimated, `puf` where it is not.",
    )
    trials: Count | None = Field(
        default=None,
        description='The number of settings to try; default: 20, or the whole grid with sampler = "grid" and '
        '"grid-greedy".',
    )
    folds: Annotated[int, Field(ge=2)] | None = Field(
        default=None,
        description="The number of cross-validation folds; default: 4; excludes `validation`.",
    )
    validation: Share | None = Field(
        default=None,
        description="The share of training rows in a fixed validation set; excludes `folds`.",
    )
    split: Literal["random", "spatial"] = Field(
        default="random",
        description='How rows are assigned to folds: "random", or "spatial", as square blocks of the map, for data '
        "sets with coordinates. Folds have equally many labelled rows in both.",
    )
    sampler: SamplerName = Field(default="tpe", description="How settings are proposed.")
    batch: Count = Field(
        default=4,
        description="The number of settings proposed at a time; results depend on it, not on the number of workers.",
    )
    pruner: Literal["none", "median", "hyperband"] = Field(
        default="none",
        description="Whether trials are given up early, by what methods say with `pubench.progress` while they train: "
        '"median", those worse than the median of earlier trials at the same step; "hyperband", all but the best third '
        "at some steps. A trial is compared with those of earlier batches (`batch`), so that results do not depend on "
        "the number of workers.",
    )
    defaults: bool = Field(
        default=True,
        description="Whether the first trial is the algorithm's default setting.",
    )
    rule: TuningRule = Field(
        default="corrected-se",
        description='Which trial is chosen: "best", the one with the best mean over folds; "one-se", the default '
        "setting unless the best is better by more than one standard error of the difference over folds; "
        '"corrected-se", the same with a standard error that allows for training rows that folds share. The default '
        'is "best" if there is a validation set, which has no folds, or if `defaults` is false.',
    )

    @classmethod
    def conflicts(cls, given: Mapping[str, object]) -> Iterator[KeyProblem]:
        """Refuse what a validation set excludes, folds and spatial blocks, and a rule that has nothing to compare."""
        if given.get("folds") is not None and given.get("validation") is not None:
            yield KeyProblem(("validation",), "excludes folds; remove one of the two")
        if given.get("split") == "spatial" and given.get("validation") is not None:
            yield KeyProblem(("split",), 'cannot be "spatial" with a validation set; use folds')
        rule = given.get("rule", "best")
        if rule != "best" and _has_no_standard_error(given):
            yield KeyProblem(
                ("rule",), f'cannot be "{rule}" without folds or with defaults = false; use "best"'
            )

    @classmethod
    def prepared(cls, given: dict[str, object]) -> dict[str, object]:
        """Fill in the defaults that depend on other keys."""
        defaults: dict[str, object] = {} if "validation" in given else {"folds": 4}
        if given.get("sampler") not in GRIDS:
            defaults["trials"] = 20
        if _has_no_standard_error(given):
            defaults["rule"] = "best"
        return defaults | given

    @property
    def is_adaptive(self) -> bool:
        """Whether proposals depend on earlier values, so that each criterion needs its own search."""
        return SAMPLERS[self.sampler].adaptive


class PriorConfig(Table):
    """The source of the class prior that algorithms and criteria receive."""

    source: Source = Field(
        default="true",
        description='A number between 0 and 1, "true", "none", or the name of a prior estimator; '
        '"estimate" is the default one.',
    )
    params: Parameters = Field(default_factory=dict, description="Arguments of the prior estimator.")
    factors: Factors = Field(
        default=(),
        description="Factors to multiply the prior by; each factor adds cells, and a row to each table.",
    )

    @classmethod
    def conflicts(cls, given: Mapping[str, object]) -> Iterator[KeyProblem]:
        """Refuse factors without effect, and those that make the prior 1 or more."""
        source, factors = given.get("source", "true"), given.get("factors")
        if not factors or not isinstance(factors, list):
            return
        if source == "none":
            yield KeyProblem(("factors",), 'have no effect with source = "none"; remove them or set a source')
        numbers = [value for value in factors if isinstance(value, int | float)]
        if isinstance(source, int | float) and 0 < source < 1 and numbers and source * max(numbers) >= 1:
            yield KeyProblem(
                ("factors",), f"{max(numbers):g} times {source:g} is not a valid prior; reduce the factors"
            )


class LimitsConfig(Table):
    """The limits of one cell."""

    seconds: Annotated[float, Field(gt=0)] = Field(
        default=600.0, description="Time limit of one cell, in seconds."
    )
    load_seconds: Annotated[float, Field(gt=0)] = Field(
        default=3600.0, description="Time limit of loading one data set, in seconds."
    )
    memory_mb: Count = Field(default=4096, description="Memory limit of one cell, in megabytes.")
    threads: Count = Field(default=1, description="The number of threads of one cell.")
    on_timeout: Literal["timeout", "best-so-far"] = Field(
        default="timeout",
        description="What happens to a cell whose search reaches its time limit: timeout, or best-so-far to choose "
        "from the finished trials.",
    )
    isolation: Literal["task", "package"] = Field(
        default="task",
        description="What gets a process of its own: each task, or, for many tiny cells, all tasks of a package.",
    )


class StoreConfig(Table):
    """What a run keeps next to the results; no key here changes a result or runs a finished cell again."""

    predictions: bool = Field(
        default=False,
        description="Whether to keep the test predictions of each cell, for `pubench rescore`.",
    )
    pictures: bool = Field(
        default=True,
        description="Whether to keep up to six images of each class of a data set of images, for the report.",
    )
    trials: bool = Field(
        default=False,
        description="Whether each trial of a search is also fitted on all training rows and judged on the test rows, "
        "for `pubench export --trials`. The choice does not see these metrics.",
    )


class Suite(Table):
    """A suite: the cells to run and the tables to report."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)] = Field(
        description="The name of the suite and of its run folder: letters, digits, '-', '_' and '.'.",
        examples=["example"],
    )
    description: str = Field(default="", description="What the suite is for.")
    seed: Annotated[int, Field(ge=0)] = Field(
        default=0,
        description="Random seed.",
    )
    replicates: Annotated[int, Field(ge=1, le=100_000)] = Field(
        default=5,
        description="The number of repetitions of each cell, each with its own split and labels.",
    )
    datasets: Annotated[tuple[DatasetEntry, ...], Field(strict=False, min_length=1)] = Field(
        description="The data sets.", examples=[[{"use": "breast-cancer"}]]
    )
    labellings: Annotated[tuple[LabellingEntry, ...], Field(strict=False, min_length=1)] = Field(
        description="How positives are labelled.",
        examples=[[{"scenario": "case-control", "positives": 100}]],
    )
    algorithms: Annotated[tuple[AlgorithmEntry, ...], Field(strict=False, min_length=1)] = Field(
        description="The algorithms.", examples=[[{"use": "wlr", "tune": True}]]
    )
    tuning: TuningConfig = Field(default_factory=TuningConfig, description="How hyper-parameters are chosen.")
    prior: PriorConfig = Field(default_factory=PriorConfig, description="The source of the class prior.")
    preprocess: Preprocessing = Field(default_factory=dict, description="How features are preprocessed.")
    limits: LimitsConfig = Field(
        default_factory=LimitsConfig, description="Time and memory limits of each cell."
    )
    store: StoreConfig = Field(default_factory=StoreConfig, description="What is kept next to the results.")
    report: ReportConfig = Field(default_factory=ReportConfig, description="The tables to report.")
    paper: PaperConfig = Field(default_factory=PaperConfig, description="Published results to compare with.")
    smoke: SmokeConfig = Field(default_factory=SmokeConfig, description="The smoke size of the suite.")

    @classmethod
    def conflicts(cls, given: Mapping[str, object]) -> Iterator[KeyProblem]:
        """Refuse duplicate and unknown labels, and published numbers that have no place in the tables."""
        yield from duplicate_labels(given)
        yield from unknown_labels(given)
        yield from unknown_control(given)
        yield from unknown_members(given)
        yield from misplaced_numbers(given)
        yield from misplaced_claims(given)

    @classmethod
    def prepared(cls, given: dict[str, object]) -> dict[str, object]:
        """Let the data sets' preprocess tables inherit from the suite's, key by key, and fill in the criterion."""
        tuning = given.get("tuning", {})
        if isinstance(tuning, dict) and "criteria" not in tuning and _has_prior(given):
            given = given | {"tuning": tuning | {"criteria": [WITH_PRIOR]}}
        common, datasets = given.get("preprocess"), given.get("datasets")
        # An invalid table is reported once, where it is written, not again for every data set.
        if (
            not isinstance(datasets, list)
            or not isinstance(common, dict)
            or not is_valid(read_preprocess, common)
        ):
            return given
        return given | {"datasets": [_inherit(entry, common) for entry in datasets]}


def _inherit(entry: object, common: dict[str, object]) -> object:
    if not isinstance(entry, dict) or not isinstance(own := entry.get("preprocess", {}), dict):
        return entry
    return entry | {"preprocess": common | own}


def _has_prior(given: Mapping[str, object]) -> bool:
    """Whether criteria are given a prior: real PU data have no true one."""
    prior, labellings = given.get("prior"), given.get("labellings")
    source = prior.get("source", "true") if isinstance(prior, dict) else "true"
    listed = labellings if isinstance(labellings, list) else []
    without_truth = any(isinstance(one, dict) and one.get("positives") == "given" for one in listed)
    return source != "none" and not (source == "true" and without_truth)
