"""From a suite and a registry to a plan: every name resolved, every problem reported at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from pubench.data.labelling import Labelling
from pubench.errors import PubenchError, SuiteError, UnknownNameError
from pubench.plan.cells import ResolvedSuite, lay_out
from pubench.plan.datasets import ResolvedDataset, resolve_dataset
from pubench.plan.jobs import DataPlan, Job, Plan, PlannedMetric
from pubench.plan.resolved import (
    ResolvedCriterion,
    metric_plans,
    resolve_algorithm,
    resolve_criterion,
    resolve_priors,
    resolve_training_criterion,
)
from pubench.plugins.registry import Registry
from pubench.suite import Suite
from pubench.suite.columns import on_training

__all__ = ["ExecutionPlan", "plan_suite"]

T = TypeVar("T")
# How many problems of one data set entry with labellings are reported in full.
_SHOWN_PROBLEMS = 5


@dataclass(frozen=True, slots=True)
class ExecutionPlan:
    """The plan, the jobs for the cells that can run, why the cells of a failed data set cannot, and the data."""

    plan: Plan
    jobs: tuple[Job, ...]
    without_data: Mapping[str, str]
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
        "algorithms[{}]", lambda i: resolve_algorithm(suite.algorithms[i], registry), len(suite.algorithms)
    )
    criteria = gather(
        "tuning.criteria[{}]",
        lambda i: resolve_criterion(tuning.criteria[i], registry, tuning),
        len(tuning.criteria),
    )
    shown = gather(
        "report.metrics[{}]",
        lambda i: _shown(suite.report.metrics[i], registry, suite),
        len(suite.report.metrics),
    )
    priors = gather("prior", lambda _: resolve_priors(suite.prior, registry), 1)
    entries = gather(
        "datasets[{}]",
        lambda i: resolve_dataset(suite.datasets[i], registry, base, files, suite.limits.load_seconds),
        len(suite.datasets),
    )
    datasets = [data for together in entries for data in together]
    training = gather(
        "report.training[{}]",
        lambda i: resolve_training_criterion(suite.report.training[i], registry, suite, datasets),
        len(suite.report.training),
    )
    for together in entries:
        before = len(problems)
        for data in together:
            gather("labellings[{}]", partial(_check, data, suite.labellings), len(suite.labellings))
        _shorten(problems, before, source)
    if problems:
        raise SuiteError("\n".join(problems))
    pu_criteria = _pu_criteria(criteria, [one for one in shown if one is not None], datasets)
    resolved = ResolvedSuite(
        suite,
        datasets,
        algorithms,
        criteria,
        priors[0],
        metric_plans(registry.metrics()),
        tuple(one.plan for one in pu_criteria),
        tuple(files),
        training,
    )
    laid_out = lay_out(resolved)
    plan = Plan(
        suite.name,
        suite.description,
        _described(registry, pu_criteria, training),
        (*_names_shown(suite, pu_criteria, datasets), *(on_training(str(one.name)) for one in training)),
        tuple(laid_out.cells),
        suite.report.rules,
        suite.paper,
    )
    loaded = {data.label: data.plan for data in datasets if isinstance(data.plan, DataPlan)}
    return ExecutionPlan(plan, tuple(laid_out.jobs), laid_out.without_data, loaded)


def _shorten(told: list[str], start: int, source: str) -> None:
    """Leave out most of what is wrong with the many problems that one entry makes of its data: it is all alike."""
    more = len(told) - start - _SHOWN_PROBLEMS
    if more > 1:
        told[start + _SHOWN_PROBLEMS :] = [
            f"{source}: labellings: {more} more of these, for the same data set entry"
        ]


def _check(part: ResolvedDataset, labellings: Sequence[Labelling], number: int) -> None:
    part.check(labellings[number])


def _shown(name: str, registry: Registry, suite: Suite) -> ResolvedCriterion | None:
    """Return the criterion behind a report's metric, None for an ordinary metric."""
    try:
        registry.metric(name)
    except UnknownNameError as unknown:
        try:
            return resolve_criterion(name, registry, suite.tuning)
        except UnknownNameError:
            raise unknown from None
    return None


def _pu_criteria(
    criteria: Sequence[ResolvedCriterion],
    shown: Sequence[ResolvedCriterion],
    datasets: Sequence[ResolvedDataset],
) -> list[ResolvedCriterion]:
    """Return the criteria that score models of real PU data: those that reports show and those that tune."""
    if not any(part.pu for part in datasets):
        if shown:
            raise SuiteError(
                f"report.metrics: '{shown[0].name}' is a criterion and judges PU data only; name a metric"
            )
        return []
    named = {part.name: part for part in (*shown, *criteria) if not part.reference}
    return list(named.values())


def _names_shown(
    suite: Suite, pu_criteria: Sequence[ResolvedCriterion], datasets: Sequence[ResolvedDataset]
) -> tuple[str, ...]:
    """Return what reports show: no empty tables where every true class is unknown, and none missing."""
    criteria = [str(judge.name) for judge in pu_criteria]
    metrics = [name for name in suite.report.metrics if name not in criteria]
    return tuple(criteria if all(part.pu for part in datasets) else metrics + criteria)


def _described(
    registry: Registry, pu_criteria: Sequence[ResolvedCriterion], training: Sequence[ResolvedCriterion]
) -> Mapping[str, PlannedMetric]:
    metrics = {
        name: PlannedMetric(entry.spec.greater_is_better, entry.version)
        for name, entry in registry.metrics().items()
    }
    named = {str(judge.name): judge for judge in pu_criteria}
    named |= {on_training(str(part.name)): part for part in training}
    return metrics | {name: PlannedMetric(part.plan.maximise, part.version) for name, part in named.items()}
