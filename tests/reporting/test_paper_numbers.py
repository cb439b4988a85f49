"""A paper's numbers beside ours."""

import io
import math
from typing import Any

import pytest
from helpers.reports import paper as paper_of
from rich.console import Console

from pubench.reporting import Report, build_report
from pubench.reporting.published import PublishedNumber, VerdictCounts, count_verdicts
from pubench.reporting.render.markdown import markdown_report
from pubench.reporting.render.terminal import terminal_report
from pubench.reporting.sections.paper import paper_summary


def rows(**keys: Any) -> list[dict[str, Any]]:
    plain = {"dataset": "d", "labelling": "l", "criterion": "puf", "status": "ok", "algorithm": "a"}
    return [plain | {"replicate": i, "acc": 0.8 + 0.1 * i} | keys for i in range(3)]


def reported(rows: list[dict[str, Any]], percent: bool = False, **number: Any) -> Report:
    whole = {"dataset": "d", "algorithm": "a", "metric": "acc"} | number
    paper = paper_of(citation="A. Author, Table 1", percent=percent, numbers=[whole])
    return build_report(rows, "s", {"acc": True}, paper=paper)


def lines(*args: Any, **number: Any) -> tuple[PublishedNumber, ...]:
    paper = reported(*args, **number).paper
    assert paper is not None
    return paper.numbers


def test_means_agree_within_two_standard_errors_of_their_difference() -> None:
    # Ours: 0.9 (0.1) of three. Two errors of the difference are 2 sqrt(0.01 / 3 + 0.01 / 3) = 0.163.
    (near,) = lines(rows(), mean=0.74, sd=0.1)
    assert (near.paper, near.ours) == pytest.approx((0.74, 0.9))
    assert near.difference == pytest.approx(0.16)
    assert near.verdict == "agrees"
    assert lines(rows(), mean=0.73, sd=0.1)[0].verdict == "higher"
    assert lines(rows(), mean=1.07, sd=0.1)[0].verdict == "lower"
    # Where the paper has no deviation ours alone counts: 2 sqrt(0.01 / 3) = 0.115.
    assert lines(rows(), mean=0.79)[0].verdict == "agrees"
    assert lines(rows(), mean=0.78)[0].verdict == "higher"


def test_a_printed_mean_of_more_runs_has_a_smaller_error() -> None:
    number = {"dataset": "d", "algorithm": "a", "metric": "acc", "mean": 0.74, "sd": 0.1}
    for replicates, verdict in ((None, "agrees"), (3, "agrees"), (30, "higher")):
        paper = paper_of(citation="c", replicates=replicates, numbers=[number])
        found = build_report(rows(), "s", {"acc": True}, paper=paper).paper
        assert found is not None
        assert found.numbers[0].verdict == verdict


@pytest.mark.parametrize("greater", [True, False, None])
def test_higher_is_said_of_the_number_and_not_of_the_method(greater: bool | None) -> None:
    number = {"dataset": "d", "algorithm": "a", "metric": "acc", "mean": 0.5, "sd": 0.1}
    published = paper_of(citation="c", numbers=[number])
    paper = build_report(rows(), "s", {"acc": greater}, paper=published).paper
    assert paper is not None
    assert paper.numbers[0].verdict == "higher"


def test_rounding_of_the_printed_mean_is_not_a_difference() -> None:
    same = [row | {"acc": 0.36449} for row in rows()]
    number = {"dataset": "d", "algorithm": "a", "metric": "acc", "mean": 36.0, "sd": 0.0}
    for digits, verdict in ((None, "higher"), (2, "higher"), (0, "agrees")):
        paper = paper_of(citation="c", percent=True, digits=digits, numbers=[number])
        found = build_report(same, "s", {"acc": True}, paper=paper).paper
        assert found is not None
        assert found.numbers[0].verdict == verdict


def test_percentages() -> None:
    (line,) = lines(rows(), percent=True, mean=90.0, sd=2.0)
    assert (line.paper, line.paper_sd) == (0.9, 0.02)
    assert line.verdict == "agrees"


