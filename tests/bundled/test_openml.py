"""Data sets of OpenML, by id and by name, the same from Parquet, from ARFF and from OpenML's own client."""

from __future__ import annotations

import http.server
import threading

import numpy as np
import pytest
from pubench_datasets.openml_settings import public_page
from pubench_datasets.openml_source import card, identity, openml, openml_list, suite_members

from pubench.errors import DataError


def same(one, other):
    np.testing.assert_array_equal(one.X, other.X)
    np.testing.assert_array_equal(one.target, other.target)
    assert one.feature_names == other.feature_names
    assert dict(one.categorical) == dict(other.categorical)


def test_a_data_set_is_loaded_by_id(mirror):
    data = openml(id=37)
    assert data.X.shape == (768, 8)
    assert data.X.dtype == np.float64
    assert sorted(set(data.target.tolist())) == ["tested_negative", "tested_positive"]
    assert (data.target == "tested_positive").sum() == 268
    assert len(data.feature_names) == 8
    assert "class" not in data.feature_names


def test_a_name_loads_the_same_data_as_its_id(mirror):
    same(openml(name="diabetes"), openml(id=37))


def test_a_name_without_a_version_means_the_newest_active_one(mirror):
    same(openml(name="versions_demo"), openml(id=990017))
    same(openml(name="versions_demo", version=2), openml(id=990016))
    assert openml(name="versions_demo", version=3).X.shape != openml(name="versions_demo", version=2).X.shape


@pytest.mark.slow
@pytest.mark.parametrize("number", [24, 32, 37, 39, 43, 1499, 990002, 990005, 990006, 990007, 990008, 990012])
def test_parquet_and_arff_give_the_same_bits(mirror, arff_mirror, number, tmp_path, monkeypatch):
    one = openml(id=number)
    assert card(id=number)["file"] == "data.parquet"
    monkeypatch.setenv("PUBENCH_CACHE", str(tmp_path / "other"))
    monkeypatch.setenv("PUBENCH_OPENML_SERVER", arff_mirror.url)
    other = openml(id=number)
    assert card(id=number)["file"] == "data.arff"
    same(one, other)


@pytest.mark.parametrize("number", [24, 37, 43])
def test_the_values_agree_with_the_client(arff_mirror, mirror, number, tmp_path, monkeypatch):
    client = pytest.importorskip("openml")
    monkeypatch.setenv("PUBENCH_OPENML_SERVER", arff_mirror.url)
    ours = openml(id=number)
    kept = client.config.get_config_as_dict()
    monkeypatch.setattr(client.config, "server", f"{arff_mirror.url}/api/v1/xml")
    client.config.set_root_cache_directory(tmp_path / "client")
    try:
        described = client.datasets.get_dataset(number, download_data=True)
        X, y, categorical, names = described.get_data(target=described.default_target_attribute)
    finally:
        client.config.set_root_cache_directory(kept["cachedir"])
    assert tuple(names) == ours.feature_names
    assert [str(value) for value in y] == [str(value) for value in ours.target]
    assert {place for place, flag in enumerate(categorical) if flag} == set(ours.categorical)
    for place, name in enumerate(names):
        theirs = X[name]
        if place in ours.categorical:
            texts = [None if v != v else ours.categorical[place][int(v)] for v in ours.X[:, place]]
            assert texts == [None if v != v else str(v) for v in theirs]
        else:
            np.testing.assert_array_equal(theirs.to_numpy(dtype=float), ours.X[:, place])


def test_missing_cells_are_nan_and_nominal_columns_are_codes(mirror):
    data = openml(id=24)
    stalk = data.feature_names.index("stalk-root")
    assert np.isnan(data.X[:, stalk]).sum() == 2480
    assert len(data.categorical) == 22
    assert set(np.unique(data.X[:, 0])) == set(range(len(data.categorical[0])))


def test_columns_that_the_server_ignores_are_not_features(mirror):
    assert "uci_split" not in openml(id=990006).feature_names
    assert {"date", "uci_split"}.isdisjoint(openml(id=990007).feature_names)


