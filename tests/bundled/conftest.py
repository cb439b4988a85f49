"""Real data and a mirror of OpenML on loopback, if they are beside the repository; tests are skipped without them."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from urllib.parse import urlencode

import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared"
SERVE = SHARED / "openml_mirror" / "serve.py"


@pytest.fixture
def data_root(monkeypatch):
    """The data root beside the repository."""
    if not (SHARED / "data" / "catalog.json").exists():
        pytest.skip("no data root beside the repository")
    monkeypatch.setenv("PUBENCH_DATA", str(SHARED / "data"))


class Mirror:
    """A running mirror: its address, its switches and its log."""

    def __init__(self, *options):
        command = [sys.executable, str(SERVE), "--port", "0", "--hang-seconds", "60", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()

    def control(self, path, **query):
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
            f"{self.url}/_mirror/{path}?{urlencode(query)}", timeout=600
        ) as answer:
            return json.load(answer)

    def faults(self, **switches):
        """Set switches; all others go back to their defaults."""
        self.control("faults", reset=1, **switches)

    def log(self):
        """Return the requests since the last call."""
        return self.control("log", clear=1)

    def downloads(self):
        """Return the data files that were asked for since the last call."""
        return [row["path"] for row in self.log() if not row["path"].startswith("/api/")]

    def stop(self):
        self.process.terminate()
        self.process.wait(600)
        self.process.stdout.close()


def _started(*options):
    if not SERVE.exists():
        pytest.skip("no mirror of OpenML beside the repository")
    running = Mirror(*options)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def mirror_process(tmp_path_factory):
    yield from _started("--cache", str(tmp_path_factory.mktemp("mirror")))


@pytest.fixture(scope="session")
def arff_mirror(tmp_path_factory):
    """A second mirror, which serves ARFF only."""
    yield from _started("--cache", str(tmp_path_factory.mktemp("arff")), "--no-parquet", "--no-gzip")


@pytest.fixture
def mirror(mirror_process, tmp_path, monkeypatch):
    """The mirror without faults, an empty cache, and short pauses between tries."""
    from pubench_datasets import openml_http

    monkeypatch.setattr(openml_http, "WAITS", (0.02, 0.02, 0.02))
    monkeypatch.setenv("PUBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PUBENCH_OPENML_SERVER", mirror_process.url)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("PUBENCH_OFFLINE", raising=False)
    monkeypatch.delenv("PUBENCH_OPENML_TIMEOUT", raising=False)
    mirror_process.faults()
    mirror_process.log()
    yield mirror_process
    mirror_process.faults()
