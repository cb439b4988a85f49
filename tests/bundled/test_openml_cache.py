"""The cache of OpenML data: one download for many processes, intact after a kill, separate from the user's own."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pubench_datasets.openml_cache import stored
from pubench_datasets.openml_settings import folder, server_key
from pubench_datasets.openml_source import openml

from pubench.errors import DataError

LOAD = (
    "import hashlib; from pubench_datasets.openml_source import openml;"
    "data = openml({}); classes = sorted(set(data.target.tolist()));"
    "print(data.X.shape, hashlib.md5(data.X.tobytes()).hexdigest(), classes)"
)


def at_home(folder):
    """Return the environment of a user whose home is a folder, and who has set nothing about caches."""
    unset = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "OPENML_CACHE_DIR")
    return {"HOME": str(folder)} | {
        name: value for name, value in os.environ.items() if name not in (*unset, "HOME")
    }


def loading(arguments, environment=None):
    """Start a process that loads a data set and prints what it got."""
    command = [sys.executable, "-c", LOAD.format(arguments)]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finished(process):
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return out


def test_a_warm_cache_sends_no_request(mirror):
    cold = openml(name="diabetes")
    assert mirror.log()
    warm = openml(name="diabetes")
    assert (warm.X == cold.X).all()
    # Name and version are known from the first time.
    openml(name="diabetes", version=1)
    openml(id=37)
    assert mirror.log() == []


def test_a_warm_cache_needs_no_client(mirror):
    openml(id=37)
    program = (
        "import sys; from pubench_datasets.openml_source import openml; openml(id=37);"
        "assert not {'openml', 'requests'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_warm_cache_works_without_the_server_and_after_its_port_has_changed(mirror, monkeypatch):
    openml(name="versions_demo")
    monkeypatch.setenv("PUBENCH_OPENML_SERVER", "http://localhost:9")
    assert openml(name="versions_demo").X.shape == (768, 8)
    assert openml(id=990017).X.shape == (768, 8)


def test_each_remote_server_has_its_own_cache(monkeypatch):
    keys = set()
    for address in (
        "https://www.openml.org",
        "http://www.openml.org:81",
        "http://x.org/a/",
        "http://[::1]:5",
    ):
        monkeypatch.setenv("PUBENCH_OPENML_SERVER", address)
        keys.add(server_key())
    assert keys == {"www.openml.org", "www.openml.org_81", "x.org_a", "loopback"}
    monkeypatch.setenv("PUBENCH_OPENML_SERVER", "https://www.openml.org/api/v1/xml")
    assert server_key() == "www.openml.org"


def test_offline_cached_data_load_and_others_are_one_sentence(mirror, monkeypatch):
    openml(id=37)
    mirror.log()
    monkeypatch.setenv("PUBENCH_OFFLINE", "1")
    assert openml(id=37).X.shape == (768, 8)
    assert openml(name="diabetes", version=1).X.shape == (768, 8)
    for arguments in ({"id": 39}, {"name": "ecoli"}, {"name": "diabetes"}):
        with pytest.raises(
            DataError, match=r"is not in the cache .* and PUBENCH_OFFLINE is set; run once without"
        ):
            openml(**arguments)
    assert mirror.log() == []
    monkeypatch.setenv("PUBENCH_OFFLINE", "0")
    assert openml(id=39).X.shape == (336, 7)


@pytest.mark.slow
@pytest.mark.parametrize("number", [3, 8])
def test_many_processes_share_one_download(mirror, number):
    mirror.faults(slow=0.2)
    crowd = [loading("name='mushroom'") for _ in range(number)]
    answers = {finished(process) for process in crowd}
    assert len(answers) == 1
    assert answers.pop().startswith("(8124, 22) ")
    asked = [row["path"] for row in mirror.log()]
    assert len(asked) == len(set(asked))
    assert [path for path in asked if path.endswith(".pq")] == ["/datasets/0000/0024/dataset_24.pq"]


@pytest.mark.slow
@pytest.mark.parametrize("number", [37, pytest.param(990013, marks=pytest.mark.slow)])
def test_a_kill_during_the_download_leaves_a_usable_cache(mirror, number):
    mirror.faults(throttle=4000)
    victim = loading(f"id={number}")
    file = "data.parquet" if number == 37 else "data.arff"
    deadline = time.monotonic() + 240
    while not list((folder() / "data").glob(f".{number}-*/{file}")):
        assert victim.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    assert stored(number) is None
    assert list((folder() / "data").glob(f".{number}-*"))
    mirror.faults()
    assert openml(id=number).X.shape[0] in (768, 82332)
    # What the dead process left is gone.
    assert [path.name for path in (folder() / "data").iterdir()] == [str(number)]
    assert sorted(path.name for path in (folder() / "data" / str(number)).iterdir()) == [file, "openml.json"]


@pytest.mark.slow
def test_a_kill_at_any_moment_leaves_a_usable_cache(mirror):
    begun = time.monotonic()
    whole = finished(loading("id=37"))
    length = time.monotonic() - begun
    for step in range(20):
        shutil.rmtree(folder(), ignore_errors=True)
        victim = loading("id=37")
        time.sleep(length * (0.4 + 0.03 * step))
        victim.kill()
        victim.communicate()
        assert finished(loading("id=37")) == whole


def test_a_file_that_has_changed_in_the_cache_is_fetched_again(mirror, monkeypatch):
    first = openml(id=37)
    entry = stored(37)
    content = bytearray(entry.path.read_bytes())
    content[len(content) // 2] ^= 1
    entry.path.write_bytes(content)
    monkeypatch.setenv("PUBENCH_OFFLINE", "1")
    with pytest.raises(DataError, match="is not in the cache"):
        openml(id=37)
    monkeypatch.delenv("PUBENCH_OFFLINE")
    assert (openml(id=37).X == first.X).all()
    assert stored(37) is not None


@pytest.mark.parametrize("wreck", ["", "{", '{"format": 1}', "[]"])
def test_a_damaged_record_is_written_again(mirror, wreck):
    openml(name="diabetes")
    for path in [*folder().rglob("*.json")]:
        path.write_text(wreck)
    assert openml(name="diabetes").X.shape == (768, 8)


def test_a_cache_that_cannot_be_written_is_one_sentence(mirror, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PUBENCH_CACHE", str(tmp_path / "file"))
    for arguments in ({"id": 37}, {"name": "diabetes"}):
        with pytest.raises(DataError, match=r"cannot write the cache .*: Not a directory; set PUBENCH_CACHE"):
            openml(**arguments)


@pytest.mark.slow
def test_the_home_folder_is_not_changed(mirror, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    finished(loading("name='diabetes'", at_home(home)))
    assert list(home.rglob("*")) == []


AFTERWARDS = """
import logging, os, sys
{before}
from pubench_datasets.openml_source import openml as load
load(id=37)
import openml, requests
kept = openml.config.get_config_as_dict()
assert str(kept["cachedir"]) == {cache!r}, kept["cachedir"]
assert kept["server"] == {server!r}, kept["server"]
assert requests.Session.send.__module__ == "requests.sessions"
assert "OPENML_CACHE_DIR" not in os.environ
assert logging.getLogger().handlers == []
"""


@pytest.mark.slow
def test_the_clients_settings_are_restored(mirror, tmp_path):
    environment = at_home(tmp_path)
    default = {"cache": str(tmp_path / ".cache" / "openml"), "server": "https://www.openml.org/api/v1/xml"}
    own = {"cache": str(tmp_path / "mine"), "server": "http://mine.example/api/v1/xml"}
    setting = f"import openml; openml.config.server = {own['server']!r}; "
    setting += f"openml.config.set_root_cache_directory({own['cache']!r})"
    for values in ({"before": "", **default}, {"before": setting, **own}):
        shutil.rmtree(folder(), ignore_errors=True)
        program = AFTERWARDS.format(**values)
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
    assert not Path(own["cache"]).exists()


def test_the_clients_settings_are_restored_after_an_error(mirror):
    client = pytest.importorskip("openml")
    before = client.config.get_config_as_dict()
    with pytest.raises(DataError):
        openml(id=424242)
    assert client.config.get_config_as_dict() == before


def test_progress_is_one_line_with_name_and_size(mirror, caplog, capfd):
    with caplog.at_level(logging.INFO, logger="pubench.data"):
        openml(id=37)
    lines = [record.getMessage() for record in caplog.records if record.name == "pubench.data"]
    assert lines == ["fetching OpenML data set 37 (diabetes, version 1): parquet, 0.01 MB"]
    assert capfd.readouterr() == ("", "")
