"""The part of a plan that judges models by their own training rows."""

from __future__ import annotations

from collections.abc import Sequence

from pubench.errors import SuiteError
from pubench.plan.datasets import ResolvedDataset
from pubench.plan.parts import ResolvedCriterion, criterion_part, is_oracle
from pubench.plugins.registry import Registry
from pubench.suite import Suite
from pubench.suite.columns import on_training

__all__ = ["training_part"]


def training_part(
    name: str, registry: Registry, suite: Suite, datasets: Sequence[ResolvedDataset]
) -> ResolvedCriterion:
    """Resolve a criterion of ``report.training``; there is no search.

    Raises
    ------
    SuiteError
        If it needs what the suite's data cannot give.
    """
    if is_oracle(name):
        raise SuiteError(
            f"'{name}' needs true classes, which nobody knows of training rows; name a criterion"
        )
    if on_training(name) in registry.metrics():
        raise SuiteError(
            f"'{on_training(name)}' is the name of a metric; rename that, or name another criterion"
        )
    part = criterion_part(name, registry)
    problem = _problem(part, suite, datasets)
    if problem:
        raise SuiteError(problem)
    return part


def _problem(part: ResolvedCriterion, suite: Suite, datasets: Sequence[ResolvedDataset]) -> str:
    if part.needs_prior and suite.prior.source == "none":
        return f"criterion '{part.name}' needs a class prior; set [prior] source"
    unknown = [data.label for data in datasets if data.pu]
    if part.needs_prior and suite.prior.source == "true" and unknown:
        return f"criterion '{part.name}' needs a class prior, and nobody knows that of {unknown[0]}; set [prior] source"
    for data in datasets:
        for labelling in filter(data.is_given, suite.labellings):
            reason = part.unfit(data, labelling.scenario)
            if reason:
                return f"{reason}; remove it, or that labelling"
    return ""
