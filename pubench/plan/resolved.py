"""The parts of a suite, each resolved once: the algorithm or criterion behind a name, and its digest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import msgspec

from pubench.errors import SuiteError
from pubench.plan.datasets import ResolvedDataset
from pubench.plan.jobs import DataPlan
from pubench.plan.keys import algorithm_digest, criterion_digest, oracle_digest
from pubench.plan.parts import PlannedPart, part_of_spec
from pubench.plan.prior_source import ResolvedPrior, own_prior, prior_parameter
from pubench.plugins.registry import Registered, Registry
from pubench.plugins.requirements import unmet
from pubench.protocol.parts import THRESHOLD, AlgorithmPlan, CriterionPlan, MetricPlan, Preprocess, SearchPlan
from pubench.specs import Algorithm, Choice, Metric, Param, Params, Scenario
from pubench.suite.entries import AlgorithmEntry
from pubench.suite.models import TuningConfig
from pubench.suite.samplers import SAMPLERS

__all__ = [
    "ResolvedAlgorithm",
    "ResolvedCriterion",
    "metric_plans",
    "resolve_algorithm",
    "resolve_criterion",
]

ORACLE = "oracle-"


@dataclass(frozen=True, slots=True)
class ResolvedAlgorithm:
    """An algorithm entry; ``own_prior`` is the prior estimator that its own parameter names."""

    label: str
    plan: AlgorithmPlan
    spec: Algorithm
    tuned: bool
    digest: str
    own_prior: ResolvedPrior | None = None
    datasets: tuple[str, ...] = ()
    part: PlannedPart | None = None
    preprocess: Params = field(default_factory=dict)

    def is_run_on(self, data: ResolvedDataset) -> bool:
        """Whether the suite wants it on these data."""
        return not self.datasets or data.entry in self.datasets

    @property
    def reference(self) -> bool:
        """Whether it learns from true labels, or from true propensities."""
        return self.spec.labels == "true" or self.plan.uses_propensity

    @property
    def is_cut(self) -> bool:
        """Whether its decisions are cut at the prior, by the suite or by itself."""
        return self.plan.threshold == "prior" or self.spec.threshold == "built-in"

    @property
    def needs_prior(self) -> bool:
        """Whether it requires a class prior."""
        own = "prior" in self.spec.needs and "prior" not in self.plan.params
        return own or (self.plan.learns_decisions and self.plan.uses_prior)

    @property
    def uses_prior(self) -> bool:
        """Whether it is given a prior."""
        return self.plan.uses_prior

    def unfit(self, data: ResolvedDataset, scenario: Scenario) -> str:
        """Say why it cannot take the data; empty if it can."""
        lacking = unmet(self.spec.requires)
        if lacking:
            return f"{self.label} {lacking}"
        if scenario not in self.spec.scenarios:
            return f"{self.label} does not support {scenario} data"
        if self.reference and data.pu:
            wanted = "true propensities" if self.plan.uses_propensity else "true classes"
            return f"{self.label} needs {wanted}, which are unknown ({data.label})"
        own = data.plan.for_algorithm if isinstance(data.plan, DataPlan) else None
        images = "image_shape" in self.spec.needs
        reason = data.refused_by(self.label, self.spec.accepts, own, images=images)
        if reason or self.own_prior is None:
            return reason
        return self.own_prior.unfit(data, scenario)


def resolve_algorithm(
    entry: AlgorithmEntry, registry: Registry, *, calibrates: bool = False
) -> ResolvedAlgorithm:
    """Resolve an algorithm and its search space; ``calibrates`` says whether probabilities are wanted of all."""
    registered: Registered[Algorithm] = registry.algorithm(entry.use)
    spec = registered.spec
    params, space = {**spec.params, **entry.params}, _space(entry, spec)
    if "scenario" in spec.receives and "scenario" in (params.keys() | space.keys()):
        raise SuiteError(
            f"algorithm '{entry.use}' takes the scenario of the labelling; remove 'scenario' from its parameters"
        )
    # What a suite fixes is not filled in.
    receives = tuple(name for name in spec.receives if name not in params)
    plan = AlgorithmPlan(
        estimator=spec.estimator,
        params=params,
        space=space,
        receives=receives,
        labels=spec.labels,
        scenarios=spec.scenarios,
        dtype=spec.dtype,
        # A device with a number is the user's own choice.
        gpu="gpu" in spec.needs or params.get("device") in ("cuda", "mps"),
        # Cells with a prior of their own were first run with their own decisions, and keep their keys.
        threshold=entry.threshold
        or ("prior" if spec.threshold == "prior" and "prior" not in params else "own"),
        probability=entry.probability or (spec.probability if calibrates and spec.labels == "pu" else "own"),
        own_prior=prior_parameter(spec, params, space),
    )
    if plan.learns_decisions and spec.labels == "true":
        raise SuiteError(
            f"algorithm '{entry.use}' learns from true classes; remove threshold and probability, which use the prior"
        )
    if plan.learns_decisions and plan.uses_propensity:
        raise SuiteError(
            f"algorithm '{entry.use}' is fitted with true propensities, which out-of-fold fits do not have; remove "
            "threshold and probability"
        )
    own = own_prior(spec, params, registry)
    # Packages that the suite names among the parameters count as those of the spec do.
    registered = replace(registered, spec=replace(spec, params=params))
    defined = algorithm_digest(
        registry.short_name("algorithms", entry.use), registered, plan, own.digest if own else ""
    )
    part = part_of_spec("algorithm", entry.label, registered)
    preprocess = {**spec.preprocess, **entry.preprocess}
    _refuse_preprocess(entry.use, preprocess)
    return ResolvedAlgorithm(
        entry.label, plan, spec, entry.tune, defined, own, entry.datasets, part, preprocess
    )


def _refuse_preprocess(use: str, preprocess: Params) -> None:
    try:
        msgspec.convert(preprocess, Preprocess)
    except msgspec.ValidationError as error:
        raise SuiteError(f"algorithm '{use}': preprocess: {error}") from None
    unknown = [name for name in preprocess if name not in Preprocess.__dataclass_fields__]
    if unknown:
        raise SuiteError(f"algorithm '{use}': preprocess has no key '{unknown[0]}'")


def _space(entry: AlgorithmEntry, spec: Algorithm) -> Mapping[str, Param]:
    if not entry.tune:
        return {}
    wanted = entry.search if entry.search is not None else spec.space
    space = {name: param for name, param in wanted.items() if name not in entry.params}
    if entry.threshold == "search":
        if THRESHOLD in space:
            raise SuiteError(
                f"algorithm '{entry.use}' searches a parameter '{THRESHOLD}' of its own; fix it in params"
            )
        space[THRESHOLD] = Choice(("own", "prior"))
    if not space:
        raise SuiteError(
            f"algorithm '{entry.use}' has nothing to tune; give search = {{...}} or set tune = false"
        )
    return space


@dataclass(frozen=True, slots=True)
class ResolvedCriterion:
    """A criterion and how the search for it is run; without a search it only scores models."""

    plan: CriterionPlan
    search: SearchPlan | None
    digest: str
    scenarios: tuple[Scenario, ...] = ()
    version: str = ""
    part: PlannedPart | None = None
    lacking: str = ""

    @classmethod
    def none(cls) -> ResolvedCriterion:
        """Return what stands for the criterion of an algorithm that is not tuned."""
        return cls(CriterionPlan(name=None), None, "")

    @property
    def name(self) -> str | None:
        """The criterion's name."""
        return self.plan.name

    @property
    def needs_prior(self) -> bool:
        """Whether the criterion requires a class prior."""
        return self.plan.needs_prior

    @property
    def reference(self) -> bool:
        """Whether the choice uses true labels."""
        return self.plan.oracle is not None

    def unfit(self, data: ResolvedDataset, scenario: Scenario) -> str:
        """Say why the criterion cannot score models of these data; empty if it can."""
        if self.lacking:
            return f"criterion '{self.name}' {self.lacking}"
        if self.reference and data.pu:
            return f"criterion '{self.name}' needs true classes, which are unknown ({data.label})"
        if self.scenarios and scenario not in self.scenarios:
            return f"criterion '{self.name}' does not support {scenario} data"
        return ""


