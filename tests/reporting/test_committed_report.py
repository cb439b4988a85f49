"""The committed report of the quickstart is what its commands make."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from helpers.commands import pubench
from helpers.committed import REPORTS, committed_page, what_differs
from helpers.html import packed

COMMITTED = REPORTS / "quickstart"
OTHER_MACHINES = {".html", ".pdf"}
"""Pages hold times, and how a PDF is packed depends on the library that packs it."""


def page() -> str:
    return committed_page("quickstart")


def values(text: str) -> list[float]:
    """The means behind the tables of a page."""
    return [mean for metric in packed(text, "board-data")["metrics"] for mean in metric["mean"]]


def test_the_page_names_the_command_that_made_it() -> None:
    assert "Made by <code>pubench suite run quickstart</code>" in page()
    readme = (COMMITTED.parent / "README.md").read_text(encoding="utf-8")
    assert (
        "\npubench suite run quickstart\npubench report runs/quickstart --out reports/quickstart\n" in readme
    )
    # Nothing of the machine's folders is in it.
    assert not re.search(r"/(home|tmp|root|work)/", page())


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the suite and make its report as the page says."""
    folder = tmp_path_factory.mktemp("fresh")
    pubench(folder, "suite", "run", "quickstart", "--jobs", "2", "--quiet")
    pubench(folder, "report", "runs/quickstart", "--out", "fresh")
    pubench(folder, "export", "runs/quickstart", "--no-times", "--out", "fresh/cells.csv")
    return folder / "fresh"


@pytest.mark.slow
def test_a_fresh_run_gives_the_same_tables(fresh: Path) -> None:
    assert {file.name for file in COMMITTED.iterdir()} == {file.name for file in fresh.iterdir()}
    committed, again = (values(text) for text in (page(), (fresh / "report.html").read_text()))
    assert again == pytest.approx(committed, abs=0.02)
    assert len(again) == 36


@pytest.mark.slow
def test_a_fresh_run_gives_the_same_cells_on_every_machine(fresh: Path) -> None:
    committed, again = (read_cells(folder / "cells.csv") for folder in (COMMITTED, fresh))
    assert len(again) == len(committed) == 36
    for one, other in zip(committed, again, strict=True):
        assert one.keys() == other.keys()
        for column, text in one.items():
            assert is_close(text, other[column]), column


def read_cells(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def is_close(one: str, other: str) -> bool:
    """Whether two fields of a file are equal but for the last digits of numbers, which depend on the processor."""
    try:
        return float(other) == pytest.approx(float(one), abs=1e-6)
    except ValueError:
        return one == other


@pytest.mark.slow
def test_a_fresh_run_gives_the_same_bytes(fresh: Path) -> None:
    if differ := what_differs(page()):
        pytest.skip(f"not what the committed report was made with: {', '.join(differ)}")
    for file in COMMITTED.iterdir():
        if file.suffix not in OTHER_MACHINES:
            assert (fresh / file.name).read_bytes() == file.read_bytes(), file.name
    assert values((fresh / "report.html").read_text(encoding="utf-8")) == values(page())
