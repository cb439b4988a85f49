"""Management of the cache: list, verify, clean, and full disks."""

from __future__ import annotations

import json
import resource
import shutil

import pytest
from helpers.commands import pubench, pubench_here

from pubench.data.truth import record_path, truth_path

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


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with a suite, a file, and a cache with the two data sets of the suite."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "two.toml").write_text(SUITE)
    rows = [f"{i},{'ab'[i % 2]},{i % 2}" for i in range(40)]
    (folder / "mine.csv").write_text("\n".join(["x,kind,target", *rows]))
    pubench(folder, "data", "fetch", "two.toml", PUBENCH_CACHE=str(folder / "cache"))
    return folder


@pytest.fixture
def data(home, tmp_path, monkeypatch, capsys):
    """``pubench data`` in that folder, over a copy of that cache."""
    shutil.copytree(home / "cache", tmp_path / "cache")
    monkeypatch.setenv("PUBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(home)

    def run(*arguments, code=0):
        return pubench_here(capsys, "data", *arguments, code=code)

    return run


def folder_of(name, cache):
    """Return the folder of a prepared data set."""
    (found,) = [
        folder
        for folder in (cache / "prepared").glob("[0-9a-f]*")
        if json.loads(record_path(folder).read_text())["name"] == name
    ]
    return found


def flip(path):
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


WRECKS = {
    "X is gone": lambda folder: (folder / "X.npy").unlink(),
    "X is cut": lambda folder: (folder / "X.npy").write_bytes((folder / "X.npy").read_bytes()[:-5]),
    "X is changed": lambda folder: flip(folder / "X.npy"),
    "the truth is gone": lambda folder: truth_path(folder).unlink(),
    "the truth is changed": lambda folder: flip(truth_path(folder)),
    "the sizes are gone": lambda folder: (folder / "sizes").unlink(),
    "names are gone": lambda folder: (folder / "categories.json").unlink(),
    "names are fewer": lambda folder: (folder / "categories.json").write_text('{"1": ["a"]}'),
    "the record is cut": lambda folder: record_path(folder).write_text("{"),
    "the record is gone": lambda folder: record_path(folder).unlink(),
}


@pytest.mark.parametrize(
    "wreck",
    [name if name == "X is changed" else pytest.param(name, marks=pytest.mark.slow) for name in WRECKS],
)
def test_verify_names_and_removes_every_damaged_entry(data, home, tmp_path, wreck):
    folder = folder_of("csv", tmp_path / "cache")
    WRECKS[wreck](folder)
    lines = data("verify", code=1).stdout.splitlines()
    (damaged,) = [line for line in lines if line.endswith("damaged: removed")]
    if "record" in wreck:
        assert damaged.startswith(f"(unreadable)  {folder.name[:12]}  ")
    else:
        assert damaged.startswith(f"csv path={home / 'mine.csv'}  ")
    assert not folder.exists()
    assert not truth_path(folder).exists()
    assert [line.split()[0] for line in data("verify").stdout.splitlines()] == ["gaussians"]


def test_removed_data_are_loaded_again(data, tmp_path):
    (folder_of("csv", tmp_path / "cache") / "X.npy").unlink()
    data("verify", code=1)
    data("fetch", "two.toml")
    assert data("verify").stdout.count("  ok") == 2


def test_a_damaged_data_set_is_cleaned_by_name(data, tmp_path):
    folder = folder_of("csv", tmp_path / "cache")
    (folder / "X.npy").unlink()
    data("clean", "csv", "--yes")
    assert not folder.exists()


def test_the_list_shows_requests_and_each_fingerprint_once(data, home, tmp_path):
    (home / "copy.csv").write_text((home / "mine.csv").read_text())
    data("show", "csv", "--params", '{"path": "copy.csv"}')
    # A file with another time stamp is prepared again, though its rows are the same.
    folder = folder_of("gaussians", tmp_path / "cache")
    twin = folder.with_name("f" * 32)
    shutil.copytree(folder, twin)
    shutil.copy(truth_path(folder), truth_path(twin))
    shutil.copy(record_path(folder), record_path(twin))
    shutil.copy(
        truth_path(folder).with_suffix(".posterior.npy"), truth_path(twin).with_suffix(".posterior.npy")
    )
    listed = json.loads(data("list", "--json").stdout)
    assert [(entry["name"], entry["copies"]) for entry in listed] == [("csv", 2), ("gaussians", 2)]
    assert set(listed[0]["asked"]) == {f"csv path={home / name}" for name in ("mine.csv", "copy.csv")}
    assert (listed[1]["asked"], listed[1]["params"]) == (["gaussians n=60, d=2"], {"n": 60, "d": 2})
    lines = data("list").stdout.splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("gaussians n=60, d=2  60 x 2  ")


def test_a_fingerprint_or_its_first_digits_select_one_data_set(data):
    listed = {entry["name"]: entry for entry in json.loads(data("list", "--json").stdout)}
    assert data("clean", listed["csv"]["fingerprint"][:12], "--yes").stdout.startswith("removed 1 prepared")
    assert [entry["name"] for entry in json.loads(data("list", "--json").stdout)] == ["gaussians"]
    data("clean", listed["gaussians"]["fingerprint"], "--yes")
    assert data("list").stdout == ""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gausians", "did you mean 'gaussians'?"),
        ("0", "known: csv, gaussians"),
        ("", "known: csv, gaussians"),
    ],
)
def test_unknown_names_cannot_be_cleaned(data, name, words):
    said = data("clean", name, "--yes", code=2).stderr
    assert f"'{name}' is not in the cache" in said
    assert words in said
    assert len(json.loads(data("list", "--json").stdout)) == 2


