"""What reports show: metrics where true classes are known, criteria where they are not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pubench.errors import SuiteError, UnknownNameError, some_of
from pubench.plan.datasets import ResolvedDataset
from pubench.plan.resolved import ORACLE, ResolvedCriterion, resolve_criterion
from pubench.plugins.registry import Registry
from pubench.suite import Suite
from pubench.suite.columns import on_training

__all__ = [
    "criteria_of_pu_data",
    "names_shown",
    "refuse_metric",
    "resolve_shown",
    "resolve_training_criterion",
    "shows_probabilities",
    "what_is_shown",
]


def resolve_shown(name: str, registry: Registry, suite: Suite) -> ResolvedCriterion | None:
    """Return the criterion behind a report's metric, None for an ordinary metric."""
    try:
        registry.metric(name)
    except UnknownNameError as unknown:
        try:
            return resolve_criterion(name, registry, suite.tuning)
        except UnknownNameError:
            raise unknown from None
    return None


def shows_probabilities(suite: Suite, registry: Registry, datasets: Sequence[ResolvedDataset]) -> bool:
    """Whether the report names a metric of probabilities, and the prior that these need is known for all data."""
    known = registry.metrics()
    named = [known[name].spec.uses for name in suite.report.metrics if name in known]
    source = suite.prior.source
    has_prior = source != "none" and not (source == "true" and any(data.pu for data in datasets))
    return has_prior and "probability" in named


def refuse_metric(
    name: str, *, registry: Registry, suite: Suite, datasets: Sequence[ResolvedDataset]
) -> None:
    """Refuse a metric that no cell can have, and a criterion whose prior is unknown where it is needed.

    Raises
    ------
    SuiteError
        With what it needs, and the remedy.
    """
    if "metrics" not in suite.report.model_fields_set or all(data.judged for data in datasets):
        return
    if name in registry.metrics():
        if not any(data.judged for data in datasets):
            raise SuiteError(
                f"'{name}' needs true classes, which no data set of this suite has; "
                "name criteria instead, such as 'puf'"
            )
        return
    known = registry.all("criteria")
    if name in known and "prior" in registry.criterion(name).spec.needs and not _has_prior(suite):
        raise SuiteError(
            f"'{name}' needs the class prior, which is unknown; set [prior] source, to \"estimate\" for example"
        )


def _has_prior(suite: Suite) -> bool:
    """Whether real PU data are given a prior: nobody knows the true one."""
    return suite.prior.source not in ("true", "none")


def criteria_of_pu_data(
    criteria: Sequence[ResolvedCriterion],
    shown: Sequence[ResolvedCriterion],
    datasets: Sequence[ResolvedDataset],
) -> list[ResolvedCriterion]:
    """Return the criteria that score models of real PU data: those that reports show and those that tune."""
    if all(part.judged for part in datasets):
        if shown:
            raise SuiteError(
                f"report.metrics: '{shown[0].name}' is a criterion and judges PU data only; name a metric"
            )
        return []
    named = {part.name: part for part in (*shown, *criteria) if not part.reference}
    return list(named.values())


def names_shown(
    suite: Suite, pu_criteria: Sequence[ResolvedCriterion], datasets: Sequence[ResolvedDataset]
) -> tuple[str, ...]:
    """Return what reports show: what the suite names and, if it names no criterion of PU data, those that tune."""
    asked, known = suite.report.metrics, [str(one.name) for one in pu_criteria]
    if not known or any(name in known for name in asked):
        return asked
    usable = [str(one.name) for one in pu_criteria if _has_prior(suite) or not one.needs_prior]
    added = tuple(usable or known)
    return (*asked, *added) if any(part.judged for part in datasets) else added


def what_is_shown(suite: Suite, shown: Sequence[str], datasets: Sequence[ResolvedDataset]) -> Iterator[str]:
    """Say which criteria are shown though the suite does not name them, and what they replace."""
    asked = suite.report.metrics
    added, lost = (
        [name for name in one if name not in other] for one, other in ((shown, asked), (asked, shown))
    )
    if not added:
        return
    labels = [part.label for part in datasets if not part.judged]
    instead = f"shows {some_of(added)} instead of {some_of(lost)}" if lost else f"also shows {some_of(added)}"
    yield (
        f"true classes of {some_of(labels)} are unknown: the report {instead}; "
        "name criteria in report.metrics to choose others"
    )


def resolve_training_criterion(
    name: str, registry: Registry, suite: Suite, datasets: Sequence[ResolvedDataset]
) -> ResolvedCriterion:
    """Resolve a criterion of ``report.training``, which scores models on their training rows.

    Raises
    ------
    SuiteError
        If it needs what the suite's data cannot give.
    """
    if name.startswith(ORACLE):
        raise SuiteError(f"'{name}' needs true classes, which training rows do not have; name a criterion")
    if on_training(name) in registry.metrics():
        raise SuiteError(
            f"'{on_training(name)}' is the name of a metric; rename that, or name another criterion"
        )
    criterion = resolve_criterion(name, registry, None)
    problem = _training_problem(criterion, suite, datasets)
    if problem:
        raise SuiteError(problem)
    return criterion


def _training_problem(criterion: ResolvedCriterion, suite: Suite, datasets: Sequence[ResolvedDataset]) -> str:
    needs = f"criterion '{criterion.name}' needs a class prior"
    if criterion.needs_prior and suite.prior.source == "none":
        return f"{needs}; set [prior] source"
    unknown = [data.label for data in datasets if data.pu]
    if criterion.needs_prior and suite.prior.source == "true" and unknown:
        return f"{needs}, and that of {unknown[0]} is unknown; set [prior] source"
    for data in datasets:
        for labelling in filter(data.is_given, suite.labellings):
            reason = criterion.unfit(data, labelling.scenario)
            if reason:
                return f"{reason}; remove it, or that labelling"
    return ""
