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
    """Return the algorithms of this plugin.

    Examples
    --------
    >>> @pubench.hookimpl
    ... def pubench_algorithms():
    ...     return [pubench.Algorithm(name="mine", estimator="my_method:Mine")]
    ...
    >>> [spec.name for spec in pubench_algorithms()]
    ['mine']
    """


@hookspec
def pubench_datasets() -> list[Dataset]:  # type: ignore[empty-body]
    """Return the data sets of this plugin.

    Examples
    --------
    >>> @pubench.hookimpl
    ... def pubench_datasets():
    ...     return [pubench.Dataset(name="mine", loader="my_data:load", positive=("good",))]
    ...
    >>> [spec.name for spec in pubench_datasets()]
    ['mine']
    """


@hookspec
def pubench_criteria() -> list[Criterion]:  # type: ignore[empty-body]
    """Return the PU-only selection criteria of this plugin.

    Examples
    --------
    >>> @pubench.hookimpl
    ... def pubench_criteria():
    ...     return [pubench.Criterion(name="mine", function="my_method:score")]
    ...
    >>> [spec.name for spec in pubench_criteria()]
    ['mine']
    """


@hookspec
def pubench_metrics() -> list[Metric]:  # type: ignore[empty-body]
    """Return the metrics of this plugin.

    Examples
    --------
    >>> @pubench.hookimpl
    ... def pubench_metrics():
    ...     return [pubench.Metric(name="mine", function="my_method:score")]
    ...
    >>> [spec.name for spec in pubench_metrics()]
    ['mine']
    """


@hookspec
def pubench_priors() -> list[PriorEstimator]:  # type: ignore[empty-body]
    """Return the class-prior estimators of this plugin.

    Examples
    --------
    >>> @pubench.hookimpl
    ... def pubench_priors():
    ...     return [pubench.PriorEstimator(name="mine", function="my_method:estimate")]
    ...
    >>> [spec.name for spec in pubench_priors()]
    ['mine']
    """
