"""The bundled suites: what they name exists, every number of a paper has its cells, and smoke sizes are small."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from helpers.committed import WITHOUT_PAPER, marked
from helpers.recorded import plan_recorded

from pubench.plan.checking import parameter_problems
from pubench.plan.jobs import Plan
from pubench.plan.planning import plan_suite
from pubench.plugins.discovery import discover
from pubench.plugins.registry import Registry
from pubench.sandbox.pool import MOST_KEPT
from pubench.suite import bundled_suites, load_suite
from pubench.suite.reporting import PaperNumber

PAGE = Path(__file__).parents[2] / "docs" / "papers.md"
BOTH = [name + end for name in bundled_suites() for end in ("", "-smoke")]
# Added after the first release, with suites of their own.
LATER = ("pubench_modern.", "pubench_sar.", "pubench_species.", "pubench.estimators.rank_mean:")
LATER_NAMES = {"brt", "puet-top", "rf-down", "nnpu-torch", "nnpu-cnn", "upu-cnn"}
# Any classifier may be named: presets stand for them.
GENERIC = {"naive", "naive-prior", "pu-bagging"}


@pytest.fixture(scope="module")
def registry() -> Registry:
    return discover(third_party=False)


@pytest.fixture(scope="module")
def plans(registry: Registry) -> Callable[[str], Plan]:
    """Return what plans a suite, once, without its data."""
    return cache(lambda name: plan_recorded(name, registry).plan)


@pytest.mark.parametrize("name", BOTH)
def test_parameters_are_known_and_numbers_have_cells(
    name: str, registry: Registry, plans: Callable[[str], Plan]
) -> None:
    suite = load_suite(name)
    assert suite.name == name
    assert not list(parameter_problems(suite, registry))
    cells = plans(name).cells
    places = {(cell.dataset, cell.labelling, cell.algorithm, cell.criterion) for cell in cells}
    for number in suite.paper.numbers:
        wanted = (number.dataset, number.labelling, number.algorithm, number.criterion)
        fitting = [
            place for place in places if all(w in (None, p) for w, p in zip(wanted, place, strict=True))
        ]
        # A number that fits several lines would be compared more than once.
        assert len(fitting) == 1, number


@pytest.mark.parametrize("name", bundled_suites())
def test_numbers_are_told_once_and_lie_where_their_metric_does(name: str) -> None:
    paper = load_suite(name).paper
    keys = [(n.dataset, n.labelling, n.algorithm, n.criterion, n.metric) for n in paper.numbers]
    assert len(set(keys)) == len(keys)
    assert all(within(number, percent=paper.percent) for number in paper.numbers)


def within(number: PaperNumber, *, percent: bool) -> bool:
    """Whether a number is what its metric can be: a share, a risk of training rows, or a time."""
    if number.metric.startswith("training-"):
        return -1 < number.mean < 1
    return number.mean > 0 if number.metric == "fit-seconds" else 0 <= number.mean <= (100 if percent else 1)


@pytest.mark.parametrize("name", bundled_suites())
def test_the_smoke_size_is_a_small_part_of_the_suite(name: str, plans: Callable[[str], Plan]) -> None:
    whole, smoke = (plans(size).cells for size in (name, f"{name}-smoke"))
    assert len(smoke) <= min(len(whole), 200)
    assert {cell.algorithm for cell in smoke} <= {cell.algorithm for cell in whole}


def test_the_page_of_papers_counts_right(plans: Callable[[str], Plan]) -> None:
    lines = re.findall(r"^\| `([\w-]+)` \|[^|]*\| ([\d,]+) \|$", PAGE.read_text(), re.MULTILINE)
    told = {name: int(cells.replace(",", "")) for name, cells in lines}
    shootout = re.search(r"([\d,]+) cells \((\d+) in\nthe smoke size\)", PAGE.read_text())
    assert shootout is not None
    told["shootout"] = int(shootout[1].replace(",", ""))
    assert int(shootout[2]) == len(plans("shootout-smoke").cells)
    assert told == {name: len(plans(name).cells) for name in bundled_suites() if name not in WITHOUT_PAPER}


def test_the_shootout_has_every_algorithm(registry: Registry) -> None:
    suite = load_suite("shootout")
    later = {
        name
        for name in registry.all("algorithms")
        if registry.algorithm(name).spec.estimator.startswith(LATER)
    }
    first = set(registry.all("algorithms")) - GENERIC - LATER_NAMES - later
    assert {entry.use for entry in suite.algorithms} == first
    assert len(suite.datasets) == 12
    assert {labelling.scenario for labelling in suite.labellings} == {"case-control", "single-training-set"}


def test_a_worker_keeps_a_warm_process_for_every_estimator_of_the_shootout(registry: Registry) -> None:
    specs = [registered.spec for registered in map(registry.algorithm, registry.all("algorithms"))]
    assert len({(spec.labels, spec.estimator, spec.receives) for spec in specs}) <= MOST_KEPT


def with_data() -> Iterator[str]:
    """Yield the names of the suites of data sets that need files."""
    for name in BOTH:
        used = {entry.use for entry in load_suite(name).datasets}
        if any(use.startswith(("adapu-", "novelgb-", "pual-", "puet-", "wlr-")) for use in used):
            yield name


@pytest.mark.slow
@pytest.mark.usefixtures("data_root")
@pytest.mark.parametrize("name", [*map(marked, with_data())])
def test_with_data_every_cell_can_run(name: str, registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PUBENCH_OFFLINE", "1")
    found = plan_suite(load_suite(name), registry, source="x.toml")
    assert not found.without_data
    assert not any(cell.skip for cell in found.plan.cells)
