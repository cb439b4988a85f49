"""From a suite and a registry to cells with keys and seeds, and the jobs that compute them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from pubench.cache import digest
from pubench.errors import PubenchError, SuiteError
from pubench.jobs import Cell, CriterionPlan, DataPlan, Job, Limits, MetricPlan, Plan, PlannedMetric
from pubench.labelling import Labelling
from pubench.plan_parts import (
    AlgorithmPart,
    DatasetPart,
    PriorPart,
    SearchPart,
    algorithm_part,
    dataset_part,
    metric_plans,
    prior_part,
    search_part,
)
from pubench.registry import Registry
from pubench.suite import Suite

__all__ = ["Planned", "plan_suite"]

PROTOCOL = "1"
"""Change it when a change of pubench itself changes results: every stored cell is then run again."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Planned:
    """The plan, the jobs for the cells that can run, and why the cells of a broken data set cannot."""

    plan: Plan
    jobs: tuple[Job, ...]
    broken: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Combination:
    """What a group of replicates shares."""

    data: DatasetPart
    labelling: Labelling
    algorithm: AlgorithmPart
    search: SearchPart


def plan_suite(suite: Suite, registry: Registry, *, source: str, files: Sequence[str] = ()) -> Planned:
    """Resolve every name, prepare the data, and list the cells in order.

    Raises
    ------
    SuiteError
        One line for each name that is unknown and each request that the data cannot serve.
    """
    problems: list[str] = []

    def gather(key: str, make: Callable[[int], T], count: int) -> list[T]:
        made = []
        for number in range(count):
            try:
                made.append(make(number))
            except PubenchError as error:
                problems.append(f"{source}: {key.format(number)}: {error}")
        return made

    algorithms = gather(
        "algorithms[{}]",
        lambda i: algorithm_part(suite.algorithms[i], registry, suite.tuning),
        len(suite.algorithms),
    )
    searches = gather(
        "tuning.criteria[{}]",
        lambda i: search_part(suite.tuning.criteria[i], registry, suite.tuning),
        len(suite.tuning.criteria),
    )
    gather(
        "report.metrics[{}]", lambda i: registry.metric(suite.report.metrics[i]), len(suite.report.metrics)
    )
    priors = gather("prior", lambda _: prior_part(suite.prior, registry), 1)
    datasets = gather(
        "datasets[{}]", lambda i: dataset_part(suite.datasets[i], registry, files), len(suite.datasets)
    )
    for part in datasets:
        gather("labellings[{}]", partial(_check, part, suite.labellings), len(suite.labellings))
    if problems:
        raise SuiteError("\n".join(problems))
    metrics = registry.metrics()
    planner = _Planner(suite, metric_plans(metrics), priors[0], tuple(files))
    cells, jobs, broken = planner.lay_out(_combinations(suite, datasets, algorithms, searches))
    described = {name: PlannedMetric(e.spec.greater_is_better, e.version) for name, e in metrics.items()}
    plan = Plan(suite.name, suite.description, described, suite.report.metrics, tuple(cells))
    return Planned(plan, tuple(jobs), broken)


def _check(part: DatasetPart, labellings: Sequence[Labelling], number: int) -> None:
    part.check(labellings[number])


def _combinations(
    suite: Suite, datasets: list[DatasetPart], algorithms: list[AlgorithmPart], searches: list[SearchPart]
) -> Iterator[tuple[int, list[_Combination]]]:
    """Yield for each job its replicate and its combinations, one for each criterion that shares the search."""
    shared = [searches] if suite.tuning.sampler != "tpe" else [[search] for search in searches]
    for data in datasets:
        for labelling in suite.labellings:
            for replicate in range(suite.replicates):
                for algorithm in algorithms:
                    groups = shared if algorithm.tuned else [[SearchPart.none()]]
                    for group in groups:
                        yield replicate, [_Combination(data, labelling, algorithm, one) for one in group]


