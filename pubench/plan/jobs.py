"""The unit of work: a cell, and the job that computes the cells which share a search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pubench.data.labelling import Labelling
from pubench.data.stored import StoredDataset
from pubench.errors import some_of
from pubench.plan.parts import PlannedPart
from pubench.protocol.parts import (
    AlgorithmPlan,
    CriterionPlan,
    MetricPlan,
    Preprocess,
    PriorPlan,
    SearchPlan,
    Seeds,
)
from pubench.specs import Scenario
from pubench.suite.reporting import PaperConfig, Rules

__all__ = ["Cell", "DataPlan", "Job", "Limits", "Plan", "PlannedMetric", "Shard", "SkippedCells"]


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
class SkippedCells:
    """Cells that are skipped for one reason: how many, and on which data sets."""

    reason: str
    cells: int
    datasets: tuple[str, ...]

    def __str__(self) -> str:
        counted = "1 cell" if self.cells == 1 else f"{self.cells} cells"
        return f"{counted} on {some_of(self.datasets)} {'is' if self.cells == 1 else 'are'} skipped: {self.reason}"


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of a plan that is run on its own: its number, from 1, how many there are, and the keys of its cells."""

    number: int
    of: int
    keys: frozenset[str]

    def __str__(self) -> str:
        return f"shard {self.number} of {self.of}"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run folder is for: its suite, every metric, those that reports show, and all cells of the suite in order.

    ``report`` holds the suite's rules for comparisons, ``paper`` the published numbers to show next to the results.
    ``shard`` is the part of the cells that the folder is for, None for all. ``draws`` has, for the labels of a data set
    and a labelling, a digest of what their splits and labels follow from, replicate by replicate, and ``seed`` is the
    suite's; None and nothing where that is unknown, or several runs were merged. ``parts`` are the algorithms,
    criteria, prior estimators and data sets. ``cut`` are the algorithms whose decisions are cut at the prior, None
    where that is unknown. ``priors`` says in words where the class prior comes from.
    """

    suite: str
    description: str
    metrics: Mapping[str, PlannedMetric]
    shown: tuple[str, ...]
    cells: tuple[Cell, ...]
    report: Rules = field(default_factory=Rules)
    paper: PaperConfig = field(default_factory=PaperConfig)
    shard: Shard | None = None
    seed: int | None = None
    draws: Mapping[tuple[str, str], str] = field(default_factory=dict)
    parts: tuple[PlannedPart, ...] = ()
    cut: tuple[str, ...] | None = None
    priors: tuple[str, ...] = ()

    @property
    def own_cells(self) -> tuple[Cell, ...]:
        """The cells that the folder is for, in order."""
        if self.shard is None:
            return self.cells
        return tuple(cell for cell in self.cells if cell.key in self.shard.keys)

    @property
    def skipped(self) -> tuple[SkippedCells, ...]:
        """Why own cells are skipped, the reason of most cells first."""
        found: dict[str, Counter[str]] = {}
        for cell in self.own_cells:
            if cell.skip:
                found.setdefault(cell.skip, Counter())[cell.dataset] += 1
        skipped = [SkippedCells(reason, sets.total(), tuple(sets)) for reason, sets in found.items()]
        return tuple(sorted(skipped, key=lambda one: -one.cells))


@dataclass(frozen=True, slots=True)
class DataPlan:
    """The rows to use: class number -> 1 or 0 for the classes kept, and how many of each are drawn.

    ``notes`` say what a reader should know of that choice. ``given`` is the number of the learning problem, where
    labels come with the data and true classes with the test rows. ``categories`` are the names of the codes of each
    categorical column. ``own_preprocess`` is that of an algorithm which does not want the suite's; priors are estimated
    from the same rows for all algorithms.
    """

    stored: StoredDataset
    classes: Mapping[int, int]
    sample: tuple[int, int] | None
    preprocess: Preprocess
    notes: tuple[str, ...] = ()
    given: int | None = None
    categories: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    own_preprocess: Preprocess | None = None

    @property
    def for_algorithm(self) -> Preprocess:
        """What is done to the rows that the algorithm sees."""
        return self.preprocess if self.own_preprocess is None else self.own_preprocess

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns that algorithms see; a one-hot column is named after its category as well."""
        if not self.stored.categorical or self.for_algorithm.categorical == "codes":
            return self.stored.feature_names
        names = self.stored.feature_names or [f"column {place}" for place in range(self.stored.n_features)]
        return tuple(
            name if place not in self.categories else f"{name} = {category}"
            for place, name in enumerate(names)
            for category in self.categories.get(place, ("",))
        )


@dataclass(frozen=True, slots=True)
class Limits:
    """What a cell may use, and what becomes of it at its limit; ``isolation`` says what gets a process of its own."""

    seconds: float
    memory_mb: int
    threads: int
    on_timeout: Literal["timeout", "best-so-far"] = "timeout"
    isolation: Literal["task", "package"] = "task"


@dataclass(frozen=True, slots=True)
class Job:
    """Cells that share data set, labelling, replicate, algorithm and search; one for each criterion.

    ``pu_criteria`` replace metrics where true classes are unknown; ``training`` score models on their training rows.
    ``watched`` are criteria of the suite that choose in other jobs: their values are stored with each trial of this
    one. ``search`` is the key of the search, the same whichever of its cells are run. ``keep_predictions`` says whether
    test predictions are stored, ``evaluate_trials`` whether every trial is judged on the test rows; neither changes a
    result.
    """

    cells: tuple[Cell, ...]
    criteria: tuple[CriterionPlan, ...]
    data: DataPlan
    labelling: Labelling
    algorithm: AlgorithmPlan
    tuning: SearchPlan | None
    prior: PriorPlan
    limits: Limits
    metrics: tuple[MetricPlan, ...]
    pu_criteria: tuple[CriterionPlan, ...]
    seeds: Seeds
    files: tuple[str, ...] = ()
    training: tuple[CriterionPlan, ...] = ()
    watched: tuple[CriterionPlan, ...] = ()
    search: str = ""
    keep_predictions: bool = False
    evaluate_trials: bool = False
