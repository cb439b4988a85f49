"""The source of the class prior, resolved once for a suite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pubench.errors import SuiteError
from pubench.estimators.prior_statement import RANGE
from pubench.plan.datasets import ResolvedDataset
from pubench.plan.keys import prior_digest
from pubench.plan.parts import PlannedPart, part_of_spec
from pubench.plugins.registry import Registry
from pubench.plugins.requirements import unmet
from pubench.priors import DEFAULT, ESTIMATE
from pubench.protocol.parts import OwnPrior, PriorPlan
from pubench.specs import Algorithm, Param, Params, Scenario
from pubench.suite.models import PriorConfig

__all__ = ["ResolvedPrior", "own_prior", "prior_parameter", "resolve_prior", "resolve_priors"]

# The point of the default estimator, with the interval and the doubts that a person would be told.
_STATEMENT = "pubench.estimators.prior_statement:stated_estimate"


@dataclass(frozen=True, slots=True)
class ResolvedPrior:
    """Where the prior comes from, and the factor that multiplies it where a suite varies it."""

    plan: PriorPlan
    digest: str
    factor: float | None = None
    scenarios: tuple[Scenario, ...] = ()
    accepts: tuple[str, ...] = ()
    part: PlannedPart | None = None
    lacking: str = ""

    @property
    def words(self) -> str:
        """Where it comes from, as reports say it."""
        sources = {"true": "the true one", "none": "none", "fixed": f"{self.plan.value}"}
        source = sources.get(self.plan.source, f"estimated by {self.plan.name}")
        return source if self.factor is None else f"{source} times each factor"

    def unfit(self, data: ResolvedDataset, scenario: Scenario) -> str:
        """Say why these data cannot have this prior; empty if they can."""
        if self.plan.source == "estimated":
            name = f"prior estimator '{self.plan.name}'"
            if self.lacking:
                return f"{name} {self.lacking}"
            if scenario not in self.scenarios:
                return f"{name} does not support {scenario} data"
            return data.refused_by(name, self.accepts)
        positive, total = data.counts[0], sum(data.counts)
        if self.plan.source == "true" and not data.pu and self.plan.factor * positive >= total > 0:
            share = f"{self.plan.factor:g} times the prior {positive / total:.3g} ({data.label})"
            return f"{share} is not a valid prior; reduce prior.factors"
        return ""


def resolve_priors(config: PriorConfig, registry: Registry) -> list[ResolvedPrior]:
    """Resolve the source of the prior: one, or one for each factor."""
    factors: Sequence[float | None] = config.factors or (None,)
    return [resolve_prior(config.source, config.params, factor, registry) for factor in factors]


def resolve_prior(
    source: str | float, params: Params, factor: float | None, registry: Registry
) -> ResolvedPrior:
    """Resolve one source of the prior: a number, ``"true"``, ``"none"``, or the name of an estimator."""
    times = 1.0 if factor is None else factor
    if not isinstance(source, str):
        plan = PriorPlan(source="fixed", value=float(source), factor=times)
    elif source == "true":
        plan = PriorPlan(source="true", factor=times)
    elif source == "none":
        plan = PriorPlan(source="none", factor=times)
    else:
        registered = registry.prior(DEFAULT if source == ESTIMATE else source)
        spec = registered.spec
        plan = PriorPlan(
            source="estimated",
            name=spec.name,
            function=_STATEMENT if source == ESTIMATE else spec.function,
            params={**spec.params, **params},
            factor=times,
        )
        part = part_of_spec("prior estimator", spec.name, registered)
        # The interval that is stated next to the default estimate has an estimator of its own.
        interval = registry.prior(RANGE) if source == ESTIMATE else None
        defined = prior_digest(plan, registered, interval)
        lacking = unmet(spec.requires)
        return ResolvedPrior(plan, defined, factor, spec.scenarios, spec.accepts, part, lacking)
    return ResolvedPrior(plan, prior_digest(plan, None), factor)


def own_prior(spec: Algorithm, params: Params, registry: Registry) -> ResolvedPrior | None:
    """Return the estimator that an algorithm's own parameter names: its version is part of what defines the cell."""
    name = params.get("prior") if "prior" in spec.receives and spec.labels == "pu" else None
    return resolve_prior(name, {}, None, registry) if isinstance(name, str) else None


def prior_parameter(spec: Algorithm, params: Params, space: Mapping[str, Param]) -> OwnPrior:
    """Return how an algorithm's own parameters give the prior.

    Raises
    ------
    SuiteError
        If they fix it at a number that is not a prior.
    """
    if "prior" not in spec.receives or spec.labels != "pu":
        return "none"
    if "prior" in space:
        return "searched"
    value = params.get("prior")
    if isinstance(value, str):
        return "named"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "none"
    if not 0.0 < value < 1.0:
        raise SuiteError(
            f"params.prior of '{spec.name}' is {value:g}; give a number strictly between 0 and 1"
        )
    return "fixed"
