"""Plans: a key stands for all that defines a cell and nothing else; seeds are shared where results compare."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest
from helpers.suites import TOY, keys_of, plan

from pubench.plugins.discovery import discover
from pubench.plugins.registry import Registered, Registry

TWO = [{"use": "toy", "tune": True}, {"use": "toy-prior"}]
CC, STS = {"scenario": "case-control", "positives": 10}, {"scenario": "single-training-set", "frequency": 0.5}


def moved(before, after):
    """Return the shared cells whose keys differ, and how many cells are shared."""
    a, b = keys_of(before), keys_of(after)
    shared = a.keys() & b.keys()
    return {name for name in shared if a[name] != b[name]}, len(shared)


def algorithms_of(names):
    return {name[3] for name in names}


@pytest.fixture(scope="module")
def registry():
    return discover(files=[TOY])


def reregistered(registry, kind, name, **changes):
    """Return the registry with one spec changed, as after an upgrade of its plugin."""
    old = registry.entries[kind][name][0]
    named = {**registry.entries[kind], name: (Registered(replace(old.spec, **changes), old.origin),)}
    return Registry(MappingProxyType({**registry.entries, kind: named}), registry.plugins)


@pytest.mark.parametrize(
    "change",
    [
        {"params": {"mode": "other"}},
        {"search": {"shift": [0.0, 1.0]}},
        {"tune": False},
    ],
)
def test_changing_one_algorithm_moves_its_own_cells_only(change):
    before = plan(algorithms=TWO)
    after = plan(algorithms=[TWO[0] | change, TWO[1]])
    different, shared = moved(before, after)
    assert algorithms_of(different) <= {"toy"}
    assert algorithms_of(different) or shared == 1


@pytest.mark.parametrize(
    ("kind", "name", "touched"),
    [("algorithms", "toy", {"toy"}), ("criteria", "nnpu-risk", {"toy"}), ("algorithms", "toy-cc", set())],
)
def test_a_new_version_moves_the_cells_that_use_it(registry, kind, name, touched):
    later = reregistered(registry, kind, name, version="99")
    different, shared = moved(plan(algorithms=TWO), plan(later, algorithms=TWO))
    assert algorithms_of(different) == touched
    assert shared == 2


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"datasets": [{"use": "toy-blobs", "params": {"gap": 1.0}}]},
        {"datasets": [{"use": "toy-blobs", "positive": ["no"]}]},
        {"datasets": [{"use": "toy-blobs", "sample": {"positive": 20}}]},
        {"datasets": [{"use": "toy-blobs", "preprocess": {"scale": "none"}}]},
        {"preprocess": {"impute": "mean"}},
        {"labellings": [CC | {"name": "case-control n_p=10", "test": 0.4}]},
        {"labellings": [CC | {"name": "case-control n_p=10", "mechanism": "sar"}]},
        {"limits": {"threads": 2}},
    ],
)
def test_data_labelling_and_seed_move_every_cell(change):
    different, shared = moved(plan(algorithms=TWO), plan(algorithms=TWO, **change))
    assert len(different) == shared == 2


@pytest.mark.parametrize("change", [{"trials": 3}, {"folds": 3}, {"folds": 2, "sampler": "random"}])
def test_the_search_moves_tuned_cells_only(change):
    different, _ = moved(
        plan(algorithms=TWO), plan(algorithms=TWO, tuning={"sampler": "grid", "folds": 2} | change)
    )
    assert algorithms_of(different) == {"toy"}


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other"},
        {"description": "words"},
        {"replicates": 3},
        {"limits": {"seconds": 5, "memory_mb": 2048}},
        {"report": {"metrics": ["recall"]}},
        {"algorithms": [{"use": "toy-seeded"}, *TWO]},
        {"datasets": [{"use": "toy-holed"}, {"use": "toy-blobs"}]},
        {"labellings": [STS, CC]},
        {"tuning": {"sampler": "grid", "folds": 2, "criteria": ["pauc", "nnpu-risk", "pa", "oracle-f1"]}},
        {"tuning": {"sampler": "grid", "folds": 2, "batch": 9}},
    ],
)
def test_what_changes_no_result_changes_no_key(change):
    before = plan(algorithms=TWO)
    different, shared = moved(before, plan(**({"algorithms": TWO} | change)))
    assert different == set()
    assert shared == len(before.plan.cells)


def test_renaming_changes_no_key():
    named = plan(
        datasets=[{"use": "toy-blobs", "name": "D"}],
        labellings=[CC | {"name": "L"}],
        algorithms=[{"use": "toy", "name": "A"}],
    )
    assert [c.key for c in named.plan.cells] == [c.key for c in plan().plan.cells]
    assert (named.plan.cells[0].dataset, named.plan.cells[0].labelling, named.plan.cells[0].algorithm) == (
        *"DLA",
    )


def test_the_prior_moves_only_cells_that_use_one():
    tuning = {"sampler": "grid", "folds": 2, "criteria": ["puf", "pa"]}
    for source in (0.3, "toy-guess", "none"):
        different, _ = moved(
            plan(algorithms=TWO, tuning=tuning), plan(algorithms=TWO, tuning=tuning, prior={"source": source})
        )
        assert {name[3:] for name in different} == {("toy", "pa"), ("toy-prior", None)}
    fixed = [{"use": "toy-prior", "params": {"prior": 0.2}}]
    assert keys_of(plan(algorithms=fixed)) == keys_of(plan(algorithms=fixed, prior={"source": 0.3}))


def test_keys_are_distinct_and_stable_over_planning():
    changes = {
        "replicates": 3,
        "labellings": [CC, STS],
        "algorithms": TWO,
        "datasets": [{"use": "toy-blobs"}],
    }
    keys = list(keys_of(plan(**changes)).values())
    assert len(set(keys)) == len(keys) == 3 * 2 * 2
    assert keys == list(keys_of(plan(**changes)).values())


def seeds(name, **changes):
    return [getattr(job.seeds, name) for job in plan(**changes).jobs]


def test_splits_are_shared_by_algorithms_criteria_and_labelling_counts():
    changes = {
        "algorithms": [*TWO, {"use": "toy-cc"}],
        "labellings": [CC, CC | {"positives": 15}, CC | {"name": "more test rows", "test": 0.4}],
        "tuning": {"sampler": "tpe", "trials": 2, "criteria": ["puf", "pauc"]},
    }
    for name in ("split", "label", "sample"):
        assert len(seeds(name, **changes)) == 12
        assert len(set(seeds(name, **changes))) == 1
        assert len(set(seeds(name, replicates=4, **changes))) == 4
        assert seeds(name, seed=1) != seeds(name)
    assert len(set(seeds("folds", **changes))) == 3
    assert len(set(seeds("fit", **changes))) == 9
    assert (
        len({seeds(name)[0] for name in ("sample", "split", "label", "folds", "prior", "search", "fit")}) == 7
    )


def test_preprocessing_keeps_the_rows():
    other = [{"use": "toy-blobs", "preprocess": {"scale": "none"}}]
    for name in ("split", "label", "sample"):
        assert seeds(name, datasets=other) == seeds(name)


def test_one_job_for_all_criteria_unless_the_sampler_adapts():
    criteria = ["puf", "pauc", "fp-fn"]
    for sampler, jobs in (("random", 1), ("grid", 1), ("tpe", 3)):
        planned = plan(algorithms=TWO[:1], tuning={"sampler": sampler, "criteria": criteria})
        assert len(planned.jobs) == jobs
        assert [cell.criterion for cell in planned.plan.cells] == criteria


def test_references_are_marked():
    algorithms = [{"use": "toy", "tune": True}, {"use": "pn-toy"}]
    cells = plan(algorithms=algorithms, tuning={"criteria": ["puf", "oracle-f1"]}).plan.cells
    assert {(c.algorithm, c.criterion): c.reference for c in cells} == {
        ("toy", "puf"): False,
        ("toy", "oracle-f1"): True,
        ("pn-toy", None): True,
    }


@pytest.mark.parametrize(
    ("positives", "tune", "said"), [(10, True, True), (10, False, False), (20, True, False)]
)
def test_a_search_with_few_labelled_rows_is_warned_of(positives, tune, said):
    search = {"tune": True, "search": {"shift": {"low": 0.0, "high": 1.0}}} if tune else {}
    planned = plan(
        labellings=[{"scenario": "case-control", "positives": positives}],
        algorithms=[{"use": "toy", **search}],
        tuning={"sampler": "random", "trials": 2, "folds": 4, "criteria": ["puf"]},
    )
    start = "10 labelled rows leave 2.5 to judge a setting by: a search chooses mostly by chance; set"
    assert any(one.startswith(start) for one in planned.advice) is said
