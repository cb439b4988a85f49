"""The hooks that a plugin may implement; discovery calls them and expects lists of specs."""

from __future__ import annotations

import pluggy

from pubench.specs import Algorithm, Criterion, Dataset, Metric, PriorEstimator

__all__ = ["PROJECT", "hookimpl", "hookspec"]

PROJECT = "pubench"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def pubench_algorithms() -> list[Algorithm]:  # type: ignore[empty-body]
    """Return the algorithms of this plugin."""


@hookspec
def pubench_datasets() -> list[Dataset]:  # type: ignore[empty-body]
    """Return the data sets of this plugin."""


@hookspec
def pubench_criteria() -> list[Criterion]:  # type: ignore[empty-body]
    """Return the PU-only selection criteria of this plugin."""


@hookspec
def pubench_metrics() -> list[Metric]:  # type: ignore[empty-body]
    """Return the metrics of this plugin."""


@hookspec
def pubench_priors() -> list[PriorEstimator]:  # type: ignore[empty-body]
    """Return the class-prior estimators of this plugin."""
