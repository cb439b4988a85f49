"""A plugin that registers a name of pubench's own."""

from __future__ import annotations

from pubench import Algorithm, hookimpl

__all__ = ["pubench_algorithms"]


@hookimpl
def pubench_algorithms() -> list[Algorithm]:
    """Return an algorithm whose name is taken."""
    return [Algorithm(name="naive-hgb", estimator="pubench_example.nearest:NearestMean")]
