"""From a suite and a registry to a plan: every name resolved, every problem reported at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from pubench.errors import PubenchError, SuiteError
from pubench.plan.cells import ResolvedSuite, lay_out
from pubench.plan.datasets import resolve_dataset
from pubench.plan.jobs import DataPlan, Job, Plan, PlannedMetric
from pubench.plan.labelled_rows import check_folds, few_labelled
from pubench.plan.parts import PlannedPart
from pubench.plan.prior_source import resolve_priors
from pubench.plan.resolved import (
    ResolvedCriterion,
    metric_plans,
    resolve_algorithm,
    resolve_criterion,
)
from pubench.plan.shown import (
    criteria_of_pu_data,
    names_shown,
    refuse_metric,
    resolve_shown,
    resolve_training_criterion,
    shows_probabilities,
    what_is_shown,
)
from pubench.plugins.registry import Registry
from pubench.suite import Suite
from pubench.suite.columns import on_training
from pubench.suite.entries import AlgorithmEntry

__all__ = ["ExecutionPlan", "plan_suite"]

E = TypeVar("E")
T = TypeVar("T")
# How many problems of one data set entry with labellings are reported in full.
_SHOWN_PROBLEMS = 5


@dataclass(frozen=True, slots=True)
class ExecutionPlan:
    """The plan, the jobs for the cells that can run, why the cells of a failed data set cannot, and the data.

    ``advice`` says what a user should think twice about before the run, ``pictures`` whether cards show images.
    """

    plan: Plan
    jobs: tuple[Job, ...]
    without_data: Mapping[str, str]
    data: Mapping[str, DataPlan]
    advice: tuple[str, ...] = ()
    pictures: bool = True


def plan_suite(suite: Suite, registry: Registry, *, source: str, files: Sequence[str] = ()) -> ExecutionPlan:
    """Resolve every name, load the data, and list the cells in order.

    Raises
    ------
    SuiteError
        One line for each name that is unknown and each request that the data cannot serve.
    """
    resolved, pu_criteria = _resolve(suite, registry, source, files)
    laid_out, training = lay_out(resolved), [str(one.name) for one in resolved.training]
    shown = names_shown(suite, pu_criteria, resolved.datasets)
    plan = Plan(
        suite.name,
        suite.description,
        _described(registry, pu_criteria, resolved.training),
        (*shown, *map(on_training, training)),
        tuple(laid_out.cells),
        suite.report.rules,
        suite.paper,
        seed=suite.seed,
        draws=laid_out.draws,
        parts=_parts(resolved, pu_criteria),
        cut=tuple(one.label for one in resolved.algorithms if one.is_cut),
        priors=tuple(dict.fromkeys(one.words for one in resolved.priors)),
    )
    loaded = {data.label: data.plan for data in resolved.datasets if isinstance(data.plan, DataPlan)}
    advice = (*what_is_shown(suite, shown, resolved.datasets), *_notes(resolved), *_advice(suite, registry))
    return ExecutionPlan(
        plan, tuple(laid_out.jobs), laid_out.without_data, loaded, advice, suite.store.pictures
    )


def _parts(resolved: ResolvedSuite, pu_criteria: Sequence[ResolvedCriterion]) -> tuple[PlannedPart, ...]:
    """Return all that the suite names and others made, each once."""
    own_priors = (one.own_prior for one in resolved.algorithms)
    several = (
        resolved.algorithms,
        resolved.criteria,
        pu_criteria,
        resolved.training,
        resolved.priors,
        filter(None, own_priors),
        resolved.datasets,
    )
    return tuple(dict.fromkeys(one.part for ones in several for one in ones if one.part is not None))


def _notes(resolved: ResolvedSuite) -> Iterator[str]:
    """Yield what a reader should know of real PU data."""
    plans = [data.plan for data in resolved.datasets if data.pu]
    return (note for plan in plans if isinstance(plan, DataPlan) for note in plan.notes)


def _advice(suite: Suite, registry: Registry) -> Iterator[str]:
    """Warn of criteria that see only the order of scores where they choose decisions too."""
    known = registry.all("criteria")
    orders = [
        name
        for name in suite.tuning.criteria
        if name in known and registry.criterion(name).spec.uses == "score"
    ]
    deciding = [
        entry.label
        for entry in suite.algorithms
        if entry.tune and _cut(entry, registry) not in ("prior", "built-in")
    ]
    for name in orders if deciding else ():
        yield (
            f"criterion '{name}' looks only at the order of scores and cannot choose where positives begin: decisions "
            f'of what it tunes ({", ".join(deciding)}) may be poor; set threshold = "prior" there'
        )
    if any(entry.tune for entry in suite.algorithms):
        yield from filter(None, (few_labelled(labelling, suite.tuning) for labelling in suite.labellings))


def _cut(entry: AlgorithmEntry, registry: Registry) -> str:
    """Return where the decisions of an entry come from; a built-in cut stays, even if the suite names another one."""
    built_in = registry.algorithm(entry.use).spec.threshold
    return built_in if built_in == "built-in" else entry.threshold or built_in


class _Problems:
    """The problems of a suite, gathered so that all of them are reported at once."""

    def __init__(self, source: str) -> None:
        self._source = source
        self.sentences: list[str] = []

    def each(self, key: str, entries: Iterable[E], resolve: Callable[[E], T]) -> list[T]:
        """Resolve each entry of a list; what cannot be resolved becomes a sentence."""
        resolved = []
        for number, entry in enumerate(entries):
            resolved += self.one(f"{key}[{number}]", entry, resolve)
        return resolved

    def one(self, key: str, entry: E, resolve: Callable[[E], T]) -> list[T]:
        """Resolve one entry; a list of it, or of nothing."""
        try:
            return [resolve(entry)]
        except PubenchError as error:
            self.sentences.append(f"{self._source}: {key}: {error}")
            return []

    def shorten(self, start: int) -> None:
        """Cut the alike problems of one data set entry, which may stand for many data sets."""
        more = len(self.sentences) - start - _SHOWN_PROBLEMS
        if more > 1:
            last = f"{self._source}: labellings: {more} more of these, for the same data set entry"
            self.sentences[start + _SHOWN_PROBLEMS :] = [last]

    def refuse(self) -> None:
        """Raise what was gathered, if anything."""
        if self.sentences:
            raise SuiteError("\n".join(self.sentences))


def _resolve(
    suite: Suite, registry: Registry, source: str, files: Sequence[str]
) -> tuple[ResolvedSuite, list[ResolvedCriterion]]:
    """Return the suite's parts, and the criteria that score models of real PU data."""
    problems, base, tuning = _Problems(source), Path(source).absolute().parent, suite.tuning
    seconds = suite.limits.load_seconds
    criteria = problems.each(
        "tuning.criteria", tuning.criteria, lambda name: resolve_criterion(name, registry, tuning)
    )
    shown = problems.each(
        "report.metrics", suite.report.metrics, lambda name: resolve_shown(name, registry, suite)
    )
    priors = problems.one("prior", suite.prior, lambda config: resolve_priors(config, registry))
    entries = problems.each(
        "datasets", suite.datasets, lambda e: resolve_dataset(e, registry, base, files, seconds)
    )
    datasets = [data for together in entries for data in together]
    calibrates = shows_probabilities(suite, registry, datasets)
    algorithms = problems.each(
        "algorithms", suite.algorithms, lambda e: resolve_algorithm(e, registry, calibrates=calibrates)
    )
    refused = partial(refuse_metric, registry=registry, suite=suite, datasets=datasets)
    problems.each("report.metrics", suite.report.metrics, refused)
    training = problems.each(
        "report.training",
        suite.report.training,
        lambda name: resolve_training_criterion(name, registry, suite, datasets),
    )
    for together in entries:
        before = len(problems.sentences)
        for data in together:
            problems.each("labellings", suite.labellings, data.check)
            if any(entry.tune for entry in suite.algorithms):
                problems.each("labellings", suite.labellings, partial(check_folds, data=data, tuning=tuning))
        problems.shorten(before)
    problems.refuse()
    pu_criteria = criteria_of_pu_data(criteria, [one for one in shown if one is not None], datasets)
    plans = tuple(one.plan for one in pu_criteria)
    metrics = metric_plans(registry.metrics())
    resolved = ResolvedSuite(
        suite, datasets, algorithms, criteria, priors[0], metrics, plans, tuple(files), training
    )
    return resolved, pu_criteria


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
