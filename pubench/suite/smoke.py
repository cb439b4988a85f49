"""The smoke size of a suite: the same protocol on less data, planned and run like any suite in about a minute."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeVar

from pydantic import Field

from pubench.specs import Params
from pubench.suite.base import Table
from pubench.suite.entries import AlgorithmEntry, DatasetEntry, SampleConfig
from pubench.suite.reporting import PaperConfig
from pubench.suite.values import Count, Name, Names, Parameters

if TYPE_CHECKING:
    from pubench.suite.models import Suite

__all__ = ["SUFFIX", "SmokeConfig", "smoke_size"]

SUFFIX = "-smoke"


class _Labelled(Protocol):
    @property
    def label(self) -> str: ...


L = TypeVar("L", bound=_Labelled)


class SmokeConfig(Table):
    """The smoke size, run by `pubench suite run <name>-smoke`: the same protocol on less data."""

    replicates: Count = Field(default=1, description="The number of repetitions of each cell.")
    datasets: Names = Field(default=(), description="The labels of the data sets to keep; default: all.")
    labellings: Names = Field(default=(), description="The labels of the labellings to keep; default: all.")
    algorithms: Names = Field(default=(), description="The labels of the algorithms to keep; default: all.")
    trials: Count | None = Field(
        default=None, description="The number of settings to try; default: as in [tuning]."
    )
    sample: Mapping[Name, Count] = Field(
        default_factory=dict,
        description="The number of rows of each class to keep, by the label of the data set.",
    )
    params: Mapping[Name, Parameters] = Field(
        default_factory=dict,
        description="Additional fixed parameters, by the label of the algorithm.",
    )


def smoke_size(suite: Suite) -> Suite:
    """Return the smoke size of a suite; published numbers are kept if their cells still exist."""
    smoke = suite.smoke
    datasets = _kept(suite.datasets, smoke.datasets)
    labellings = _kept(suite.labellings, smoke.labellings)
    data_labels, labelling_labels = _labels(datasets), _labels(labellings)
    algorithms = [
        _fixed(entry, smoke.params.get(entry.label, {}), data_labels)
        for entry in _kept(suite.algorithms, smoke.algorithms)
        if not entry.datasets or data_labels.intersection(entry.datasets)
    ]
    smaller = {
        "name": suite.name + SUFFIX,
        "description": f"Smoke size: {suite.description}",
        "replicates": smoke.replicates,
        "datasets": tuple(
            _sampled(entry, smoke.sample.get(entry.label), labelling_labels) for entry in datasets
        ),
        "labellings": tuple(labellings),
        "algorithms": tuple(algorithms),
        "tuning": suite.tuning.model_copy(update={"trials": smoke.trials or suite.tuning.trials}),
        "paper": _placed(suite.paper, data_labels, labelling_labels, _labels(algorithms)),
    }
    return suite.model_copy(update=smaller)


def _labels(entries: Iterable[_Labelled]) -> set[str]:
    return {entry.label for entry in entries}


def _kept(entries: Iterable[L], labels: Collection[str]) -> list[L]:
    return [entry for entry in entries if not labels or entry.label in labels]


def _sampled(entry: DatasetEntry, rows: int | None, labellings: Collection[str]) -> DatasetEntry:
    kept: dict[str, object] = {
        "labellings": tuple(label for label in entry.labellings if label in labellings)
    }
    if rows is not None:
        kept["sample"] = SampleConfig(positive=rows, negative=rows)
    return entry.model_copy(update=kept)


def _fixed(entry: AlgorithmEntry, params: Params, datasets: Collection[str]) -> AlgorithmEntry:
    kept = tuple(label for label in entry.datasets if label in datasets)
    return entry.model_copy(update={"datasets": kept, "params": {**entry.params, **params}})


def _placed(
    paper: PaperConfig, datasets: Collection[str], labellings: Collection[str], algorithms: Collection[str]
) -> PaperConfig:
    numbers = [
        number
        for number in paper.numbers
        # The label of a problem is that of its entry, a colon and the class.
        if any(number.dataset == label or number.dataset.startswith(f"{label}: ") for label in datasets)
        and number.algorithm in algorithms
        and (number.labelling is None or number.labelling in labellings)
    ]
    # A smoke size shows that everything runs; it cannot say whether a claim holds.
    return paper.model_copy(update={"numbers": tuple(numbers), "missing": (), "claims": ()})
