"""The toolkit from Python."""

from __future__ import annotations

import importlib.util
import json
import logging
import re

import numpy as np
import pytest
from helpers.suites import TOY, read_diary, toml
from scipy.sparse import issparse

import pubench
from pubench.errors import DataError, PubenchError, SuiteError, UnknownNameError
from pubench.plugins.discovery import discover
from pubench.plugins.imports import resolve
from pubench.results.run_folder import read_provenance


def test_every_public_name_is_there_and_nothing_else_is_promised():
    without_torch = {"TorchPUClassifier"} if importlib.util.find_spec("torch") is None else set()
    for name in set(pubench.__all__) - without_torch:
        assert getattr(pubench, name) is not None
    assert set(pubench.__all__) <= set(dir(pubench))
    with pytest.raises(AttributeError, match="has no attribute 'mak'"):
        pubench.mak  # noqa: B018


def test_make_returns_a_new_estimator_with_the_entrys_parameters_and_then_mine():
    model = pubench.make("supervised-lr")
    assert model.get_params()["max_iter"] == 1000
    assert pubench.make("supervised-lr", max_iter=7).get_params()["max_iter"] == 7
    assert pubench.make("supervised-lr") is not model
    X = np.random.default_rng(0).normal(size=(40, 3))
    fitted = pubench.make("wlr", c=0.01).fit(X, np.arange(40) % 2)
    assert fitted.predict(X).shape == (40,)


def test_load_dataset_returns_rows_and_true_classes():
    data = pubench.load_dataset("iris")
    assert data.X.shape == (150, 4)
    assert set(data.target) == {"setosa", "versicolor", "virginica"}


def direct(name, **params):
    """Return what the loader itself returns."""
    spec = discover().dataset(name).spec
    return resolve(spec.loader)(**{**spec.params, **params})


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("iris", {}),
        pytest.param("digits", {}, marks=pytest.mark.slow),
        ("gaussians", {"n": 50, "d": 3}),
        pytest.param("topics", {"n": 40}, marks=pytest.mark.slow),
        ("csv", {"path": "table.csv", "split": "part"}),
        ("csv", {"path": "table.csv", "labelled": "target", "drop": ["part"]}),
        pytest.param(
            "csv", {"path": "table.csv", "target": "truth", "drop": ["part"]}, marks=pytest.mark.slow
        ),
    ],
)
def test_load_dataset_returns_what_the_loader_returns(tmp_path, monkeypatch, name, params):
    rows = [
        f"{i},{'ab'[i % 2]},{i % 3 // 2},{'true' if i % 2 else 'false'},{'train' if i < 9 else 'test'}"
        for i in range(20)
    ]
    (tmp_path / "table.csv").write_text("\n".join(["x,kind,target,truth,part", *rows]))
    monkeypatch.chdir(tmp_path)
    found, expected = pubench.load_dataset(name, **params), direct(name, **params)
    if issparse(expected.X):
        assert found.X.format == "csr"
        assert (found.X != expected.X).nnz == 0
    else:
        np.testing.assert_array_equal(found.X, expected.X)
        assert type(found.X) is np.ndarray
        assert found.X.flags.writeable
    np.testing.assert_array_equal(found.target, expected.target)
    kinds = {np.asarray(data.target).dtype.kind.replace("O", "U") for data in (found, expected)}
    assert len(kinds) == 1
    assert found.feature_names == tuple(map(str, expected.feature_names))
    assert dict(found.categorical) == dict(expected.categorical)
    for extra in ("split", "posterior"):
        np.testing.assert_array_equal(getattr(found, extra), getattr(expected, extra))
    assert found.pu == expected.pu


def test_load_dataset_uses_the_cache_that_suites_use(tmp_path, monkeypatch, caplog):
    path = tmp_path / "table.csv"
    path.write_text("x,target\n1,a\n2,b\n")
    with caplog.at_level(logging.INFO, logger="pubench.data"):
        assert pubench.load_dataset("csv", path=path).X.tolist() == [[1.0], [2.0]]
        assert "loading data set 'csv'" in caplog.text
        caplog.clear()
        monkeypatch.chdir(tmp_path)
        assert pubench.load_dataset("csv", path="table.csv").X.tolist() == [[1.0], [2.0]]
    assert caplog.text == ""


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"sed": 1}, "params.sed: the loader has no such parameter; did you mean 'seed'?"),
        ({"n": "many"}, "could not be loaded"),
        ({"n": object()}, "arguments are texts, numbers, lists and tables"),
    ],
)
def test_a_wrong_argument_of_a_data_set_is_one_sentence(params, words):
    with pytest.raises(DataError, match=re.escape(words)) as caught:
        pubench.load_dataset("gaussians", **params)
    assert "\n" not in str(caught.value)


