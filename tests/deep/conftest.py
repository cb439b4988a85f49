"""Tests that need PyTorch: all are marked, and skipped where it is not installed."""

from __future__ import annotations

import importlib.util

import pytest


def pytest_collection_modifyitems(items):
    missing = importlib.util.find_spec("torch") is None
    for item in items:
        if "tests/deep/" in item.path.as_posix():
            item.add_marker(pytest.mark.torch)
            if missing:
                item.add_marker(pytest.mark.skip(reason="PyTorch is not installed"))
