"""Plugins that harm others: what they do must stay their own affair."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fault_tools import PATIENCE

from pubench import run_suite
from pubench.errors import RunFolderError
from pubench.results.export import export_to
from pubench.results.store import read_records

PLUGIN = Path(__file__).with_name("sly.py")
SUITE = """
name = "sly"
replicates = 2
[[datasets]]
use = "blobs"
[[labellings]]
scenario = "case-control"
positives = 20
"""


def run(folder: Path, *algorithms: str, rest: str = "", jobs: int = 1):
    folder.mkdir(exist_ok=True, parents=True)
    entries = "".join(f'[[algorithms]]\nuse = "{name}"\n' for name in algorithms)
    (folder / "sly.toml").write_text(SUITE + entries + rest)
    return run_suite(folder / "sly.toml", out=folder / "run", plugins=[PLUGIN], jobs=jobs)


def values(results, algorithm):
    return [
        (row["status"], row["accuracy"], row["roc-auc"])
        for row in results.rows
        if row["algorithm"] == algorithm
    ]


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_forked_child_never_answers_for_another_cell(tmp_path: Path, jobs: int) -> None:
    alone = values(run(tmp_path / "alone", "honest"), "honest")
    both = run(tmp_path / "both", "forker", "honest", jobs=jobs)
    assert values(both, "honest") == alone
    forked = values(both, "forker")
    assert [status for status, _, _ in forked] == ["ok", "ok"]
    assert [auc for _, _, auc in forked] == pytest.approx([1 - auc for _, _, auc in alone])
    assert alone[0][2] > 0.8


@pytest.mark.slow
def test_a_patched_library_does_not_affect_other_cells(tmp_path: Path) -> None:
    alone = values(run(tmp_path / "alone", "naive-lr"), "naive-lr")
    assert values(run(tmp_path / "both", "patcher", "naive-lr"), "naive-lr") == alone


@pytest.mark.slow
@pytest.mark.parametrize("bad", ["raises", "leaves"])
def test_a_bad_criterion_affects_only_its_own_cells(tmp_path: Path, bad: str) -> None:
    search = '[tuning]\nsampler = "random"\ntrials = 3\nfolds = 2\ncriteria = ["puf", "{}", "pauc"]\n'
    tuned = run(tmp_path / "bad", "honest", rest="tune = true\n" + search.format(bad))
    found = {row["criterion"]: row for row in tuned.rows if row["replicate"] == 0}
    assert found[bad]["status"] == {"raises": "failed", "leaves": "crashed"}[bad]
    fine = run(
        tmp_path / "fine", "honest", rest="tune = true\n" + search.format(bad).replace(f'"{bad}", ', "")
    )
    for row in fine.rows:
        twin = next(r for r in tuned.rows if r["key"] == row["key"])
        assert (twin["status"], twin["f1"], twin["params"]) == ("ok", row["f1"], row["params"])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("swapped", "expected the unlabelled class before the labelled one"),
        ("wordless", "UnprintableError: (its message cannot be shown)"),
        pytest.param("imaginary", "masked or complex", marks=pytest.mark.slow),
        pytest.param("unequal", "do not add up to 1", marks=pytest.mark.slow),
    ],
)
def test_invalid_predictions_are_described_in_one_sentence(tmp_path: Path, name: str, words: str) -> None:
    results = run(tmp_path, name, "honest")
    assert results.counts == {"failed": 2, "ok": 2}
    assert words in results.rows[0]["error"]


def test_long_and_broken_messages_are_shortened_and_exported(tmp_path: Path) -> None:
    results = run(tmp_path, "talker")
    assert results.rows[0]["error"].startswith("ValueError: \\udcff")
    assert "1,000,001 characters in total" in results.rows[0]["error"]
    assert (tmp_path / "run" / "cells.jsonl").stat().st_size < 50_000
    export_to(tmp_path / "rows.csv", results, "csv")


def test_an_export_can_go_to_a_link_or_a_pipe(tmp_path: Path) -> None:
    results = run(tmp_path, "honest")
    target, link, pipe = tmp_path / "target.csv", tmp_path / "link.csv", tmp_path / "pipe"
    target.write_text("old")
    link.symlink_to(target)
    export_to(link, results, "csv")
    assert link.is_symlink()
    assert target.read_text().startswith("suite,")
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    export_to(pipe, results, "csv")
    assert reader.communicate(timeout=PATIENCE)[0].startswith(b"suite,")


def test_a_folder_that_holds_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "report.md").write_text("mine")
    with pytest.raises(RunFolderError, match=r"not empty and is not a run folder \(it holds 'report.md'\)"):
        run(tmp_path, "honest")
    assert (tmp_path / "run" / "report.md").read_text() == "mine"


def test_a_damaged_record_is_reported_once_and_set_aside(tmp_path: Path) -> None:
    run(tmp_path, "honest")
    cells = tmp_path / "run" / "cells.jsonl"
    cells.write_bytes(cells.read_bytes().replace(b'"ok"', b'"OK"', 1))
    assert run(tmp_path, "honest").counts == {"ok": 2}
    assert read_records(tmp_path / "run")[1] == ()
    assert (tmp_path / "run" / "cells.jsonl.damaged-1").exists()


@pytest.mark.slow
def test_a_terminal_without_unicode_is_not_an_error(tmp_path: Path) -> None:
    run(tmp_path, "honest")
    command = [sys.executable, "-m", "pubench", "report", str(tmp_path / "run")]
    environment = os.environ | {"PYTHONIOENCODING": "latin-1"}
    assert subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0
    with open("/dev/full", "w") as full:
        found = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert found.returncode == 1
    assert "No space left" in found.stderr
    assert "internal error" not in found.stderr


@pytest.mark.slow
def test_check_knows_the_parameters_of_algorithms(tmp_path: Path) -> None:
    suite = tmp_path / "wrong.toml"
    text = (
        SUITE
        + '[[algorithms]]\nuse = "wlr"\nparams = { cost_ = "printed" }\ntune = true\nsearch = { cc = [1] }\n'
    )
    suite.write_text(text)
    command = [sys.executable, "-m", "pubench", "suite", "check", str(suite), "--plugin", str(PLUGIN)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert "algorithms[0].params.cost_: 'wlr' has no such parameter; did you mean 'cost'?" in found.stderr
    assert "algorithms[0].search.cc" in found.stderr
