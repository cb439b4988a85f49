"""A full disk, a busy folder, torn and altered files: a sentence or a re-run, never wrong data."""

from __future__ import annotations

import functools
import json
import os
import resource
import shutil
from pathlib import Path

import pytest
from fault_tools import (
    PATIENCE,
    PLUGIN,
    Gate,
    driver,
    fill,
    pubench,
    run,
    run_arguments,
    sentences,
    stable_rows,
    stored,
    wait_for,
    write_suite,
)
from helpers.commands import pubench_here
from helpers.marks import slow

from pubench.api import run_suite
from pubench.results.run_folder import read_provenance
from pubench.results.store import read_records
from pubench.results.table import read_results

CELLS = 8


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_suite(tmp_path_factory.mktemp("suite") / "suite.toml", replicates=CELLS)


@pytest.fixture(scope="module")
def undisturbed(suite: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("undisturbed") / "run"
    assert run_suite(suite, out=out, plugins=[PLUGIN]).counts == {"ok": CELLS}
    return out


@pytest.fixture
def copy(undisturbed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(undisturbed, tmp_path / "run"))


def resume(suite: Path, out: Path) -> int:
    """Go on with a run and return how many cells that took."""
    before = read_records(out)[0]
    run_suite(suite, out=out, plugins=[PLUGIN])
    after = read_records(out)[0]
    assert {key: after[key] for key in before} == before
    return len(after) - len(before)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_finished_cells_survive_a_full_disk(small_disk: Path, tmp_path: Path, jobs: str) -> None:
    suite = write_suite(tmp_path / "s.toml", replicates=16)
    out, gate = small_disk / "run", Gate(tmp_path / "gate", allowed=3)
    with driver(*run_arguments(suite, out, "--jobs", jobs), gate=gate) as (process, _):
        wait_for(lambda: stored(out) >= 3, "cells to be stored")
        ballast = fill(small_disk)
        gate.open()
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1, err
    told = [line for line in err.splitlines() if not line.startswith("[")]
    assert told == [
        f"pubench: cannot write {out / 'cells.jsonl'}: No space left on device; finished cells are kept, "
        "make room and run the same command again"
    ]
    assert 3 <= stored(out) < 16
    again = run(suite, out)
    assert again.returncode == 1
    assert [line for line in sentences(again) if "No space left on device" in line] == sentences(again)[:1]
    ballast.unlink()
    assert resume(suite, out) + stored_of(err) == 16
    run_suite(suite, out=tmp_path / "elsewhere", plugins=[PLUGIN])
    assert stable_rows(out) == stable_rows(tmp_path / "elsewhere")


def stored_of(err: str) -> int:
    """How many cells a run has told to be stored."""
    return sum(line.startswith("[") for line in err.splitlines())


@pytest.mark.slow
def test_finished_cells_survive_a_file_size_limit(suite: Path, undisturbed: Path, tmp_path: Path) -> None:
    size = (undisturbed / "cells.jsonl").stat().st_size
    # Half a record to spare: the digits of times make records longer or shorter.
    limit = size * (2 * (CELLS * 3 // 4) + 1) // (2 * CELLS)
    assert limit > max(file.stat().st_size for file in undisturbed.iterdir() if file.name != "cells.jsonl")
    out = tmp_path / "run"
    set_limit = functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (limit, limit))
    full = pubench(*run_arguments(suite, out), preexec_fn=set_limit)
    assert full.returncode == 1
    assert len(sentences(full)) == 1
    assert sentences(full)[0].startswith(f"cannot write {out / 'cells.jsonl'}: ")
    assert stored(out) == stored_of(full.stderr) == CELLS * 3 // 4
    assert not read_records(out)[1]
    assert resume(suite, out) == CELLS - CELLS * 3 // 4
    assert stable_rows(out) == stable_rows(undisturbed)


@pytest.mark.slow
def test_a_second_run_in_the_same_folder_is_refused(suite: Path, tmp_path: Path) -> None:
    out, gate = tmp_path / "run", Gate(tmp_path / "gate", allowed=1)
    with driver(*run_arguments(suite, out), gate=gate) as (process, _):
        wait_for(lambda: stored(out), "a cell to be stored")
        second = run(suite, out)
        status = pubench("suite", "status", str(out))
        assert process.poll() is None
    assert second.returncode == 2
    assert sentences(second) == [
        f"run folder {out} is in use by process {process.pid}; wait for it, or choose another --out"
    ]
    assert (status.returncode, sentences(status)) == (0, [])
    assert "pending" in status.stdout


@pytest.mark.slow
def test_the_last_record_torn_at_every_byte(suite: Path, undisturbed: Path, copy: Path) -> None:
    whole = (copy / "cells.jsonl").read_bytes()
    start = whole.rstrip(b"\n").rfind(b"\n") + 1
    complete = read_records(copy)[0]
    last = json.loads(whole[start:].split(b" ", 1)[1])["key"]
    for end in range(start, len(whole)):
        (copy / "cells.jsonl").write_bytes(whole[:end])
        records, problems = read_records(copy)
        assert records == {key: record for key, record in complete.items() if key != last}
        assert len(problems) == (end > start)
    # The part that is left may also be longer than the record that takes its place.
    parts = (b"", whole[start : (start + len(whole)) // 2], whole[start:-1], b"x" * 5000)
    for part in parts:
        (copy / "cells.jsonl").write_bytes(whole[:start] + part)
        assert resume(suite, copy) == 1
        assert read_results(copy).problems == ()
        assert stable_rows(copy) == stable_rows(undisturbed)


def test_an_altered_record_is_reported_and_run_again(suite: Path, undisturbed: Path, copy: Path) -> None:
    path = copy / "cells.jsonl"
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    start = len(lines[0]) + len(lines[1])
    complete = read_records(copy)[0]
    for place in range(start, start + len(lines[2]), 7):
        for byte in (b"0", b"\n", b"\xff"):
            path.write_bytes(whole[:place] + byte + whole[place + 1 :])
            records, problems = read_records(copy)
            assert all(complete[key] == record for key, record in records.items())
            # Without the line's end the next record cannot be trusted either.
            lost = 2 if whole[place : place + 1] == b"\n" else 1
            assert len(records) == (CELLS - lost if problems else CELLS)
    path.write_bytes(whole.replace(b'"accuracy":0', b'"accuracy":1', 1))
    status = pubench("suite", "status", str(copy))
    assert sentences(status) == [f"{path}, line 1: damaged record; its cell counts as not finished"]
    assert "1 pending" in status.stdout
    assert resume(suite, copy) == 1
    assert stable_rows(copy) == stable_rows(undisturbed)


def test_garbage_records_are_all_run_again(suite: Path, undisturbed: Path, copy: Path) -> None:
    (copy / "cells.jsonl").write_bytes(os.urandom(4000))
    assert resume(suite, copy) == CELLS
    assert stable_rows(copy) == stable_rows(undisturbed)


@pytest.mark.parametrize("text", [None, "", "garbage", "[]", "{}", '{"fields": ["key"], "cells": [[1, 2]]}'])
def test_a_lost_plan_is_reported_and_restored(
    suite: Path, undisturbed: Path, copy: Path, capsys: pytest.CaptureFixture[str], text: str | None
) -> None:
    (copy / "plan.json").unlink()
    if text is not None:
        (copy / "plan.json").write_text(text)
    for command in (("suite", "status"), ("export",), ("report",)):
        (told,) = pubench_here(capsys, *command, copy, code=2).stderr.splitlines()
        assert told.startswith("pubench: ")
        assert "plan.json" in told
    assert resume(suite, copy) == 0
    assert stable_rows(copy) == stable_rows(undisturbed)


@pytest.mark.parametrize("text", ["garbage", *slow("", "5", "{}", "null")])
def test_lost_provenance_is_started_anew(suite: Path, undisturbed: Path, copy: Path, text: str) -> None:
    (copy / "provenance.json").write_text(text)
    (copy / "cells.jsonl").unlink()
    assert resume(suite, copy) == CELLS
    assert len(read_provenance(copy)) == 1
    assert (copy / "provenance.json.damaged-1").read_text() == text
    assert stable_rows(copy) == stable_rows(undisturbed)


@pytest.mark.parametrize("place", ["file", *slow("below-file", "read-only", "records-are-a-folder")])
def test_an_unusable_folder_is_refused_in_one_sentence(suite: Path, tmp_path: Path, place: str) -> None:
    file = tmp_path / "file"
    file.write_text("precious")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    out = {
        "file": file,
        "below-file": file / "run",
        # Root may write anywhere but there.
        "read-only": Path("/proc/self/run") if os.geteuid() == 0 else closed / "run",
        "records-are-a-folder": tmp_path / "run",
    }[place]
    (tmp_path / "run" / "cells.jsonl").mkdir(parents=True)
    result = run(suite, out)
    assert result.returncode == 2
    assert len(sentences(result)) == 1
    assert str(out) in sentences(result)[0]
    assert file.read_text() == "precious"
