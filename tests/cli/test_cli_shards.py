"""Shards on the command line: what folders say of themselves, merges, and scripts for SLURM."""

import json
import shlex
import subprocess

import pytest
from helpers.commands import pubench_here
from helpers.runs import write_shard

from pubench.results.store import read_records


@pytest.fixture
def shards(tmp_path):
    return [write_shard(tmp_path / f"s{i}", i, 3) for i in (1, 2, 3)]


def test_status_export_and_report_of_a_shard_say_what_it_is(shards, capsys):
    assert pubench_here(capsys, "suite", "status", shards[1]).stdout == "s, shard 2 of 3: 2 cells: 2 ok\n"
    found = json.loads(pubench_here(capsys, "suite", "status", shards[1], "--json").stdout)
    assert found == {"suite": "s", "shard": 2, "shards": 3, "cells": 2, "ok": 2}
    said = pubench_here(capsys, "export", shards[1])
    assert len(said.stdout.splitlines()) == 3
    assert "Shard 2 of 3: 2 of 6 cells" in said.stderr
    assert "Shard 2 of 3: 2 of 6 cells" in pubench_here(capsys, "report", shards[1]).stdout
    page = pubench_here(capsys, "report", shards[1], "--format", "html").stdout
    assert "Shard 2 of 3: 2 of 6 cells" in page


def test_several_folders_export_as_one(shards, capsys):
    some = pubench_here(capsys, "export", shards[2], shards[0])
    assert len(some.stdout.splitlines()) == 5
    assert "Shards 1, 3 of 3: 4 of 6 cells" in some.stderr
    whole = pubench_here(capsys, "export", *shards)
    assert (len(whole.stdout.splitlines()), whole.stderr) == (7, "")


def test_a_merge_says_what_it_has(shards, tmp_path, capsys):
    said = pubench_here(capsys, "merge", shards[0], shards[1], "--out", tmp_path / "m")
    assert said.stdout.startswith(f"{tmp_path / 'm'}: 4 of 6 cells have ended\n")
    assert said.stderr == "pubench: missing shards of 3: 3\n"
    said = pubench_here(capsys, "merge", shards[2], "--out", tmp_path / "m")
    assert said == (f"{tmp_path / 'm'}: 6 of 6 cells have ended\n", "")
    assert len(read_records(tmp_path / "m")[0]) == 6


def test_a_merge_with_conflicts_ends_with_1(tmp_path, capsys):
    one = write_shard(tmp_path / "a", 1)
    other = write_shard(tmp_path / "b", 1, statuses=("failed",))
    said = pubench_here(capsys, "merge", one, other, "--out", tmp_path / "m", code=1)
    assert said.stderr.count("have different results for") == 3
    assert said.stdout.startswith(f"{tmp_path / 'm'}: 3 of 6 cells have ended\n")


@pytest.mark.parametrize("text", ["0/3", "4/3", "x"])
def test_a_wrong_shard_is_one_sentence(text, capsys):
    said = pubench_here(capsys, "suite", "run", "quickstart", "--shard", text, code=2)
    assert said.stderr.startswith(f"pubench: '{text}' is not a shard")
    assert said.stderr.count("\n") == 1


@pytest.fixture
def awkward(tmp_path):
    """Return a folder whose name the shell must not read."""
    folder = tmp_path / "a b;$(touch pwned)\n'\""
    folder.mkdir()
    return folder


def script(capsys, tmp_path, *arguments):
    path = tmp_path / "shards.sh"
    path.write_text(pubench_here(capsys, "suite", "slurm", *arguments).stdout)
    assert subprocess.run(["bash", "-n", path], check=False, capture_output=True).stderr == b""
    return path


def test_a_script_asks_for_an_array_and_its_limits(tmp_path, capsys):
    options = ["--shards", 20, "--jobs", 4, "--time", "04:00:00", "--memory", "8G"]
    text = script(capsys, tmp_path, "quickstart", *options).read_text()
    asked = [line.removeprefix("#SBATCH ") for line in text.splitlines() if line.startswith("#SBATCH ")]
    assert asked == [
        "--job-name=pubench-quickstart",
        "--array=1-20",
        "--cpus-per-task=4",
        "--time=04:00:00",
        "--mem=8G",
    ]


def test_a_script_runs_each_shard_and_merges_those_that_there_are(tmp_path, awkward, capsys, monkeypatch):
    log = tmp_path / "log"
    program = tmp_path / "python '"
    program.write_text(f'#!/bin/bash\nprintf "%s\\0" "$@" > {shlex.quote(str(log))}\n')
    program.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(program))
    monkeypatch.setenv("PUBENCH_DATA", str(awkward))
    suite = awkward / "suite.toml"
    suite.write_text(pubench_here(capsys, "suite", "show", "quickstart").stdout)
    path = script(capsys, tmp_path, suite, "--shards", 3, "--out", awkward / "out", "--costs", awkward)

    def called(*arguments, **environment):
        subprocess.run(["bash", path, *arguments], env=environment, cwd=tmp_path, check=True)
        return log.read_text().split("\0")[:-1]

    out = awkward / "out"
    expected = ["-m", "pubench", "suite", "run", str(suite), "--jobs", "1", "--quiet"]
    expected += ["--data", str(awkward), "--costs", str(awkward)]
    assert called(SLURM_ARRAY_TASK_ID="2") == [*expected, "--shard", "2/3", "--out", str(out / "shard-2")]
    for name in ("shard-1", "shard-3"):
        (out / name).mkdir(parents=True)
        (out / name / "plan.json").touch()
    folders = [str(out / "shard-1"), str(out / "shard-3")]
    assert called("merge") == ["-m", "pubench", "merge", *folders, "--out", str(out / "merged")]
    assert not list(tmp_path.rglob("pwned"))


@pytest.mark.parametrize(
    ("option", "value"),
    [("--time", "1h\n#SBATCH --x"), ("--time", "soon"), ("--memory", "8 G"), ("--shards", "0")],
)
def test_what_slurm_would_not_understand_is_refused(option, value, capsys):
    shards = [] if option == "--shards" else ["--shards", 2]
    said = pubench_here(capsys, "suite", "slurm", "quickstart", *shards, option, value, code=2)
    assert option in said.stderr
    assert said.stdout == ""
