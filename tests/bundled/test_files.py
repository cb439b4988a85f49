"""Users' files: the same table is the same data set in every format."""

from __future__ import annotations

import csv as csv_module
import gzip
import json
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pubench_datasets import files

from pubench.errors import DataError

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"

TABLE = pd.DataFrame(
    {
        "age": [31.5, np.nan, 1e-300, 0.1 + 0.2],
        "rooms": [1, 2, 3, -4],
        "town": ["York", None, "Bath, Avon", 'it\'s "here"'],
        "owner": [True, False, False, True],
        "grade": ["NA", "b", "b", "a"],
        "part": ["train", "test", "train", "train"],
        "key": ["k1", "k2", "k3", "k4"],
        "target": ["yes", "no", "no", "yes"],
    }
)
ROLES = {"target": "target", "split": "part", "drop": ["key"]}


def to_arff(table, path):
    """Write a table as ARFF: numbers, true and false as nominal, all text as nominal."""
    kinds = {name: _arff_kind(table[name]) for name in table}
    lines = ["% made by a test", "@RELATION 'a table'", ""]
    lines += [f"@attribute '{name}' {kind}" for name, kind in kinds.items()]
    lines.append("@DATA")
    for row in table.itertuples(index=False):
        lines.append(
            ", ".join("?" if pd.isna(v) else quoted(v) if isinstance(v, str) else repr(v) for v in row)
        )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _arff_kind(column):
    if column.dtype == bool:
        return "{True, False}"
    if column.dtype.kind in "if":
        return "REAL"
    return "{" + ", ".join(quoted(name) for name in sorted(set(column.dropna()))) + "}"


WRITERS = {
    "csv": lambda table, path: table.to_csv(path, index=False),
    "tsv": lambda table, path: table.to_csv(path, index=False, sep="\t"),
    "parquet": lambda table, path: table.to_parquet(path),
    "arff": to_arff,
}


def write(table, folder, kind):
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    path = folder / f"table.{kind}"
    WRITERS[kind](table, path)
    return str(path)


def load(kind, path, **params):
    return getattr(files, kind)(path, **params)


def assert_same(a, b):
    np.testing.assert_array_equal(a.X, b.X, strict=True)
    np.testing.assert_array_equal(a.target, b.target)
    assert a.target.dtype.kind == b.target.dtype.kind
    assert a.feature_names == b.feature_names
    assert a.categorical == b.categorical
    assert a.pu == b.pu
    assert (a.split is None) == (b.split is None)
    assert a.split is None or a.split.tolist() == b.split.tolist()


@pytest.mark.parametrize("kind", WRITERS)
def test_a_table_is_what_was_written(kind, tmp_path):
    data = load(kind, write(TABLE, tmp_path, kind), **ROLES)
    assert data.feature_names == ("age", "rooms", "town", "owner", "grade")
    assert data.categorical == {2: ("Bath, Avon", "York", 'it\'s "here"'), 4: ("NA", "a", "b")}
    nan = np.nan
    expected = [
        [31.5, 1, 1, 1, 0],
        [nan, 2, nan, 0, 2],
        [1e-300, 3, 0, 0, 2],
        [0.1 + 0.2, -4, 2, 1, 1],
    ]
    np.testing.assert_array_equal(data.X, np.array(expected), strict=True)
    assert data.target.tolist() == ["yes", "no", "no", "yes"]
    assert data.split.tolist() == ["train", "test", "train", "train"]
    assert not data.pu


@pytest.mark.parametrize("kind", WRITERS)
def test_compression_changes_nothing(kind, tmp_path):
    path = write(TABLE, tmp_path, kind)
    packed = path + ".gz"
    Path(packed).write_bytes(gzip.compress(Path(path).read_bytes()))
    assert_same(load(kind, path, **ROLES), load(kind, packed, **ROLES))


