"""The parts of a plan, each resolved once: what a suite's entry means, what it needs, and its digest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from pubench.cache import digest
from pubench.errors import DataError, SuiteError
from pubench.jobs import AlgorithmPlan, CriterionPlan, DataPlan, MetricPlan, PriorPlan, TuningPlan
from pubench.labelling import Labelling, check_counts
from pubench.prepare import prepare
from pubench.prepared import Prepared, select_classes
from pubench.registry import Registered, Registry
from pubench.specs import Algorithm, Metric, Scenario
from pubench.suite import AlgorithmEntry, DatasetEntry, PriorConfig, TuningConfig
from pubench.truth import read_split, read_target
from pubench.tuning import ADAPTIVE, param_to_json

__all__ = [
    "AlgorithmPart",
    "DatasetPart",
    "PriorPart",
    "SearchPart",
    "algorithm_part",
    "dataset_part",
    "metric_plans",
    "prior_part",
    "search_part",
    "tuning_plan",
]

ORACLE = "oracle-"


@dataclass(frozen=True, slots=True)
class DatasetPart:
    """A data set entry, prepared; ``plan`` is the reason in words when it could not be loaded."""

    label: str
    plan: DataPlan | str
    digest: str
    rows_digest: str
    counts: tuple[int, int] = (0, 0)

    def check(self, labelling: Labelling) -> None:
        """Raise DataError if the labelling asks for what the data do not have."""
        if isinstance(self.plan, str):
            return
        given = None
        if labelling.test == "given":
            if not self.plan.prepared.has_split:
                raise DataError(
                    f"data set '{self.label}' has no split of its own; set test to a share such as 0.3"
                )
            given = _given_counts(self.plan)
        try:
            check_counts(*self.counts, labelling, given=given)
        except DataError as error:
            raise DataError(f"data set '{self.label}': {error}") from None


def dataset_part(entry: DatasetEntry, registry: Registry, files: Sequence[str]) -> DatasetPart:
    """Prepare a data set and choose its classes. A loader that fails dooms its own cells only."""
    registered = registry.dataset(entry.use)
    try:
        prepared = prepare(registered, entry.params, files=files)
    except DataError as error:
        doomed = digest([entry.use, dict(entry.params), str(error)])
        return DatasetPart(entry.label, str(error), doomed, doomed)
    positive = entry.positive or registered.spec.positive
    classes = select_classes(prepared, positive, entry.negative or None)
    counts = _counts(prepared, classes)
    sample = None
    if entry.sample is not None:
        sample = (entry.sample.positive or counts[1], entry.sample.negative or counts[0])
        for wanted, there, side in ((sample[0], counts[1], "positive"), (sample[1], counts[0], "negative")):
            if wanted > there:
                raise DataError(
                    f"sample.{side} = {wanted}: data set '{entry.label}' has {there} {side} rows; ask for fewer"
                )
        counts = (sample[1], sample[0])
    names = {prepared.classes[number]: side for number, side in classes.items()}
    rows = [prepared.fingerprint, names, sample]
    plan = DataPlan(prepared, classes, sample, entry.preprocess)
    return DatasetPart(
        entry.label, plan, digest([*rows, asdict(entry.preprocess)]), digest(rows), (counts[1], counts[0])
    )


def _given_counts(plan: DataPlan) -> tuple[int, int] | None:
    """Return the positive and negative rows of the data's own training part; unknown where rows are drawn."""
    if plan.sample is not None:
        return None
    target, trains = read_target(plan.prepared.truth), read_split(plan.prepared.truth) == "train"
    counts = [0, 0]
    for number, side in plan.classes.items():
        counts[side] += int((trains & (target == number)).sum())
    return counts[1], counts[0]


def _counts(prepared: Prepared, classes: Mapping[int, int]) -> tuple[int, int]:
    """Return the number of negative and of positive rows."""
    sides = [0, 0]
    for number, side in classes.items():
        sides[side] += prepared.counts[number]
    if 0 in sides:
        raise DataError(f"data set '{prepared.name}' has one class only")
    return sides[0], sides[1]


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

    def unfit(self, scenario: Scenario) -> str:
        """Say why the criterion cannot judge this scenario; nothing if it can."""
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
    return SearchPart(plan, search, defined, spec.scenarios)


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
