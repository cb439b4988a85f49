"""Failing, hanging and wrong servers, and invalid requests: a retry or one clear sentence."""

from __future__ import annotations

import socket
import time
from urllib.parse import unquote

import numpy as np
import pytest
from helpers.marks import slow
from pubench_datasets.openml_source import card, openml, openml_list

from pubench.errors import DataError

KINDS = ["http503", "http500", "reset", "oml107", "mix"]
DIABETES = (768, 8)


def refused(sentence, **arguments):
    with pytest.raises(DataError, match=sentence) as caught:
        openml(**arguments)
    text = str(caught.value)
    assert "\n" not in text
    assert "Traceback" not in text
    return text


def works_now(mirror, number=37):
    """The next try works, and nothing bad is left in the cache."""
    mirror.faults()
    data = openml(id=number)
    assert data.X.shape == DIABETES
    assert data.X[:, 0].sum() == 2953


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("times", [1, *slow(3)])
def test_temporary_errors_are_retried(mirror, kind, times):
    mirror.faults(fail_first=times, fail_kind=kind)
    assert openml(id=37).X.shape == DIABETES
    assert len(openml_list(tag="case")) == 2


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("http503", "answered 503"),
        ("http500", "answered 500"),
        ("reset", "closed the connection"),
        ("oml107", "its database is busy"),
    ],
)
@pytest.mark.parametrize("scope", ["api", "data"])
def test_permanent_errors_are_one_sentence(mirror, kind, sentence, scope):
    mirror.faults(fail_rate=1, fail_kind=kind, scope=scope)
    refused(sentence, id=37)
    tried = [row["path"] for row in mirror.log()]
    assert max(tried.count(path) for path in tried) <= 4
    works_now(mirror)


def test_a_random_third_of_all_requests_may_fail(mirror):
    mirror.faults(fail_rate=0.3, fail_kind="mix")
    for number in (37, 43, 990005):
        openml(id=number)


@pytest.mark.parametrize("scope", ["api", "data"])
def test_a_hanging_server_fails_within_the_time_limit(mirror, scope, monkeypatch):
    monkeypatch.setenv("PUBENCH_OPENML_TIMEOUT", "0.7")
    mirror.faults(fail_rate=1, fail_kind="hang", scope=scope)
    refused("sent nothing for 0.7 s.*PUBENCH_OPENML_TIMEOUT", id=37)
    works_now(mirror)


@pytest.mark.slow
def test_a_slow_server_is_not_a_silent_one(mirror, monkeypatch):
    monkeypatch.setenv("PUBENCH_OPENML_TIMEOUT", "8")
    mirror.faults(throttle=1500)
    begun = time.monotonic()
    assert openml(id=37).X.shape == DIABETES
    assert time.monotonic() - begun > 8


def test_a_server_that_answers_late_is_waited_for(mirror):
    mirror.faults(slow=0.3)
    assert openml(id=37).X.shape == DIABETES


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["flip", "truncate"])
@pytest.mark.parametrize("number", [37, 990013])
def test_a_damaged_file_is_fetched_again(mirror, kind, number):
    mirror.faults(corrupt_first=1, corrupt_kind=kind)
    damaged = openml(id=number)
    faults = [row["fault"] for row in mirror.log()]
    assert faults.count("corrupt") == 1
    file = card(id=number)["file"]
    assert file == ("data.parquet" if number == 37 else "data.arff")
    assert np.isfinite(damaged.X).all()
    assert damaged.X.shape == (DIABETES if number == 37 else (82332, 42))


@pytest.mark.parametrize("kind", ["flip", "truncate"])
def test_a_file_that_is_always_damaged_never_gets_into_the_cache(mirror, kind):
    mirror.faults(corrupt=1, corrupt_kind=kind)
    refused(r"sent a damaged file.*\(4 attempts\)", id=37)
    # Parquet twice, then ARFF, whose checksum is in the description.
    assert len([row for row in mirror.log() if row["fault"] == "corrupt"]) == 6
    refused("sent a damaged file", id=37)
    works_now(mirror)


def test_a_refused_connection_is_one_sentence(mirror, monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("PUBENCH_OPENML_SERVER", f"http://127.0.0.1:{port}")
    refused("refuses connections; check the network and PUBENCH_OPENML_SERVER", id=37)
    refused("refuses connections", name="diabetes")
    monkeypatch.setenv("PUBENCH_OPENML_SERVER", mirror.url)
    works_now(mirror)


def test_a_server_other_than_openml_is_one_sentence(mirror, monkeypatch):
    monkeypatch.setenv("PUBENCH_OPENML_SERVER", f"{mirror.url}/elsewhere")
    refused("'Function not valid'", id=37)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "neither id nor name is set"),
        ({"id": 37, "name": "diabetes"}, "id and name are both set"),
        ({"id": 37, "version": 1}, "an id identifies a version"),
        ({"id": "37"}, "id = '37' is not a positive whole number"),
        ({"id": True}, "not a positive whole number"),
        ({"id": 0}, "not a positive whole number"),
        ({"name": "diabetes", "version": 1.5}, "version = 1.5 is not"),
        ({"name": " "}, "is not the name"),
        ({"id": 424242}, "data set 424242 does not exist on http.*check the id"),
        ({"id": 990999}, "990999 is not public on"),
        ({"name": "no such set"}, "'no such set' does not exist"),
        ({"name": "Diabetes"}, "does not exist.*case included"),
        ({"name": "diabetes", "version": 7}, "has no version 7.*active versions: 1$"),
        ({"name": "versions_demo", "version": 1}, "version 1 is deactivated.*versions: 2, 3.*id = 990015"),
        ({"id": 37, "target": "clas"}, r"has no column 'clas' \(target\); did you mean 'class'"),
        ({"id": 37, "drop": ["x"]}, r"has no column 'x' \(drop\)"),
        ({"id": 37, "split": "x"}, r"has no column 'x' \(split\)"),
        ({"id": 37, "drop": ["class"]}, "used twice, as target and drop"),
        ({"id": 990009}, "heating_load.*set threshold or quantile"),
        ({"id": 990009, "threshold": 1e9}, "leaves only one class"),
        ({"id": 37, "threshold": 1}, "needs numbers"),
        ({"id": 37, "threshold": 1, "quantile": 0.5}, "both set"),
    ],
)
def test_bad_input_is_one_sentence(mirror, arguments, sentence):
    refused(sentence, **arguments)


def test_a_name_is_quoted_for_the_server(mirror):
    name = "a/b?c=d&e#f %2F ü"
    refused("does not exist", name=name)
    (row,) = mirror.log()
    parts = row["path"].split("/")
    assert unquote(parts[parts.index("data_name") + 1]) == name


def test_a_deactivated_data_set_can_be_loaded_by_id_with_a_warning(mirror, caplog):
    assert openml(id=990015).X.shape == (306, 3)
    assert "deactivated" in caplog.text
    refused("version 1 is deactivated", name="versions_demo", version=1)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("PUBENCH_OPENML_TIMEOUT", "soon", "'soon' is not a number of seconds"),
        ("PUBENCH_OPENML_TIMEOUT", "-1", "not a number of seconds"),
        ("PUBENCH_OPENML_SERVER", "openml.org", "is not the address of a server"),
        ("PUBENCH_OPENML_SERVER", "ftp://openml.org", "is not the address of a server"),
        ("PUBENCH_OPENML_SERVER", "http://x:99999", "is not the address of a server"),
    ],
)
def test_bad_settings_are_one_sentence(mirror, monkeypatch, name, value, sentence):
    monkeypatch.setenv(name, value)
    refused(sentence, id=37)
