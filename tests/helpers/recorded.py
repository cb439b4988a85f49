"""Plans of bundled suites from what is on record about their data sets: no rows are loaded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pubench.data.stored import StoredDataset
from pubench.plan import datasets, resolved
from pubench.plan.planning import ExecutionPlan, plan_suite
from pubench.plugins.registry import Registered, Registry
from pubench.suite import load_suite

DATASETS = json.loads((Path(__file__).parents[1] / "golden" / "datasets.json").read_text(encoding="utf-8"))


def recorded(registered: Registered[Any], params: dict[str, Any], **options: Any) -> StoredDataset:
    """Return what is on record about a data set, in the place of loading it."""
    meta = DATASETS[json.dumps([registered.spec.name, dict(params)], sort_keys=True)]["meta"]
    return StoredDataset.from_json(json.dumps(meta), folder=Path("absent"), truth=Path("absent"))


def plan_recorded(name: str, registry: Registry) -> ExecutionPlan:
    """Plan a bundled suite without its data."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(datasets, "load_stored", recorded)
        patch.setattr(datasets, "_given_counts", lambda plan: None)
        patch.setattr(datasets, "given_label_counts", lambda stored, number: (10, 100))
        # Which optional packages are installed decides what is skipped, and no key.
        patch.setattr(resolved, "unmet", lambda requirements: "")
        return plan_suite(load_suite(name), registry, source="suite.toml")
