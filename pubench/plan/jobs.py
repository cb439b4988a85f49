"""The unit of work: a cell, and the job that computes the cells which share a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pubench.data.labelling import Labelling
from pubench.data.preprocess import Preprocess
from pubench.data.stored import StoredDataset
from pubench.specs import Scenario
from pubench.suite.reporting import PaperConfig, Rules

__all__ = [
    "AlgorithmPlan",
    "Cell",
    "CriterionPlan",
    "DataPlan",
    "Job",
    "Limits",
    "MetricPlan",
    "Plan",
    "PlannedMetric",
    "PriorPlan",
    "TuningPlan",
]


@dataclass(frozen=True, slots=True)
class Cell:
    """One planned result: what it is called in tables, and the key of all that defines it.

    ``skip`` says why it cannot be run; ``reference`` marks results that used true labels; ``prior_factor`` is what the
    prior was multiplied by, where a suite varies it.
    """

    key: str
    dataset: str
    scenario: Scenario
    labelling: str
    replicate: int
    algorithm: str
    criterion: str | None
    reference: bool
    skip: str = ""
    prior_factor: float | None = None


@dataclass(frozen=True, slots=True)
class PlannedMetric:
    """What readers of a run need to know of a metric; values of another version are not shown as this one's."""

    greater_is_better: bool | None
    version: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run folder is for: its suite, every metric, those that reports show, and its cells in order.

    ``report`` holds the suite's rules for comparisons, ``paper`` the published numbers to show beside the results.
    """

    suite: str
    description: str
    metrics: Mapping[str, PlannedMetric]
    shown: tuple[str, ...]
    cells: tuple[Cell, ...]
    report: Rules = field(default_factory=Rules)
    paper: PaperConfig = field(default_factory=PaperConfig)


@dataclass(frozen=True, slots=True)
class DataPlan:
    """The rows to use: class number -> 1 or 0 for the classes kept, and how many of each are drawn.

    ``notes`` say what a reader should know of that choice.
    """

    prepared: StoredDataset
    classes: Mapping[int, int]
    sample: tuple[int, int] | None
    preprocess: Preprocess
    notes: tuple[str, ...] = ()

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns that algorithms see, where preprocessing leaves every column in its place."""
        moved = self.prepared.categorical and self.preprocess.categorical != "codes"
        return () if moved else self.prepared.feature_names


@dataclass(frozen=True, slots=True)
class AlgorithmPlan:
    """The algorithm as the child needs to know it; ``space`` is in JSON form."""

    estimator: str
    params: Mapping[str, Any]
    space: Mapping[str, Mapping[str, Any]]
    receives: tuple[str, ...]
    labels: Literal["pu", "true"]


@dataclass(frozen=True, slots=True)
class MetricPlan:
    """A metric and what it is computed from."""

    name: str
    function: str
    uses: Literal["decision", "score", "probability"]
    version: str = ""


@dataclass(frozen=True, slots=True)
class CriterionPlan:
    """A criterion; ``oracle`` is the metric behind an ``oracle-*`` one, computed where the truth is."""

    name: str | None
    function: str
    params: Mapping[str, Any]
    maximise: bool
    oracle: MetricPlan | None = None
    needs_prior: bool = False


@dataclass(frozen=True, slots=True)
class TuningPlan:
    """How hyper-parameters are searched."""

    sampler: str
    trials: int | None
    batch: int
    folds: int | None
    validation: float | None


@dataclass(frozen=True, slots=True)
class PriorPlan:
    """Where the prior comes from: ``true``, ``fixed``, ``none``, or an estimator's function; and its factor."""

    source: Literal["true", "fixed", "none", "estimated"]
    value: float | None = None
    name: str = ""
    function: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What a cell may use."""

    seconds: float
    memory_mb: int
    threads: int


@dataclass(frozen=True, slots=True)
class Job:
    """Cells that share data set, labelling, replicate, algorithm and search; one for each criterion.

    ``judges`` are the criteria that stand in for metrics where true classes are unknown, ``training`` those that judge
    models by their own training rows.
    """

    cells: tuple[Cell, ...]
    criteria: tuple[CriterionPlan, ...]
    data: DataPlan
    labelling: Labelling
    algorithm: AlgorithmPlan
    tuning: TuningPlan | None
    prior: PriorPlan
    limits: Limits
    metrics: tuple[MetricPlan, ...]
    judges: tuple[CriterionPlan, ...]
    seeds: Mapping[str, int]
    files: tuple[str, ...] = ()
    training: tuple[CriterionPlan, ...] = ()
