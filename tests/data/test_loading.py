"""Stored data sets: the result of a loader, checked and shuffled once, with true classes stored separately."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.suites import TOY
from scipy.sparse import csr_array

from pubench.child.load import serve_load
from pubench.data import Data
from pubench.data.classes import select_classes
from pubench.data.loading import as_loaded, load_stored, read_stored
from pubench.data.stored import read_features
from pubench.data.truth import read_split, read_target
from pubench.errors import DataError
from pubench.plugins.discovery import discover
from pubench.plugins.registry import Origin, Registered
from pubench.protocol.requests import LoadRequest
from pubench.specs import Dataset


class Wire:
    """The child's channel, kept as a list."""

    def __init__(self):
        self.sent = []

    def send(self, message, arrays=()):
        self.sent.append(message)


def made(data):
    """Return data as a loader would: import strings can name this function's results."""
    globals()["_data"] = data
    return "test_loading:_load"


def _load():
    return globals()["_data"]


def saved(data, tmp_path, monkeypatch):
    """Run the child's side here and read back what it saved."""
    monkeypatch.setenv("PUBENCH_CACHE", str(tmp_path))
    folder = tmp_path / "prepared" / "key"
    request = LoadRequest(
        name="mine", loader=made(data), card="", params={}, asked={}, files=(), folder=str(folder)
    )
    serve_load(request, Wire())
    found = read_stored(folder)
    assert found is not None
    return found


def toy(name, **params):
    return load_stored(discover(files=[TOY]).dataset(name), params, files=[str(TOY)])


def sorted_rows(X, target):
    rows = np.column_stack([X, np.unique(target, return_inverse=True)[1]])
    return rows[np.lexsort(rows.T)]


def test_rows_and_classes_arrive_together_in_another_order(tmp_path, monkeypatch):
    X, target = np.arange(40.0).reshape(20, 2), np.repeat(["b", "a"], 10)
    found = saved(Data(X, target), tmp_path, monkeypatch)
    features, codes = read_features(found.for_child()), read_target(found.truth)
    assert found.classes == ("a", "b")
    assert found.counts == (10, 10)
    assert not np.array_equal(features, X)
    # The classes stood in two blocks; now a row's place says nothing about its class.
    assert 2 <= codes[:10].sum() <= 8
    np.testing.assert_array_equal(sorted_rows(features, codes), sorted_rows(X, target))


def test_true_classes_are_stored_outside_the_folder_of_the_features():
    found = toy("toy-blobs")
    assert Path(found.truth).parent != Path(found.folder)
    assert Path(found.folder).name not in found.truth
    names = {path.name for path in Path(found.folder).iterdir()}
    assert names == {"X.npy", "sizes"}


def test_features_are_mapped_read_only():
    found = toy("toy-blobs")
    features = read_features(found.for_child())
    assert isinstance(features, np.memmap)
    assert not features.flags.writeable


def test_sparse_rows_stay_sparse(tmp_path, monkeypatch):
    dense = np.eye(6)[:, :4] * np.arange(1.0, 5.0)
    found = saved(Data(csr_array(dense), np.arange(6) % 2), tmp_path, monkeypatch)
    assert found.sparse
    features = read_features(found.for_child())
    assert features.format == "csr"
    codes = read_target(found.truth)
    np.testing.assert_array_equal(
        sorted_rows(features.toarray(), codes), sorted_rows(dense, np.arange(6) % 2)
    )


def test_split_categories_and_missing_cells_are_known_without_opening_arrays():
    assert toy("toy-coded").categorical == ((1, 4),)
    assert toy("toy-holed").missing == len(range(0, 90, 7))
    found = toy("toy-split")
    assert found.has_split
    assert (read_split(found.truth) == "train").sum() == 60


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
def test_small_types_are_kept_and_others_become_float64(tmp_path, monkeypatch, dtype):
    found = saved(Data(np.ones((4, 2), dtype), np.arange(4) % 2), tmp_path / "a", monkeypatch)
    assert read_features(found.for_child()).dtype == dtype
    found = saved(Data(np.ones((4, 2), np.int16), np.arange(4) % 2), tmp_path / "b", monkeypatch)
    assert read_features(found.for_child()).dtype == np.float64


@pytest.mark.parametrize(
    ("target", "names"),
    [
        (np.array([0, 1, 1]), ("0", "1")),
        (np.array([-1.0, 1.0, 1.0]), ("-1", "1")),
        (np.array([True, False, True]), ("False", "True")),
        (np.array(["x", "y", "x"], dtype=object), ("x", "y")),
    ],
)
def test_class_names_are_texts(tmp_path, monkeypatch, target, names):
    assert saved(Data(np.ones((3, 1)), target), tmp_path, monkeypatch).classes == names


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([1, 2], "returned list, not pubench.data.Data"),
        (Data(np.ones(3), np.ones(3)), "X must be a matrix of numbers, not 1-dimensional"),
        (Data(np.array([["a"]]), np.ones(1)), "X must be a matrix of numbers"),
        (Data(np.ones((3, 2)), np.ones(2)), "target has shape (2,), X has 3 rows"),
        (Data(np.ones((0, 2)), np.ones(0)), "is empty: 0 rows, 2 features"),
        (Data(np.array([[np.inf]]), np.ones(1)), "contains infinite values; clip them or set them to NaN"),
        (
            Data(np.ones((2, 1)), np.ones(2), split=np.array(["train", "dev"])),
            "split must be 'train' or 'test'",
        ),
    ],
)
def test_invalid_results_of_a_loader_are_refused(tmp_path, monkeypatch, data, words):
    with pytest.raises(DataError) as caught:
        saved(data, tmp_path, monkeypatch)
    assert words in str(caught.value)


