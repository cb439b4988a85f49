"""The part of a plan that judges models by their own training rows."""

from __future__ import annotations

from collections.abc import Sequence

from pubench.columns import on_training
from pubench.errors import SuiteError
from pubench.plan_data import DatasetPart
from pubench.plan_parts import SearchPart, criterion_part, is_oracle
from pubench.registry import Registry
from pubench.suite import Suite

__all__ = ["training_part"]


def training_part(name: str, registry: Registry, suite: Suite, datasets: Sequence[DatasetPart]) -> SearchPart:
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


def _problem(part: SearchPart, suite: Suite, datasets: Sequence[DatasetPart]) -> str:
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