def test_an_ignored_column_may_be_the_split(mirror):
    data = openml(id=990006, split="uci_split")
    assert (data.split == "train").sum() == 10430
    assert (data.split == "test").sum() == 10437


def test_another_target_drop_and_a_cut(mirror):
    data = openml(id=990009, target="cooling_load", drop=["heating_load"], quantile=0.5)
    assert data.X.shape == (768, 8)
    assert (data.target == "high").sum() == 384
    assert set(openml(id=990009, threshold=20).target.tolist()) == {"high", "low"}


def test_text_must_be_dropped_by_name(mirror, arff_mirror, monkeypatch, tmp_path):
    with pytest.raises(DataError, match=r"free text or dates.*drop = \['date'\]"):
        openml_with_text()
    monkeypatch.setenv("PUBENCH_CACHE", str(tmp_path / "other"))
    monkeypatch.setenv("PUBENCH_OPENML_SERVER", arff_mirror.url)
    with pytest.raises(DataError, match=r"drop = \['date'\]"):
        openml_with_text()


def openml_with_text():
    """Load a set of which the server, for once, does not say that its dates are to be ignored."""
    from pubench_datasets.openml_cache import Entry
    from pubench_datasets.openml_source import _entry
    from pubench_datasets.openml_tables import data_of
    from pubench_datasets.tables import Roles

    entry = _entry(990007, None, None)
    return data_of(Entry({**entry.facts, "ignore": ["uci_split"]}, entry.path), Roles())


def test_a_list_by_tag_and_properties(mirror):
    assert openml_list(tag="case") == [990016, 990017]
    assert 37 in openml_list(tag="true_openml_id", number_instances="700..800")
    with pytest.raises(
        DataError, match=r"^OpenML tag 'no such tag/\?': http.* has no such active data set.*check"
    ):
        openml_list(tag="no such tag/?")
    with pytest.raises(DataError, match=r"^OpenML data sets with tag = 'case', number_classes = 99: "):
        openml_list(tag="case", number_classes=99)


def test_a_server_without_suites_is_reported(mirror):
    sentence = (
        r"benchmark suite 'OpenML-CC18': .* does not support this request \('Function not valid'\); check"
    )
    with pytest.raises(DataError, match=sentence):
        suite_members("OpenML-CC18")


SUITE = """<oml:study xmlns:oml="http://openml.org/openml"><oml:id>99</oml:id><oml:alias>OpenML-CC18</oml:alias>
<oml:main_entity_type>task</oml:main_entity_type><oml:name>CC18</oml:name><oml:description>d</oml:description>
<oml:status>active</oml:status><oml:creation_date>2019-02-21 18:47:13</oml:creation_date><oml:creator>1</oml:creator>
<oml:data><oml:data_id>37</oml:data_id><oml:data_id>3</oml:data_id></oml:data>
<oml:tasks><oml:task_id>5</oml:task_id></oml:tasks></oml:study>"""


def test_the_members_of_a_suite_are_requested_once(tmp_path, monkeypatch):
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(SUITE.encode())

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        monkeypatch.setenv("PUBENCH_CACHE", str(tmp_path))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv("PUBENCH_OPENML_SERVER", f"http://127.0.0.1:{running.server_port}")
        assert suite_members("OpenML-CC18") == [3, 37]
        running.shutdown()
    monkeypatch.setenv("PUBENCH_OFFLINE", "1")
    assert suite_members("OpenML-CC18") == [3, 37]
    assert asked == ["/api/v1/xml/study/OpenML-CC18"]


def test_identity_needs_no_request(mirror):
    first = identity(name="diabetes", target="class", drop=["x"])
    assert first == identity(name="diabetes")
    assert first != identity(name="diabetes", version=1)
    assert identity(id=37) != identity(id=39)
    assert mirror.log() == []


def test_the_card_of_a_data_set_from_a_mirror_on_this_machine_names_its_public_page(mirror):
    assert card(id=37)["source"] == "https://www.openml.org/d/37, by a mirror"


@pytest.mark.parametrize("address", ["https://api.openml.org/data/v1/download/37/diabetes.arff", ""])
def test_other_addresses_are_shown_as_the_server_gives_them(address):
    assert public_page(37, address) == address
