"""The ``[report]`` and ``[paper]`` tables of a suite: tables, tests, and published numbers to compare with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field

from pubench.suite.base import KeyProblem, Table
from pubench.suite.claims import PaperClaim
from pubench.suite.values import Name, Names, Share

__all__ = [
    "PaperConfig",
    "PaperMissing",
    "PaperNumber",
    "PaperSeparate",
    "ReportConfig",
    "Rules",
    "TableWidth",
]

TableWidth = Literal["column", "single", "page"]


class Rules(Table):
    """How algorithms are compared and printed: the same value from the suite to the tests and the report."""

    test: Literal["wilcoxon", "t", "nemenyi"] = Field(
        default="wilcoxon",
        description="The test that compares two algorithms over data sets; the first two use Holm's correction, the "
        "last one always compares all pairs.",
    )
    comparisons: Literal["best", "all-pairs"] = Field(
        default="best",
        description="Whether each algorithm is tested against the one with the best average rank (or `control`), or "
        "all pairs are tested.",
    )
    control: Name | None = Field(
        default=None,
        description="The label of the algorithm to test all others against, instead of the best.",
    )
    replicate_test: Literal["corrected-t", "t", "wilcoxon"] = Field(
        default="corrected-t",
        description="The test over replicates that marks cells not significantly different from the best of their row.",
    )
    alpha: Share = Field(default=0.05, description="The significance level of all tests.")
    rope: Annotated[float, Field(ge=0)] = Field(
        default=0.01,
        description="The region of practical equivalence of the Bayesian comparison: the largest difference to ignore.",
    )
    detectable: Annotated[float, Field(gt=0)] = Field(
        default=0.05,
        description="A cell is marked as tied with the best only if its test detects a difference of this size with "
        "power 0.8.",
    )
    missing: Literal["pairwise", "worst-rank"] = Field(
        default="pairwise",
        description="Whether comparisons exclude cells with a missing replicate, or rank them last.",
    )
    unit: Literal["dataset", "block"] = Field(
        default="dataset",
        description="What counts as one observation: a data set (its rows averaged) or every row of a table.",
    )
    width: TableWidth | None = Field(
        default=None,
        description="The width of LaTeX tables: one column of a two-column class (3.25 in), the text of a one-column "
        "class (`single`, 4.75 in), or both columns (`page`, 6.75 in, as `table*`). Default: a column if the table "
        "fits there in one piece, else the page.",
    )
    groups: Mapping[Name, Names] = Field(
        default_factory=dict,
        description="Groups of data sets by which readers can filter the page, each a list of labels. Other groups, by "
        "source, prior and size, are there without this.",
    )
    maps: Mapping[Name, Annotated[float, Field(ge=1)]] = Field(
        default_factory=dict,
        description="Data sets that the report draws in the plane by t-SNE, each a label with its perplexity, the "
        "number of neighbours that a row keeps near: `{ iris = 30 }`. Drawn are training rows of the first labelling "
        "and replicate, with their true classes.",
    )
    siunitx: bool = Field(
        default=False,
        description="Whether LaTeX tables align their numbers with the package siunitx (`S` columns); otherwise they "
        "need booktabs only.",
    )

    @classmethod
    def conflicts(cls, given: Mapping[str, object]) -> Iterator[KeyProblem]:
        """Refuse a t-test of ranks, whose worst one has no value, and a control where all pairs are tested."""
        if given.get("test") == "t" and given.get("missing") == "worst-rank":
            yield KeyProblem(("missing",), 'gives test = "t" no differences; change one of the two')
        for key in ("test", "comparisons"):
            if given.get("control") and given.get(key) in ("nemenyi", "all-pairs"):
                yield KeyProblem(
                    ("control",), f'excludes {key} = "{given[key]}", which tests all pairs; remove it'
                )

    @property
    def all_pairs(self) -> bool:
        """Whether all pairs are tested, not only those with the best or the control."""
        return self.comparisons == "all-pairs" or self.test == "nemenyi"


class ReportConfig(Rules):
    """What the report shows, and how algorithms are compared."""

    metrics: Names = Field(
        default=("accuracy", "f1", "roc-auc"),
        description="One table for each of these metrics; for real PU data, criteria. Default for real PU data: the "
        "criteria that tune.",
    )
    training: Names = Field(
        default=(),
        description="Criteria that judge each fitted model by its own training rows, P and U; each makes a table "
        "`training-<criterion>`.",
    )

    @property
    def rules(self) -> Rules:
        """The rules alone, without what is shown."""
        return Rules(**{name: getattr(self, name) for name in Rules.model_fields})


class PaperNumber(Table):
    """A published result."""

    dataset: Name = Field(description="The data set's label in this suite.", examples=["breast-cancer"])
    algorithm: Name = Field(description="The algorithm's label in this suite.", examples=["wlr"])
    metric: Name = Field(
        description="One of the report's metrics, `training-<criterion>` if the report has it, or `fit-seconds`.",
        examples=["accuracy"],
    )
    mean: float = Field(description="The published mean.", examples=[0.9])
    sd: Annotated[float, Field(ge=0)] | None = Field(
        default=None, description="The published standard deviation."
    )
    labelling: Name | None = Field(
        default=None, description="The labelling, if the suite has several for this data set."
    )
    criterion: Name | None = Field(
        default=None, description="The criterion, if the algorithm is tuned by several."
    )


class PaperSeparate(Table):
    """Numbers obtained under different conditions: they are shown, and counted separately."""

    reason: Name = Field(
        description="What differs from the paper.", examples=["a sample of the paper's rows"]
    )
    kind: Literal["own-search", "other-data"] = Field(
        default="other-data",
        description="Whether settings or their search are ours (`own-search`), or features, rows or the machine differ "
        "(`other-data`).",
    )
    dataset: Name | None = Field(default=None, description="Only the numbers of this data set.")
    algorithm: Name | None = Field(default=None, description="Only the numbers of this algorithm.")
    metric: Name | None = Field(default=None, description="Only the numbers of this metric.")
    labelling: Name | None = Field(default=None, description="Only the numbers of this labelling.")
    criterion: Name | None = Field(default=None, description="Only the numbers of this criterion.")


class PaperMissing(Table):
    """Numbers of the paper's table that this suite does not cover."""

    what: Name = Field(description="Which numbers.", examples=["Epsilon, all methods"])
    cells: Annotated[int, Field(ge=1)] = Field(description="How many numbers.", examples=[8])
    reason: Name = Field(description="Why they are missing.", examples=["the data set is unavailable"])


