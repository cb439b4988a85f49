"""Specs: what stands where an import string does, what a constructor asks for, and what a package requires."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

import pytest
from helpers.suites import TOY, plan

from pubench import Algorithm, LazyReference, Metric, hookimpl
from pubench.errors import PubenchError
from pubench.plugins.discovery import build_registry, discover
from pubench.plugins.registry import Origin, Registry
from pubench.specs import INFERRED


class Asking:
    """An estimator whose constructor names what pubench can fill in."""

    def __init__(self, depth: int = 1, *, prior: float = 0.5, random_state: int | None = None) -> None:
        self.depth, self.prior, self.random_state = depth, prior, random_state


def registry_of(*specs: Algorithm) -> Registry:
    class Plugin:
        @hookimpl
        def pubench_algorithms(self) -> list[Algorithm]:
            return list(specs)

    return build_registry([(Origin("p", "d", "1"), Plugin)])


def test_a_class_or_a_lazy_reference_stands_for_its_import_string():
    assert Algorithm(name="a", estimator=OrderedDict).estimator == "collections:OrderedDict"
    assert Algorithm(name="a", estimator=LazyReference("no.such", "Class")).estimator == "no.such:Class"
    assert Metric(name="m", function=sorted).function == "builtins:sorted"


@pytest.mark.parametrize(
    ("fields", "receives"),
    [
        ({}, ("prior", "random_state")),
        ({"params": {"prior": 0.3}}, ("random_state",)),
        ({"receives": ()}, ()),
        ({"receives": ("random_state",)}, ("random_state",)),
    ],
)
def test_what_an_algorithm_receives_follows_from_its_constructor_unless_stated(fields, receives):
    registry = registry_of(Algorithm(name="a", estimator=Asking, **fields))
    assert registry.algorithm("a").spec.receives == receives


def test_a_constructor_that_takes_anything_is_asked_for_nothing():
    registry = registry_of(Algorithm(name="a", estimator="builtins:dict"))
    assert registry.algorithm("a").spec.receives == ()


def test_a_need_that_the_constructor_does_not_take_is_refused():
    registry = registry_of(Algorithm(name="a", estimator="sched:scheduler", needs=("prior",)))
    with pytest.raises(PubenchError, match=r"a.*needs"):
        registry.algorithm("a")


def test_our_own_specs_say_what_they_receive_so_that_planning_imports_none_of_them():
    entries = discover(third_party=False).all("algorithms").values()
    assert [entry.spec.name for entry in entries if entry.spec.receives == INFERRED] == []


def with_requirement(text: str) -> Registry:
    registry = discover(files=[TOY])
    (entry,) = registry.entries["algorithms"]["toy"]
    changed = replace(entry, spec=replace(entry.spec, requires=(text,)))
    return Registry({**registry.entries, "algorithms": {**registry.entries["algorithms"], "toy": (changed,)}})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("no-such-package>=2.4", "toy needs no-such-package>=2.4, which is not installed; run: pip install"),
        ("numpy>=999", "toy needs numpy>=999, but numpy"),
        ("numpy>=1.0", ""),
        ("no-such-package; python_version < '3'", ""),
    ],
)
def test_cells_of_a_method_whose_packages_are_missing_are_skipped_with_the_remedy(text, reason):
    (cell,) = plan(with_requirement(text)).plan.cells
    assert cell.skip.startswith(reason)
    assert bool(cell.skip) == bool(reason)


def test_a_requirement_that_pip_cannot_read_is_refused():
    (info,) = registry_of(Algorithm(name="a", estimator=Asking, requires=("torch >= = 2",))).plugins
    assert "requires = 'torch >= = 2'" in info.error


def test_a_qualified_name_has_the_key_of_the_short_one():
    short, qualified = (
        plan(algorithms=[{"use": name, "name": "mine"}]).plan.cells[0].key
        for name in ("naive-lr", "pubench/naive-lr")
    )
    assert short == qualified
