"""The parts of a plan, each resolved once: what a suite's entry means, what it needs, and its digest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from pubench.data.cache import digest
from pubench.errors import SuiteError
from pubench.plan.datasets import ResolvedDataset
from pubench.plan.jobs import AlgorithmPlan, CriterionPlan, MetricPlan, PriorPlan, TuningPlan
from pubench.plugins.registry import Registered, Registry
from pubench.priors import DEFAULT, ESTIMATE
from pubench.specs import Algorithm, Metric, Scenario, param_to_json
from pubench.suite.entries import AlgorithmEntry
from pubench.suite.models import PriorConfig, TuningConfig

__all__ = [
    "ResolvedAlgorithm",
    "ResolvedCriterion",
    "ResolvedPrior",
    "algorithm_part",
    "criterion_part",
    "is_oracle",
    "metric_plans",
    "prior_parts",
    "search_part",
    "tuning_plan",
]

ORACLE = "oracle-"


@dataclass(frozen=True, slots=True)
class ResolvedPrior:
    """Where the prior comes from, resolved, and what it is multiplied by."""

    plan: PriorPlan
    digest: str
    factor: float | None = None
    scenarios: tuple[Scenario, ...] = ()
    accepts: tuple[str, ...] = ()

    def unfit(self, data: ResolvedDataset, scenario: Scenario) -> str:
        """Say why these data cannot have this prior; nothing if they can."""
        if self.plan.source == "estimated":
            name = f"prior estimator '{self.plan.name}'"
            if scenario not in self.scenarios:
                return f"{name} is not made for {scenario} data"
            return data.refused_by(name, self.accepts)
        positive, negative = data.counts
        if (
            self.plan.source == "true"
            and not data.pu
            and self.plan.factor * positive >= positive + negative > 0
        ):
            share = positive / (positive + negative)
            found = f"{self.plan.factor:g} times the prior, {share:.3g} ({data.label}),"
            return f"{found} is no prior; lower prior.factors"
        return ""


def prior_parts(config: PriorConfig, registry: Registry) -> list[ResolvedPrior]:
    """Resolve the source of the prior: one part, or one for each factor."""
    part = _source_part(config, registry)
    # Multiplied by 1 a prior is what it is without factors: the cells are the same.
    return [
        replace(
            part,
            plan=replace(part.plan, factor=factor),
            factor=factor,
            digest=part.digest if factor == 1 else digest([part.digest, factor]),
        )
        for factor in config.factors
    ] or [part]


def _source_part(config: PriorConfig, registry: Registry) -> ResolvedPrior:
    source = config.source
    if not isinstance(source, str):
        return ResolvedPrior(PriorPlan("fixed", float(source)), digest(["fixed", float(source)]))
    if source == "true":
        return ResolvedPrior(PriorPlan("true"), digest("true"))
    if source == "none":
        return ResolvedPrior(PriorPlan("none"), digest("none"))
    registered = registry.prior(DEFAULT if source == ESTIMATE else source)
    spec, params = registered.spec, {**registered.spec.params, **config.params}
    plan = PriorPlan("estimated", None, spec.name, spec.function, params)
    defined = digest([spec.name, registered.version, spec.function, params])
    return ResolvedPrior(plan, defined, None, spec.scenarios, spec.accepts)


@dataclass(frozen=True, slots=True)
class ResolvedAlgorithm:
    """An algorithm entry, resolved."""

    label: str
    plan: AlgorithmPlan
    spec: Algorithm
    tuned: bool
    digest: str
    own_prior: ResolvedPrior | None = None
    datasets: tuple[str, ...] = ()

    def is_run_on(self, data: ResolvedDataset) -> bool:
        """Whether the suite wants it on these data."""
        return not self.datasets or data.entry in self.datasets

    @property
    def reference(self) -> bool:
        """Whether it learns from true labels."""
        return self.spec.labels == "true"

    @property
    def needs_prior(self) -> bool:
        """Whether it cannot do without a class prior."""
        return "prior" in self.spec.needs and "prior" not in self.plan.params

    @property
    def uses_prior(self) -> bool:
        """Whether a prior is handed to it."""
        return "prior" in self.plan.receives

    def unfit(self, data: ResolvedDataset, scenario: Scenario) -> str:
        """Say why it cannot take the data; nothing if it can."""
        if scenario not in self.spec.scenarios:
            return f"{self.label} is not made for {scenario} data"
        if self.reference and data.pu:
            return f"{self.label} needs true classes, which nobody knows ({data.label})"
        reason = data.refused_by(self.label, self.spec.accepts)
        if reason or self.own_prior is None:
            return reason
        return self.own_prior.unfit(data, scenario)


def algorithm_part(entry: AlgorithmEntry, registry: Registry, tuning: TuningConfig) -> ResolvedAlgorithm:
    """Resolve an algorithm and its search space."""
    registered: Registered[Algorithm] = registry.algorithm(entry.use)
    spec = registered.spec
    params = {**spec.params, **entry.params}
    space = {}
    if entry.tune:
        wanted = entry.search if entry.search is not None else spec.space
        space = {name: param_to_json(param) for name, param in wanted.items() if name not in entry.params}
        if not space:
            raise SuiteError(
                f"algorithm '{entry.use}' has nothing to tune; give search = {{...}} or set tune = false"
            )
    if "scenario" in spec.receives and "scenario" in (params.keys() | space.keys()):
        raise SuiteError(
            f"algorithm '{entry.use}' is told the scenario of the labelling; remove 'scenario' from its parameters"
        )
    # What a suite fixes is not filled in.
    receives = tuple(name for name in spec.receives if name not in params)
    plan = AlgorithmPlan(spec.estimator, params, space, receives, spec.labels)
    defined = [entry.use, registered.version, spec.estimator, params, space, spec.labels]
    own = _own_prior(spec, params, registry)
    if own is not None:
        defined.append(own.digest)
    return ResolvedAlgorithm(entry.label, plan, spec, entry.tune, digest(defined), own, entry.datasets)


def _own_prior(spec: Algorithm, params: Mapping[str, Any], registry: Registry) -> ResolvedPrior | None:
    """Return the estimator that an algorithm's own parameter names: its version belongs to what defines the cell."""
    name = params.get("prior") if "prior" in spec.receives and spec.labels == "pu" else None
    return _source_part(PriorConfig(source=name), registry) if isinstance(name, str) else None


