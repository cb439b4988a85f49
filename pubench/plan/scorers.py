"""What can score finished predictions: a metric, or a criterion where true classes are unknown."""

from __future__ import annotations

from dataclasses import dataclass

from pubench.errors import UnknownNameError
from pubench.plan.jobs import Job, PlannedMetric
from pubench.plan.resolved import metric_plans, resolve_criterion
from pubench.plugins.registry import Registry
from pubench.protocol.parts import CriterionPlan, MetricPlan

__all__ = ["Scorer", "resolve_scorer"]


@dataclass(frozen=True, slots=True)
class Scorer:
    """A metric or a criterion by its name, and what tables must know of it."""

    name: str
    plan: MetricPlan | CriterionPlan
    described: PlannedMetric

    @property
    def needs_classes(self) -> bool:
        """Whether it is a metric, which needs true classes; a criterion judges data without them."""
        return isinstance(self.plan, MetricPlan)

    def judges(self, job: Job) -> bool:
        """Whether it can score the models of a job."""
        return self.needs_classes == job.data.stored.judged


def resolve_scorer(name: str, registry: Registry) -> Scorer:
    """Resolve a metric, or a criterion if no metric has that name; raise an error if neither has."""
    try:
        metric = registry.metric(name)
    except UnknownNameError as unknown:
        try:
            criterion = resolve_criterion(name, registry, None)
        except UnknownNameError:
            raise unknown from None
        return Scorer(name, criterion.plan, PlannedMetric(criterion.plan.maximise, criterion.version))
    described = PlannedMetric(metric.spec.greater_is_better, metric.version)
    return Scorer(name, metric_plans({name: metric})[0], described)