@pytest.mark.parametrize("kind", WRITERS)
def test_a_labelled_column_means_pu_data(kind, tmp_path):
    path = write(TABLE.assign(s=[1, 0, 0, 1]), tmp_path, kind)
    data = load(kind, path, labelled="s", drop=["key", "target", "part"])
    assert data.pu
    assert data.target.tolist() == [1, 0, 0, 1]
    assert "s" not in data.feature_names
    assert "target" not in data.feature_names


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize(
    ("values", "classes"),
    [
        ([3, 1, 1, 2], [3, 1, 1, 2]),
        ([0.0, 1.0, 1.0, 0.0], [0, 1, 1, 0]),
        ([0.5, 1.5, 0.5, 1.5], ["0.5", "1.5"] * 2),
    ],
)
def test_classes_are_whole_numbers_if_possible(kind, values, classes, tmp_path):
    table = TABLE.assign(target=values)
    data = load(kind, write(table, tmp_path, kind), **ROLES)
    assert data.target.tolist() == classes


@pytest.mark.parametrize("kind", WRITERS)
def test_categories_of_numbers_are_in_numeric_order(kind, tmp_path):
    table = TABLE.assign(rooms=[10, 9, 100, 9])
    data = load(kind, write(table, tmp_path, kind), categorical=["rooms"], **ROLES)
    assert data.categorical[1] == ("9", "10", "100")
    assert data.X[:, 1].tolist() == [1, 0, 2, 0]


@pytest.mark.parametrize("kind", WRITERS)
def test_a_cut_makes_two_classes(kind, tmp_path):
    table = TABLE.assign(target=[1.0, 2.0, 3.0, 10.5])
    path = write(table, tmp_path, kind)
    above = load(kind, path, threshold=3, **ROLES)
    assert above.target.tolist() == ["low", "low", "low", "high"]
    median = load(kind, path, quantile=0.5, **ROLES)
    assert median.target.tolist() == ["low", "low", "high", "high"]


@pytest.mark.parametrize("kind", WRITERS)
def test_texts_listed_as_missing_are_missing(kind, tmp_path):
    path = write(TABLE.assign(rooms=[-9, 2, 3, -9]), tmp_path, kind)
    data = load(kind, path, missing=["NA", "-9"], **ROLES)
    assert data.categorical[4] == ("a", "b")
    assert np.isnan(data.X[:, 4]).tolist() == [True, False, False, False]
    assert np.isnan(data.X[:, 1]).tolist() == [True, False, False, True]


def test_the_class_is_text_as_written(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,target\n1,01\n2,TRUE\n3,NA\n")
    assert files.csv(str(path)).target.tolist() == ["01", "TRUE", "NA"]


def test_spaces_after_delimiters_blank_lines_and_a_byte_order_mark_are_ignored(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("\ufeffx, y, target\r\n\r\n1, a, p\r\n2, b, q\r\n\r\n", encoding="utf-8")
    data = files.csv(str(path))
    assert data.feature_names == ("x", "y")
    assert data.categorical == {1: ("a", "b")}
    assert data.target.tolist() == ["p", "q"]


def test_other_delimiters_and_encodings(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("x;name;target\n1;Zürich;a\n2;Åre;b\n".encode("latin-1"))
    data = files.csv(str(path), delimiter=";", encoding="latin-1")
    assert data.categorical[1] == ("Zürich", "Åre")


TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1).filter(
    lambda text: text == text.lstrip(" ")
)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(TEXT, st.integers(-(10**15), 10**15), st.floats(allow_nan=False, allow_infinity=False)),
        min_size=2,
    )
)
def test_any_text_survives_quoting(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("quoted") / "t.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv_module.writer(file, quoting=csv_module.QUOTE_ALL)
        writer.writerow(["text", "whole", "real", "target"])
        writer.writerows([text, whole, repr(real), i % 2] for i, (text, whole, real) in enumerate(rows))
    data = files.csv(str(path), categorical=["text"])
    names = data.categorical[0]
    assert [names[int(code)] for code in data.X[:, 0]] == [text for text, _, _ in rows]
    assert set(names) == {text for text, _, _ in rows}
    assert data.X[:, 1].tolist() == [whole for _, whole, _ in rows]
    assert data.X[:, 2].tolist() == [real for _, _, real in rows]
    assert data.target.tolist() == [i % 2 for i in range(len(rows))]


def test_sparse_and_dense_arff_are_the_same(tmp_path):
    kinds = {"a": "numeric", "c": "{u,'v w'}", "b": "integer", "target": "{n,y}"}
    header = "@relation r\n" + "".join(f"@attribute {n} {kind}\n" for n, kind in kinds.items()) + "@data\n"
    dense, sparse = tmp_path / "d.arff", tmp_path / "s.arff"
    dense.write_text(header + "0,u,3,n\n1.5,'v w',0,y\n?,u,0,n\n")
    sparse.write_text(header + "{2 3}\n{0 1.5, 1 'v w', 3 y}\n{ 0 ? }\n")
    assert_same(files.arff(str(dense)), files.arff(str(sparse)))
    assert files.arff(str(dense)).categorical == {1: ("u", "v w")}


def test_a_question_mark_in_quotes_is_text(tmp_path):
    path = tmp_path / "t.arff"
    path.write_text("@relation r\n@attribute c {'?',b}\n@attribute target {n,y}\n@data\n'?',n\n?,y\nb,n\n")
    data = files.arff(str(path))
    assert data.categorical == {0: ("?", "b")}
    np.testing.assert_array_equal(data.X[:, 0], [0, np.nan, 1])


@pytest.mark.slow
def test_arff_reads_ten_thousand_rows_quickly(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(10_000, 50)), columns=[f"x{i}" for i in range(50)])
    to_arff(table.assign(target=rng.integers(0, 2, 10_000)), tmp_path / "t.arff")
    start = time.process_time()
    data = files.arff(str(tmp_path / "t.arff"))
    assert time.process_time() - start < 5
    np.testing.assert_array_equal(data.X, table.to_numpy())