def test_nothing_can_be_cleaned_from_an_empty_cache(data):
    data("clean", "--yes")
    assert "which is empty" in data("clean", "csv", "--yes", code=2).stderr


def test_a_cache_can_be_moved(data, tmp_path, monkeypatch):
    before = data("list").stdout
    assert before
    (tmp_path / "cache").rename(tmp_path / "elsewhere")
    monkeypatch.setenv("PUBENCH_CACHE", str(tmp_path / "elsewhere"))
    assert data("list").stdout == before
    assert data("verify").stdout.count("  ok") == 2
    # Nothing is loaded again.
    stamp = (folder_of("gaussians", tmp_path / "elsewhere") / "X.npy").stat().st_mtime_ns
    data("show", "gaussians", "--params", '{"n": 60, "d": 2}')
    assert (folder_of("gaussians", tmp_path / "elsewhere") / "X.npy").stat().st_mtime_ns == stamp
    assert not (tmp_path / "cache").exists()


def test_no_file_next_to_the_features_refers_to_the_truth(data, tmp_path):
    folder = folder_of("csv", tmp_path / "cache")
    texts = [path.read_text(errors="replace") for path in folder.iterdir()]
    assert not any(truth_path(folder).stem in text or "truth" in text for text in texts)
    assert truth_path(folder).exists()


def small_disk():
    """Let no file grow beyond 100 kB: what a full disk does to NumPy, without filling one."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))


def test_a_full_disk_is_one_sentence_with_a_remedy(data, tmp_path):
    params = ("--params", '{"n": 9000, "d": 9}')
    said = pubench(tmp_path, "data", "show", "gaussians", *params, code=2, preexec=small_disk).stderr
    assert "could not be loaded: cannot write the cache" in said
    assert "make room, or set PUBENCH_CACHE to another folder" in said
    assert "None" not in said
    left = [
        path for path in (tmp_path / "cache").rglob("*") if ".tmp-" in path.name or path.name.startswith(".")
    ]
    assert left == []
    assert "9,000" in data("show", "gaussians", *params).stdout


PLUGIN = """
from pubench import Dataset, hookimpl
from pubench.data import Download, cache_root


def load():
    raise NotImplementedError


def downloads():
    files = sorted((cache_root() / "anyone" / "deep").glob("*"))
    return [Download(f"mine:{file.name}", "a file", file, lambda: True) for file in files]


@hookimpl
def pubench_datasets():
    return [Dataset(name=name, loader="mine:load", downloads="mine:downloads") for name in ("one", "two")]
"""


def test_emptying_the_cache_removes_what_any_plugin_declares_and_nothing_else(data, tmp_path):
    cache, plugin = tmp_path / "cache", tmp_path / "mine.py"
    plugin.write_text(PLUGIN)
    for name in ("anyone/deep/declared", "anyone/undeclared", "openml/notes", "mine.txt"):
        (cache / name).parent.mkdir(parents=True, exist_ok=True)
        (cache / name).write_text("x")
    listed = json.loads(data("list", "--json", "--plugin", str(plugin)).stdout)
    # Two data sets share the declaration: it is one download.
    assert [entry["name"] for entry in listed if "title" in entry] == ["mine:declared"]
    data("clean", "--yes", "--plugin", str(plugin))
    left = sorted(str(path.relative_to(cache)) for path in cache.rglob("*") if path.is_file())
    assert left == ["anyone/undeclared", "mine.txt", "openml/notes"]
    assert not (cache / "anyone" / "deep").exists()


def test_emptying_the_cache_removes_the_record_of_checked_files(data, tmp_path):
    (tmp_path / "cache" / "checked.json").write_text("{}")
    data("clean", "--yes")
    assert list((tmp_path / "cache").iterdir()) == []
