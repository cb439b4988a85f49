"""The parts of a plan, each resolved once: what a suite's entry means, what it needs, and its digest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from pubench.cache import digest
from pubench.errors import SuiteError
from pubench.jobs import AlgorithmPlan, CriterionPlan, MetricPlan, PriorPlan, TuningPlan
from pubench.plan_data import DatasetPart
from pubench.registry import Registered, Registry
from pubench.specs import Algorithm, Metric, Scenario
from pubench.suite import AlgorithmEntry, PriorConfig, TuningConfig
from pubench.tuning import ADAPTIVE, param_to_json

__all__ = [
    "AlgorithmPart",
    "PriorPart",
    "SearchPart",
    "algorithm_part",
    "metric_plans",
    "prior_part",
    "search_part",
    "tuning_plan",
]

ORACLE = "oracle-"


@dataclass(frozen=True, slots=True)
class AlgorithmPart:
    """An algorithm entry, resolved."""

    label: str
    plan: AlgorithmPlan
    spec: Algorithm
    tuned: bool
    digest: str

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

    def unfit(self, data: DatasetPart, scenario: Scenario) -> str:
        """Say why it cannot take the data; nothing if it can."""
        if scenario not in self.spec.scenarios:
            return f"{self.label} is not made for {scenario} data"
        if isinstance(data.plan, str):
            return ""
        if self.reference and data.pu:
            return f"{self.label} needs true classes, which nobody knows ({data.label})"
        prepared, preprocess = data.plan.prepared, data.plan.preprocess
        if prepared.sparse and "sparse" not in self.spec.accepts:
            return f"{self.label} cannot take sparse data ({data.label})"
        takes, holes = self.spec.accepts, prepared.missing if preprocess.impute == "none" else 0
        if prepared.categorical and preprocess.categorical == "codes":
            if "categorical" not in takes:
                return (
                    f"{self.label} cannot take categorical codes ({data.label}); set preprocess.categorical"
                )
            holes += prepared.missing_codes
        if holes and "missing" not in takes:
            return f"{self.label} cannot take missing values ({data.label} has {holes}); set [preprocess]"
        return ""


def algorithm_part(entry: AlgorithmEntry, registry: Registry, tuning: TuningConfig) -> AlgorithmPart:
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
    # What a suite fixes is not filled in.
    receives = tuple(name for name in spec.receives if name not in params)
    plan = AlgorithmPlan(spec.estimator, params, space, receives, spec.labels)
    defined = [entry.use, registered.version, spec.estimator, params, space, spec.labels]
    return AlgorithmPart(entry.label, plan, spec, entry.tune, digest(defined))


@dataclass(frozen=True, slots=True)
class SearchPart:
    """A criterion and how the search for it is run; :meth:`none` stands for no tuning."""

    plan: CriterionPlan
    tuning: TuningPlan | None
    digest: str
    scenarios: tuple[Scenario, ...] = ()
    version: str = ""

    @classmethod
    def none(cls) -> SearchPart:
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

    def unfit(self, data: DatasetPart, scenario: Scenario) -> str:
        """Say why the criterion cannot judge models of these data; nothing if it can."""
        if self.reference and data.pu:
            return f"criterion '{self.name}' needs true classes, which nobody knows ({data.label})"
        if self.scenarios and scenario not in self.scenarios:
            return f"criterion '{self.name}' is not made for {scenario} data"
        return ""


def search_part(name: str, registry: Registry, tuning: TuningConfig) -> SearchPart:
    """Resolve a criterion; ``oracle-<metric>`` turns a metric into one."""
    search = tuning_plan(tuning)
    if name.startswith(ORACLE):
        metric = registry.metric(name.removeprefix(ORACLE))
        if metric.spec.greater_is_better is None:
            raise SuiteError(f"'{name}': metric '{metric.spec.name}' has no better or worse; choose another")
        oracle = metric_plans({metric.spec.name: metric})[0]
        plan = CriterionPlan(name, "", {}, metric.spec.greater_is_better, oracle)
        return SearchPart(plan, search, digest([name, metric.version, asdict(search)]))
    registered = registry.criterion(name)
    spec = registered.spec
    needs_prior = "prior" in spec.needs
    plan = CriterionPlan(
        name, spec.function, dict(spec.params), spec.greater_is_better, needs_prior=needs_prior
    )
    defined = digest([name, registered.version, spec.function, dict(spec.params), asdict(search)])
    return SearchPart(plan, search, defined, spec.scenarios, registered.version)


def tuning_plan(tuning: TuningConfig) -> TuningPlan:
    """Return the search as the child needs to know it."""
    batch = tuning.batch if tuning.sampler in ADAPTIVE else 1
    return TuningPlan(tuning.sampler, tuning.trials, batch, tuning.folds, tuning.validation)


@dataclass(frozen=True, slots=True)
class PriorPart:
    """Where the prior comes from, resolved."""

    plan: PriorPlan
    digest: str
    scenarios: tuple[Scenario, ...] = ()

    def unfit(self, scenario: Scenario) -> str:
        """Say why the estimator cannot serve this scenario; nothing if it can."""
        if self.scenarios and scenario not in self.scenarios:
            return f"prior estimator '{self.plan.name}' is not made for {scenario} data"
        return ""


def prior_part(config: PriorConfig, registry: Registry) -> PriorPart:
    """Resolve the source of the prior."""
    source = config.source
    if not isinstance(source, str):
        return PriorPart(PriorPlan("fixed", float(source)), digest(["fixed", float(source)]))
    if source == "true":
        return PriorPart(PriorPlan("true"), digest("true"))
    if source == "none":
        return PriorPart(PriorPlan("none"), digest("none"))
    registered = registry.prior(source)
    spec, params = registered.spec, {**registered.spec.params, **config.params}
    plan = PriorPlan("estimated", None, source, spec.function, params)
    return PriorPart(plan, digest([source, registered.version, spec.function, params]), spec.scenarios)


def metric_plans(metrics: Mapping[str, Registered[Metric]]) -> tuple[MetricPlan, ...]:
    """Return the metrics as the evaluator needs to know them."""
    return tuple(
        MetricPlan(name, entry.spec.function, entry.spec.uses, entry.version)
        for name, entry in metrics.items()
    )
