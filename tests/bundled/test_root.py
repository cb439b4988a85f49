"""The data root: files match its catalog, and everything else is one clear sentence."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest
from pubench_datasets import root
from pubench_datasets.root import catalog, catalog_entry, data_root, find

from pubench.errors import DataError

BODY = b"x,target\n1,a\n2,b\n"


def entry(name="small", file="small.csv", body=BODY, **changes):
    return {
        "name": name,
        "file": file,
        "bytes": len(body),
        "sha256": hashlib.sha256(body).hexdigest(),
        "note": "catalogs say more than is needed",
    } | changes


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A data root with one file, and an empty cache."""
    made = tmp_path / "root"
    made.mkdir()
    (made / "small.csv").write_bytes(BODY)
    write_catalog(made, [entry()])
    monkeypatch.setenv("PUBENCH_DATA", str(made))
    monkeypatch.setenv("PUBENCH_CACHE", str(tmp_path / "cache"))
    return made


@pytest.fixture
def hashed(monkeypatch):
    """The files that are hashed, in turn."""
    seen = []
    true_digest = hashlib.file_digest

    def noted(file, name):
        seen.append(Path(file.name).name)
        return true_digest(file, name)

    monkeypatch.setattr(root.hashlib, "file_digest", noted)
    return seen


def write_catalog(folder, entries):
    text = entries if isinstance(entries, str) else json.dumps(entries)
    (folder / "catalog.json").write_text(text, encoding="utf-8")


def refusal(name="small"):
    with pytest.raises(DataError) as caught:
        find(name)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_file_is_found_by_its_name(folder):
    assert find("small") == folder / "small.csv"
    assert catalog_entry("small") == catalog()["small"]
    assert catalog_entry("small").sha256 == hashlib.sha256(BODY).hexdigest()


def test_the_root_may_be_relative_and_its_files_in_folders(folder, monkeypatch):
    (folder / "deep").mkdir()
    (folder / "small.csv").rename(folder / "deep" / "small.csv")
    write_catalog(folder, [entry(file="deep/small.csv")])
    monkeypatch.chdir(folder.parent)
    for root_name in ("root", "./root", "root/deep/.."):
        monkeypatch.setenv("PUBENCH_DATA", root_name)
        assert find("small") == folder / "deep" / "small.csv"
    write_catalog(folder, [entry(file="./deep/../deep/small.csv")])
    assert find("small") == folder / "deep" / "small.csv"


@pytest.mark.parametrize("value", [None, "", "  "])
def test_without_a_root_the_error_says_what_it_is_and_how_to_set_it(value, monkeypatch):
    monkeypatch.delenv("PUBENCH_DATA", raising=False)
    if value is not None:
        monkeypatch.setenv("PUBENCH_DATA", value)
    assert data_root() is None
    assert catalog_entry("small") is None
    said = refusal()
    assert "PUBENCH_DATA is not set" in said
    assert "catalog.json" in said
    assert "export PUBENCH_DATA=FOLDER" in said


def test_a_file_is_hashed_once_until_it_changes(folder, hashed):
    find("small")
    find("small")
    assert hashed == ["small.csv"]
    os.utime(folder / "small.csv", ns=(1, 1))
    find("small")
    find("small")
    assert hashed == ["small.csv"] * 2


def test_records_belong_to_a_file_and_a_checksum(folder, hashed):
    (folder / "other.csv").write_bytes(BODY)
    write_catalog(folder, [entry(), entry(name="other", file="other.csv")])
    find("small")
    find("other")
    find("small")
    assert hashed == ["small.csv", "other.csv"]
    write_catalog(folder, [entry(sha256="0" * 64)])
    assert "SHA-256" in refusal()


def test_altered_bytes_of_the_same_size_are_caught(folder, hashed):
    (folder / "small.csv").write_bytes(BODY.replace(b"1", b"7"))
    said = refusal()
    assert "SHA-256" in said
    assert "get a new copy" in said
    assert hashlib.sha256(BODY).hexdigest() in said
    assert refusal() == said, "a wrong file is not remembered as a right one"
    (folder / "small.csv").write_bytes(BODY)
    assert find("small")
    assert hashed == ["small.csv"] * 3


@pytest.mark.parametrize("body", [BODY[:-1], BODY + b"3,a\n", b""])
def test_a_wrong_size_is_caught_even_if_the_file_was_right_before(body, folder):
    find("small")
    (folder / "small.csv").write_bytes(body)
    said = refusal()
    assert f"has {len(body)} bytes, but catalog.json lists {len(BODY)}" in said


def test_files_of_the_catalog_must_exist(folder):
    (folder / "small.csv").unlink()
    assert "small.csv is missing, although catalog.json lists it as 'small'" in refusal()
    (folder / "small.csv").mkdir()
    assert "is not a file" in refusal()


def test_the_error_for_an_unknown_name_suggests_the_nearest_one(folder):
    assert "does not list 'smal'; did you mean 'small'?" in refusal("smal")
    assert catalog_entry("smal") is None


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ("[", "is not JSON"),
        ("{}", "write a list of objects"),
        ([7], "entry 1: write name, file, bytes, sha256"),
        ([entry(), {"name": "x"}], "entry 2: write"),
        ([entry(bytes="17")], "entry 1: write"),
        ([entry(bytes=True)], "entry 1: write"),
        ([entry(), entry()], "lists 'small' twice"),
        ([entry(file="../small.csv")], "entry 1: file = '../small.csv' is outside the folder"),
        ([entry(file="a/../../root2/small.csv")], "is outside the folder; write a path below it"),
        ([entry(), entry(name="x", file="/etc/hostname")], "entry 2: file = '/etc/hostname' is outside"),
    ],
)
def test_invalid_catalogs_are_refused(entries, expected, folder):
    write_catalog(folder, entries)
    assert expected in refusal()


def test_a_missing_folder_or_catalog_is_refused(folder, monkeypatch):
    (folder / "catalog.json").unlink()
    assert "contains no catalog.json" in refusal()
    monkeypatch.setenv("PUBENCH_DATA", str(folder / "small.csv"))
    assert "is not a folder" in refusal()
    monkeypatch.setenv("PUBENCH_DATA", str(folder / "nowhere"))
    assert "is not a folder" in refusal()
    with pytest.raises(DataError, match="is not a folder"):
        catalog_entry("small")


@pytest.mark.parametrize("text", ["", "[1, 2]", '{"half', "\x00"])
def test_a_damaged_record_only_costs_a_hash(text, folder, hashed, tmp_path):
    find("small")
    (tmp_path / "cache" / "checked.json").write_text(text, encoding="utf-8")
    find("small")
    find("small")
    assert hashed == ["small.csv"] * 2


def test_a_cache_that_cannot_be_written_costs_a_hash_each_time(folder, hashed, monkeypatch):
    monkeypatch.setenv("PUBENCH_CACHE", str(folder / "small.csv" / "cache"))
    assert find("small")
    assert find("small")
    assert hashed == ["small.csv"] * 2
