"""Endless, oversized and foreign answers are stopped with one clear sentence."""

from __future__ import annotations

import http.server
import threading
import time

import pytest
from pubench_datasets import openml_http
from pubench_datasets.openml_http import LastingError, download
from pubench_datasets.openml_settings import folder
from pubench_datasets.openml_source import openml

from pubench.errors import DataError

PAGE = b"<!DOCTYPE html><html><body>Please log in to the network of this hotel</body></html>"


class Rogue:
    """A server that answers every request in its own way."""

    def __init__(self):
        self.asked, self.status, self.body, self.pause, self.length = [], 200, b"", 0.0, None
        self.endless = False
        rogue = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                rogue.asked.append(self.path)
                self.send_response(rogue.status)
                if rogue.length is not None:
                    self.send_header("Content-Length", str(rogue.length))
                self.end_headers()
                try:
                    self.wfile.write(rogue.body)
                    while rogue.endless:
                        time.sleep(rogue.pause)
                        self.wfile.write(b"x" if rogue.pause else b"x" * 65536)
                except OSError:
                    pass

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.endless = False
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def rogue(tmp_path, monkeypatch):
    running = Rogue()
    monkeypatch.setattr(openml_http, "WAITS", (0.01, 0.01, 0.01))
    monkeypatch.setenv("PUBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PUBENCH_OPENML_SERVER", running.url)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("PUBENCH_OFFLINE", raising=False)
    yield running
    running.stop()


def refused(sentence, **arguments):
    with pytest.raises(DataError, match=sentence) as caught:
        openml(**arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [{"id": 37}, {"name": "diabetes"}])
@pytest.mark.parametrize(
    ("status", "body", "sentence", "tries"),
    [
        (200, PAGE, "answered 200 with a web page instead of OpenML's XML; check PUBENCH_OPENML_SERVER", 1),
        (404, PAGE, "answered 404 with a web page", 1),
        (200, b'{"data": 1}', "answered 200 with something else", 1),
        (401, PAGE, r"denied access \(status 401\); check PUBENCH_OPENML_SERVER", 1),
        (403, b"", r"denied access \(status 403\)", 1),
        (200, b"", r"sent an empty answer \(4 attempts\); try again later", 4),
    ],
)
def test_answers_other_than_openmls_are_reported_and_not_retried(
    rogue, arguments, status, body, sentence, tries
):
    rogue.status, rogue.body = status, body
    refused(sentence, **arguments)
    assert len(rogue.asked) == tries


def test_an_endless_answer_is_cut_off(rogue, monkeypatch):
    monkeypatch.setenv("PUBENCH_OPENML_MAX_MB", "3")
    rogue.body, rogue.endless = b"<oml:data>", True
    refused(r"sent more than 3 MB; increase PUBENCH_OPENML_MAX_MB", id=37)
    assert len(rogue.asked) == 1


def test_an_answer_that_is_too_slow_fails(rogue, monkeypatch):
    monkeypatch.setenv("PUBENCH_OPENML_SECONDS", "0.6")
    rogue.body, rogue.endless, rogue.pause = b"<oml:data>", True, 0.05
    refused(r"took more than 0\.6 s for one answer; .*PUBENCH_OPENML_SECONDS", id=37)
    assert len(rogue.asked) == 1


@pytest.mark.parametrize("plain", [True, False])
def test_an_endless_file_takes_at_most_the_limit_on_disk(rogue, monkeypatch, tmp_path, plain):
    monkeypatch.setenv("PUBENCH_OPENML_MAX_MB", "3")
    rogue.endless = True
    with pytest.raises(LastingError, match="sent more than 3 MB"):
        download(rogue.url, tmp_path / "file", progress=lambda size, total: None, plain=plain)
    assert (tmp_path / "file").stat().st_size <= 3e6


def test_a_file_that_is_too_slow_fails(rogue, monkeypatch, tmp_path):
    monkeypatch.setenv("PUBENCH_OPENML_SECONDS", "0.6")
    rogue.endless, rogue.pause = True, 0.05
    with pytest.raises(LastingError, match=r"took more than 0\.6 s"):
        download(rogue.url, tmp_path / "file", progress=lambda size, total: None)


def test_a_file_announced_as_too_large_is_not_downloaded(rogue, monkeypatch, tmp_path):
    monkeypatch.setenv("PUBENCH_OPENML_MAX_MB", "3")
    rogue.length, rogue.body = 4_000_000, b"x"
    with pytest.raises(LastingError, match="sent more than 3 MB"):
        download(rogue.url, tmp_path / "file", progress=lambda size, total: None)
    assert not (tmp_path / "file").exists()


def test_progress_shows_the_amount_received_and_the_total(rogue, tmp_path):
    rogue.body, rogue.length = b"x" * 300_000, 300_000
    told = []
    download(rogue.url, tmp_path / "file", progress=lambda size, total: told.append((size, total)))
    assert told[0] == (0, 300_000)
    assert told[-1] == (300_000, 300_000)
    assert told == sorted(told)


def test_a_data_set_beyond_the_limit_leaves_nothing_in_the_cache(mirror, monkeypatch):
    monkeypatch.setenv("PUBENCH_OPENML_MAX_MB", "0.01")
    refused(r"sent more than 0\.01 MB", id=37)
    assert list((folder() / "data").iterdir()) == []
    monkeypatch.delenv("PUBENCH_OPENML_MAX_MB")
    assert openml(id=37).X.shape == (768, 8)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["PUBENCH_OPENML_SECONDS", "PUBENCH_OPENML_MAX_MB"])
@pytest.mark.parametrize("value", ["much", "-1", "0", "nan"])
def test_limits_are_numbers(rogue, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    refused(f"{name} = '{value}' is not a number of", id=37)
