"""A paper's numbers beside ours."""

import io
import math
from typing import Any

import pytest
from rich.console import Console

from pubench.report import Report, build_report
from pubench.report.paper import PaperLine
from pubench.report.terminal import terminal_report
from pubench.report.text import markdown_report


def rows(**keys: Any) -> list[dict[str, Any]]:
    plain = {"dataset": "d", "labelling": "l", "criterion": "puf", "status": "ok", "algorithm": "a"}
    return [plain | {"replicate": i, "acc": 0.8 + 0.1 * i} | keys for i in range(3)]


def reported(rows: list[dict[str, Any]], percent: bool = False, **number: Any) -> Report:
    whole = {"dataset": "d", "algorithm": "a", "metric": "acc"} | number
    paper = {"citation": "A. Author, Table 1", "percent": percent, "numbers": [whole]}
    return build_report(rows, "s", {"acc": True}, paper=paper)


def lines(*args: Any, **number: Any) -> tuple[PaperLine, ...]:
    paper = reported(*args, **number).paper
    assert paper is not None
    return paper.lines


def test_difference_and_verdict_by_the_combined_deviation() -> None:
    # Ours: 0.9 (0.1). The root of 0.1^2 + 0.1^2 is 0.141.
    (near,) = lines(rows(), mean=0.76, sd=0.1)
    assert (near.paper, near.ours) == pytest.approx((0.76, 0.9))
    assert near.difference == pytest.approx(0.14)
    assert near.within is True
    assert lines(rows(), mean=0.75, sd=0.1)[0].within is False
    assert lines(rows(), mean=0.81)[0].within is True
    assert lines(rows(), mean=0.79)[0].within is False


def test_percentages() -> None:
    (line,) = lines(rows(), percent=True, mean=90.0, sd=2.0)
    assert (line.paper, line.paper_sd) == (0.9, 0.02)
    assert line.within is True


def test_where_no_deviation_is_known_there_is_no_verdict() -> None:
    (line,) = lines(rows()[:1], mean=0.8)
    assert line.difference == pytest.approx(0)
    assert line.within is None


def test_a_number_belongs_to_every_line_that_fits() -> None:
    both = rows() + rows(labelling="m", criterion="pauc")
    assert [line.labelling for line in lines(both, mean=0.5)] == ["l", "m"]
    assert [line.criterion for line in lines(both, mean=0.5, labelling="m")] == ["pauc"]
    assert [line.labelling for line in lines(both, mean=0.5, criterion="puf")] == ["l"]


@pytest.mark.parametrize(
    "number", [{"dataset": "e"}, {"algorithm": "b"}, {"metric": "f1"}, {"labelling": "x"}]
)
def test_what_the_run_lacks_is_told(number: dict[str, str]) -> None:
    (line,) = lines(rows(), mean=0.5, **number)
    assert line.remark == "not in this run"
    assert math.isnan(line.ours)
    assert line.within is None


def test_partial_cells_are_told() -> None:
    partial = rows()[:2] + [row | {"status": "failed", "acc": None} for row in rows()[2:]]
    assert lines(partial, mean=0.5)[0].remark == "2/3 replicates"
    none = [row | {"status": "failed", "acc": None} for row in rows()]
    assert lines(none, mean=0.5)[0].within is None


def test_reports_show_it() -> None:
    report = reported(rows(), mean=0.5, sd=0.1)
    markdown = markdown_report(report)
    assert "## Paper and ours\n\nA. Author, Table 1\n" in markdown
    assert "| acc | d | l | puf | a | 0.500 (0.100) | 0.900 (0.100) | 0.400 | no |  |" in markdown
    stream = io.StringIO()
    terminal_report(report, Console(file=stream, width=200))
    assert "paper 0.500 (0.100), ours 0.900 (0.100), difference 0.400, within sd: no" in stream.getvalue()
    assert "Paper" not in markdown_report(build_report(rows(), "s", {"acc": True}))