def test_svmlight_is_sparse(tmp_path):
    (tmp_path / "t.txt").write_text("# a comment\n1 1:0.5 4:2 # here too\n-1 2:0\n-1 3:7\n")
    data = files.svmlight(str(tmp_path / "t.txt"))
    assert data.X.format == "csr"
    np.testing.assert_array_equal(data.X.toarray(), [[0.5, 0, 0, 2], [0, 0, 0, 0], [0, 0, 7, 0]])
    assert data.X.nnz == 3
    assert data.target.tolist() == [1, -1, -1]
    assert files.svmlight(str(tmp_path / "t.txt"), n_features=9).X.shape == (3, 9)


@pytest.mark.parametrize(
    ("given", "kept"), [("u1", "u1"), ("f4", "f4"), ("f8", "f8"), ("i8", "f8"), ("?", "f8")]
)
def test_npz_keeps_bytes_and_floats(given, kept, tmp_path):
    X = np.arange(24).reshape(4, 2, 3).astype(given)
    np.savez(tmp_path / "t.npz", data=X, target=[0, 1, 1, 0], split=["train", "test"] * 2)
    data = files.npz(str(tmp_path / "t.npz"))
    assert data.X.dtype == np.dtype(kept)
    np.testing.assert_array_equal(data.X, X.reshape(4, 6))
    assert data.target.tolist() == [0, 1, 1, 0]
    assert data.split.tolist() == ["train", "test"] * 2
    assert files.npz(str(tmp_path / "t.npz"), split="").split is None


def test_identity_changes_when_the_file_does(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,target\n1,a\n2,b\n")
    before = files.identity(str(path), target="target")
    assert json.loads(json.dumps(before)) == before == files.identity(str(path))
    path.write_text("x,target\n1,a\n2,b\n3,a\n")
    assert files.identity(str(path)) != before
    with pytest.raises(DataError, match="no such file"):
        files.identity(str(tmp_path / "none.csv"))


def _catalog():
    path = SHARED / "catalog.json"
    entries = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return [
        e
        for e in entries
        if e["bytes"] < 1e6 and e["file"].endswith(".csv.gz") and e["task"] == "classification"
    ]


@pytest.mark.skipif(not _catalog(), reason="no shared data here")
@pytest.mark.parametrize("entry", _catalog(), ids=lambda entry: entry["name"])
def test_real_tables_have_the_counts_of_their_catalog(entry):
    data = files.csv(str(SHARED / entry["file"]), drop=entry["non_feature_columns"])
    assert data.X.shape == (entry["rows"], entry["features"])
    assert int(np.isnan(data.X).sum()) == entry["missing_cells"]
    assert Counter(map(str, data.target.tolist())) == entry["class_counts"]
