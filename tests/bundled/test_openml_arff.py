"""ARFF of OpenML: the fast and the complete reader agree, sparse files become CSR, unusual files are read."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pubench_datasets.openml_arff import open_arff
from pubench_datasets.openml_cache import Entry
from pubench_datasets.openml_tables import UnsoundError, data_of, parquet_frame
from pubench_datasets.tables import Roles
from pubench_datasets.targets import Cut
from scipy.sparse import issparse

from pubench.errors import DataError

HEADER = """% a comment
@RELATION 'a set'
@ATTRIBUTE size NUMERIC
@ATTRIBUTE "two words" {small,'very large'}
@attribute when DATE "yyyy-MM-dd"
@ATTRIBUTE class {yes,no}
@DATA
"""
SPARSE = """@RELATION s
@ATTRIBUTE a NUMERIC
@ATTRIBUTE b REAL
@ATTRIBUTE c INTEGER
@ATTRIBUTE class {neg,pos}
@DATA
{0 1.5, 2 3, 3 pos}
{}

{1 -2e3,2 0,3 pos}
{ 3 neg }
"""


def written(folder, text, encoding="utf-8"):
    path = folder / "data.arff"
    path.write_bytes(text.encode(encoding))
    return path


def entry(path, target="class", ignore=()):
    return Entry({"id": 1, "name": "x", "target": target, "ignore": list(ignore)}, path)


def test_quotes_dates_comments_and_missing_cells(tmp_path):
    rows = "% rows\n1, 'very large', '2020-01-02', yes\n?,small,?,no\n\n 3 ,?,2020-01-03,no\n"
    data = data_of(entry(written(tmp_path, HEADER + rows), ignore=["when"]), Roles())
    assert data.feature_names == ("size", "two words")
    np.testing.assert_array_equal(data.X, [[1, 1], [np.nan, 0], [3, np.nan]])
    assert data.categorical == {1: ("small", "very large")}
    assert data.target.tolist() == ["yes", "no", "no"]


def test_a_date_is_text_and_must_be_dropped(tmp_path):
    path = written(tmp_path, HEADER + "1,small,2020-01-02,yes\n2,small,2020-01-03,no\n")
    with pytest.raises(DataError, match=r"drop = \['when'\]"):
        data_of(entry(path), Roles())
    assert data_of(entry(path), Roles(drop=("when",))).X.shape == (2, 2)


@pytest.mark.parametrize(
    "rows", ["1,small,2020,yes\n2,small,2020\n3,a,b,c,d\n", "1,small,2020,maybe\n", "x,small,2020,no\n"]
)
def test_rows_that_do_not_fit_are_refused(tmp_path, rows):
    with pytest.raises(DataError, match=r"line [89]"):
        data_of(entry(written(tmp_path, HEADER + rows)), Roles(drop=("when",)))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("hello", "no line @data"),
        ("@RELATION x\n@ATTRIBUTE a WHATEVER\n@DATA\n1\n", "header that cannot be read"),
        (HEADER, "no rows"),
    ],
)
def test_other_files_than_arff_are_one_sentence(tmp_path, text, sentence):
    with pytest.raises(DataError, match=sentence):
        data_of(entry(written(tmp_path, text)), Roles(target="class", drop=("when",)))


@pytest.mark.parametrize(
    ("target", "sentence"), [("", "declares no target; set target"), ("size,class", "which is not a column")]
)
def test_a_data_set_without_a_target_needs_one(tmp_path, target, sentence):
    path = written(tmp_path, HEADER + "1,small,2020,yes\n2,small,2020,no\n")
    with pytest.raises(DataError, match=sentence):
        data_of(entry(path, target), Roles())
    assert data_of(entry(path, target), Roles(target="class", drop=("when",))).target.tolist() == [
        "yes",
        "no",
    ]


def test_old_files_in_latin_1_are_read(tmp_path):
    text = "@RELATION x\n@ATTRIBUTE a {é,b}\n@ATTRIBUTE class {u,v}\n@DATA\né,u\nb,v\n"
    data = data_of(entry(written(tmp_path, text, "latin-1")), Roles())
    assert data.categorical == {0: ("b", "é")}


def test_a_sparse_file_becomes_csr(tmp_path):
    data = data_of(entry(written(tmp_path, SPARSE)), Roles())
    assert issparse(data.X)
    assert data.X.format == "csr"
    np.testing.assert_array_equal(data.X.toarray(), [[1.5, 0, 3], [0, 0, 0], [0, -2000, 0], [0, 0, 0]])
    assert (data.X.data != 0).all()
    assert data.target.tolist() == ["pos", "neg", "pos", "neg"]
    assert data.feature_names == ("a", "b", "c")


def test_a_sparse_file_with_dropped_columns_and_a_numeric_target(tmp_path):
    data = data_of(entry(written(tmp_path, SPARSE)), Roles(target="a", drop=("class",), cut=Cut(threshold=1)))
    np.testing.assert_array_equal(data.X.toarray(), [[0, 3], [0, 0], [-2000, 0], [0, 0]])
    assert data.target.tolist() == ["high", "low", "low", "low"]


def test_a_sparse_file_with_categories_or_missing_cells_becomes_dense(tmp_path):
    for text in (SPARSE.replace("c INTEGER", "c {0,3}"), SPARSE.replace("1.5", "?")):
        data = data_of(entry(written(tmp_path, text)), Roles())
        assert isinstance(data.X, np.ndarray)
        assert data.X.shape == (4, 3)
        assert data.X[2, 1] == -2000


@pytest.mark.parametrize("row", ["{7 1}", "{0 x}", "{0}", "{0 1", "1,2,3,pos"])
def test_a_sparse_row_that_does_not_fit_is_refused_or_read_densely(tmp_path, row):
    path = written(tmp_path, SPARSE + row + "\n")
    if row == "1,2,3,pos":
        assert data_of(entry(path), Roles()).X[-1].tolist() == [1, 2, 3]
    else:
        with pytest.raises(DataError, match="line 12"):
            data_of(entry(path), Roles())


NAMES = st.text("abcxyz019 -_.?%", min_size=1, max_size=6).map(str.strip).filter(lambda t: t not in {"", "?"})
NUMBERS = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**40), 2**40))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_the_fast_reader_agrees_with_the_careful_one(data, tmp_path_factory):
    names = data.draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))
    rows = data.draw(st.lists(st.tuples(NUMBERS, st.sampled_from([None, *names])), min_size=1, max_size=8))
    quoted = ["'" + name + "'" if set(name) & set(" ?%") else name for name in names]
    text = f"@RELATION r\n@ATTRIBUTE n NUMERIC\n@ATTRIBUTE c {{{','.join(quoted)}}}\n@DATA\n"
    shown = dict(zip(names, quoted, strict=True))
    for number, name in rows:
        text += f"{'?' if number is None else repr(number)},{'?' if name is None else shown[name]}\n"
    opened = open_arff(written(tmp_path_factory.mktemp("arff"), text), "x")
    careful, frame = opened._careful_frame(), opened.frame()
    expected = [np.nan if number is None else float(number) for number, _ in rows]
    for found in (careful, frame):
        np.testing.assert_array_equal(found["n"].to_numpy(), expected)
        assert [None if v != v else v for v in found["c"].astype(object)] == [name for _, name in rows]


KINDS = {"n": "numeric", "c": ("1", "2"), "flag": ("TRUE", "FALSE")}


def parquet(folder, **columns):
    frame = {"n": [1, 2, 3], "c": ["1", "2", None], "flag": [True, False, True], **columns}
    pd.DataFrame(frame).to_parquet(folder / "x.parquet")
    return folder / "x.parquet"


def test_parquet_columns_have_their_declared_types(tmp_path):
    pytest.importorskip("pyarrow")
    for codes in (["1", "2", None], [1.0, 2.0, np.nan]):
        frame = parquet_frame(parquet(tmp_path, c=codes), KINDS, rows=3)
        assert frame["n"].dtype == np.float64
        assert frame["c"].tolist()[:2] == ["1", "2"]
        assert frame["flag"].tolist() == ["TRUE", "FALSE", "TRUE"]


@pytest.mark.parametrize(
    "columns",
    [{"n": ["a", "b", "c"]}, {"c": ["1", "2", "3"]}, {"other": [1, 2, 3]}, {"flag": ["T", "F", "T"]}],
)
def test_parquet_that_does_not_match_its_description_is_not_used(tmp_path, columns):
    pytest.importorskip("pyarrow")
    with pytest.raises(UnsoundError):
        parquet_frame(parquet(tmp_path, **columns), KINDS, rows=3)
    with pytest.raises(UnsoundError, match="rows"):
        parquet_frame(parquet(tmp_path), KINDS, rows=4)
