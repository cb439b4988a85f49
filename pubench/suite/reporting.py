"""The suite's [report] and [paper]: the tables, the tests, and published numbers to show beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from pubench.suite.base import Problem, Table
from pubench.suite.values import Name, Names, Share

__all__ = ["PaperApart", "PaperConfig", "PaperMissing", "PaperNumber", "ReportConfig", "Rules"]


class Rules(Table):
    """How algorithms are compared: the same value from the suite to the tests and the report."""

    test: Literal["wilcoxon", "t", "nemenyi"] = Field(
        default="wilcoxon",
        description="What compares two algorithms over data sets; the first two with Holm's correction.",
    )
    replicate_test: Literal["corrected-t", "t", "wilcoxon"] = Field(
        default="corrected-t",
        description="What marks cells that do not differ significantly from the best of their line, over replicates.",
    )
    alpha: Share = Field(default=0.05, description="The level of significance of all tests.")
    rope: Annotated[float, Field(ge=0)] = Field(
        default=0.01,
        description="Differences up to this are practically none, for the Bayesian comparison.",
    )
    missing: Literal["pairwise", "worst-rank"] = Field(
        default="pairwise",
        description="Whether cells that lack a replicate are left out of comparisons or count as the worst.",
    )
    unit: Literal["dataset", "block"] = Field(
        default="dataset",
        description="What counts as one observation: a data set (its lines averaged) or every line of a table.",
    )

    @classmethod
    def conflicts(cls, given: Mapping[str, Any]) -> Iterator[Problem]:
        """Refuse a t-test where the worst has no value to compute differences from."""
        if given.get("test") == "t" and given.get("missing") == "worst-rank":
            yield Problem(("missing",), 'has no differences for test = "t"; choose another of the two')


class ReportConfig(Rules):
    """What the report shows, and how algorithms are compared."""

    metrics: Names = Field(
        default=("accuracy", "f1", "roc-auc"),
        description="One table for each of these metrics.",
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
        description="One of the report's metrics, `training-<criterion>` where the report has it, or `fit-seconds`.",
        examples=["accuracy"],
    )
    mean: float = Field(description="The mean that the paper prints.", examples=[0.9])
    sd: Annotated[float, Field(ge=0)] | None = Field(
        default=None, description="The standard deviation that the paper prints."
    )
    labelling: Name | None = Field(
        default=None, description="The labelling, if the suite has several for this data set."
    )
    criterion: Name | None = Field(
        default=None, description="The criterion, if the algorithm is tuned by several."
    )


class PaperApart(Table):
    """Numbers that this suite cannot be expected to meet: shown, and counted separately."""

    reason: Name = Field(
        description="What differs from the paper.", examples=["a sample of the paper's rows"]
    )
    dataset: Name | None = Field(default=None, description="Only the numbers of this data set.")
    algorithm: Name | None = Field(default=None, description="Only the numbers of this algorithm.")
    metric: Name | None = Field(default=None, description="Only the numbers of this metric.")
    labelling: Name | None = Field(default=None, description="Only the numbers of this labelling.")
    criterion: Name | None = Field(default=None, description="Only the numbers of this criterion.")


class PaperMissing(Table):
    """Numbers of the paper's table that this suite does not have."""

    what: Name = Field(description="Which they are.", examples=["Epsilon, all methods"])
    cells: Annotated[int, Field(ge=1)] = Field(description="How many they are.", examples=[8])
    reason: Name = Field(description="Why they are missing.", examples=["the data set is unavailable"])


class PaperConfig(Table):
    """A paper's results, which the report shows beside those of the run."""

    citation: str = Field(default="", description="Whose numbers these are, and from which table.")
    percent: bool = Field(default=False, description="Whether the numbers are percentages.")
    digits: Annotated[int, Field(ge=0, le=15)] | None = Field(
        default=None,
        description="How many digits behind the point are printed: half of the last one is no difference.",
    )
    numbers: Annotated[tuple[PaperNumber, ...], Field(strict=False)] = Field(
        default=(), description="The numbers."
    )
    apart: Annotated[tuple[PaperApart, ...], Field(strict=False)] = Field(
        default=(), description="Numbers that are counted separately, since something differs from the paper."
    )
    missing: Annotated[tuple[PaperMissing, ...], Field(strict=False)] = Field(
        default=(), description="Numbers of the paper's table that have no counterpart here."
    )

    @classmethod
    def conflicts(cls, given: Mapping[str, Any]) -> Iterator[Problem]:
        """Refuse numbers without a source."""
        if given.get("numbers") and not given.get("citation"):
            yield Problem(("citation",), 'is missing; add citation = "..." to say whose numbers these are')
