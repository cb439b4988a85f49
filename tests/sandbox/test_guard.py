"""Processes that run algorithms load no data set, and know no place where there is one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import pubench
from pubench.data.loading import load_stored
from pubench.errors import DataError
from pubench.plugins.discovery import discover
from pubench.plugins.imports import resolve
from pubench.sandbox.guard import MARK, child_environment, mark_process

REFUSED = "^a process that runs an algorithm must not load data sets"
BUNDLED = sorted(discover(third_party=False).all("datasets"))
FILES = ("csv", "tsv", "arff", "parquet", "svmlight", "npz", "jsonl")
ARGUMENTS = {"openml": {"id": 61}, "disdat": {"region": "AWT"}} | {
    name: {"path": "/nowhere"} for name in FILES
}


@pytest.fixture
def marked(monkeypatch):
    for name in (MARK, "PUBENCH_CACHE", "PUBENCH_DATA"):
        monkeypatch.setenv(name, os.environ.get(name, ""))
    mark_process()


def test_there_is_no_bundled_data_set_that_is_not_tried_below():
    assert {"iris", "moons", "csv", "openml", "pual-ecoli"} <= set(BUNDLED)


@pytest.mark.parametrize("name", BUNDLED)
def test_a_loader_that_an_algorithm_calls_refuses(name, marked):
    loader = resolve(discover(third_party=False).dataset(name).spec.loader)
    with pytest.raises(DataError, match=REFUSED):
        loader(**ARGUMENTS.get(name, {}))


def test_a_data_set_is_refused_whatever_its_plugin_also_from_the_cache(monkeypatch):
    registered = discover().dataset("iris")
    load_stored(registered, {})
    monkeypatch.setenv(MARK, "hidden")
    with pytest.raises(DataError, match=REFUSED):
        load_stored(registered, {})
    with pytest.raises(DataError, match=REFUSED):
        pubench.load_dataset("iris")


def test_programs_that_an_algorithm_starts_refuse_too(marked):
    script = "import pubench; pubench.load_dataset('iris')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "must not load data sets" in done.stderr


def test_the_environment_of_such_a_process_names_no_place_of_true_classes():
    given = {"PATH": "/bin", "PUBENCH_CACHE": "/c", "PUBENCH_DATA": "/d", "PUBENCH_OFFLINE": "1"}
    assert child_environment(given) == {"PATH": "/bin", "PUBENCH_OFFLINE": "1", MARK: "hidden"}
    assert "PUBENCH_CACHE" in given
