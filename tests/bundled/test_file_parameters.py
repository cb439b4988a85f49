"""The parameters of the file loaders: the page lists all, and wrong ones are one sentence."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers.marks import slow
from pubench_datasets import files
from pubench_datasets.catalogue import file_datasets

from pubench.data.loading import load_stored
from pubench.errors import DataError
from pubench.plugins.registry import Origin, Registered

PAGE = Path(__file__).resolve().parents[2] / "docs" / "files.md"
SPECS = {spec.name: spec for spec in file_datasets()}
TABLES = ["csv", "tsv", "arff", "parquet"]
ARFF = "@relation r\n@attribute x numeric\n@attribute target {n,y}\n@data\n1,n\n2,y\n"


@pytest.fixture
def paths(tmp_path):
    """A good file of each format."""
    found = {name: tmp_path / f"t.{name}" for name in SPECS}
    found["csv"].write_text("x,target\n1,n\n2,y\n")
    found["tsv"].write_text("x\ttarget\n1\tn\n2\ty\n")
    found["arff"].write_text(ARFF)
    found["svmlight"].write_text("1 1:1\n0 1:2\n")
    found["jsonl"].write_text('{"text": "tea", "target": "n"}\n{"text": "milk", "target": "y"}\n')
    np.savez(found["npz"], data=np.ones((2, 1)), target=["n", "y"])
    return {name: str(path) for name, path in found.items()}


def load(name, paths, **params):
    if name == "parquet":
        pytest.importorskip("pyarrow")
        pd.DataFrame({"x": [1, 2], "target": ["n", "y"]}).to_parquet(paths[name])
    return getattr(files, name)(paths[name], **params)


def refused(name, paths, **params):
    with pytest.raises(DataError) as caught:
        load(name, paths, **params)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def listed():
    """Return format -> parameter -> default, as the page says."""
    found = {name: {} for name in SPECS}
    text = PAGE.read_text(encoding="utf-8")
    for title, body in re.findall(r"^## (.*?)$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL):
        formats = re.findall(r"`(\w+)`", title)
        for line in re.findall(r"^\| `\w+` \|.*$", body, re.MULTILINE):
            parameter, *places, default, meaning = (cell.strip() for cell in line.strip("|").split("|"))
            assert meaning.endswith(".")
            several = places and places[0] != "all"
            for name in re.findall(r"`(\w+)`", places[0]) if several else formats:
                found[name][parameter.strip("`")] = default
    return found


@pytest.mark.parametrize("name", SPECS)
def test_the_page_lists_the_parameters_of_every_format_with_their_defaults(name):
    described = listed()[name]
    known = inspect.signature(getattr(files, name)).parameters
    assert sorted(described) == sorted(known)
    for parameter, found in known.items():
        if found.default is found.empty:
            assert described[parameter] == "**required**"
        elif found.default is not None:
            assert described[parameter] == f"`{json.dumps(found.default)}`"
        else:
            # What stands in for a name that is not given is in the code of the loader.
            assert described[parameter] in {"none", '`"target"`', '`"split"`, if there is one'}


@pytest.mark.parametrize("name", SPECS)
def test_good_files_load(name, paths):
    assert load(name, paths).X.shape[0] == 2


@pytest.mark.parametrize("name", ["csv", *slow(*sorted(SPECS.keys() - {"csv"}))])
def test_a_misspelt_parameter_is_named_with_the_right_one(name, paths):
    load(name, paths)
    with pytest.raises(DataError, match=r"params\.treshold: .*; did you mean 'threshold'\?"):
        load_stored(Registered(SPECS[name], Origin("p", "d", "1")), {"path": paths[name], "treshold": 3})
    with pytest.raises(TypeError, match="unexpected keyword argument 'treshold'"):
        load(name, paths, treshold=3)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("value", [3, True, ["y"], {"a": 1}])
@pytest.mark.parametrize("parameter", ["target", "labelled", "split"])
def test_a_column_is_named_by_text(name, parameter, value, paths):
    said = refused(name, paths, **{parameter: value})
    assert said == f"{parameter} = {value!r} is not a name; write {parameter} = '...'"


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("value", [3, True, None, {"a": 1}, ["x", 3], [["x"]]])
@pytest.mark.parametrize("parameter", ["drop", "categorical", "missing"])
def test_columns_are_named_by_a_list_of_texts(name, parameter, value, paths):
    said = refused(name, paths, **{parameter: value})
    assert said == f"{parameter} = {value!r} must be a list of texts; write {parameter} = ['...']"


@pytest.mark.parametrize(
    ("name", "params", "words"),
    [
        ("jsonl", {"target": 3}, "target = 3 is not a name"),
        ("jsonl", {"text": 5}, "text = 5 is not a name; write text = '...'"),
        ("jsonl", {"text": None}, "text = None is not a name"),
        ("jsonl", {"split": ["s"]}, "split = ['s'] is not a name"),
        ("jsonl", {"headers": "keep"}, "headers = 'keep' is neither true nor false"),
        ("jsonl", {"headers": 1}, "headers = 1 is neither true nor false"),
        ("jsonl", {"stop_words": 3}, "stop_words = 3 must be 'english' or a list of words"),
        ("jsonl", {"stop_words": ["a", 3]}, "stop_words = ['a', 3] must be"),
        ("npz", {"target": 3}, "target = 3 is not a name"),
        ("npz", {"data": 3}, "data = 3 is not a name"),
        ("npz", {"data": None}, "data = None is not a name"),
        ("npz", {"split": True}, "split = True is not a name"),
        ("svmlight", {"labelled": "s"}, "labelled = 's' is neither true nor false"),
        ("svmlight", {"zero_based": "auto"}, "zero_based = 'auto' is neither true nor false"),
        ("svmlight", {"n_features": "9"}, "n_features = '9' is not a whole number"),
        ("svmlight", {"n_features": 0}, "n_features = 0 is not a whole number of at least 1"),
        ("csv", {"encoding": 3}, "encoding = 3 is unknown"),
        ("csv", {"delimiter": 3}, "delimiter = 3 must be one character"),
    ],
)
def test_a_value_of_the_wrong_kind_is_named(name, params, words, paths):
    assert words in refused(name, paths, **params)


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("cut", [{"threshold": 3}, {"quantile": 0.5}])
def test_labels_exclude_the_parameters_of_classes(name, cut, paths):
    labelled = True if name == "svmlight" else "s"
    (key,) = cut
    said = refused(name, paths, labelled=labelled, **cut)
    assert said == f"labelled and {key} are both set: PU data have no true classes; remove one of the two"


@pytest.mark.parametrize("name", sorted(set(SPECS) - {"svmlight"}))
def test_labels_exclude_a_target(name, paths):
    assert "labelled and target are both set" in refused(name, paths, labelled="s", target="y")