def test_where_no_deviation_is_known_there_is_no_verdict() -> None:
    (line,) = lines(rows()[:1], mean=0.8)
    assert line.difference == pytest.approx(0)
    assert line.verdict == ""


def test_a_number_belongs_to_every_line_that_fits() -> None:
    both = rows() + rows(labelling="m", criterion="pauc")
    assert [line.labelling for line in lines(both, mean=0.5)] == ["l", "m"]
    assert [line.criterion for line in lines(both, mean=0.5, labelling="m")] == ["pauc"]
    assert [line.labelling for line in lines(both, mean=0.5, criterion="puf")] == ["l"]


@pytest.mark.parametrize(
    "number", [{"dataset": "e"}, {"algorithm": "b"}, {"metric": "f1"}, {"labelling": "x"}]
)
def test_a_number_that_is_not_in_the_run_has_a_remark(number: dict[str, str]) -> None:
    (line,) = lines(rows(), mean=0.5, **number)
    assert line.remark == "not in this run"
    assert math.isnan(line.ours)
    assert line.verdict == ""


def test_partial_cells_have_a_remark() -> None:
    partial = rows()[:2] + [row | {"status": "failed", "acc": None} for row in rows()[2:]]
    assert lines(partial, mean=0.5)[0].remark == "2/3 replicates"
    none = [row | {"status": "failed", "acc": None} for row in rows()]
    assert lines(none, mean=0.5)[0].verdict == ""


def test_every_number_is_accounted_for() -> None:
    found = rows() + rows(dataset="e") + rows(dataset="e", algorithm="b")
    means = {("d", "a"): 0.9, ("e", "a"): 1.4, ("e", "b"): 0.2, ("f", "a"): 0.5}
    numbers = [
        {"dataset": dataset, "algorithm": algorithm, "metric": "acc", "mean": mean}
        for (dataset, algorithm), mean in means.items()
    ]
    separate = [
        {"dataset": "e", "algorithm": "b", "reason": "half of the rows"},
        {"dataset": "d", "kind": "own-search", "reason": "our grid"},
        {"dataset": "g", "reason": "x"},
    ]
    missing = [{"what": "all of h", "cells": 4, "reason": "no such file"}]
    paper = paper_of(citation="c", numbers=numbers, separate=separate, missing=missing)
    report = build_report(found, "s", {"acc": True}, paper=paper)
    assert report.paper is not None
    assert count_verdicts(report.paper.numbers) == VerdictCounts(agrees=1, higher=1, lower=1, open=1)
    assert paper_summary(report.paper) == [
        "Same protocol: 2 numbers, 1 is lower, 1 is not judged.",
        "Own search, d (our grid): 1 number, 1 agrees.",
        "Other data, e (half of the rows): 1 number, 1 is higher.",
        "Unavailable: all of h, 4 (no such file).",
    ]
    markdown = markdown_report(report)
    assert "| same protocol | 2 | 0 | 0 | 1 | 1 |" in markdown
    assert "| own search, d (our grid) | 1 | 1 | 0 | 0 | 0 |" in markdown
    assert "| other data, e (half of the rows) | 1 | 0 | 1 | 0 | 0 |" in markdown
    assert "| unavailable: all of h (no such file) | 4 | – | – | – | – |" in markdown
    assert "| 0.700 | higher | other data |" in markdown
    assert "The paper prints no deviations: ours alone decide which numbers agree." in markdown


def test_reports_show_it() -> None:
    report = reported(rows(), mean=0.5, sd=0.1)
    markdown = markdown_report(report)
    assert "## Comparison with the paper\n\nPublished in: A. Author, Table 1\n" in markdown
    assert "| acc | d | l | puf | a | 0.500 (0.100) | 0.900 (0.100) | 0.400 | higher |  |" in markdown
    stream = io.StringIO()
    terminal_report(report, Console(file=stream, width=200))
    assert "paper 0.500 (0.100), ours 0.900 (0.100), difference 0.400, higher" in stream.getvalue()
    assert "paper" not in markdown_report(build_report(rows(), "s", {"acc": True}))
