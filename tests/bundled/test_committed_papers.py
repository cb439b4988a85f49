"""The committed reports of the papers' tables: complete, counted right, and what the smoke sizes give again."""

import csv
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import pubench
from helpers.committed import (
    CORE_REPORTS,
    NOT_RUN,
    REPORTS,
    STUDIES,
    TODAY_REPORTS,
    WITHOUT_PAPER,
    committed_page,
    kernels_of,
    marked,
    what_differs,
)

from pubench.results.exported import read_exported
from pubench.stats.board import make_board
from pubench.stats.leaderboard import leaderboard
from pubench.stats.scores import score_table
from pubench.suite import bundled_suites, load_suite
from pubench.suite.reporting import Rules

TEXTS = {"000": "Ada-PU", "001": "PUAL", "002": "NovelGB", "003": "PU extra trees", "004": "weighted LR"}
ROMAN = {"I": "1", "II": "2", "III": "3"}
PAPERS = [name for name in bundled_suites() if name not in WITHOUT_PAPER]


@pytest.mark.parametrize("name", [*PAPERS, *STUDIES, *CORE_REPORTS, *TODAY_REPORTS])
def test_the_report_is_complete_and_names_its_command(name: str) -> None:
    page = committed_page(name)
    assert f"Made by <code>pubench suite run {name}" in page
    assert not re.search(r"/(home|tmp|root|work)/", page)
    for file, suite in (("cells.csv", name), ("smoke.csv", f"{name}-smoke")):
        cells = rows(REPORTS / name / file)
        # The shootout has algorithms that refuse sparse rows.
        assert {cell["status"] for cell in cells} <= {"ok", "skipped" if name == "shootout" else "ok"}, suite
        labels = {label for cell in cells for label in (cell["dataset"], cell["dataset"].split(": ")[0])}
        assert labels >= {entry.label for entry in load_suite(suite).datasets}
        assert "fit_seconds" not in cells[0]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], dict[str, Any]]:
    """Return what runs a script of the reports; these import each other."""
    monkeypatch.syspath_prepend(str(REPORTS))
    return lambda name: runpy.run_path(str(REPORTS / f"{name}.py"))


def test_every_number_of_the_papers_is_in_the_account(script: Callable[[str], dict[str, Any]]) -> None:
    made = script("accounts")
    numbers = list(made["published"]())
    accounts = [(suite, made["account"](suite, found)) for suite, found in numbers]
    assert {suite.name for suite, _ in accounts} == {
        name for name in PAPERS if load_suite(name).paper.numbers
    }
    for path, tabled in made["PAGES"].items():
        page = path.read_text(encoding="utf-8")
        assert made["written"](page, tabled, accounts) == page, "run: python reports/accounts.py"
    for suite, found in numbers:
        assert all(one.verdict for one in found), suite.name
        assert len(found) == len(suite.paper.numbers)
        committed = (REPORTS / suite.name / "paper.csv").read_bytes().decode()
        assert made["numbers_csv"](found) == committed, "run: python reports/accounts.py"


def test_every_table_figure_and_claim_has_a_state(script: Callable[[str], dict[str, Any]]) -> None:
    made = script("papers")
    items = made["items"]()
    assert made["PAGE"].read_text(encoding="utf-8") == made["page"](), "run: python reports/papers.py"
    assert len({(one.paper, one.place) for one in items}) == len(items)
    # What is not there in full says why; what is there names the suites that make it.
    assert all(one.why for one in items if one.state in ("in part", "missing"))
    assert all(one.suites for one in items if one.state in ("compared", "in part"))
    assert {name for one in items for name in one.suites} - set(NOT_RUN) == {
        name for name in PAPERS if name != "shootout"
    }
    assert {name for one in items if one.state == "not run" for name in one.suites} <= set(NOT_RUN)


@pytest.mark.parametrize(("paper", "file"), [*zip(TEXTS.values(), TEXTS, strict=True)])
def test_no_table_or_figure_of_a_paper_is_undeclared(
    paper: str, file: str, script: Callable[[str], dict[str, Any]]
) -> None:
    found = sorted((REPORTS.parent.parent / "shared" / "papers").glob(f"{file}_*.txt"))
    if not found:
        pytest.skip("the papers' texts are not here")
    text = found[0].read_text(encoding="utf-8")
    captions = re.findall(r"\b(Table|Fig)(?:ure|\.)?\s+([0-9]+|[IVX]+)\b", text, re.IGNORECASE)
    places = {f"{'Table' if kind.lower() == 'table' else 'Figure'} {ROMAN.get(n, n)}" for kind, n in captions}
    assert places == {one.place for one in script("papers")["items"]() if one.paper == paper}


def test_the_tables_of_conclusions_are_those_of_the_committed_rows() -> None:
    script = runpy.run_path(str(REPORTS / "conclusions.py"))
    pages = [page.read_text(encoding="utf-8") for page in script["PAGES"]]
    assert [script["written"](page) for page in pages] == pages, "run: python reports/conclusions.py"
    assert sorted(re.findall(r"<!-- Below: (\w+)", "\n".join(pages))) == sorted(script["TABLES"])