@dataclass(frozen=True, slots=True)
class ResolvedCriterion:
    """A criterion and how the search for it is run; :meth:`none` stands for no tuning."""

    plan: CriterionPlan
    tuning: TuningPlan | None
    digest: str
    scenarios: tuple[Scenario, ...] = ()
    version: str = ""

    @classmethod
    def none(cls) -> ResolvedCriterion:
        """Return the part of an algorithm that is not tuned."""
        return cls(CriterionPlan(None, "", {}, True), None, "")

    @property
    def name(self) -> str | None:
        """The criterion's name."""
        return self.plan.name

    @property
    def needs_prior(self) -> bool:
        """Whether the criterion cannot do without a class prior."""
        return self.plan.needs_prior

    @property
    def reference(self) -> bool:
        """Whether the choice uses true labels."""
        return self.plan.oracle is not None

    def unfit(self, data: ResolvedDataset, scenario: Scenario) -> str:
        """Say why the criterion cannot judge models of these data; nothing if it can."""
        if self.reference and data.pu:
            return f"criterion '{self.name}' needs true classes, which nobody knows ({data.label})"
        if self.scenarios and scenario not in self.scenarios:
            return f"criterion '{self.name}' is not made for {scenario} data"
        return ""


def search_part(name: str, registry: Registry, tuning: TuningConfig) -> ResolvedCriterion:
    """Resolve a criterion; ``oracle-<metric>`` turns a metric into one."""
    search = tuning_plan(tuning)
    if is_oracle(name):
        metric = registry.metric(name.removeprefix(ORACLE))
        if metric.spec.greater_is_better is None:
            raise SuiteError(f"'{name}': metric '{metric.spec.name}' has no better or worse; choose another")
        oracle = metric_plans({metric.spec.name: metric})[0]
        plan = CriterionPlan(name, "", {}, metric.spec.greater_is_better, oracle)
        return ResolvedCriterion(plan, search, digest([name, metric.version, asdict(search)]))
    return criterion_part(name, registry, search)


def criterion_part(name: str, registry: Registry, search: TuningPlan | None = None) -> ResolvedCriterion:
    """Resolve a criterion that sees no true class, and how it is searched for, if it is."""
    registered = registry.criterion(name)
    spec = registered.spec
    needs_prior = "prior" in spec.needs
    plan = CriterionPlan(
        name, spec.function, dict(spec.params), spec.greater_is_better, needs_prior=needs_prior
    )
    found = [asdict(search)] if search is not None else []
    defined = digest([name, registered.version, spec.function, dict(spec.params), *found])
    return ResolvedCriterion(plan, search, defined, spec.scenarios, registered.version)


def is_oracle(name: str) -> bool:
    """Whether a criterion's name stands for a metric that is told the truth."""
    return name.startswith(ORACLE)


def tuning_plan(tuning: TuningConfig) -> TuningPlan:
    """Return the search as the child needs to know it."""
    batch = tuning.batch if tuning.is_adaptive else 1
    return TuningPlan(tuning.sampler, tuning.trials, batch, tuning.folds, tuning.validation)


def metric_plans(metrics: Mapping[str, Registered[Metric]]) -> tuple[MetricPlan, ...]:
    """Return the metrics as the evaluator needs to know them."""
    return tuple(
        MetricPlan(name, entry.spec.function, entry.spec.uses, entry.version)
        for name, entry in metrics.items()
    )
