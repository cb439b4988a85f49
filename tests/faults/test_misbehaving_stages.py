"""Models that misbehave when they are looked into: their results are out, and stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from fault_tools import hurry_at_hangs

from pubench import run_suite
from pubench.results.record import ModelRecord
from pubench.results.store import read_inside
from pubench.results.table import Results

PLUGIN = """
import os
import time

import numpy as np

from pubench import Algorithm, hookimpl


class Base:
    def __init__(self, shift=0.0):
        self.shift = shift

    def fit(self, X, y):
        return self

    def decision_function(self, X):
        return X[:, 0] - X[:, 0].mean() + self.shift

    def predict(self, X):
        return (self.decision_function(X) >= 0).astype(int)


class Exits(Base):
    def staged_decision_function(self, X):
        os._exit(7)


class Hangs(Base):
    def staged_decision_function(self, X):
        with open(os.environ["HANGS"], "a") as hangs:
            print(os.getpid(), file=hangs)
        time.sleep(6000)


class Raises(Base):
    @property
    def feature_importances_(self):
        raise RuntimeError("not today")


class Lies(Base):
    def staged_decision_function(self, X):
        yield -self.decision_function(X)


@hookimpl
def pubench_algorithms():
    names = ("Exits", "Hangs", "Raises", "Lies")
    return [Algorithm(name=name.lower(), estimator=f"{__name__}:{name}") for name in names]
"""
SUITE = """
name = "stages"
replicates = 2
[[datasets]]
use = "wine"
[[labellings]]
scenario = "case-control"
positives = 20
[[algorithms]]
use = "exits"
tune = true
search = { shift = { low = 0.0, high = 1.0 } }
[[algorithms]]
use = "hangs"
[[algorithms]]
use = "raises"
[[algorithms]]
use = "lies"
[[algorithms]]
use = "wlr"
[tuning]
criteria = ["puf", "pauc"]
sampler = "random"
trials = 3
folds = 2
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("stages")
    (folder / "plugin.py").write_text(PLUGIN)
    (folder / "s.toml").write_text(SUITE)
    with pytest.MonkeyPatch.context() as patch:
        hurry_at_hangs(patch, folder / "hangs")
        return run_suite(folder / "s.toml", out=folder / "run", plugins=[Path(folder / "plugin.py")])


@pytest.mark.slow
def test_every_cell_keeps_its_result(results: Results) -> None:
    assert results.counts == {"ok": 12}
    assert all(row["accuracy"] is not None for row in results.rows)


def test_partial_introspection_is_kept_and_errors_are_recorded(results: Results) -> None:
    told = read_inside(results.folder)
    said = {row["algorithm"]: told.get(row["key"]) for row in results.rows}
    assert said["exits"] is None
    assert said["hangs"] is None
    assert said["raises"] == ModelRecord(errors=("weights: RuntimeError: not today",))
    assert said["lies"] is not None
    assert said["lies"].errors == (
        "stages: ValueError: the last stage is not what the model says of the rows",
    )
    assert said["wlr"] is not None
    assert said["wlr"].of == "coefficient"
