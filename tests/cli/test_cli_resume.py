"""A run that finds nothing to do: it says so, and makes no report that would be the same."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from helpers.commands import pubench_here
from helpers.marks import slow
from helpers.suites import TOY, toml

from pubench.results.store import read_records

REPORTS = ("report.html", "report.md")


@pytest.fixture
def again(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Run a suite of three cells; return what runs it again, and whether that wrote the report anew."""
    suite, out = tmp_path / "toy.toml", tmp_path / "run"

    def run(*arguments: str, code: int = 0, **changes: object) -> tuple[str, bool]:
        suite.write_text(toml(**{"replicates": 3} | changes))
        before = {name: (out / name).read_bytes() for name in REPORTS if (out / name).exists()}
        for name, content in before.items():
            # Marked, and as old as it was: a report that is made again loses the mark.
            times = os.stat(out / name)
            (out / name).write_bytes(content + b"\n")
            os.utime(out / name, ns=(times.st_atime_ns, times.st_mtime_ns))
        said = pubench_here(
            capsys, "suite", "run", suite, "--out", out, "--plugin", TOY, *arguments, code=code
        )
        marked = all((out / name).read_bytes().endswith(b"\n\n") for name in REPORTS)
        return said.stdout, not marked

    return run


def test_a_finished_run_is_left_alone(again, tmp_path):
    assert again()[1]
    out = tmp_path / "run"
    said, made = again()
    assert said == (
        f"all 3 cells are finished (3 ok); nothing to do. Report: {out / 'report.html'}; "
        f"`pubench report {out} --out {out}` makes it again\n"
    )
    assert not made
    assert again("--quiet") == ("", False)


def test_the_exit_code_tells_of_failed_cells_as_before(again, monkeypatch):
    monkeypatch.setenv("TOY_FAIL", "1")
    changes = {"algorithms": [{"use": "toy", "params": {"mode": "fragile"}}]}
    assert again(code=1, **changes)[1]
    said, made = again(code=1, **changes)
    assert said.startswith("all 3 cells are finished (3 failed); nothing to do.")
    assert not made
    assert again("--retry-failed", code=1, **changes)[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", REPORTS)
def test_a_report_that_is_gone_is_made_again(again, tmp_path, name):
    again()
    (tmp_path / "run" / name).unlink()
    assert again()[1]
    assert not again()[1]


@pytest.mark.parametrize("name", ["plan.json", *slow("cells.jsonl", "provenance.json")])
def test_a_report_that_is_older_than_what_it_shows_is_made_again(again, tmp_path, name):
    again()
    later = (tmp_path / "run" / "report.md").stat().st_mtime_ns + 1
    os.utime(tmp_path / "run" / name, ns=(later, later))
    assert again()[1]


def test_other_rules_make_another_report_and_no_cell(again, tmp_path):
    again()
    records = read_records(tmp_path / "run")
    said, made = again(report={"metrics": ["f1"]})
    assert made
    assert "nothing to do" not in said
    assert read_records(tmp_path / "run") == records


@pytest.mark.slow
def test_cells_that_are_added_or_run_again_make_another_report(again):
    again()
    assert again(replicates=4)[1]
    assert not again(replicates=4)[1]
    assert again("--force", replicates=4)[1]
