"""Suites with OpenML data: fetched once, several data sets at a time, and then without a server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest
from helpers.suites import TOY
from pubench_datasets.openml_cache import stored
from pubench_datasets.openml_settings import folder
from pubench_datasets.openml_source import card as openml_card
from pubench_datasets.openml_source import expand, openml

from pubench.data.cards import make_card
from pubench.data.loading import load_stored
from pubench.errors import DataError
from pubench.plugins.discovery import discover

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
use = "toy"
"""


def pubench(folder, *arguments, **environment):
    command = [sys.executable, "-m", "pubench", *arguments]
    found = subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env=os.environ | environment, check=False
    )
    assert "Traceback" not in found.stderr
    return found


@pytest.mark.slow
def test_a_fetched_suite_runs_without_a_server(mirror, tmp_path):
    (tmp_path / "several.toml").write_text(SUITE.replace("[39, 1499]", "[1499]"))
    fetched = pubench(tmp_path, "data", "fetch", "several.toml", "--plugin", TOY)
    assert fetched.returncode == 0, fetched.stderr
    assert fetched.stdout.splitlines()[0] == "[1/3] openml: 768 rows, 8 features"
    assert len(mirror.downloads()) >= 3
    mirror.faults(offline=1)
    ran = pubench(tmp_path, "suite", "run", "several.toml", "-q", "--plugin", TOY)
    assert ran.returncode == 0, ran.stderr
    rows = pubench(tmp_path, "export", "runs/several", "--no-times").stdout.splitlines()[1:]
    assert [row.split(",")[1] for row in rows] == ["openml", "by name", "listed: 1499"]
    assert all(",ok," in row for row in rows)
    mirror.faults()
    assert mirror.log() == []


@pytest.mark.slow
def test_offline_data_outside_the_cache_are_one_sentence(mirror, tmp_path):
    (tmp_path / "several.toml").write_text(SUITE)
    ran = pubench(tmp_path, "suite", "run", "several.toml", "-q", "--plugin", TOY, PUBENCH_OFFLINE="1")
    assert ran.returncode == 1
    status = pubench(tmp_path, "suite", "status", "runs/several")
    assert status.stdout.count("failed:") == 4
    assert "PUBENCH_OFFLINE" in status.stdout
    assert mirror.log() == []


def test_data_sets_are_chosen_in_one_way_only(mirror):
    assert expand(id=37) == {"": {"id": 37}}
    assert expand(ids=[37, 43], drop=["x"]) == {
        "37": {"drop": ["x"], "id": 37},
        "43": {"drop": ["x"], "id": 43},
    }
    with pytest.raises(DataError, match="keep one of them"):
        expand(ids=[37], tag="uci")
    with pytest.raises(DataError, match="keep one of them"):
        expand(ids=[37], id=43)


@pytest.mark.parametrize("ids", ["37", 37])
def test_ids_are_a_list(ids):
    with pytest.raises(DataError, match=r"is not a list of numbers; write for example ids = \[37, 43\]"):
        expand(ids=ids)


def shown(**params):
    """Return the card of a data set, loading it if necessary."""
    registered = discover().dataset("openml")
    return make_card(registered, load_stored(registered, params))


@pytest.mark.slow
def test_the_card_has_the_facts_of_the_server(mirror):
    card = shown(name="versions_demo", version=2)
    found = card.to_json()
    assert (found["title"], found["id"], found["version"]) == ("versions_demo", 990016, 2)
    assert found["loader"] == "pubench_datasets.openml_source:openml, version 1"
    assert (found["rows"], found["target"], found["licence"]) == (306, "target", "Public")
    lines = {" ".join(line.split()) for line in card.lines()}
    assert {
        "id 990016",
        "version 2",
        "title versions_demo",
        "params name: versions_demo, version: 2",
    } <= lines


def test_the_card_has_the_requested_target(mirror):
    assert openml_card(id=37)["target"] == "class"
    assert openml_card(id=37, target="age", threshold=30)["target"] == "age, high if above 30"
    half = openml_card(id=37, target="age", quantile=0.5)
    assert half["target"] == "age, high if above its quantile 0.5"


def test_a_card_needs_neither_server_nor_download_once_the_data_are_prepared(mirror):
    before = shown(id=37)
    shutil.rmtree(folder())
    mirror.log()
    assert shown(id=37) == before
    assert mirror.log() == []


@pytest.mark.slow
def test_downloads_are_listed_verified_and_cleaned(mirror, tmp_path):
    for number in (37, 43):
        openml(id=number)
    openml(name="diabetes")
    names = [entry["name"] for entry in json.loads(pubench(tmp_path, "data", "list", "--json").stdout)]
    assert names == ["openml:37", "openml:43"]
    assert "openml:43  haberman, version 1, of loopback  " in pubench(tmp_path, "data", "list").stdout
    sound = pubench(tmp_path, "data", "verify")
    assert (sound.returncode, sound.stdout.count("  ok")) == (0, 2)

    file = stored(37).path
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    answers = sorted((folder() / "answers").iterdir())
    answers[0].write_text("{")
    damaged = pubench(tmp_path, "data", "verify")
    assert damaged.returncode == 1
    assert "openml:37  diabetes, version 1, of loopback  damaged: removed" in damaged.stdout
    assert "openml:answers  an answer of loopback  damaged: removed" in damaged.stdout
    assert not file.parent.exists()
    assert sorted((folder() / "answers").iterdir()) == answers[1:]
    assert pubench(tmp_path, "data", "verify").returncode == 0
    assert openml(id=37).X.shape == (768, 8)


@pytest.mark.slow
def test_downloads_are_cleaned_individually_or_together(mirror, tmp_path):
    for number in (37, 43):
        openml(id=number)
    only = pubench(tmp_path, "data", "clean", "openml", "--yes")
    assert only.returncode == 2
    assert "contains only downloads of 'openml'; add --downloads" in only.stderr
    assert "did you mean 'openml:37'?" in pubench(tmp_path, "data", "clean", "openml:377", "--yes").stderr
    assert pubench(tmp_path, "data", "clean", "openml:37", "--yes").returncode == 0
    assert stored(37) is None
    assert stored(43) is not None
    shown(id=43)
    gone = pubench(tmp_path, "data", "clean", "openml", "--downloads", "--yes")
    assert gone.stdout.startswith("removed 1 prepared data sets and ")
    assert pubench(tmp_path, "data", "list").stderr == "the cache is empty\n"
    assert list((folder() / "answers").iterdir()) == []