def test_the_tables_of_the_benchmark_are_those_of_the_committed_rows(
    script: Callable[[str], dict[str, Any]],
) -> None:
    made = script("benchmark")
    pages = [page.read_text(encoding="utf-8") for page in made["PAGES"]]
    assert [made["written"](page) for page in pages] == pages, "run: python reports/benchmark.py"
    assert set(re.findall(r"<!-- Below: (\w+)", "\n".join(pages))) == set(made["TABLES"])


def test_the_same_methods_lead_where_tables_are_drawn_from_nature() -> None:
    groups = load_suite("core-small").report.groups
    found = read_exported(REPORTS / "core-small" / "cells.csv").rows
    boards = []
    for names in (set().union(*groups.values()), set(groups["drawn from nature"])):
        rows = [row for row in found if row["dataset"] in names]
        tables = [score_table(rows, metric, True) for metric in ("accuracy", "f1", "roc-auc")]
        board = make_board(tables, rows, Rules(), {})
        boards.append([leaderboard(board, place, Rules()) for place in range(3)])
    assert [one[0].units for one in boards] == [70, 61]
    best, in_nature = ([one.best for one in board] for board in boards)
    assert best == in_nature
    page = (REPORTS.parent / "docs" / "benchmark.md").read_text(encoding="utf-8")
    assert f"{100 * boards[0][0].detectable:.1f} points of accuracy between two methods is detected" in page
    assert f"{100 * boards[1][0].detectable:.1f} points of accuracy are detected" in page
    assert boards[0][0].detectable <= 0.015


def test_what_does_not_survive_is_no_conclusion(script: Callable[[str], dict[str, Any]]) -> None:
    made = script("benchmark")
    verdicts = made["verdicts"]()
    # Statements are listed once: as a conclusion, or as removed.
    assert any(one.survives for one in verdicts)
    for one in verdicts:
        line = f"| {made['_said'](one.statement)} | {one.statement.points:+.1f} | {one.points:+.1f} |"
        assert (line in made["removed"]()) is not one.survives
    same_sign = [one for one in verdicts if one.points * one.statement.points > 0]
    assert all(one in same_sign for one in verdicts if one.survives)


def test_the_tables_of_recent_methods_are_those_of_the_committed_rows(
    script: Callable[[str], dict[str, Any]],
) -> None:
    made, found = script("today"), []
    for path in made["PAGES"]:
        page = path.read_text(encoding="utf-8")
        assert made["written"](page) == page, "run: python reports/today.py"
        found += re.findall(r"<!-- Below: (\w+), made by reports/today", page)
    assert set(found) == set(made["TABLES"])


def test_the_list_of_claims_is_that_of_the_committed_rows(script: Callable[[str], dict[str, Any]]) -> None:
    made = script("claims")
    found = list(made["results"]())
    assert made["PAGE"].read_text(encoding="utf-8") == made["page"](), "run: python reports/claims.py"
    # Every suite of a paper has claims, and says what was chosen with true classes.
    assert {suite.name for suite, _ in found} == {*PAPERS, *NOT_RUN} - {"shootout"}
    assert all(suite.paper.chosen_with_truth for suite, _ in found)
    verdicts = {
        one.says: one.verdict for suite, claims in found for one in claims if suite.name == "pual-table3"
    }
    assert verdicts["PUAL has the best mean of the four methods in 17 of 32 cases."] == "does not hold"


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def keys(path: Path) -> list[tuple[str, str]]:
    return [(row["key"], row["status"]) for row in rows(path)]


@pytest.mark.slow
@pytest.mark.usefixtures("data_root")
@pytest.mark.parametrize("name", [*map(marked, PAPERS), *TODAY_REPORTS])
def test_a_fresh_run_of_the_smoke_size_gives_the_same_cells_and_a_second_run_nothing(
    name: str, tmp_path: Path
) -> None:
    check_the_smoke_size(name, tmp_path, PUBENCH_OFFLINE="1")


@pytest.mark.slow
@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize("name", [*STUDIES, *CORE_REPORTS])
def test_a_fresh_run_of_the_smoke_size_of_a_study_gives_the_same_cells(name: str, tmp_path: Path) -> None:
    check_the_smoke_size(name, tmp_path)


def check_the_smoke_size(name: str, folder: Path, **environment: str) -> None:
    page = committed_page(name)
    kernels, here = kernels_of(page)
    environment |= kernels
    pubench(folder, "suite", "run", f"{name}-smoke", "--jobs", "2", "--quiet", **environment)
    run = folder / "runs" / f"{name}-smoke"
    pubench(folder, "export", run, "--no-times", "--out", folder / "smoke.csv")
    if not what_differs(page, here):
        committed = rows(REPORTS / name / "smoke.csv")
        # A metric that came later adds a column.
        fresh = [{column: row[column] for column in committed[0]} for row in rows(folder / "smoke.csv")]
        assert fresh == committed
    assert keys(folder / "smoke.csv") == keys(REPORTS / name / "smoke.csv")
    stored = {file.name: file.read_bytes() for file in run.glob("*.jsonl")}
    pubench(folder, "suite", "run", f"{name}-smoke", "--jobs", "2", "--quiet", **environment)
    assert {file.name: file.read_bytes() for file in run.glob("*.jsonl")} == stored
