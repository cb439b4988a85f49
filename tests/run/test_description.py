"""A plugin file is described by a process that runs algorithms: the driver imports it only if it must."""

from __future__ import annotations

import sys

import pytest
from helpers.suites import TOY, toml

from pubench import run_suite
from pubench.errors import PubenchError
from pubench.plugins.discovery import read_file
from pubench.run.backends import Execution, Workers
from pubench.run.description import describe_plugin

ALGORITHM = """
import pubench

@pubench.hookimpl
def pubench_algorithms():
    space = {"C": pubench.Float(0.1, 10.0, log=True), "layers": pubench.Choice(([3], [3, 4], None))}
    return [
        pubench.Algorithm(
            name="described", estimator="sklearn.svm:SVC", params={"C": 2.0, "kernel": "rbf"}, space=space,
            scenarios=("case-control",), receives=("random_state",),
        )
    ]
"""


@pytest.fixture
def plugin(tmp_path):
    path = tmp_path / "described_elsewhere.py"
    path.write_text(ALGORITHM)
    yield path
    sys.modules.pop(path.stem, None)


def test_the_description_of_a_file_is_what_loading_it_gives(plugin):
    described = describe_plugin(plugin)
    assert plugin.stem not in sys.modules
    assert tuple(described.specs["algorithms"]) == tuple(read_file(plugin).specs["algorithms"])


def test_a_run_does_not_import_a_file_that_has_only_algorithms(plugin, tmp_path):
    suite = tmp_path / "s.toml"
    suite.write_text(toml(datasets=[{"use": "iris"}], algorithms=[{"use": "described"}]))
    assert run_suite(suite, out=tmp_path / "run", plugins=[plugin]).counts == {"ok": 1}
    assert plugin.stem not in sys.modules


def test_a_file_with_more_than_algorithms_is_not_described():
    assert describe_plugin(TOY) is None


def test_a_file_that_cannot_be_loaded_is_not_described_and_stops_the_run(tmp_path):
    broken = tmp_path / "broken_file.py"
    broken.write_text("import nothing_of_that_name\n")
    assert describe_plugin(broken) is None
    suite = tmp_path / "s.toml"
    suite.write_text(toml())
    with pytest.raises(PubenchError, match=r"broken_file.py.*nothing_of_that_name"):
        run_suite(suite, out=tmp_path / "run", plugins=[broken])


def test_workers_that_have_not_started_describe_nothing(plugin):
    with Workers(Execution(), print) as workers:
        assert workers.describe(plugin) is None
