"""Bad files: one clear sentence each, with file, location and remedy."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from pubench_datasets import files, source

from pubench.errors import DataError

LOADERS = ["csv", "tsv", "parquet", "arff", "svmlight", "npz", "jsonl"]
ROWS = "".join(f"{i},{'ab'[i % 2]}\n" for i in range(40))
GOOD = "x,target\n" + ROWS
DATES = "".join(f"2015-02-{i % 28 + 1:02d} 17:51:00,{i},{'ab'[i % 2]}\n" for i in range(40))
ARFF = "@relation r\n@attribute x numeric\n@attribute c {u,v}\n@attribute target {n,y}\n@data\n"


def refused(call, *args, **params):
    """Return the message of the DataError that a call raises."""
    with pytest.raises(DataError) as caught:
        call(*args, **params)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert len(sentence) < 600
    return sentence


@pytest.fixture
def csv_says(tmp_path):
    def says(content, **params):
        path = tmp_path / "t.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        sentence = refused(files.csv, str(path), **params)
        return sentence.replace(str(path), "t.csv")

    return says


@pytest.mark.parametrize("loader", LOADERS)
def test_invalid_paths_are_refused_by_all_loaders(loader, tmp_path):
    if loader == "parquet":
        pytest.importorskip("pyarrow")
    load = getattr(files, loader)
    missing, empty, fifo = (tmp_path / name for name in ("none.x", "empty.x", "fifo.x"))
    assert refused(load, str(missing)) == f"cannot open {missing}: no such file; check the path"
    assert "is a folder; name a file in it" in refused(load, str(tmp_path))
    empty.touch()
    assert refused(load, str(empty)) == f"{empty} is empty; get a new copy"
    os.mkfifo(fifo)
    assert "is not a regular file" in refused(load, str(fifo))
    assert "path = 7 is not the name of a file" in refused(load, 7)


@pytest.mark.parametrize("loader", LOADERS)
def test_broken_gzip_is_refused_by_all_loaders(loader, tmp_path):
    if loader == "parquet":
        pytest.importorskip("pyarrow")
    load = getattr(files, loader)
    path = tmp_path / "t.x.gz"
    packed = gzip.compress(np.random.default_rng(0).bytes(5000).hex().encode())
    path.write_bytes(packed[: len(packed) // 2])
    assert "is truncated or damaged" in refused(load, str(path))
    path.write_bytes(packed[:9])
    assert "is truncated or damaged" in refused(load, str(path))
    path.write_text(GOOD)
    assert "ends in .gz but is not gzip data" in refused(load, str(path))


@pytest.mark.parametrize("loader", LOADERS)
def test_a_file_that_is_too_large_is_refused_without_reading(loader, tmp_path, monkeypatch):
    if loader == "parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / "huge.x"
    path.touch()
    os.truncate(path, 10 * 10**9)
    monkeypatch.setattr(source, "available_memory", lambda: 24 * 10**9)
    sentence = refused(getattr(files, loader), str(path))
    assert "takes 10 GB, more than a third of the 24 GB of free memory; use a machine" in sentence
    monkeypatch.setattr(source, "available_memory", lambda: 31 * 10**9)
    source.refuse_if_large(str(path), 10 * 10**9)


def test_the_size_of_a_compressed_file_is_its_uncompressed_size(tmp_path, monkeypatch):
    path = tmp_path / "t.csv.gz"
    unpacked = b"x,note,target\n" + b"1,%b,a\n2,,b\n" % (b"-" * 100) * 500
    path.write_bytes(gzip.compress(unpacked, mtime=0))
    monkeypatch.setattr(source, "available_memory", lambda: 3 * len(unpacked) - 3)
    assert "more than a third" in refused(files.csv, str(path), drop="note")
    monkeypatch.setattr(source, "available_memory", lambda: 3 * len(unpacked))
    assert files.csv(str(path), drop="note").X.shape == (1000, 1)


def test_available_memory_respects_the_limit_of_the_process():
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_DATA, (2**29, 2**29));"
        "from pubench_datasets.source import available_memory; print(available_memory())"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 0 < int(answer.stdout) <= 2**29


@pytest.mark.parametrize(
    ("content", "params", "words"),
    [
        ("x,target\n", {}, ["no rows after its header"]),
        ("x,target", {}, ["no rows after its header"]),
        ("\n\n", {}, ["is empty"]),
        (GOOD, {"target": "tarpet"}, ["no column 'tarpet' (target)", "did you mean 'target'?"]),
        (GOOD, {"drop": ["zzz"]}, ["no column 'zzz' (drop)", "known: target, x"]),
        (GOOD.replace("target", "klass"), {}, ["no column 'target'", "set target"]),
        (GOOD, {"drop": ["target"]}, ["column 'target' is used twice, as target and drop"]),
        (GOOD, {"categorical": "target"}, ["used twice, as target and categorical"]),
        (GOOD, {"drop": "x"}, ["has no features"]),
        (GOOD, {"drop": [3]}, ["drop = [3] must be a list of texts"]),
        (GOOD, {"labelled": "x", "target": "target"}, ["labelled and target are both set"]),
        ("x,y,x,target\n1,2,3,a\n", {}, ["2 columns are named 'x' (columns 1, 3)"]),
        (",x,target\n0,1,a\n1,2,b\n", {}, ["column 1 has no name", "drop = ['column 1']"]),
        ("x;target\n1;a\n", {}, ["only one column", "set delimiter = ';'"]),
        (GOOD, {"delimiter": ",,"}, ["delimiter = ',,' must be one character"]),
        ("x,target\n1,a,9\n2,b\n", {}, ["t.csv, line 2: 3 cells, but the header has 2"]),
        ("x,target\n1,a,\n2,b,\n", {}, ["t.csv, line 2: 3 cells, but the header has 2"]),
        (GOOD + "1,a,9\n", {}, ["t.csv, line 42: 3 cells"]),
        ("x,y,target\n1,2,a\n1\n", {}, ["t.csv, line 3: 1 cell, but the header has 3"]),
        ('x,y,target\n"1\n",2,a\n1,2\n', {}, ["t.csv, line 4: 2 cells, but the header has 3"]),
        (GOOD + '1,"a\n', {}, ["a quote that is not closed"]),
        (GOOD + "n/a,a\n", {}, ["column 'x' contains numbers, but 'n/a' in line 42", "missing = ['n/a']"]),
        (GOOD + "1e999,a\n", {}, ["column 'x' is inf in line 42"]),
        (GOOD + "-inf,a\n", {}, ["column 'x' is -inf in line 42"]),
        (GOOD + "1,\n2,\n", {}, ["column 'target' has no value in 2 rows, first in line 42"]),
        (GOOD + "1,?\n", {"missing": "?"}, ["column 'target' has no value in 1 row, line 42"]),
        (
            "s,x\n1,1\n\n2,2\n",
            {"labelled": "s"},
            ["column 's' is '2' in line 4", "write 1 (labelled positive)"],
        ),
        ("s,x\n1,1\n1,2\n", {"labelled": "s"}, ["column 's' is 1 in every row"]),
        (
            "s,x\n1,1\n,2\n",
            {"labelled": "s"},
            ["column 's' has no value in 1 row, line 3; write 1 (labelled positive) or 0 (unlabelled)"],
        ),
        ("when,x,target\n" + DATES, {}, ["column 'when' contains dates", "drop"]),
        ("when,x,target\n1/2/2015,1,a\n13/2/2015,2,b\n", {}, ["column 'when' contains dates"]),
        (
            "k,x,target\n" + "".join(f"k{i},1,{'ab'[i % 2]}\n" for i in range(51)),
            {},
            ["'k' has 51 distinct texts", "drop"],
        ),
        ("x,target\n" + "".join(f"1,{i / 8}\n" for i in range(51)), {}, ["51 distinct values", "quantile"]),
        ("x,target\n" + "".join(f"1,k{i}\n" for i in range(51)), {}, ["51 distinct values", "set target"]),
        (GOOD, {"threshold": 3}, ["column 'target' is 'a' in line 2, but threshold needs numbers"]),
        ("x,target\n1,2\n1,3\n", {"threshold": 3}, ["runs from 2 to 3", "only one class"]),
        (GOOD, {"threshold": 3, "quantile": 0.5}, ["both set"]),
        (GOOD, {"quantile": 1.5}, ["quantile = 1.5 must lie between 0 and 1"]),
        (GOOD, {"threshold": "3"}, ["threshold = '3' is not a number"]),
        (
            "p,x,target\ntrain,1,a\ndev,2,b\n",
            {"split": "p"},
            ["'p' is 'dev' in line 3", "'train' or 'test'"],
        ),
        (
            b"x,name,target\n1,a,b\n2,caf\xe9,b\n",
            {},
            ["t.csv, line 3: byte 0xe9 at place 6 is not utf-8", "latin-1"],
        ),
        ("x,target\n1,a\n".encode("utf-16"), {}, ["begins like UTF-16; set encoding = 'utf-16'"]),
        (GOOD, {"encoding": "utf-9"}, ["encoding = 'utf-9' is unknown"]),
        (GOOD, {"encoding": "hex"}, ["encoding = 'hex' is not a text encoding"]),
        (gzip.compress(b"x", mtime=0), {}, ["gzip data; rename it to end in .gz"]),
        (b"PK\x03\x04 and so on", {}, ["a zip archive or a workbook"]),
    ],
)
def test_a_bad_table_is_refused_in_one_sentence(content, params, words, csv_says):
    sentence = csv_says(content, **params)
    assert [word for word in words if word not in sentence] == [], sentence


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (GOOD, ["line 1: 'x,target' is not ARFF"]),
        ("@relation r\n@attribute x numeric\n", ["no line @data"]),
        ("@relation r\n@data\n1\n", ["declares no attributes"]),
        ("@relation r\n@attribute x\n@data\n1\n", ["line 2", "does not declare an attribute"]),
        (
            "@relation r\n@attribute x relational\n@data\n",
            ["line 2: attribute 'x' has the type 'relational'"],
        ),
        (
            "@relation r\n@attribute x numeric\n@attribute X real\n@attribute x real\n@data\n1,1,1\n",
            ["2 columns are named 'x'"],
        ),
        (ARFF, ["no rows after its header"]),
        (ARFF + "1,u,n\n% note\nabc,u,n\n", ["line 8: attribute 'x' contains 'abc', not a number"]),
        (ARFF + "1,u,n\n1,w,n\n", ["line 7: attribute 'c' contains 'w', not one of its declared values"]),
        (ARFF + "1,u,n\n1,u\n", ["line 7: 2 cells for 3 attributes"]),
        (ARFF + "1,u,n\n1,'u,n\n", ["line 7 has a quote that is not closed"]),
        (ARFF + "{0 1}\n{7 1}\n", ["line 7 is not a sparse row of these attributes"]),
        (ARFF + "1,u,n\n1e999,u,y\n", ["column 'x' is inf in line 7"]),
        (ARFF + "1,u,n\n1,u,?\n", ["column 'target' has no value in 1 row, line 7"]),
    ],
)
def test_a_bad_arff_file_is_refused_in_one_sentence(content, words, tmp_path):
    path = tmp_path / "t.arff"
    path.write_text(content)
    sentence = refused(files.arff, str(path))
    assert [word for word in words if word not in sentence] == [], sentence


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ("1 1:2\na 1:2\n", "line 2: could not convert string to float: 'a'"),
        ("1 1:2\n0 1:b\n", "line 2: could not convert string to float: 'b'"),
        ("1 1:2\n0 2:1 1:1\n", "line 2: places are not in ascending order"),
        ("1 1:2\n0 3\n", "line 2: '3' is not PLACE:VALUE"),
        ("1 1:2\n0 1:nan\n", "row 2 contains a value that is not finite"),
        ("# nothing\n", "is empty"),
    ],
)
def test_a_bad_svmlight_file_is_refused_in_one_sentence(content, word, tmp_path):
    path = tmp_path / "t.svm"
    path.write_text(content)
    assert word in refused(files.svmlight, str(path))


@pytest.mark.parametrize(
    ("arrays", "word"),
    [
        ({"data": np.ones((2, 2)), "klass": [0, 1]}, "has no array 'target'; known: data, klass"),
        ({"data": np.ones(2), "target": [0, 1]}, "is 1-dimensional float64"),
        ({"data": np.array([["a"], ["b"]]), "target": [0, 1]}, "a matrix of numbers"),
        (
            {"data": np.ones((2, 2)), "target": [0, 1, 1]},
            "array 'target' has shape (3,), but the data have 2 rows",
        ),
        ({"data": np.ones((0, 2)), "target": []}, "is empty"),
        ({"data": np.array([[1, 2], [3, np.inf]]), "target": [0, 1]}, "is infinite in row 2, column 2"),
        (
            {"data": np.ones((2, 2)), "target": [0, 1], "split": ["train", "dev"]},
            "array 'split' is 'dev' in row 2",
        ),
        ({"data": np.ones((2, 2)), "target": np.array([0, {}], dtype=object)}, "Python objects"),
    ],
)
def test_a_bad_archive_is_refused_in_one_sentence(arrays, word, tmp_path):
    np.savez(tmp_path / "t.npz", **arrays)
    assert word in refused(files.npz, str(tmp_path / "t.npz"))


def test_other_files_than_archives_are_refused(tmp_path):
    path = tmp_path / "t.npz"
    path.write_text(GOOD)
    assert "is not a NumPy archive" in refused(files.npz, str(path))
    np.savez(path, data=np.ones((200, 2)), target=np.ones(200))
    path.write_bytes(path.read_bytes()[:1000])
    assert "is not a NumPy archive (.npz), or is truncated" in refused(files.npz, str(path))
    with open(path, "wb") as file:
        np.save(file, np.ones(3))
    assert "contains only one array" in refused(files.npz, str(path))


@pytest.mark.parametrize(
    ("column", "word"),
    [
        (pd.to_datetime(["2015-01-01", "2015-01-02"]), "column 'x' contains dates"),
        ([[1], [2]], "contains lists"),
        ([b"1", b"2"], "contains bytes values"),
        ([1.0, np.inf], "column 'x' is inf in row 2"),
    ],
)
def test_a_bad_parquet_file_is_refused_in_one_sentence(column, word, tmp_path):
    pytest.importorskip("pyarrow")
    pd.DataFrame({"x": column, "target": ["a", "b"]}).to_parquet(tmp_path / "t.parquet")
    assert word in refused(files.parquet, str(tmp_path / "t.parquet"))


def test_other_files_than_parquet_files_are_refused(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "t.parquet"
    path.write_text(GOOD)
    assert "is not a Parquet file, or is damaged" in refused(files.parquet, str(path))
    pd.DataFrame({"x": range(1000), "target": "a"}).to_parquet(path)
    path.write_bytes(path.read_bytes()[:-100])
    assert "is not a Parquet file, or is damaged" in refused(files.parquet, str(path))


def test_parquet_without_pyarrow_names_the_package_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    sentence = refused(files.parquet, str(tmp_path / "t.parquet"))
    assert "Parquet needs pyarrow; install it with: pip install 'pubench[parquet]'" in sentence
