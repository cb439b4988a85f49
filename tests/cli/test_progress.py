"""Progress without a terminal: lines at a rate that a log can take, by a simulated clock."""

from __future__ import annotations

import queue
import threading

import pytest

from pubench.cli.progress import EVERY_CELL, LINE_SECONDS, LONG_REPORT, Lines, Silent, TimeLeft, making_report
from pubench.cli.signals import Signals
from pubench.plan.jobs import Cell
from pubench.results.record import Record
from pubench.status import Status


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def cell(number: int) -> Cell:
    return Cell(str(number), "data", "case-control", "n_p=10", number, "a", None, False)


def lines(total: int, seconds: float, failing: frozenset[int] = frozenset()) -> Lines:
    """Run so many cells, one after the other, each of so many seconds."""
    clock = Clock()
    progress = Lines(Signals(), clock=clock)
    progress.begin(total, 0)
    progress.expect([])
    for number in range(total):
        clock.now += seconds
        status = Status.FAILED if number in failing else Status.OK
        progress.done(cell(number), Record(key=str(number), status=status, error=None))
    return progress


def test_each_cell_of_a_small_run_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines(EVERY_CELL, 0.0)
    assert len(capsys.readouterr().err.splitlines()) == EVERY_CELL


def test_a_large_run_has_a_line_now_and_then_and_one_for_each_failure(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines(1000, LINE_SECONDS / 100, failing=frozenset({5, 7}))
    found = capsys.readouterr().err.splitlines()
    assert [line.split("]")[0] for line in found[:3]] == ["[1/1000", "[6/1000", "[8/1000"]
    assert 12 <= len(found) <= 14
    assert "2 failed" in found[-1]


def test_the_time_left_is_unknown_before_the_first_cell() -> None:
    assert TimeLeft([], Clock()).text == "-:--:--"


def test_a_long_report_is_announced(capsys: pytest.CaptureFixture[str]) -> None:
    for cells in (LONG_REPORT - 1, LONG_REPORT):
        with making_report(cells, quiet=False):
            pass
    assert capsys.readouterr().err == f"making the report of {LONG_REPORT} cells ...\n"


def test_imports_for_the_report_do_not_keep_the_driver_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    imported: queue.Queue[str] = queue.Queue()
    go_on = threading.Event()

    def slow_import(name: str) -> None:
        assert go_on.wait(60)
        imported.put(name)

    monkeypatch.setattr("pubench.cli.progress.importlib.import_module", slow_import)
    progress = Silent(Signals())
    for _ in range(2):
        progress.tasks(2, 2, 0)
    assert imported.empty(), "tasks are handed out while the imports have hardly begun"
    go_on.set()
    assert imported.get(timeout=60) == "pubench.reporting"
    assert imported.get(timeout=60) == "scipy.stats"
