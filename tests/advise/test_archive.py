"""Laws of model files: the same bits after loading, no altered byte, nothing from elsewhere, no code."""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import zipfile

import numpy as np
import pytest
import skops.io
from helpers.trained import some_model, some_table
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from pubench.advise.archive import FORMAT, load, save
from pubench.advise.methods import POOL, make_method
from pubench.advise.predicting import predict_rows
from pubench.errors import PubenchError
from pubench.estimators.out_of_fold import ranking_scores
from pubench.estimators.stored_models import load_estimator, save_estimator


@pytest.fixture(scope="module")
def model():
    return some_model(some_table()[0])


@pytest.fixture
def file(model, tmp_path):
    path = tmp_path / "m.pub"
    save(model, path)
    return path


def resealed(path, change):
    """Rewrite a model file with other entries and a digest that fits."""
    head, _, body = path.read_bytes().partition(b"\n")
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    change(entries)
    new = io.BytesIO()
    with zipfile.ZipFile(new, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    kind = b" ".join(head.split(b" ")[:2])
    digest = hashlib.sha256(kind + b"\n" + new.getvalue()).hexdigest().encode()
    path.write_bytes(kind + b" " + digest + b"\n" + new.getvalue())


def test_a_loaded_model_says_the_same_to_the_bit(model, file):
    frame, _ = some_table(seed=1)
    again = load(file)
    first, second = (predict_rows(one, one.schema.encode(frame).X) for one in (model, again))
    assert (first.score == second.score).all()
    assert (first.probability == second.probability).all()
    assert (first.decision == second.decision).all()
    assert again.card == model.card
    assert (again.training.ids == model.training.ids).all()
    assert (again.training.unseen.score == model.training.unseen.score).all()
    assert (again.typical == model.typical).all()


def test_a_file_with_one_altered_byte_is_refused(file):
    content = file.read_bytes()
    places = {
        *range(100),
        len(content) - 1,
        *np.random.default_rng(0).integers(len(content), size=100).tolist(),
    }
    for place in sorted(places):
        altered = bytearray(content)
        altered[place] ^= 1
        file.write_bytes(altered)
        with pytest.raises(PubenchError):
            load(file)
    file.write_bytes(content)
    load(file)


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", pickle.dumps({"a": 1}), b"PK\x03\x04" + bytes(50)])
def test_a_file_from_elsewhere_is_refused(tmp_path, content):
    path = tmp_path / "other.pub"
    path.write_bytes(content)
    with pytest.raises(PubenchError, match="is not a pubench model file"):
        load(path)


def test_a_file_of_a_newer_format_is_refused(file):
    head = b"pubench-model %d "
    file.write_bytes(file.read_bytes().replace(head % FORMAT, head % (FORMAT + 1), 1))
    with pytest.raises(PubenchError, match="newer pubench"):
        load(file)


def test_code_is_refused_and_not_executed(file, tmp_path):
    trace = tmp_path / "executed"

    class Bomb:
        def __reduce__(self):
            return os.mkdir, (str(trace),)

    calling = Pipeline([("a", FunctionTransformer(os.mkdir))])
    array = io.BytesIO()
    np.save(array, np.array([Bomb()], dtype=object), allow_pickle=True)
    for name, content in (
        ("members/0.skops", skops.io.dumps(calling)),
        ("members/0.skops", pickle.dumps(Bomb())),
        ("score.npy", array.getvalue()),
        ("score.npy", pickle.dumps(Bomb())),
    ):
        path = tmp_path / "forged.pub"
        path.write_bytes(file.read_bytes())
        resealed(path, lambda entries, name=name, content=content: entries.update({name: content}))
        with pytest.raises(PubenchError):
            load(path)
    assert not trace.exists()


def test_a_function_of_a_plugin_is_no_class_of_a_model():
    content = skops.io.dumps(FunctionTransformer(make_method))
    with pytest.raises(PubenchError, match="which no installed method is made of"):
        load_estimator(content, "it")


@pytest.mark.parametrize("name", ["card.json", "ensemble.json", "schema.json", "members/1.npy"])
def test_a_file_without_a_part_is_refused(file, name):
    resealed(file, lambda entries: entries.pop(name))
    with pytest.raises(PubenchError, match="do not fit together"):
        load(file)


def test_an_estimator_that_could_not_be_loaded_is_not_saved():
    with pytest.raises(PubenchError, match="method 'mine' cannot be saved"):
        save_estimator(FunctionTransformer(os.mkdir), "mine")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in ("puet", "novelgb") else pytest.mark.slow) for name in POOL],
)
def test_every_method_that_is_compared_can_be_kept(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    s = (X[:, 0] + rng.normal(size=80) > 0.5).astype(np.int64)
    asked = {"prior": 0.6, "scenario": "single-training-set", "seed": 0}
    fitted = make_method(name, **asked, ranks_only=True).fit(X, s)
    again = load_estimator(save_estimator(fitted, name), "it")
    assert (ranking_scores(fitted, X) == ranking_scores(again, X)).all()


def array_bytes(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def changed_json(name, change):
    def change_entries(entries):
        value = json.loads(entries[name])
        change(value)
        entries[name] = json.dumps(value).encode()

    return change_entries


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda entries: entries.update({"run.py": b"1"}), "unknown part 'run.py'"),
        (lambda entries: entries.update({"score.npy": array_bytes(np.zeros(3))}), "240 training rows"),
        (lambda entries: entries.update({"ids.npy": array_bytes(np.array([["a"]]))}), "240 training rows"),
        (lambda entries: entries.update({"s.npy": array_bytes(np.full(240, 7))}), "not 0 and 1"),
        (lambda entries: entries.update({"vote.npy": array_bytes(np.full(240, np.nan))}), "not finite"),
        (lambda entries: entries.update({"typical.npy": array_bytes(np.zeros(2))}), "encoded columns"),
        (lambda entries: entries.update({"members/0.npy": array_bytes(np.zeros(0))}), "no scores"),
        (lambda entries: entries.update({"members/0.npy": array_bytes(np.arange(3.0)[::-1])}), "in order"),
        (changed_json("ensemble.json", lambda value: value.update(n_features=3)), "encoded columns"),
        (changed_json("ensemble.json", lambda value: value["members"][0].update(weight=9)), "weight"),
        (changed_json("schema.json", lambda value: value["columns"].clear()), "no columns"),
        (changed_json("schema.json", lambda value: value["columns"][0].update(mean=[])), "another length"),
        (changed_json("schema.json", lambda value: value["columns"][0].update(scale=[0.0])), "cannot be"),
        (
            changed_json("schema.json", lambda value: value["columns"][0]["unskewing"].update(exponent=99.0)),
            "transformed in an unknown way",
        ),
    ],
)
def test_a_forged_file_whose_parts_contradict_each_other_is_refused(file, change, message):
    resealed(file, change)
    with pytest.raises(PubenchError, match=f"do not fit together.*{message}"):
        load(file)
