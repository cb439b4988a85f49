"""Where the truth is: what is to be hidden, and that a confined process finds features and nothing else."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from helpers.ordinary import run_as

from pubench.data.loading import load_stored
from pubench.data.truth import hidden_places, record_path
from pubench.plugins.discovery import discover


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("PUBENCH_CACHE", str(folder))
    monkeypatch.delenv("PUBENCH_DATA", raising=False)
    return folder


def test_an_empty_cache_has_a_folder_to_hide(cache):
    assert hidden_places() == (str(cache / "truth"),)
    assert (cache / "truth").is_dir()


def test_all_of_the_cache_but_the_features_is_hidden_and_the_data_folder(cache, tmp_path, monkeypatch):
    for folder in (cache / "openml", cache / "prepared", tmp_path / "data"):
        folder.mkdir(parents=True)
    (cache / "list.json").touch()
    monkeypatch.setenv("PUBENCH_DATA", str(tmp_path / "data"))
    below = [str(cache / name) for name in ("list.json", "openml", "truth")]
    assert hidden_places() == (*below, str(tmp_path / "data"))


def test_nothing_beside_the_features_names_the_file_of_the_classes_or_counts_them(cache, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("\n".join(["x,y", *(f"{i},{'ab'[i % 2]}" for i in range(20))]) + "\n")
    stored = load_stored(discover().dataset("csv"), {"path": str(path), "target": "y"})
    content = b"".join(file.read_bytes() for file in Path(stored.folder).iterdir())
    assert b"mine.csv" not in content
    assert json.loads(record_path(Path(stored.folder)).read_text())["counts"] == [10, 10]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="mount namespaces are Linux's")
def test_a_confined_process_maps_features_and_finds_no_class_by_walking_from_them(cache):
    stored = load_stored(discover().dataset("iris"), {})
    assert os.path.exists(stored.truth)
    script = """
import json, os, sys
from dataclasses import asdict
from pubench.child.confinement import confine
cache, features, *hidden = sys.argv[1:]
held = confine(hidden, shared_memory_mb=8)
import numpy as np
found = [os.path.join(folder, name) for folder, _, names in os.walk(cache) for name in names]
print(json.dumps(asdict(held) | {"rows": len(np.load(features, mmap_mode="r")), "found": found}))
"""
    with run_as(None, script, cache, f"{stored.folder}/X.npy", *hidden_places()) as process:
        said = json.loads(process.communicate()[0])
    if not said["hides_truth"]:
        pytest.skip(f"this system does not allow it: {said['reason']}")
    assert said["rows"] == 150
    assert {os.path.basename(path) for path in said["found"]} == {"X.npy", "sizes"}
    assert os.path.exists(stored.truth)
