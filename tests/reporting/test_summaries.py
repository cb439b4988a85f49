"""Summaries of a run: scenarios, criterion by algorithm, difficulty of data sets, averages of curves."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

from pubench.reporting import Report, build_report
from pubench.reporting.choices import find_choices
from pubench.reporting.difficulty import Scored, find_difficulties
from pubench.reporting.pricing import find_prices
from pubench.reporting.render.html import html_report
from pubench.reporting.sections import make_sections
from pubench.reporting.sections.blocks import BulletList
from pubench.reporting.sections.scenarios import find_scenarios
from pubench.reporting.sweeps import average_sweep, find_sweeps


def row(algorithm: str, acc: float, dataset: str = "d0", replicate: int = 0, **keys: Any) -> dict[str, Any]:
    plain = {"labelling": "l", "criterion": None, "status": "ok", "reference": False}
    return plain | {"dataset": dataset, "replicate": replicate, "algorithm": algorithm, "acc": acc} | keys


def report_of(rows: list[dict[str, Any]], greater: bool = True) -> Report:
    return build_report(rows, "s", {"acc": greater})


def scenario_rows() -> list[dict[str, Any]]:
    scores = {
        "case-control": {"a": 0.9, "b": 0.8, "c": 0.7},
        "single-training-set": {"a": 0.6, "b": 0.8, "c": 0.5},
    }
    return [
        row(name, acc + 0.01 * d, f"d{d}", labelling=f"{scenario} c=0.3", scenario=scenario)
        for scenario, found in scores.items()
        for name, acc in found.items()
        for d in range(3)
    ]


def test_scenarios_have_leaders_of_their_own() -> None:
    report = report_of(scenario_rows())
    first, second = find_scenarios(report, report.tables[0])
    assert (first.name, second.name) == ("case-control", "single-training-set")
    assert [first.rank(name) for name in "abc"] == [1, 2, 3]
    assert [second.rank(name) for name in "abc"] == [2, 1, 3]
    assert first.mean("a") == pytest.approx(0.91)
    section = next(one for one in make_sections(report) if one.name == "scenarios")
    (sentences,) = (block for block in section.blocks if isinstance(block, BulletList))
    assert (
        "What differs most from case-control to single-training-set: a (rank 1.0 and 2.0, score -0.300)"
        in sentences.items[2]
    )
    assert "scenarios" not in {one.name for one in make_sections(report_of(scenario_rows()[:9]))}


def tuned_rows() -> list[dict[str, Any]]:
    chosen = {"puf": 0.7, "pauc": 0.5, "oracle-acc": 0.8}
    rows = [
        row(
            "a",
            acc,
            f"d{d}",
            r,
            criterion=name,
            collapsed=name == "pauc" and r == 0,
            reference=name == "oracle-acc",
        )
        for name, acc in chosen.items()
        for d in range(2)
        for r in range(2)
    ]
    return rows + [row("a, default", 0.6, f"d{d}", r) for d in range(2) for r in range(2)]


def test_a_run_of_references_alone_has_no_leaders_and_a_page() -> None:
    # As in a shard that holds nothing else.
    report = report_of([one | {"reference": True} for one in scenario_rows()])
    assert find_scenarios(report, report.tables[0]) == []
    assert "<html" in html_report(report)


def test_criterion_by_algorithm() -> None:
    report = report_of(tuned_rows())
    (price,) = find_prices(report)
    puf, pauc, oracle = find_choices(report, price)[""]
    assert (puf.loss, puf.gain, puf.harmed) == pytest.approx((0.1, 0.1, 0.0))
    assert (pauc.loss, pauc.gain, pauc.harmed) == pytest.approx((0.3, -0.1, 1.0))
    assert (pauc.collapsed, pauc.models) == (2, 4)
    assert (oracle.loss, oracle.gain) == pytest.approx((0.0, 0.2))
    page = html_report(report)
    assert "Choosing by puf costs least: -0.100 acc against choosing by true classes, and +0.100" in page
    assert "2 of 4 collapsed" in page


@pytest.mark.parametrize("greater", [True, False])
def test_difficulty_is_the_spread_between_naive_and_supervised(greater: bool) -> None:
    scores = {"naive-lr-prior": 0.6, "naive-et-prior": 0.7, "good": 0.8, "bad": 0.5, "partial": 0.9}
    rows = [row(name, acc if greater else 1 - acc) for name, acc in scores.items()]
    rows += [row("partial", 0.9, replicate=1, status="failed")]
    rows += [row("supervised-lr", 0.95 if greater else 0.05, reference=True)]
    (found,) = find_difficulties(report_of(rows, greater).tables[0]).values()
    assert found.naive == Scored("naive-et-prior", pytest.approx(0.7 if greater else 0.3))
    assert abs(found.spread) == pytest.approx(0.25)
    assert [one.name for one in found.leaders] == ["good", "naive-et-prior", "naive-lr-prior"]
    assert (found.ahead, found.rivals) == (1, 2)


def sweep_rows(datasets: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    return [
        row("a", float(rng.uniform()), f"d{d}", r, labelling=f"single-training-set c={c}")
        for d in range(datasets)
        for r in range(3)
        for c in (0.1, 0.5)
    ]


@pytest.mark.parametrize("datasets", [2, 8])
def test_averages_of_curves_have_intervals_over_what_the_caption_says(datasets: int) -> None:
    rows = sweep_rows(datasets)
    report = report_of(rows)
    (sweep,) = find_sweeps(report)
    whole = average_sweep(report.tables[0], sweep)
    assert whole is not None
    ((curve,),) = [panel.curves for panel in whole.panels]
    values = np.array([[r["acc"] for r in rows if r["labelling"].endswith(f"c={c}")] for c in (0.1, 0.5)])
    values = values.reshape(2, datasets, 3)
    assert curve.mean == pytest.approx(values.mean(axis=(1, 2)))
    units = values.mean(axis=2) if datasets == 8 else values.mean(axis=1)
    half = student.ppf(0.975, units.shape[1] - 1) * units.std(axis=1, ddof=1) / np.sqrt(units.shape[1])
    assert curve.margin == pytest.approx(half)
    words = "over data sets" if datasets == 8 else "over replicates: there are too few data sets"
    assert f"The band is a 95 % t-interval {words}" in html_report(report)
