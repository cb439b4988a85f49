"""The hook of the bundled data sets; specs and loaders are in separate modules, so that importing this one is quick."""

from __future__ import annotations

from pubench import hookimpl
from pubench.specs import Dataset
from pubench_datasets.catalogue import (
    embedded_datasets,
    file_datasets,
    openml_datasets,
    species_datasets,
    synthetic_datasets,
)
from pubench_datasets.paper_specs import paper_datasets

__all__ = ["PUBENCH_PINNED", "pubench_datasets"]

PUBENCH_PINNED = True
"""Versions of these specs are raised by hand, in a checkout too."""


@hookimpl
def pubench_datasets() -> list[Dataset]:
    """Return all first-party data sets."""
    return [
        *embedded_datasets(),
        *synthetic_datasets(),
        *file_datasets(),
        *openml_datasets(),
        *species_datasets(),
        *paper_datasets(),
    ]