def test_unknown_names_are_told_with_the_nearest_one():
    with pytest.raises(UnknownNameError, match="algorithm 'wrl' is not registered; did you mean 'wlr'"):
        pubench.make("wrl")
    with pytest.raises(LookupError, match="did you mean 'iris'"):
        pubench.load_dataset("irsi")


def test_a_suite_runs_where_it_is_told_or_under_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(toml(name="my-suite"))
    results = pubench.run_suite("mine.toml", plugins=[str(TOY)])
    assert results.folder.resolve() == tmp_path / "runs" / "my-suite"
    assert pubench.read_results(results.folder).rows == results.rows
    frame = results.to_pandas()
    assert frame.shape[0] == len(results.rows)
    assert {path.name for path in results.folder.iterdir()} >= {"cells.jsonl", "plan.json", "suite.toml"}
    assert (results.folder / "suite.toml").read_text() == toml(name="my-suite")


def test_provenance_says_what_the_run_was_made_with_once_per_run(tmp_path):
    (tmp_path / "mine.toml").write_text(toml())
    for _ in range(2):
        pubench.run_suite(tmp_path / "mine.toml", out=tmp_path / "run", plugins=[TOY])
    (entry,) = read_provenance(tmp_path / "run")
    assert entry["packages"]["pubench"] == pubench.__version__
    assert entry["packages"].keys() >= {"numpy", "scikit-learn", "optuna"}
    assert entry["datasets"].keys() == {"toy-blobs"}
    assert {"plugin": "linear", "distribution": "pubench", "version": "0.1.0"} in entry["plugins"]
    assert [p for p in entry["plugins"] if p["plugin"] == "toy_plugin"]
    assert entry["options"] == {"jobs": 1, "backend": "loky", "isolation": "task"}
    json.dumps(entry)


def test_a_suite_that_is_refused_leaves_no_folder(tmp_path):
    (tmp_path / "mine.toml").write_text(toml(algorithms=[{"use": "tyo"}]))
    with pytest.raises(SuiteError, match=r"mine\.toml: algorithms\[0\]"):
        pubench.run_suite(tmp_path / "mine.toml", out=tmp_path / "run", plugins=[TOY])
    (tmp_path / "mine.toml").write_text(toml())
    with pytest.raises(PubenchError, match="backend"):
        pubench.run_suite(tmp_path / "mine.toml", out=tmp_path / "run", plugins=[TOY], backend="x")
    assert not (tmp_path / "run").exists()


def test_plugins_may_be_left_out(tmp_path):
    (tmp_path / "mine.toml").write_text(toml(datasets=[{"use": "iris"}], algorithms=[{"use": "naive-lr"}]))
    results = pubench.run_suite(tmp_path / "mine.toml", out=tmp_path / "run", third_party=False)
    assert results.counts == {"ok": 1}


def test_a_relative_plugin_path_works_from_any_worker(tmp_path, monkeypatch, diary):
    (tmp_path / "mine.toml").write_text(toml())
    monkeypatch.chdir(TOY.parent)
    results = pubench.run_suite(tmp_path / "mine.toml", out=tmp_path / "run", plugins=[TOY.name])
    assert results.counts == {"ok": 1}
    assert len(read_diary(diary)) == 1


def test_a_data_set_that_cannot_be_loaded_fails_its_own_cells(tmp_path):
    bad = {"use": "toy-blobs", "name": "bad", "params": {"gap": "x"}}
    (tmp_path / "mine.toml").write_text(toml(datasets=[bad, {"use": "toy-blobs"}]))
    rows = pubench.run_suite(tmp_path / "mine.toml", out=tmp_path / "run", plugins=[TOY]).rows
    assert [row["status"] for row in rows] == ["failed", "ok"]
    assert rows[0]["error"].startswith("data set 'toy-blobs' could not be loaded: ")