class PaperConfig(Table):
    """A paper's results, which the report compares with those of the run."""

    citation: str = Field(default="", description="The paper, and the table that the numbers come from.")
    percent: bool = Field(default=False, description="Whether the numbers are percentages.")
    digits: Annotated[int, Field(ge=0, le=15)] | None = Field(
        default=None,
        description="The number of decimals in print; differences of up to half a unit of the last one are ignored.",
    )
    replicates: Annotated[int, Field(ge=1)] | None = Field(
        default=None,
        description="How many runs the printed means and deviations are of; default: as many as here.",
    )
    numbers: Annotated[tuple[PaperNumber, ...], Field(strict=False)] = Field(
        default=(), description="The numbers."
    )
    separate: Annotated[tuple[PaperSeparate, ...], Field(strict=False)] = Field(
        default=(),
        description="Numbers that are counted separately, because conditions differ from the paper.",
    )
    missing: Annotated[tuple[PaperMissing, ...], Field(strict=False)] = Field(
        default=(), description="Numbers of the paper's table that have no counterpart here."
    )
    claims: Annotated[tuple[PaperClaim, ...], Field(strict=False)] = Field(
        default=(), description="What the paper claims about its methods; the report says whether it holds."
    )
    chosen_with_truth: str = Field(
        default="",
        description="What was chosen with the help of true classes, by the paper or here; shown next to the numbers.",
    )

    @classmethod
    def conflicts(cls, given: Mapping[str, object]) -> Iterator[KeyProblem]:
        """Refuse numbers and claims without a citation."""
        for key in ("numbers", "claims"):
            if given.get(key) and not given.get("citation"):
                yield KeyProblem(
                    ("citation",), f'is missing; add citation = "..." to name the source of the {key}'
                )
