"""Packages under development: a change of their source gives new keys, a release keeps them."""

from __future__ import annotations

import pytest
from helpers.distributions import algorithm, install, make_editable, make_recorded, pubench, python

from pubench.plugins.discovery import discover

VERSION = """
    from pubench.plugins.discovery import discover
    print(discover().algorithm("shifting").version)
    """
METHOD = """
import numpy as np

class Shifting:
    def fit(self, X, s):
        self.direction_ = X[s == 1].mean(axis=0) - X[s == 0].mean(axis=0)
        return self

    def decision_function(self, X):
        return X @ self.direction_

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)
"""
SUITE = """
name = "two"
replicates = 1
[[datasets]]
use = "iris"
[[labellings]]
scenario = "single-training-set"
frequency = 0.5
[[algorithms]]
use = "shifting"
[[algorithms]]
use = "settled"
"""


def version(folder) -> str:
    done = python(folder, VERSION)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def folder(tmp_path):
    """A distribution whose specs have a version, and a method beside it."""
    install(tmp_path, "shifting", METHOD + algorithm("shifting", estimator="shifting:Shifting", version="1"))
    return tmp_path


def flip_a_sign(folder) -> None:
    file = folder / "shifting.py"
    file.write_text(file.read_text().replace("axis=0) - X", "axis=0) + X"))


def test_the_source_of_an_editable_install_is_part_of_its_version(folder):
    make_editable(folder, "shifting")
    before = version(folder)
    assert before.startswith("1+")
    assert version(folder) == before
    flip_a_sign(folder)
    assert version(folder).startswith("1+")
    assert version(folder) != before


def test_a_release_keeps_its_version_until_one_of_its_files_is_edited(folder):
    make_recorded(folder, "shifting")
    assert version(folder) == "1"
    flip_a_sign(folder)
    assert version(folder).startswith("1+")


def test_a_launcher_that_another_environment_rewrote_is_no_code(folder):
    make_recorded(folder, "shifting")
    (record,) = folder.glob("*.dist-info/RECORD")
    record.write_text(record.read_text() + "../bin/shifting,sha256=AAAA,1\n")
    assert version(folder) == "1"


def test_a_plugin_that_pins_its_versions_keeps_them_in_an_editable_install(folder):
    make_editable(folder, "shifting")
    file = folder / "shifting.py"
    file.write_text(file.read_text() + "\nPUBENCH_PINNED = True\n")
    assert version(folder) == "1"
    make_recorded(folder, "shifting")
    (folder / "shifting-1.0.dist-info" / "direct_url.json").unlink()
    flip_a_sign(folder)
    assert version(folder).startswith("1+"), "an edited release is not the release"


def test_a_package_that_only_an_import_string_names_counts_too(tmp_path):
    install(tmp_path, "naming", algorithm("shifting", estimator="elsewhere:Shifting", version="1"))
    (tmp_path / "elsewhere.py").write_text(METHOD)
    before = version(tmp_path)
    (tmp_path / "elsewhere.py").write_text(METHOD.replace("axis=0) - X", "axis=0) + X"))
    assert before.startswith("1+")
    assert version(tmp_path) != before


def test_a_changed_sign_runs_only_its_own_cells_again_and_says_why(folder):
    settled = algorithm("settled", estimator="settled:Shifting", version="1")
    install(folder, "settled", METHOD + settled)
    make_recorded(folder, "settled")
    make_editable(folder, "shifting")
    (folder / "two.toml").write_text(SUITE)
    first = pubench(folder, "suite", "run", "two.toml")
    assert first.returncode == 0, first.stderr
    assert "again" not in first.stderr
    assert "nothing to do" in pubench(folder, "suite", "run", "two.toml").stdout
    flip_a_sign(folder)
    second = pubench(folder, "suite", "run", "two.toml")
    sentence = "1 cell of shifting runs again: the source of algorithm 'shifting' (shifting 1.0) changed"
    assert sentence in second.stderr
    assert "1 of 2 cells" in second.stderr
    assert "settled" not in second.stderr


def test_our_own_plugins_pin_their_versions_so_that_a_checkout_shares_results_with_a_release():
    plugins = discover(third_party=False).plugins
    assert [info.origin.plugin for info in plugins if not info.origin.pinned] == []
