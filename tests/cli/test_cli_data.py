"""``pubench data``: fetch, list, show, verify and clean, with a separate cache."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.commands import pubench_here

SUITE = """
name = "two"
[[datasets]]
use = "gaussians"
params = { n = 60, d = 2 }
[[datasets]]
use = "csv"
params = { path = "mine.csv" }
[[labellings]]
scenario = "case-control"
positives = 5
[[algorithms]]
use = "wlr"
"""


@pytest.fixture
def pubench(tmp_path, monkeypatch, capsys):
    def run(*arguments, code=0):
        return pubench_here(capsys, "data", *arguments, code=code)

    monkeypatch.setenv("PUBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.toml").write_text(SUITE)
    rows = [f"{i},{i % 2}" for i in range(40)]
    (tmp_path / "mine.csv").write_text("\n".join(["x,target", *rows]))
    return run


def test_a_suites_data_are_fetched_then_listed_and_shown(pubench):
    assert pubench("list").stderr.strip() == "the cache is empty"
    lines = pubench("fetch", "two.toml").stdout.splitlines()
    assert lines == ["[1/2] gaussians: 60 rows, 2 features", "[2/2] csv: 40 rows, 1 feature"]
    listed = json.loads(pubench("list", "--json").stdout)
    assert [(entry["name"], entry["rows"]) for entry in listed] == [("csv", 40), ("gaussians", 60)]
    card = json.loads(pubench("show", "gaussians", "--params", '{"n": 60, "d": 2}', "--json").stdout)
    assert card["counts"] == {"0": 30, "1": 30}
    assert card["prior"] == 0.5
    assert card["fingerprint"] == listed[1]["fingerprint"]
    text = pubench("show", "csv", "--params", '{"path": "mine.csv"}').stdout
    assert "rows         40" in text


def test_failures_to_fetch_are_reported_and_the_rest_is_fetched(pubench, tmp_path):
    (tmp_path / "mine.csv").unlink()
    found = pubench("fetch", "two.toml", code=1)
    assert "[1/2] gaussians: 60 rows" in found.stdout
    assert "mine.csv" in found.stderr
    assert len(found.stderr.splitlines()) == 1


@pytest.mark.slow
def test_a_changed_byte_is_detected_and_the_data_are_fetched_again(pubench, tmp_path):
    pubench("fetch", "two.toml")
    assert "damaged" not in pubench("verify").stdout
    for victim in (tmp_path / "cache" / "prepared").glob("*/X.npy"):
        data = bytearray(victim.read_bytes())
        data[-1] ^= 1
        victim.write_bytes(data)
    assert pubench("verify", code=1).stdout.count("damaged: removed") == 2
    pubench("fetch", "two.toml")
    pubench("verify")


@pytest.mark.slow
def test_the_cache_is_cleaned_by_name_or_completely(pubench, tmp_path):
    pubench("fetch", "two.toml")
    pubench("clean", "csv", "--yes")
    assert "csv" not in pubench("list").stdout
    (tmp_path / "cache" / "mine.txt").write_text("not pubench's")
    pubench("clean", "--yes")
    assert pubench("list").stdout == ""
    assert [path.name for path in Path(tmp_path / "cache").iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("show", "gausians"), "did you mean 'gaussians'?"),
        (("show", "gaussians", "--params", "n=3"), "--params must be a JSON object"),
        (("show", "gaussians", "--params", '{"m": 3}'), "params.m: the loader has no such parameter"),
        (("show", "csv"), "params.path"),
        (("show", "gaussians", "--params", '{"n": -3}'), "n"),
    ],
)
def test_a_wrong_name_or_argument_is_one_sentence(pubench, arguments, words):
    assert words in pubench(*arguments, code=2).stderr