class _Planner:
    """Turns combinations into cells and jobs; digests of what repeats are computed once."""

    def __init__(
        self, suite: Suite, metrics: tuple[MetricPlan, ...], prior: PriorPart, files: tuple[str, ...]
    ) -> None:
        self.suite, self.metrics, self.prior, self.files = suite, metrics, prior, files
        self._labellings = {
            labelling: digest({**_fields(labelling), "name": ""}) for labelling in suite.labellings
        }

    def lay_out(
        self, groups: Iterable[tuple[int, list[_Combination]]]
    ) -> tuple[list[Cell], list[Job], dict[str, str]]:
        cells: list[Cell] = []
        jobs: list[Job] = []
        broken: dict[str, str] = {}
        for replicate, group in groups:
            made = [self._cell(replicate, combination) for combination in group]
            cells += made
            if isinstance(group[0].data.plan, str):
                broken |= {cell.key: group[0].data.plan for cell in made if not cell.skip}
                continue
            kept = [(c, g) for c, g in zip(made, group, strict=True) if not c.skip]
            if kept:
                jobs.append(self._job(replicate, kept, group[0].data.plan))
        return cells, jobs, broken

    def _cell(self, replicate: int, combination: _Combination) -> Cell:
        data, algorithm, search = combination.data, combination.algorithm, combination.search
        labelling = combination.labelling
        prior = self.prior.digest if self._uses_prior(combination) else ""
        parts = (
            PROTOCOL,
            data.digest,
            self._labellings[labelling],
            algorithm.digest,
            search.digest,
            prior,
            f"{self.suite.seed}/{replicate}/{self.suite.limits.threads}",
        )
        return Cell(
            key=hashlib.sha256("|".join(parts).encode()).hexdigest()[:24],
            dataset=data.label,
            scenario=labelling.scenario,
            labelling=labelling.label,
            replicate=replicate,
            algorithm=algorithm.label,
            criterion=search.name,
            reference=algorithm.reference or search.reference,
            skip=self._skip(combination),
        )

    def _uses_prior(self, combination: _Combination) -> bool:
        return combination.algorithm.uses_prior or combination.search.needs_prior

    def _skip(self, combination: _Combination) -> str:
        """Say why an algorithm cannot be run on this data, at plan time; nothing if it can."""
        scenario = combination.labelling.scenario
        algorithm, search = combination.algorithm, combination.search
        reasons = [
            algorithm.unfit(combination.data, scenario),
            search.unfit(scenario),
            self.prior.unfit(scenario) if self._uses_prior(combination) else "",
        ]
        if self.prior.plan.source == "none" and (algorithm.needs_prior or search.needs_prior):
            who = algorithm.label if algorithm.needs_prior else f"criterion '{search.name}'"
            reasons.append(f"{who} needs a class prior; set [prior] source")
        return next(filter(None, reasons), "")

    def _job(self, replicate: int, kept: list[tuple[Cell, _Combination]], data: DataPlan) -> Job:
        first = kept[0][1]
        criteria: list[CriterionPlan] = [combination.search.plan for _, combination in kept]
        uses_prior = any(self._uses_prior(combination) for _, combination in kept)
        limits = self.suite.limits
        return Job(
            cells=tuple(cell for cell, _ in kept),
            criteria=tuple(criteria),
            data=data,
            labelling=first.labelling,
            algorithm=first.algorithm.plan,
            tuning=first.search.tuning,
            prior=self.prior.plan
            if uses_prior
            else replace(self.prior.plan, source="none", value=None, function=None),
            limits=Limits(limits.seconds, limits.memory_mb, limits.threads),
            metrics=self.metrics,
            seeds=self._seeds(replicate, first),
            files=self.files,
        )

    def _seeds(self, replicate: int, combination: _Combination) -> dict[str, int]:
        """Name every source of randomness.

        Splits and labels do not depend on the algorithm, so that algorithms are compared on the same rows; the split
        does not depend on the labelling either, so that a sweep over label frequency keeps its test rows.
        """
        rows = f"{self.suite.seed}|{combination.data.rows_digest}|{replicate}"
        labelled = f"{rows}|{self._labellings[combination.labelling]}"
        fitted = f"{labelled}|{combination.algorithm.digest}"
        bases = {"sample": rows, "split": rows, "label": rows, "folds": labelled, "prior": labelled}
        return {name: _seed(base, name) for name, base in (bases | {"search": fitted, "fit": fitted}).items()}


def _seed(base: str, purpose: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{base}|{purpose}".encode()).digest()[:8], "little") >> 1


def _fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__dataclass_fields__}
