"""Stored results stay valid: keys and seeds of every bundled suite are those of the first release.

``datasets.json`` holds what is known of each data set without its rows, so that suites of papers are planned without
their data; ``plans.json`` holds the plans. A difference here means that every user's finished cells would run again:
change the files only together with ``PROTOCOL`` or the version of a plugin.
"""

import hashlib
import json
from pathlib import Path

import pytest
from helpers.recorded import DATASETS, plan_recorded
from msgspec.structs import asdict

from pubench.data.loading import load_stored
from pubench.plan.planning import ExecutionPlan
from pubench.plugins.discovery import discover
from pubench.plugins.registry import Registry
from pubench.suite import bundled_suites

HERE = Path(__file__).parent
PLANS = json.loads((HERE / "plans.json").read_text(encoding="utf-8"))
WITHOUT_AVX512 = {
    "4070ae8cf07abd15d8d851fd2fdb753f": "30993f32b7749e8840e8bbebbd558161",
    "7e5c5f51f8478004f2027209af129c45": "8ef15ec9f8fbffcb9e681b664143ae2b",
}
"""The fingerprints of the moons, on record and where NumPy's sine and cosine have other last digits."""
GENERATED = [name for name, found in DATASETS.items() if "cache" in found]


@pytest.fixture(scope="module")
def registry() -> Registry:
    return discover(third_party=False)


def digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:32]


def summary(found: ExecutionPlan) -> dict[str, object]:
    """Return digests of keys, names and seeds, with the first and the last key in full."""
    cells = [
        [
            cell.key,
            cell.dataset,
            cell.scenario,
            cell.labelling,
            cell.replicate,
            cell.algorithm,
            cell.criterion,
            cell.reference,
            bool(cell.skip),
            cell.prior_factor,
        ]
        for cell in found.plan.cells
    ]
    seeds = [[[cell.key for cell in job.cells], sorted(asdict(job.seeds).items())] for job in found.jobs]
    return {
        "cells": len(cells),
        "jobs": len(seeds),
        "keys": digest([cell[0] for cell in cells]),
        "rows": digest(cells),
        "seeds": digest(seeds),
        "first": cells[0][0],
        "last": cells[-1][0],
    }


def test_every_bundled_suite_and_its_smoke_size_is_recorded() -> None:
    assert set(PLANS) == {name + size for name in bundled_suites() for size in ("", "-smoke")}


@pytest.mark.parametrize("name", PLANS)
def test_keys_and_seeds_are_those_on_record(name: str, registry: Registry) -> None:
    assert summary(plan_recorded(name, registry)) == PLANS[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", GENERATED)
def test_cached_data_keep_their_name_and_fingerprint(name: str, registry: Registry) -> None:
    dataset, params = json.loads(name)
    found = load_stored(registry.dataset(dataset), params)
    assert Path(found.folder).name == DATASETS[name]["cache"]
    recorded = DATASETS[name]["meta"]["fingerprint"]
    assert found.fingerprint in (recorded, WITHOUT_AVX512.get(recorded))
