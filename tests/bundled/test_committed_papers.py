"""The committed reports of the papers' tables: complete, counted right, and what the smoke sizes give again."""

import csv
import re
import runpy
from pathlib import Path

import pytest
from helpers.commands import pubench
from helpers.committed import REPORTS, STUDIES, WITHOUT_PAPER, committed_page, what_differs

from pubench.suite import bundled_suites, load_suite

PAPERS = [name for name in bundled_suites() if name not in WITHOUT_PAPER]


@pytest.mark.parametrize("name", [*PAPERS, *STUDIES])
def test_the_report_is_complete_and_names_its_command(name: str) -> None:
    page = committed_page(name)
    assert f"Made by <code>pubench suite run {name}" in page
    assert not re.search(r"/(home|tmp|root|work)/", page)
    for file, suite in (("cells.csv", name), ("smoke.csv", f"{name}-smoke")):
        cells = rows(REPORTS / name / file)
        # The shootout has algorithms that refuse sparse rows.
        assert {cell["status"] for cell in cells} <= {"ok", "skipped" if name == "shootout" else "ok"}, suite
        assert {cell["dataset"] for cell in cells} >= {entry.label for entry in load_suite(suite).datasets}
        assert "fit_seconds" not in cells[0]


def test_every_number_of_the_papers_is_in_readmes_table() -> None:
    script = runpy.run_path(str(REPORTS / "accounts.py"))
    page = script["PAGE"].read_text(encoding="utf-8")
    assert script["written"](page) == page, "run: python reports/accounts.py"
    found = list(script["accounts"]())
    assert {suite.name for suite, _ in found} == {name for name in PAPERS if load_suite(name).paper.numbers}
    for suite, account in found:
        assert account.compared + account.apart.total() == len(suite.paper.numbers)
        assert not account.verdicts["not judged"], suite.name


def test_the_tables_of_conclusions_are_those_of_the_committed_rows() -> None:
    script = runpy.run_path(str(REPORTS / "conclusions.py"))
    page = script["PAGE"].read_text(encoding="utf-8")
    assert script["written"](page) == page, "run: python reports/conclusions.py"
    assert set(re.findall(r"<!-- Below: (\w+)", page)) == set(script["TABLES"])


def test_one_of_five_comparable_numbers_is_lower_at_most() -> None:
    script = runpy.run_path(str(REPORTS / "accounts.py"))
    verdicts = [account.verdicts for _, account in script["accounts"]()]
    assert sum(found["lower"] for found in verdicts) <= 0.2 * sum(found.total() for found in verdicts)


def test_the_list_of_claims_is_that_of_the_committed_rows() -> None:
    script = runpy.run_path(str(REPORTS / "claims.py"))
    found = list(script["results"]())
    assert script["PAGE"].read_text(encoding="utf-8") == script["page"](), "run: python reports/claims.py"
    # Every suite of a paper has claims, and says what was chosen with true classes.
    assert {suite.name for suite, _ in found} == {name for name in PAPERS if name != "shootout"}
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
@pytest.mark.parametrize("name", PAPERS)
def test_a_fresh_run_of_the_smoke_size_gives_the_same_cells_and_a_second_run_nothing(
    name: str, tmp_path: Path
) -> None:
    check_the_smoke_size(name, tmp_path, PUBENCH_OFFLINE="1")


@pytest.mark.slow
@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize("name", STUDIES)
def test_a_fresh_run_of_the_smoke_size_of_a_study_gives_the_same_cells(name: str, tmp_path: Path) -> None:
    check_the_smoke_size(name, tmp_path)


def check_the_smoke_size(name: str, folder: Path, **environment: str) -> None:
    pubench(folder, "suite", "run", f"{name}-smoke", "--jobs", "2", "--quiet", **environment)
    run = folder / "runs" / f"{name}-smoke"
    pubench(folder, "export", run, "--no-times", "--out", folder / "smoke.csv")
    if not what_differs(committed_page(name)):
        committed = rows(REPORTS / name / "smoke.csv")
        # A metric that came later adds a column.
        fresh = [{column: row[column] for column in committed[0]} for row in rows(folder / "smoke.csv")]
        assert fresh == committed
    assert keys(folder / "smoke.csv") == keys(REPORTS / name / "smoke.csv")
    stored = {file.name: file.read_bytes() for file in run.glob("*.jsonl")}
    pubench(folder, "suite", "run", f"{name}-smoke", "--jobs", "2", "--quiet", **environment)
    assert {file.name: file.read_bytes() for file in run.glob("*.jsonl")} == stored
