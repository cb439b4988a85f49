"""From a suite file to OpenML and back: fetched once, several sets at a time, and then without a server."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from pubench_datasets.openml_source import expand

from pubench.errors import DataError

SUITE = """
name = "several"
replicates = 1
[[datasets]]
use = "openml"
params = { id = 37 }
positive = ["tested_positive"]
[[datasets]]
use = "openml"
name = "by name"
params = { name = "haberman" }
positive = "minority"
[[datasets]]
use = "openml"
name = "listed"
params = { ids = [39, 1499] }
positive = "minority"
[[labellings]]
scenario = "case-control"
positives = 20
test = 0.5
[[algorithms]]
use = "naive-lr"
"""


def pubench(folder, *arguments, **environment):
    command = [sys.executable, "-m", "pubench", *arguments]
    found = subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env=os.environ | environment, check=False
    )
    assert "Traceback" not in found.stderr
    return found


def test_a_suite_is_fetched_once_and_then_runs_without_a_server(mirror, tmp_path):
    (tmp_path / "several.toml").write_text(SUITE.replace("[39, 1499]", "[1499]"))
    fetched = pubench(tmp_path, "data", "fetch", "several.toml")
    assert fetched.returncode == 0, fetched.stderr
    assert fetched.stdout.splitlines()[0] == "[1/3] openml: 768 rows, 8 features"
    assert len(mirror.downloads()) >= 3
    mirror.faults(offline=1)
    ran = pubench(tmp_path, "suite", "run", "several.toml", "-q")
    assert ran.returncode == 0, ran.stderr
    rows = pubench(tmp_path, "export", "runs/several", "--no-times").stdout.splitlines()[1:]
    assert [row.split(",")[1] for row in rows] == ["openml", "by name", "listed: 1499"]
    assert all(",ok," in row for row in rows)
    mirror.faults()
    assert mirror.log() == []


def test_what_is_not_in_the_cache_is_one_sentence_offline(mirror, tmp_path):
    (tmp_path / "several.toml").write_text(SUITE)
    ran = pubench(tmp_path, "suite", "run", "several.toml", "-q", PUBENCH_OFFLINE="1")
    assert ran.returncode == 1
    status = pubench(tmp_path, "suite", "status", "runs/several")
    assert status.stdout.count("failed:") == 4
    assert "PUBENCH_OFFLINE" in status.stdout
    assert mirror.log() == []


def test_one_way_of_naming_data_sets_at_a_time(mirror):
    assert expand(id=37) == {"": {"id": 37}}
    assert expand(ids=[37, 43], drop=["x"]) == {
        "37": {"drop": ["x"], "id": 37},
        "43": {"drop": ["x"], "id": 43},
    }
    with pytest.raises(DataError, match="keep one of them"):
        expand(ids=[37], tag="uci")
    with pytest.raises(DataError, match="keep one of them"):
        expand(ids=[37], id=43)


def test_the_card_says_what_the_server_knows(mirror, tmp_path):
    text = pubench(tmp_path, "data", "show", "openml", "--params", '{"id": 37}').stdout
    assert "rows" in text
    assert "768" in text
    assert "diabetes" in text
    assert "licence" in text
