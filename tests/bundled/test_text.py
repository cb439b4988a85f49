"""Text in JSON lines: raw counts of all terms, nothing learned."""

from __future__ import annotations

import gzip
import json
import re
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pubench_datasets.files import jsonl

from pubench.errors import DataError

NEWS = Path(__file__).resolve().parents[3] / "shared" / "data" / "newsgroups20.jsonl.gz"


def write(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)


def documents(*texts):
    return [{"text": text, "target": "ab"[i % 2], "part": "train"} for i, text in enumerate(texts)]


def test_terms_are_counted(tmp_path):
    path = write(tmp_path / "t.jsonl", documents("Cats, cats & a DOG-house 42x", "the dog's élan_vital"))
    data = jsonl(path)
    assert data.feature_names == ("cats", "dog", "house", "vital", "élan")
    assert data.X.format == "csr"
    assert data.X.dtype == np.float64
    np.testing.assert_array_equal(data.X.toarray(), [[2, 1, 1, 0, 0], [0, 1, 0, 1, 1]])
    assert data.target.tolist() == ["a", "b"]
    assert data.split is None


def test_stop_words_are_optional(tmp_path):
    path = write(tmp_path / "t.jsonl", documents("the dog and", "the cat"))
    assert jsonl(path).feature_names == ("cat", "dog")
    assert jsonl(path, stop_words=None).feature_names == ("and", "cat", "dog", "the")
    assert jsonl(path, stop_words=["Dog"]).feature_names == ("and", "cat", "the")
    with pytest.raises(DataError, match="stop_words = 'klingon'"):
        jsonl(path, stop_words="klingon")


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("From: me\nSubject: tea\n\nmilk\n\nsugar", {"milk", "sugar"}),
        ("From: me\r\nSubject: tea\r\n\r\nmilk", {"milk"}),
        ("From: me\nKeywords: tea\n \n \t\nLines: three\n\nmilk", {"milk"}),
        ("From: me\r\nSubject: tea\r\n \t\r\nLines: three\r\n\r\nmilk", {"milk"}),
        ("\nmilk\n\nsugar", {"milk", "sugar"}),
        ("milk\nsugar\n", {"milk", "sugar"}),
    ],
)
def test_headers_end_at_the_first_empty_line_and_lines_of_spaces_continue_them(text, body, tmp_path):
    path = write(tmp_path / "t.jsonl", documents(text, "x\n\nwater"))
    assert set(jsonl(path, headers=True).feature_names) - {"water"} == body
    assert set(jsonl(path, headers=False).feature_names) >= body


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=60), min_size=2, max_size=8))
def test_counts_are_those_of_a_counter(tmp_path_factory, texts):
    path = write(tmp_path_factory.mktemp("text") / "t.jsonl", documents(*texts, "ja nein"))
    data = jsonl(path, stop_words=None)
    for row, text in enumerate([*texts, "ja nein"]):
        expected = Counter(re.findall(r"[^\W\d_]{2,}", text.lower()))
        dense = data.X[[row]].toarray().ravel()
        assert {data.feature_names[i]: dense[i] for i in np.flatnonzero(dense)} == expected
    assert (data.X.data > 0).all()


def test_a_document_does_not_change_the_counts_of_another(tmp_path):
    few = jsonl(write(tmp_path / "a.jsonl", documents("cat dog", "dog")))
    many = jsonl(write(tmp_path / "b.jsonl", documents("cat dog", "dog", "ant zebra", "")))
    places = [many.feature_names.index(name) for name in few.feature_names]
    np.testing.assert_array_equal(many.X.toarray()[:2, places], few.X.toarray())
    assert many.X.toarray()[3].sum() == 0


def test_split_labels_cuts_keys_and_packing(tmp_path):
    records = [
        {"body": f"word{'abc'[i]}", "y": i, "s": i // 2, "part": ["train", "test"][i % 2]} for i in range(3)
    ]
    path = write(tmp_path / "t.jsonl", records)
    data = jsonl(path, target="y", text="body", split="part")
    assert data.target.tolist() == [0, 1, 2]
    assert data.split.tolist() == ["train", "test", "train"]
    pu = jsonl(path, labelled="s", text="body")
    assert pu.pu
    assert pu.target.tolist() == [0, 0, 1]
    assert jsonl(path, "y", text="body", threshold=0.5).target.tolist() == ["low", "high", "high"]
    packed = Path(path + ".gz")
    packed.write_bytes(gzip.compress(Path(path).read_bytes()))
    np.testing.assert_array_equal(jsonl(str(packed), "y", text="body").X.toarray(), data.X.toarray())


GOOD = '{"text": "tea", "target": "a"}\n'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (GOOD + '{"text": "tea", \n', r"line 2 is not JSON: .*; write one object per line"),
        (GOOD + '["tea"]\n', r"line 2 is a JSON list; write one object per line"),
        (
            GOOD + '\n{"txt": "tea", "target": "a"}\n',
            r"line 3 has no key 'text' \(text\); did you mean 'txt'\?",
        ),
        (
            GOOD + '{"text": "tea", "tag": 1}\n',
            r"line 2 has no key 'target' \(target\); did you mean 'tag'\?",
        ),
        (
            GOOD + '{"text": "tea"}\n',
            r"line 2 has no key 'target' \(target\); add it .*, or set target to another",
        ),
        (GOOD + '{"text": 7, "target": "a"}\n', r"line 2: 'text' is int; write text"),
        (GOOD + '{"text": "x", "target": ["a"]}\n', r"line 2: 'target' is a list"),
        (GOOD + '{"text": "x", "target": null}\n', r"key 'target' has no value in 1 row, line 2; fill it in"),
        ('{"text": "1 2 3", "target": "a"}\n', r"contains a term of at least two letters"),
        ("\n\n", r"contains no documents"),
        ("[" * 100_000, r"line 1 is not JSON"),
    ],
)
def test_a_bad_line_is_named(content, message, tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=message) as caught:
        jsonl(str(path))
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_bad_byte_is_named(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_bytes(GOOD.encode() + '{"text": "thé", "target": "b"}\n'.encode("latin-1"))
    with pytest.raises(DataError, match=r"line 2: byte 0xe9 at place 13 is not utf-8; set encoding"):
        jsonl(str(path))
    assert jsonl(str(path), encoding="latin-1").feature_names == ("tea", "thé")


@pytest.mark.slow
@pytest.mark.skipif(not NEWS.exists(), reason="no shared data here")
def test_twenty_newsgroups(tmp_path):
    start = time.process_time()
    data = jsonl(str(NEWS), headers=True, split="split")
    assert time.process_time() - start < 60
    assert data.X.shape[0] == 18_846
    assert Counter(data.split.tolist()) == {"train": 11_314, "test": 7_532}
    counts = Counter(data.target.tolist())
    assert len(counts) == 20
    assert (min(counts.values()), max(counts.values())) == (628, 999)
    assert data.feature_names == ()
    assert data.X.shape[1] > 100_000