def test_a_data_set_is_loaded_once_and_again_when_something_that_defines_it_changes(tmp_path):
    first = toy("toy-blobs", gap=1.0)
    stamp = os.stat(Path(first.folder) / "X.npy").st_mtime_ns
    assert toy("toy-blobs", gap=1.0) == first
    assert os.stat(Path(first.folder) / "X.npy").st_mtime_ns == stamp
    assert toy("toy-blobs", gap=1.5).fingerprint != first.fingerprint
    registered = discover(files=[TOY]).dataset("toy-blobs")
    newer = Registered(replace(registered.spec, version="2"), registered.origin)
    again = load_stored(newer, {"gap": 1.0}, files=[str(TOY)])
    assert again.folder != first.folder
    # The same rows have the same fingerprint: a new version with equal data runs no cell again.
    assert again.fingerprint == first.fingerprint


def test_every_fact_that_cells_depend_on_changes_the_fingerprint(tmp_path, monkeypatch):
    X, y = np.arange(8.0).reshape(4, 2) % 2, np.array([0, 1, 0, 1])
    split = np.array(["train", "test", "train", "test"])
    variants = [
        Data(X, y),
        Data(X + 1, y),
        Data(X.astype(np.float32), y),
        Data(X, 1 - y),
        Data(X, np.array(["a", "b", "a", "b"])),
        Data(X, y, categorical={0: ("a", "b")}),
        Data(X, y, split=split),
        Data(X, y, split=split[::-1]),
        Data(X, y, coordinates=X),
        Data(X, y, coordinates=X + 1),
        Data(csr_array(X), y),
    ]
    prints = [saved(data, tmp_path / str(i), monkeypatch).fingerprint for i, data in enumerate(variants)]
    assert len(set(prints)) == len(variants)
    assert saved(Data(X, y), tmp_path / "again", monkeypatch).fingerprint == prints[0]


def test_a_changed_identity_loads_again(tmp_path):
    source = tmp_path / "rows.txt"
    source.write_text("x")
    first = toy("toy-file", path=str(source))
    source.write_text("xx")
    assert toy("toy-file", path=str(source)).fingerprint != first.fingerprint


def test_an_identity_that_raises_is_the_data_sets_error():
    with pytest.raises(DataError, match="data set 'toy-file': its identity raised FileNotFoundError"):
        toy("toy-file", path="absent")


def test_wrong_parameters_of_a_loader_are_reported():
    with pytest.raises(
        DataError, match=r"'toy-blobs' could not be loaded: params.colour: the loader has no such parameter"
    ):
        toy("toy-blobs", colour="red")
    missing = Registered(Dataset(name="gone", loader="toy_plugin:gone"), Origin("p", "d", "1"))
    with pytest.raises(DataError, match=r"'gone' could not be loaded: .*toy_plugin has no 'gone'"):
        load_stored(missing, {}, files=[str(TOY)])


def test_positive_classes_are_chosen_by_name():
    found = toy("toy-blobs")
    assert select_classes(found, ("yes",), None) == {1: 1, 0: 0}
    assert select_classes(found, ("no",), ("yes",)) == {0: 1, 1: 0}
    for positive, negative, words in [
        (("yse",), None, "has no class 'yse'; did you mean 'yes'"),
        ((), None, r"declares no positive class; set positive to some of no, yes"),
        (("yes",), ("yes", "no"), "class 'yes' is both positive and negative"),
        (("yes", "no"), None, "would have only one class; remove a class from positive"),
    ]:
        with pytest.raises(DataError, match=words):
            select_classes(found, positive, negative)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"split": np.array(["train", "test"])}, "split must be 'train' or 'test' for each of the 6 rows"),
        ({"split": np.array(["train", "test", "dev"] * 2)}, "split must be"),
        ({"feature_names": ("a",)}, "1 feature name for 2 features"),
        ({"categorical": {5: ("a", "b")}}, "categorical column 5 is not one of the 2 features"),
        ({"categorical": {0: ("a", "b")}}, "column 0 contains codes outside 0..1"),
        ({"X": csr_array([[np.nan, 1.0]] * 6)}, "a sparse matrix cannot contain missing"),
    ],
)
def test_extras_that_do_not_fit_the_rows_are_refused(tmp_path, monkeypatch, change, words):
    data = replace(Data(np.arange(12.0).reshape(6, 2), np.arange(6) % 2), **change)
    with pytest.raises(DataError, match=re.escape(words)):
        saved(data, tmp_path, monkeypatch)


def test_missing_numbers_and_missing_codes_are_counted_separately(tmp_path, monkeypatch):
    X = np.array([[0.0, np.nan], [np.nan, 2.0], [1.0, 3.0], [np.nan, 4.0]])
    found = saved(Data(X, np.arange(4) % 2, categorical={0: ("a", "b")}), tmp_path, monkeypatch)
    assert (found.missing, found.missing_codes) == (1, 2)


def test_coordinates_come_back_with_their_rows(tmp_path, monkeypatch):
    X, places = np.arange(6.0)[:, None], np.arange(12.0).reshape(6, 2)
    found = saved(Data(X, np.arange(6) % 2, coordinates=places), tmp_path, monkeypatch)
    loaded = as_loaded(found)
    np.testing.assert_array_equal(loaded.X, X)
    np.testing.assert_array_equal(loaded.coordinates, places)
    assert found.n_features == 1