def resolve_criterion(name: str, registry: Registry, tuning: TuningConfig | None) -> ResolvedCriterion:
    """Resolve a criterion and its search, if it tunes; ``oracle-<metric>`` turns a metric into a criterion."""
    search = _search_plan(tuning) if tuning is not None else None
    if name.startswith(ORACLE) and search is not None:
        return _resolve_oracle(name, registry, search)
    registered = registry.criterion(name)
    spec = registered.spec
    plan = CriterionPlan(
        name=name,
        function=spec.function,
        params=dict(spec.params),
        maximise=spec.greater_is_better,
        needs_prior="prior" in spec.needs,
    )
    defined = criterion_digest(registered, search)
    part = part_of_spec("criterion", name, registered)
    lacking = unmet(spec.requires)
    return ResolvedCriterion(plan, search, defined, spec.scenarios, registered.version, part, lacking)


def _resolve_oracle(name: str, registry: Registry, search: SearchPlan) -> ResolvedCriterion:
    metric = registry.metric(name.removeprefix(ORACLE))
    greater = metric.spec.greater_is_better
    if greater is None:
        raise SuiteError(f"'{name}': metric '{metric.spec.name}' has no better or worse; choose another")
    oracle = metric_plans({metric.spec.name: metric})[0]
    plan = CriterionPlan(name=name, maximise=greater, oracle=oracle)
    return ResolvedCriterion(plan, search, oracle_digest(name, metric, search))


def _search_plan(tuning: TuningConfig) -> SearchPlan:
    return SearchPlan(
        sampler=tuning.sampler,
        engine=SAMPLERS[tuning.sampler].engine,
        trials=tuning.trials,
        batch=tuning.batch if tuning.is_adaptive or tuning.pruner != "none" else 1,
        folds=tuning.folds,
        validation=tuning.validation,
        rule=tuning.rule,
        defaults=tuning.defaults,
        pruner="" if tuning.pruner == "none" else tuning.pruner,
        spatial=tuning.split == "spatial",
    )


def metric_plans(metrics: Mapping[str, Registered[Metric]]) -> tuple[MetricPlan, ...]:
    """Return the metrics as the evaluator needs to know them."""
    return tuple(
        MetricPlan(name=name, function=entry.spec.function, uses=entry.spec.uses, version=entry.version)
        for name, entry in metrics.items()
    )
