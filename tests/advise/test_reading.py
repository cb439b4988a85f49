"""Tables from files: however a table is written, the same cells are read."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest

from pubench.advise import memory
from pubench.advise.reading import read_chunks, read_table
from pubench.errors import DataError

FRAME = pd.DataFrame(
    {
        "id": ["007", "008", "009", "010"],
        "age": [61.5, 44.25, np.nan, 39.0],
        "größe": ["a, b", "c", "d", "e"],
        "known": [1, 0, 0, 1],
    }
)
WRITERS = {
    "comma.csv": {},
    "semicolon.csv": {"sep": ";", "decimal": ","},
    "tab.tsv": {"sep": "\t"},
    "bar.txt": {"sep": "|", "decimal": ","},
    "packed.csv.gz": {"compression": "gzip"},
    "excel.csv": {"sep": ";", "decimal": ",", "encoding": "cp1252"},
    "wide.csv": {"encoding": "utf-16"},
    "marked.csv": {"encoding": "utf-8-sig"},
}


@pytest.mark.parametrize("name", WRITERS)
def test_delimiter_decimal_mark_and_encoding_are_found(name, tmp_path):
    FRAME.to_csv(tmp_path / name, index=False, **WRITERS[name])
    found = read_table(tmp_path / name)
    pd.testing.assert_frame_equal(found, FRAME, check_dtype=False)


def test_other_formats_hold_the_same_table(tmp_path):
    FRAME.to_parquet(tmp_path / "a.parquet")
    FRAME.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    np.savez(tmp_path / "a.npz", age=FRAME["age"], known=FRAME["known"])
    cells = "\n".join(f"{'?' if np.isnan(row.age) else row.age},{row.known}" for row in FRAME.itertuples())
    arff = f"@relation a\n@attribute age numeric\n@attribute known {{0,1}}\n@data\n{cells}\n"
    (tmp_path / "a.arff").write_text(arff)
    for ending in ("parquet", "jsonl", "npz", "arff"):
        found = read_table(tmp_path / f"a.{ending}")
        np.testing.assert_array_equal(found["age"].astype(float), FRAME["age"])
        assert [int(cell) for cell in found["known"]] == [1, 0, 0, 1]


def test_svmlight_has_a_column_of_labels(tmp_path):
    (tmp_path / "a.svmlight").write_text("1 1:0.5 3:2\n-1 2:1\n")
    found = read_table(tmp_path / "a.svmlight")
    assert list(found.columns) == ["label", "column 1", "column 2", "column 3"]
    assert found.to_numpy().tolist() == [[1, 0.5, 0, 2], [-1, 0, 1, 0]]


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.jsonl"])
def test_parts_make_up_the_whole(name, tmp_path):
    match name.rpartition(".")[2]:
        case "csv":
            FRAME.to_csv(tmp_path / name, index=False)
        case "parquet":
            FRAME.to_parquet(tmp_path / name)
        case "jsonl":
            FRAME.to_json(tmp_path / name, orient="records", lines=True)
    parts = list(read_chunks(tmp_path / name, 3))
    if not name.endswith("jsonl"):
        assert [len(part) for part in parts] == [3, 1]
    pd.testing.assert_frame_equal(
        pd.concat(parts, ignore_index=True), read_table(tmp_path / name), check_dtype=False
    )


def test_ids_are_read_as_text_on_request(tmp_path):
    (tmp_path / "a.csv").write_text("id,x\n12,1\n7,2\n")
    assert read_table(tmp_path / "a.csv", text=["id", "absent"])["id"].tolist() == ["12", "7"]
    assert next(read_chunks(tmp_path / "a.csv", 5, text=["id"]))["id"].tolist() == ["12", "7"]


BAD = {
    "absent.csv": (None, "does not exist"),
    "empty.csv": (b"", "is empty"),
    "blank.csv": (b"\n\n", "is empty"),
    "header.csv": (b"a,b\n", "no rows"),
    "single.csv": (b"a\n1\n", "only one column"),
    "twice.csv": (b"a,b,a\n1,2,3\n", "more than one column named 'a'"),
    "nameless.csv": (b"1,2\n3,4\n", "only numbers"),
    "ragged.csv": (b"a,b\n1,2\n1,2,3\n", "not a table"),
    "binary.csv": (b"\x00\x01\x02\x03" * 9, "not text"),
    "sheet.xlsx": (b"PK", "save its sheet as CSV"),
    "a.dat": (b"a,b\n1,2\n", "no known format"),
    "cut.csv.gz": (gzip.compress(b"a,b\n1,2\n" * 99)[:-12], "truncated or damaged"),
    "bad.parquet": (b"PAR1 but not really", "not a Parquet file"),
    "bad.npz": (b"nothing", "not an archive"),
    "bad.arff": (b"@relation a\n@data\n1", "not an ARFF file"),
    "bad.jsonl": (b"{'a'}\n", "JSON object"),
    "bad.svmlight": (b"a b c\n", "not an SVMlight file"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_read_is_one_sentence_with_a_remedy(name, tmp_path):
    content, expected = BAD[name]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError) as raised:
        read_table(tmp_path / name)
    assert expected in str(raised.value)
    assert ";" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_file_larger_than_memory_is_refused_whole_and_read_in_parts(tmp_path, monkeypatch):
    FRAME.to_csv(tmp_path / "a.csv", index=False)
    FRAME.to_parquet(tmp_path / "a.parquet")
    monkeypatch.setattr(memory, "free_memory", lambda: 100)
    for name in ("a.csv", "a.parquet"):
        with pytest.raises(DataError, match="random sample of its rows"):
            read_table(tmp_path / name)
        assert sum(map(len, read_chunks(tmp_path / name, 2))) == len(FRAME)
