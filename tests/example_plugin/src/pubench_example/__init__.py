"""A plugin with a data set, an algorithm, and an algorithm that raises."""

from __future__ import annotations

from pubench import Algorithm, Dataset, hookimpl

__all__ = ["PUBENCH_API", "pubench_algorithms", "pubench_datasets"]

PUBENCH_API = 1


@hookimpl
def pubench_algorithms() -> list[Algorithm]:
    """Return a method that works, and one that does not."""
    about = {"paper": "A. Author, An example, 2026", "licence": "BSD-3-Clause", "version": "1"}
    return [
        Algorithm(
            name="example-nearest",
            estimator="pubench_example.nearest:NearestMean",
            summary="The nearer of the means of P and U",
            scaling="linear",
            **about,
        ),
        Algorithm(
            name="example-raises",
            estimator="pubench_example.nearest:Raises",
            summary="Raises when it is fitted",
            **about,
        ),
    ]


@hookimpl
def pubench_datasets() -> list[Dataset]:
    """Return two clouds."""
    return [
        Dataset(
            name="example-clouds",
            loader="pubench_example.clouds:load",
            summary="Two clouds",
            version="1",
            positive=("right",),
            source="Made by this package",
            licence="BSD-3-Clause",
            citation="A. Author, An example, 2026",
        )
    ]
