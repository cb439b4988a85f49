"""Unusual files: decimal commas, encodings, indices, large compressed files; they load, or are refused in one line."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from pubench_datasets import files, source

from pubench.errors import DataError

CLASSES = ["a", "b"]


def refused(call, *args, **params):
    with pytest.raises(DataError) as caught:
        call(*args, **params)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def table(path, cells, delimiter=";"):
    lines = [f"{cell}{delimiter}{CLASSES[i % 2]}" for i, cell in enumerate(cells)]
    path.write_text("\n".join([f"x{delimiter}target", *lines]) + "\n")
    return str(path)


@pytest.mark.parametrize("n", [40, 200])
@pytest.mark.parametrize(
    "form", ["{:d},{:03d}", "-{:d},{:03d}", "1.{:03d},{:02d}", "1,{:03d}.{:02d}", "{:d}.{:d}%", "{:d},{:d} %"]
)
def test_numbers_with_a_comma_or_a_percent_sign_are_not_categories(form, n, tmp_path):
    path = table(tmp_path / "t.csv", [form.format(i, i + 10) for i in range(n)])
    said = refused(files.csv, path, delimiter=";")
    assert (
        f"column 'x' contains numbers with a comma or a percent sign, such as {form.format(0, 10)!r} in line 2"
        in said
    )
    assert "write them with a decimal" in said
    named = files.csv(path, delimiter=";", categorical="x")
    assert len(named.categorical[0]) == n


def test_numbers_with_commas_are_detected_among_whole_numbers(tmp_path):
    said = refused(files.csv, table(tmp_path / "t.csv", ["1", "2", "0,5"] * 20), delimiter=";")
    assert "such as '0,5' in line 4" in said


@pytest.mark.parametrize("cell", ["10.0.0.{}", "1,2,{}", "{},", "a,{}", "v1.{}"])
def test_texts_that_are_not_numbers_stay_categories(cell, tmp_path):
    data = files.csv(table(tmp_path / "t.csv", [cell.format(i % 3) for i in range(40)]), delimiter=";")
    assert len(data.categorical[0]) == 3


ONE_CLASS = {
    "csv": "x,target\n1,a\n2,a\n",
    "arff": "@relation r\n@attribute x numeric\n@attribute target {a,b}\n@data\n1,a\n2,a\n",
    "svmlight": "1 1:1\n1 1:2\n",
    "jsonl": '{"text": "tea", "target": "a"}\n{"text": "milk", "target": "a"}\n',
}


@pytest.mark.parametrize("name", ONE_CLASS)
def test_a_target_with_one_class_is_refused_by_name(name, tmp_path):
    (tmp_path / "t").write_text(ONE_CLASS[name])
    said = refused(getattr(files, name), str(tmp_path / "t"))
    assert (
        f"is {'1' if name == 'svmlight' else 'a'!r} in every row, but there must be at least two classes"
        in said
    )


def test_distinct_fractions_are_not_classes_however_few(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,target\n" + "".join(f"1,{i / 8}\n" for i in range(1, 12)))
    said = refused(files.csv, str(path))
    assert (
        "has 11 distinct values in 11 rows, too many for classes; set threshold or quantile to make two"
        in said
    )
    path.write_text("x,target\n" + "1,0.5\n1,1.5\n1,2.5\n" * 4)
    assert set(files.csv(str(path)).target) == {"0.5", "1.5", "2.5"}


@pytest.mark.parametrize(
    ("content", "remedy"),
    [
        ("x,target\n1,a\n", "load it with use = 'csv'"),
        ("x;target\n1;a\n", "load it with use = 'csv' and delimiter = ';'"),
        ("x\ty\ttarget\n1\ta\n", "correct the line, or load it with use = 'csv' if another character"),
    ],
)
def test_the_remedies_of_tsv_are_possible(content, remedy, tmp_path):
    (tmp_path / "t.tsv").write_text(content)
    said = refused(files.tsv, str(tmp_path / "t.tsv"))
    assert remedy in said
    assert "set delimiter" not in said


def test_parquet_counts_columns_of_one_name_as_they_are(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    made = pa.table([[1, 2], [3, 4], ["a", "b"]], names=["x", "x", "target"])
    parquet.write_table(made, tmp_path / "t.parquet")
    said = refused(files.parquet, str(tmp_path / "t.parquet"))
    assert "2 columns are named 'x' (columns 1, 2); rename all but one" in said


def test_the_pandas_index_is_a_feature_only_if_it_is_named(tmp_path):
    pytest.importorskip("pyarrow")
    path = str(tmp_path / "t.parquet")
    frame = pd.DataFrame({"x": [1, 2, 3, 4], "target": [*"abab"]})
    for index in (["k1", "k2", "k3", "k4"], [7, 9, 8, 10]):
        frame.set_index(pd.Index(index, name="patient")).to_parquet(path)
        assert files.parquet(path).feature_names == ("x",)
    assert files.parquet(path, categorical="patient").feature_names == ("x", "patient")
    assert files.parquet(path, drop="patient").feature_names == ("x",)
    assert files.parquet(path, target="patient", drop="target").target.tolist() == [7, 9, 8, 10]
    frame.set_index(pd.MultiIndex.from_arrays([[1, 2, 3, 4], [*"cdcd"]], names=["n", "m"])).to_parquet(path)
    assert files.parquet(path).feature_names == ("x",)
    frame.set_index(pd.Index([7, 9, 8, 10])).to_parquet(path)
    assert files.parquet(path).feature_names == ("x",)


@pytest.mark.parametrize(
    "note", [b"{", b"[]", b"{}", b'{"index_columns": 7}', b'{"index_columns": [{"a": 1}, ["x"]]}']
)
def test_damaged_pandas_metadata_are_ignored(note, tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    made = pa.table([[1, 2], ["a", "b"]], names=["x", "target"])
    parquet.write_table(made.replace_schema_metadata({b"pandas": note}), tmp_path / "t.parquet")
    assert files.parquet(str(tmp_path / "t.parquet")).feature_names == ("x",)


@pytest.mark.parametrize("form", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("packed", [False, True])
def test_utf_16_without_a_mark_is_recognised(form, packed, tmp_path):
    texts = {"csv": "x,target\n1,a\n2,b\n", "jsonl": json.dumps({"text": "tea", "target": "a"}) + "\n"}
    for name, text in texts.items():
        path = tmp_path / (f"t.{name}.gz" if packed else f"t.{name}")
        body = text.encode(form)
        path.write_bytes(gzip.compress(body) if packed else body)
        said = refused(getattr(files, name), str(path))
        assert f"is not utf-8 but begins like UTF-16; set encoding = '{form}'" in said
    assert files.csv(str(tmp_path / path.name.replace("jsonl", "csv")), encoding=form).X.tolist() == [
        [1],
        [2],
    ]


def test_zero_bytes_are_not_text(tmp_path):
    path = tmp_path / "t"
    path.write_bytes(b"\xd0\xcf\x11\xe0\0\0\0\0 an old workbook")
    assert "is not text, because it contains zero bytes" in refused(files.csv, str(path))
    path.write_text("1 1:2\n0 1:3\n", encoding="utf-16-le")
    assert "begins like UTF-16; save it as UTF-8" in refused(files.svmlight, str(path))


@pytest.mark.parametrize("name", ["csv", "tsv", "arff", "jsonl", "svmlight", "npz", "parquet"])
@pytest.mark.parametrize("parts", [1, 3])
def test_the_size_of_compressed_files_includes_all_members(name, parts, tmp_path, monkeypatch):
    if name == "parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / "t.gz"
    # The last part is empty, as block-wise packers leave it: its trailer says 0 bytes.
    path.write_bytes(gzip.compress(b"0" * 2**20) * parts + gzip.compress(b""))
    monkeypatch.setattr(source, "_CHUNK", 2**16)
    monkeypatch.setattr(source, "available_memory", lambda: 3 * (parts * 2**20 - 1))
    said = refused(getattr(files, name), str(path))
    assert "t.gz, uncompressed, takes" in said
    assert "more than a third" in said


def test_decompression_stops_at_the_limit(tmp_path, monkeypatch):
    path = tmp_path / "t.csv.gz"
    # Whoever got to the end would find it damaged.
    path.write_bytes(gzip.compress(b"0" * 2**24)[:-100] + b"damage")
    monkeypatch.setattr(source, "_CHUNK", 2**16)
    monkeypatch.setattr(source, "available_memory", lambda: 3 * 2**20)
    assert "t.csv.gz, uncompressed, takes 0.00105 GB" in refused(files.csv, str(path))


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_the_size_of_short_cells_is_that_of_their_numbers(ending, tmp_path, monkeypatch):
    path = tmp_path / f"t.csv{ending}"
    n, d = 2000, 50
    body = (",".join([*(f"x{i}" for i in range(d)), "target"]) + "\n").encode()
    body += b"".join(b"0," * d + b"%d\n" % (i % 2) for i in range(n))
    path.write_bytes(gzip.compress(body) if ending else body)
    numbers = 8 * n * (d + 1)
    # The text would fit, the numbers would not.
    assert 3 * len(body) < 2 * numbers
    monkeypatch.setattr(source, "available_memory", lambda: 2 * numbers)
    assert "as numbers, takes" in refused(files.csv, str(path))
    monkeypatch.setattr(source, "available_memory", lambda: 4 * numbers)
    assert files.csv(str(path)).X.shape == (n, d)


def test_rows_of_archives_count_from_one(tmp_path):
    path = tmp_path / "t.npz"
    np.savez(path, data=np.ones((3, 1)), target=[0, 1, 0], split=["dev", "train", "test"])
    assert "array 'split' is 'dev' in row 1;" in refused(files.npz, str(path))


@pytest.mark.slow
def test_a_table_of_short_cells_takes_no_more_than_three_times_its_numbers(tmp_path):
    n, d = 400_000, 50
    path = tmp_path / "t.csv.gz"
    head = (",".join([*(f"x{i}" for i in range(d)), "target"]) + "\n").encode()
    path.write_bytes(gzip.compress(head + (b"0," * d + b"0\n" + b"0," * d + b"1\n") * (n // 2), 1))
    code = (
        "import resource, sys, pandas\n"
        "from pubench_datasets import files\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024\n"
        "before = peak(); files.csv(sys.argv[1]); print(peak() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 3 * 8 * n * (d + 1)
