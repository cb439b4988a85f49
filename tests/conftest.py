"""What all tests share: a cache of their own, so that nothing touches the user's."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session", autouse=True)
def pubench_cache(tmp_path_factory):
    """Keep prepared data sets in a folder of this session."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("PUBENCH_CACHE", str(folder))
        patch.delenv("PUBENCH_THIRD_PARTY", raising=False)
        yield folder


@pytest.fixture
def diary(tmp_path, monkeypatch):
    """Let the toy learner keep a diary, and return where."""
    path = tmp_path / "diary.jsonl"
    monkeypatch.setenv("TOY_DIARY", str(path))
    return path
