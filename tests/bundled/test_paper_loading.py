"""Loading a paper's data set: the source of the table, its identity, and errors."""

from __future__ import annotations

import gzip
import hashlib
import json

import numpy as np
import pytest
from pubench_datasets.latent import latent_features
from pubench_datasets.paper_recipes import RECIPES
from pubench_datasets.paper_specs import paper_datasets
from pubench_datasets.papers import PaperSet, identity, one_hot, paper
from scipy.sparse import csr_array

from pubench.data import Data
from pubench.data.classes import select_classes
from pubench.data.loading import load_stored
from pubench.data.preprocess import Preprocess, fit_preprocess
from pubench.errors import DataError
from pubench.plugins.registry import Origin, Registered

SPECS = {spec.name: spec for spec in paper_datasets()}
SEEDS = "a,b,c,d,e,f,g,target\n" + "".join(f"{i},1,2,3,4,5,6,{i % 3 + 1}\n" for i in range(12))
NEWS = [
    ("sci.space", "From: a\nSubject: secret\n\nThe rocket flies, the rocket lands"),
    ("rec.autos", "From: b\n\nA car drives and a rocket drives"),
    ("rec.autos", "From: c\n\nCars park"),
]


class Folder:
    """A data root under construction."""

    def __init__(self, path):
        self.path = path
        self.entries = []

    def add(self, name, file, text):
        body = gzip.compress(text.encode()) if file.endswith(".gz") else text.encode()
        (self.path / file).write_bytes(body)
        sha = hashlib.sha256(body).hexdigest()
        self.entries = [entry for entry in self.entries if entry["name"] != name]
        self.entries.append({"name": name, "file": file, "bytes": len(body), "sha256": sha})
        (self.path / "catalog.json").write_text(json.dumps(self.entries), encoding="utf-8")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A data root of small files that have the columns of the real ones."""
    made = Folder(tmp_path)
    made.add("seeds", "seeds.csv.gz", SEEDS)
    lines = [json.dumps({"id": i, "split": "train", "target": t, "text": x}) for i, (t, x) in enumerate(NEWS)]
    made.add("newsgroups20", "news.jsonl", "\n".join(lines))
    monkeypatch.setenv("PUBENCH_DATA", str(tmp_path))
    return made


def refusal(name, **params):
    with pytest.raises(DataError) as caught:
        paper(name, **params)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def registered(name):
    return Registered(SPECS[name], Origin("p", "d", "1"))


def test_a_spec_is_prepared_by_the_toolkit(folder):
    prepared = load_stored(registered("pual-seeds"), {})
    assert dict(zip(prepared.classes, prepared.counts, strict=True)) == {"Kama": 4, "Rosa": 4}
    assert prepared.n_features == 7
    assert select_classes(prepared, SPECS["pual-seeds"].positive, None) == {0: 1, 1: 0}


def test_a_data_set_is_loaded_again_when_its_file_changes(folder):
    before = load_stored(registered("pual-seeds"), {})
    assert load_stored(registered("pual-seeds"), {}).folder == before.folder
    folder.add("newsgroups20", "news.jsonl", "{}")
    assert load_stored(registered("pual-seeds"), {}).folder == before.folder
    folder.add("seeds", "seeds.csv.gz", SEEDS + "99,1,2,3,4,5,6,1\n")
    assert load_stored(registered("pual-seeds"), {}).counts == (5, 4)


def test_unavailable_data_are_reported_with_the_loaders_message(folder, monkeypatch):
    with pytest.raises(DataError, match=r"^data set 'pual-rd' could not be loaded: .*does not list 'raisin'"):
        load_stored(registered("pual-rd"), {})
    monkeypatch.delenv("PUBENCH_DATA")
    with pytest.raises(DataError, match=r"^data set 'pual-rd' could not be loaded: PUBENCH_DATA is not set"):
        load_stored(registered("pual-rd"), {})


def test_the_identity_is_the_checksum_or_the_openml_id(folder, monkeypatch):
    assert identity("pual-seeds") == {"sha256": folder.entries[0]["sha256"]}
    assert identity("pual-hd")["id"] == 53, "the catalog does not list it"
    monkeypatch.delenv("PUBENCH_DATA")
    assert identity("pual-seeds")["id"] == 1499
    assert PaperSet("pual-acc").identity(seed=3) == PaperSet("pual-acc").identity()
    assert set(identity("pual-rd")) == {"problem"}
    monkeypatch.setenv("PUBENCH_DATA", str(folder.path / "nowhere"))
    assert "is not a folder" in identity("pual-seeds")["problem"]


def test_a_broken_root_is_an_error_even_if_openml_has_the_data(folder, monkeypatch):
    (folder.path / "seeds.csv.gz").write_bytes(b"short")
    assert "bytes, but catalog.json lists" in refusal("pual-seeds")
    monkeypatch.setenv("PUBENCH_DATA", str(folder.path / "nowhere"))
    assert "is not a folder" in refusal("pual-seeds")


def test_without_root_and_network_both_remedies_are_given(tmp_path, monkeypatch):
    monkeypatch.delenv("PUBENCH_DATA", raising=False)
    monkeypatch.setenv("PUBENCH_CACHE", str(tmp_path))
    monkeypatch.setenv("PUBENCH_OFFLINE", "1")
    said = refusal("novelgb-pima")
    assert "without PUBENCH_OFFLINE" in said
    assert "or set PUBENCH_DATA to a folder with 'pima_diabetes'" in said


def test_invalid_names_and_seeds_are_refused(folder):
    assert "did you mean 'pual-seeds'?" in refusal("pual-seed")
    assert "no rows of 'pual-seeds' are drawn at random; remove seed" in refusal("pual-seeds", seed=1)
    for seed in (-1, 1.5, "1", True):
        assert "is not a whole number" in refusal("pual-acc", seed=seed)


def test_a_data_set_cannot_load_the_rows_of_another(folder):
    with pytest.raises(DataError, match=r"params\.name: the loader has no such parameter"):
        load_stored(registered("pual-acc"), {"name": "pual-seeds"})


def test_categories_other_than_the_papers_are_refused(folder):
    X = np.asarray([[0.0, 1.0], [1.0, 0.0]])
    data = Data(X, np.asarray(["e", "p"]), ("cap", "gill"), {0: ("b", "c"), 1: ("d", "e")})
    made = one_hot(data, ("cb", "ed"))
    assert made.feature_names == ("cap=c", "cap=b", "gill=e", "gill=d")
    assert made.X.tolist() == [[0, 1, 1, 0], [1, 0, 0, 1]]
    for letters in (("cb", "ex"), ("cb",)):
        with pytest.raises(DataError, match="feature 'gill' has other categories than the paper's: d, e"):
            one_hot(data, letters)


def test_tables_other_than_the_papers_are_refused(folder):
    folder.add("seeds", "seeds.csv.gz", SEEDS.replace("g,target", "target").replace(",6,", ","))
    assert "has 6 features, but the paper's has 7" in refusal("pual-seeds")
    folder.add("accelerometer", "acc.csv", "p,x,y,z,target\n" + "1,2,3,4,1\n1,2,3,4,2\n" * 99)
    assert "has 99 rows of class 'red', but the paper takes 100" in refusal("pual-acc")
    folder.add(
        "user_knowledge", "u.csv", "uci_split,a,b,c,d,e,target\ntrain,1,2,3,4,5,low\ntest,1,2,3,4,5,high\n"
    )
    assert "has 0 rows of class 'high', but the paper takes all" in refusal("pual-umd")
    folder.add("raisin", "raisin.txt", "x")
    assert "is not .csv, .jsonl or .npz" in refusal("pual-rd")
    folder.add(
        "parking_birmingham",
        "p.csv",
        "Capacity,Occupancy,LastUpdated,target\n1,2,soon,Elsewhere\n" + "1,2,soon,Bull Ring\n" * 500,
    )
    assert "0 rows of class 'BHMBCCMKT01'" in refusal("pual-pb")
    folder.add(
        "parking_birmingham",
        "p.csv",
        "Capacity,Occupancy,LastUpdated,target\n" + "1,2,soon,Bull Ring\n1,2,late,BHMBCCMKT01\n" * 500,
    )
    assert "column 'LastUpdated' contains neither numbers nor dates" in refusal("pual-pb")


def test_news_are_counts_without_headers_and_stop_words(folder):
    data = paper("wlr-20news")
    assert data.target.tolist() == [group for group, _ in NEWS]
    assert data.feature_names == ("car", "cars", "drives", "flies", "lands", "park", "rocket")
    assert data.X.toarray()[0].tolist() == [0, 0, 0, 1, 1, 0, 2]
    assert data.split is None


def test_too_few_texts_are_refused(folder):
    assert "are too few for 300 directions; get the whole file" in refusal("puet-20news")


def test_directions_of_texts_are_learned_from_training_texts():
    rng = np.random.default_rng(0)
    # Two topics of ten words each, and a word that only a test text has.
    topic = np.arange(60) % 2
    rates = np.repeat(np.where(topic[:, None] == [0, 1], 3.0, 0.1), 10, axis=1)
    counts = csr_array(np.column_stack([rng.poisson(rates), np.zeros(60, dtype=int)]))
    train = np.arange(60) < 40
    found = latent_features(counts, train, 2)
    assert (found.shape, found.dtype) == ((60, 2), np.float32)
    assert np.linalg.norm(found, axis=1) == pytest.approx(1)
    same = found @ found.T
    assert same[topic[:, None] == topic].min() > same[topic[:, None] != topic].max()
    other = counts.toarray()
    other[40:] = 0
    other[50, 20] = 100
    again = latent_features(csr_array(other), train, 2)
    assert again[:40] == pytest.approx(found[:40])
    assert not again[40:].any()


def test_the_preprocessing_of_news_is_that_of_the_paper():
    counts = np.asarray([[5.0, 4, 3], [0, 2, 4], [0, 0, 0]])
    rows = fit_preprocess(Preprocess(**SPECS["wlr-20news"].preprocess), counts, {}).transform(counts)
    # Words that occur no more than 5 times are removed; rows have length 1, unless they are empty.
    assert rows == pytest.approx(counts[:, 1:] / np.asarray([[5], [20**0.5], [1]]))


def test_recipes_are_values():
    with pytest.raises(AttributeError):
        RECIPES["pual-acc"].file = "other"
