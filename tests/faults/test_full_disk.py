"""A disk that is full while reports and exports are written: what was there stays, and nothing half-written is left."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from fault_tools import fill
from helpers.runs import write_run, write_shard

from pubench.errors import StoreError
from pubench.reporting import files, read_runs, report_of, write_report
from pubench.reporting.report import Report
from pubench.results.export import export_to
from pubench.results.merged_folder import merge_folders
from pubench.results.table import read_results

BLOCK = 4096


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("run") / "run")


@pytest.fixture(scope="module")
def report(run: Path) -> Report:
    return report_of(read_runs([run]))


@pytest.fixture
def rendered(report: Report, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """Render every format once, and return the content of each file: the test writes them many times."""
    made = {name: list(make(report)) for name, make in files.FORMATS.items()}
    monkeypatch.setattr(files, "FORMATS", {name: lambda _, name=name: iter(made[name]) for name in made})
    return {file: content for found in made.values() for file, content in found}


def contents(folder: Path) -> dict[str, bytes | None]:
    """Return what is on a disk: files with their bytes, and folders."""
    found = (path for path in folder.rglob("*") if path.name != "ballast")
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in found}


def refusal(write: Callable[[], object]) -> str:
    """Return why something cannot be written; empty if it can."""
    try:
        write()
    except StoreError as error:
        return str(error)
    return ""


def assert_all_or_nothing(disk: Path, write: Callable[[], object], whole: dict[str, bytes | None]) -> None:
    """Write on a disk with ever more room, until it suffices: before, nothing changes; then, all is there."""
    before = contents(disk)
    ballast = fill(disk)
    refused = refusal(write)
    assert refused
    while refused:
        assert refused.startswith(f"cannot write {disk}")
        assert ": No space left on device; " in refused
        assert contents(disk) == before
        os.truncate(ballast, ballast.stat().st_size - BLOCK)
        refused = refusal(write)
    assert contents(disk) == before | whole
    ballast.unlink()


@pytest.mark.slow
def test_a_report_is_written_as_a_whole_or_not_at_all(
    small_disk: Path, report: Report, rendered: dict[str, bytes]
) -> None:
    assert {Path(name).suffix for name in rendered} == {".html", ".md", ".csv", ".tex", ".pdf", ".pgf"}
    out = small_disk / "new" / "report"
    new: dict[str, bytes | None] = {f"new/report/{name}": content for name, content in rendered.items()}
    folders: dict[str, bytes | None] = {"new": None, "new/report": None}

    def write() -> None:
        write_report(report, out, tuple(files.FORMATS))

    assert_all_or_nothing(small_disk, write, folders | new)
    # The same on top of an older report, which stays whole until the new one is.
    for name in rendered:
        (out / name).write_bytes(b"old")
    assert_all_or_nothing(small_disk, write, new)


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_an_export_is_written_as_a_whole_or_not_at_all(
    small_disk: Path, tmp_path: Path, run: Path, form: str
) -> None:
    results = read_results(run)
    export_to(tmp_path / "whole", results, form)
    whole: dict[str, bytes | None] = {"new": None, "new/rows": (tmp_path / "whole").read_bytes()}
    assert_all_or_nothing(small_disk, lambda: export_to(small_disk / "new" / "rows", results, form), whole)


def test_a_merge_is_written_as_a_whole_or_not_at_all(small_disk: Path, tmp_path: Path) -> None:
    shards = [write_shard(tmp_path / f"s{number}", number) for number in (1, 2)]
    merge_folders(shards, tmp_path / "whole" / "m")
    whole = contents(tmp_path / "whole")
    assert_all_or_nothing(small_disk, lambda: merge_folders(shards, small_disk / "m"), whole)


def test_an_interruption_leaves_the_older_report_whole(
    tmp_path: Path, report: Report, rendered: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_report(report, tmp_path, tuple(files.FORMATS))
    for path in tmp_path.iterdir():
        path.write_bytes(b"old")
    before, to_disk = contents(tmp_path), os.fsync
    for number in range(len(rendered)):
        left = number

        def interrupt(descriptor: int) -> None:
            nonlocal left
            to_disk(descriptor)
            left -= 1
            if left < 0:
                raise KeyboardInterrupt

        monkeypatch.setattr(os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            write_report(report, tmp_path, tuple(files.FORMATS))
        assert contents(tmp_path) == before
