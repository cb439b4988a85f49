"""From a suite and a registry to a plan: every name resolved, every problem told at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from pubench.data.labelling import Labelling
from pubench.errors import PubenchError, SuiteError, UnknownNameError
from pubench.plan.datasets import ResolvedDataset, dataset_parts
from pubench.plan.jobs import DataPlan, Job, Plan, PlannedMetric
from pubench.plan.layout import Layout, Parts
from pubench.plan.parts import ResolvedCriterion, algorithm_part, metric_plans, prior_parts, search_part
from pubench.plan.training import training_part
from pubench.plugins.registry import Registry
from pubench.suite import Suite
from pubench.suite.columns import on_training

__all__ = ["ExecutionPlan", "plan_suite"]

T = TypeVar("T")
# Of one data set entry, so many problems with labellings are told in full.
_TOLD = 5


@dataclass(frozen=True, slots=True)
class ExecutionPlan:
    """The plan, the jobs for the cells that can run, why the cells of a broken data set cannot, and the data."""

    plan: Plan
    jobs: tuple[Job, ...]
    broken: Mapping[str, str]
    data: Mapping[str, DataPlan]


def plan_suite(suite: Suite, registry: Registry, *, source: str, files: Sequence[str] = ()) -> ExecutionPlan:
    """Resolve every name, prepare the data, and list the cells in order.

    Raises
    ------
    SuiteError
        One line for each name that is unknown and each request that the data cannot serve.
    """
    problems: list[str] = []
    base, tuning = Path(source).absolute().parent, suite.tuning

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
        lambda i: algorithm_part(suite.algorithms[i], registry, tuning),
        len(suite.algorithms),
    )
    searches = gather(
        "tuning.criteria[{}]",
        lambda i: search_part(tuning.criteria[i], registry, tuning),
        len(tuning.criteria),
    )
    shown = gather(
        "report.metrics[{}]",
        lambda i: _shown(suite.report.metrics[i], registry, suite),
        len(suite.report.metrics),
    )
    priors = gather("prior", lambda _: prior_parts(suite.prior, registry), 1)
    found = gather(
        "datasets[{}]",
        lambda i: dataset_parts(suite.datasets[i], registry, base, files, suite.limits.load_seconds),
        len(suite.datasets),
    )
    datasets = [part for parts in found for part in parts]
    training = gather(
        "report.training[{}]",
        lambda i: training_part(suite.report.training[i], registry, suite, datasets),
        len(suite.report.training),
    )
    for together in found:
        before = len(problems)
        for part in together:
            gather("labellings[{}]", partial(_check, part, suite.labellings), len(suite.labellings))
        _shorten(problems, before, source)
    if problems:
        raise SuiteError("\n".join(problems))
    judges = _judges(searches, [one for one in shown if one is not None], datasets)
    metrics = metric_plans(registry.metrics())
    plans = tuple(judge.plan for judge in judges)
    parts = Parts(datasets, algorithms, searches, priors[0], metrics, plans, tuple(files), training)
    cells, jobs, broken = Layout(suite, parts).lay_out()
    names = (*_names_shown(suite, judges, datasets), *(on_training(str(part.name)) for part in training))
    plan = Plan(
        suite.name,
        suite.description,
        _described(registry, judges, training),
        names,
        tuple(cells),
        suite.report.rules,
        suite.paper,
    )
    loaded = {part.label: part.plan for part in datasets if isinstance(part.plan, DataPlan)}
    return ExecutionPlan(plan, tuple(jobs), broken, loaded)


def _shorten(told: list[str], start: int, source: str) -> None:
    """Leave out most of what is wrong with the many problems that one entry makes of its data: it is all alike."""
    more = len(told) - start - _TOLD
    if more > 1:
        told[start + _TOLD :] = [f"{source}: labellings: {more} more of these, for the same data set entry"]


def _check(part: ResolvedDataset, labellings: Sequence[Labelling], number: int) -> None:
    part.check(labellings[number])


def _shown(name: str, registry: Registry, suite: Suite) -> ResolvedCriterion | None:
    """Return the criterion behind a report's metric, None for an ordinary metric."""
    try:
        registry.metric(name)
    except UnknownNameError as unknown:
        try:
            return search_part(name, registry, suite.tuning)
        except UnknownNameError:
            raise unknown from None
    return None


def _judges(
    searches: Sequence[ResolvedCriterion],
    shown: Sequence[ResolvedCriterion],
    datasets: Sequence[ResolvedDataset],
) -> list[ResolvedCriterion]:
    """Return the criteria that judge real PU data: those that reports show and those that tune."""
    if not any(part.pu for part in datasets):
        if shown:
            raise SuiteError(
                f"report.metrics: '{shown[0].name}' is a criterion and judges PU data only; name a metric"
            )
        return []
    named = {part.name: part for part in (*shown, *searches) if not part.reference}
    return list(named.values())


def _names_shown(
    suite: Suite, judges: Sequence[ResolvedCriterion], datasets: Sequence[ResolvedDataset]
) -> tuple[str, ...]:
    """Return what reports show: no empty tables where every true class is unknown, and none missing."""
    criteria = [str(judge.name) for judge in judges]
    metrics = [name for name in suite.report.metrics if name not in criteria]
    return tuple(criteria if all(part.pu for part in datasets) else metrics + criteria)


def _described(
    registry: Registry, judges: Sequence[ResolvedCriterion], training: Sequence[ResolvedCriterion]
) -> Mapping[str, PlannedMetric]:
    metrics = {
        name: PlannedMetric(entry.spec.greater_is_better, entry.version)
        for name, entry in registry.metrics().items()
    }
    named = {str(judge.name): judge for judge in judges}
    named |= {on_training(str(part.name)): part for part in training}
    return metrics | {name: PlannedMetric(part.plan.maximise, part.version) for name, part in named.items()}
