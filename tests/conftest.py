"""What all tests share: a cache of their own, so that nothing touches the user's, and how hypothesis tries."""

from __future__ import annotations

import pytest
from hypothesis import settings

# No deadline: how long an example takes says more of what else the machine does than of the code.
settings.register_profile("pubench", deadline=None, max_examples=50)
settings.load_profile("pubench")


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
