"""What all tests share: a cache of their own, signals and threads as they need them, and how hypothesis tries."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import settings

import pubench  # noqa: F401 - sources that are not compiled are told once, not by every file of tests

# Before NumPy is imported: small fits by many threads wait for each other, and other tests run beside them.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
# No deadline: how long an example takes says more of what else the machine does than of the code. `make test-all` asks
# for the thorough profile.
settings.register_profile("pubench", deadline=None, max_examples=20)
settings.register_profile("thorough", deadline=None, max_examples=50)
settings.load_profile("pubench")


@pytest.fixture(scope="session", autouse=True)
def pubench_cache(tmp_path_factory):
    """Keep prepared data sets in a folder of this session."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("PUBENCH_CACHE", str(folder))
        patch.delenv("PUBENCH_THIRD_PARTY", raising=False)
        yield folder


@pytest.fixture(scope="session", autouse=True)
def signals_as_in_a_terminal():
    """Let programs that tests start hear signals, also where this session runs in the background of a script.

    Such a session is started with SIGINT ignored, and under ``nohup`` with SIGHUP ignored, and so would be all that it
    starts. A program does not inherit a handler: it starts with the default.
    """
    heard = (signal.SIGINT, signal.SIGHUP)
    before = [signal.signal(number, signal.default_int_handler) for number in heard]
    yield
    for number, handler in zip(heard, before, strict=True):
        signal.signal(number, handler)


@pytest.fixture
def diary(tmp_path, monkeypatch):
    """Let the toy learner keep a diary, and return where."""
    path = tmp_path / "diary.jsonl"
    monkeypatch.setenv("TOY_DIARY", str(path))
    return path
