"""Every bundled algorithm has a page with all its parts, and every parameter on it has a meaning."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from pubench.suite import load_suite

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted((DOCS / "methods").glob("*.md"))
PARTS = (
    "Idea",
    "Equation",
    "When to use",
    "When not to use",
    "Example",
    "Parameters",
    "Cost",
    "Reference",
)


@cache
def facts() -> ModuleType:
    spec = importlib.util.spec_from_file_location("method_facts", DOCS / "method_facts.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look for their module there.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def parts(page: Path) -> dict[str, str]:
    return dict(re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", page.read_text(encoding="utf-8"), re.M | re.S))


def named(text: str, directive: str) -> list[str]:
    return [name for names in re.findall(rf"^```{{{directive}}} (.*)$", text, re.M) for name in names.split()]


def algorithms() -> Iterator[str]:
    yield from facts().algorithms()


def test_every_algorithm_is_on_one_page() -> None:
    found = [name for page in PAGES for name in named(page.read_text(encoding="utf-8"), "parameters")]
    assert sorted(found) == sorted(algorithms())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_every_part(page: Path) -> None:
    found = parts(page)
    assert tuple(found)[: len(PARTS)] == PARTS
    assert all(text.strip() for text in found.values())
    assert len(re.findall(r"(?<=[^.])\.(?:\s|$)", found["Idea"])) == 2, "the idea has two sentences"
    assert "$$" in found["Equation"]
    for part in ("When to use", "When not to use"):
        assert found[part].lstrip().startswith("- ")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_example_and_the_references_are_of_the_algorithms_on_the_page(page: Path) -> None:
    found = parts(page)
    names = named(found["Parameters"], "parameters")
    for name in names:
        assert f'"{name}"' in found["Example"]
    cited = [name for name in names if facts().algorithms()[name].paper]
    assert named(found["Reference"], "papers") == cited
    # Without a paper, a sentence says what it is.
    for name in set(names) - set(cited):
        assert re.search(rf"`{name}`|They are", found["Reference"])


@pytest.mark.parametrize("name", list(algorithms()))
def test_every_parameter_has_a_meaning(name: str) -> None:
    spec = facts().algorithms()[name]
    if spec.requires:
        pytest.importorskip(re.split(r"\W", spec.requires[0])[0])
    found = facts().parameters(spec)
    assert found or spec.estimator.startswith("sklearn.")
    assert not [one.name for one in found if not one.text]
    # What a suite may fix or search is described, unless it is passed on to a classifier of scikit-learn.
    known = {one.name for one in found}
    if "classifier" not in known and found:
        assert {key for key in (*spec.params, *spec.space) if "__" not in key} <= known


def test_the_overview_lists_every_algorithm_with_its_page() -> None:
    overview = (DOCS / "algorithms.md").read_text(encoding="utf-8")
    for page in PAGES:
        row = next(line for line in overview.splitlines() if f"(methods/{page.name})" in line)
        assert set(re.findall(r"`([\w-]+)`", row)) >= set(
            named(page.read_text(encoding="utf-8"), "parameters")
        )


def test_the_benchmark_names_the_methods_that_it_leaves_out() -> None:
    page = (DOCS / "benchmark.md").read_text(encoding="utf-8")
    (left_out,) = re.findall(r"^`core` leaves out, (.*?)\n\n", page, re.M | re.S)
    held = {entry.use for entry in load_suite("core").algorithms}
    assert {*re.findall(r"`([a-z-]+)`", left_out)} == {*algorithms()} - held
    assert f"| {len(held)} methods with their defaults" in page
